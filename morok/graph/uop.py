"""UOps: the ops of the dialect as immutable, hash-consed Python values. Passes read and rewrite these; `body.py` turns them into MLIR and back.

    a = UOp.make("range", (extent,), (0, "loop"), T.index)
    b = a * 4 + 1                 # index arithmetic; folds constants on the spot
    a is UOp.make("range", (extent,), (0, "loop"), T.index)

Equal content gives the same object, so equality is identity. Attributes are a tuple in the order of the op table.
"""
from __future__ import annotations

import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from ctypes import c_float
from operator import attrgetter
from typing import Any

import numpy as np

from ..dialect import ops as _ops  # noqa: F401  (fills the table)
from ..dialect import types as T
from ..dialect.opdef import TABLE, Instance, verify_instance
from ..fork_safety import renewed_after_fork

Location = tuple[str, int]
_HALF = 1 << 63
"""Integers from -_HALF below _HALF are constants of the type index as they are."""


class _KeyedRef(weakref.ref):
    __slots__ = ("key",)
    key: tuple


_lock = threading.RLock()
renewed_after_fork(sys.modules[__name__], "_lock", threading.RLock)
_dead: deque[_KeyedRef] = deque()
"""References whose ops died. Finalisers run anywhere, so they only append here; `make` takes the entries away."""
_note_death = _dead.append
"""One for all: a bound method is an object, and each op's reference keeps its own."""


class UOp:
    """One op. `loc` is the user's (file, line); it is no part of the identity."""

    __slots__ = ("name", "operands", "attributes", "type", "loc", "facts", "__weakref__")
    _interned: dict[tuple, _KeyedRef] = {}

    name: str
    operands: tuple[UOp, ...]
    attributes: tuple
    type: T.Type
    loc: Location | None
    facts: dict[str, Any] | None
    """Results of analyses on this op alone (bounds, ranges), kept with it."""

    @classmethod
    def make(cls, name: str, operands: tuple = (), attributes: tuple = (), type: T.Type | None = None, loc: Location | None = None) -> UOp:
        """The op of this content. The type is inferred where the op table can; a type must be given for constants, casts and buffers."""
        if type is None:
            type = infer_type(name, operands, attributes)
        key = (name, operands, attributes if name not in NUMBERED else exact_attributes(attributes), type)
        interned = cls._interned
        ref = interned.get(key)
        if ref is not None:
            found = ref()
            if found is not None:
                if loc is not None:
                    found.loc = loc  # an op may be shared with a program of long ago: the place asked for last says most
                return found
        self = object.__new__(cls)
        self.name, self.operands, self.attributes, self.type, self.facts = name, operands, attributes, type, None
        if loc is None:
            for operand in operands:
                if operand.loc is not None:
                    loc = operand.loc
                    break
        self.loc = loc
        mine = _KeyedRef(self, _note_death)
        mine.key = key
        if _dead:
            with _lock:
                cls._forget_dead()
        while (ref := interned.setdefault(key, mine)) is not mine:
            found = ref()
            if found is not None:
                return found  # another thread was faster
            with _lock:
                if interned.get(key) is ref:  # a dead op's entry; only who holds the lock takes entries away
                    del interned[key]
        return self

    @classmethod
    def constant(cls, value: Any, type: T.Type, loc: Location | None = None) -> UOp:
        """A constant of a scalar, vector or 0-d tensor type; the value is converted to the dtype: its Python kind, precision and width."""
        if type is not T.index or value.__class__ is not int or not -_HALF <= value < _HALF:
            value = number_of(value, T.element_dtype(type))
        return cls.make("const", (), (value,), type, loc)

    @classmethod
    def _forget_dead(cls) -> None:
        """Drops the entries of dead ops. A key holds the operands, so that a long chain dies link by link here, not by recursion."""
        while _dead:
            ref = _dead.popleft()
            if cls._interned.get(ref.key) is ref:
                del cls._interned[ref.key]
            del ref  # and with it the key: its operands may die now, and join the queue

    # Access

    def attribute(self, name: str) -> Any:
        return self.attributes[TABLE[self.name].index_of[name]]

    @property
    def dtype(self) -> T.DType:
        return T.element_dtype(self.type)

    def is_const(self, value: Any = None) -> bool:
        return self.name == "const" and (value is None or self.attributes[0] == value)

    @property
    def value(self) -> Any:
        """A constant's value."""
        return self.attributes[0]

    def with_operands(self, operands: tuple) -> UOp:
        """The same op over other operands; its type follows theirs where the table infers it."""
        if operands == self.operands:
            return self
        name, inferred = self.name, None
        for new, old in zip(operands, self.operands):
            if new.type is not old.type:
                break
        else:  # operands of the same types give the same type
            if len(operands) == len(self.operands):
                return self.make(name, operands, self.attributes, self.type, self.loc)
        if name in _SCALED:
            inferred = T.like(operands[0].type, T.element_dtype(self.type))
        elif TABLE.get(name) is None or TABLE[name].infer is None:
            inferred = self.type
        return type(self).make(name, operands, self.attributes, inferred, self.loc)

    def backward_slice(self) -> list[UOp]:
        """This op and all that it reaches, operands first."""
        return toposort((self,))

    def __copy__(self) -> UOp:
        return self

    def __deepcopy__(self, memo: dict) -> UOp:
        return self

    def __repr__(self) -> str:
        return f"<{self.name} {self.type} {self.attributes}>"

    # Arithmetic. Python numbers become constants of the other operand's type; on index, trivial cases fold at once.

    def _other(self, value: Any) -> UOp:
        return value if isinstance(value, UOp) else self.constant(value, self.type)

    def alu(self, name: str, *others: Any) -> UOp:
        return type(self).make(name, (self, *[o if isinstance(o, UOp) else self._other(o) for o in others]))

    def __add__(self, other: Any) -> UOp:
        other = self._other(other)
        if self.type is T.index:
            if other.name == "const":
                if other.value == 0:
                    return self
                if self.name == "const":
                    return self.constant(self.value + other.value, T.index)
                if self.name == "add" and self.operands[1].name == "const":
                    return self.operands[0] + (self.operands[1].value + other.value)
            elif self.name == "const":
                return other + self
        return self.alu("add", other)

    def __sub__(self, other: Any) -> UOp:
        other = self._other(other)
        if self.type is T.index:
            return self + (-other.value if other.name == "const" else other * -1)
        return self.alu("sub", other)

    def __mul__(self, other: Any) -> UOp:
        other = self._other(other)
        if self.type is T.index:
            if other.name == "const":
                if other.value in (0, 1):
                    return self if other.value else other
                if self.name == "const":
                    return self.constant(self.value * other.value, T.index)
                if self.name == "mul" and self.operands[1].name == "const":
                    return self.operands[0] * (self.operands[1].value * other.value)
            elif self.name == "const":
                return other * self
        return self.alu("mul", other)

    def __floordiv__(self, other: Any) -> UOp:
        other = self._other(other)
        if self.type is T.index and other.name == "const" and other.value != 0:
            if other.value == 1:
                return self
            if self.name == "const":
                return self.constant(self.value // other.value, T.index)
        return self.alu("floordiv", other)

    def __mod__(self, other: Any) -> UOp:
        other = self._other(other)
        if self.type is T.index and other.name == "const" and other.value != 0:
            if other.value == 1:
                return self.constant(0, T.index)
            if self.name == "const":
                return self.constant(self.value % other.value, T.index)
        return self.alu("mod", other)

    def __radd__(self, other: Any) -> UOp:
        return self._other(other) + self

    def __rmul__(self, other: Any) -> UOp:
        return self._other(other) * self

    def __rsub__(self, other: Any) -> UOp:
        return self._other(other) - self

    def __neg__(self) -> UOp:
        return self * -1 if self.type is T.index else self.alu("neg")

    def lt(self, other: Any) -> UOp:
        return self.alu("cmplt", other)

    def le(self, other: Any) -> UOp:
        return self.alu("cmple", other)

    def ge(self, other: Any) -> UOp:
        return self._other(other).alu("cmple", self)

    def eq(self, other: Any) -> UOp:
        return self.alu("cmpeq", other)

    def ne(self, other: Any) -> UOp:
        return self.alu("cmpne", other)

    def __and__(self, other: Any) -> UOp:
        return self.alu("and", other)

    def __or__(self, other: Any) -> UOp:
        return self.alu("or", other)

    def where(self, x: UOp, y: Any) -> UOp:
        """x where this condition holds, else y."""
        return type(self).make("where", (self, x, x._other(y)))

    def cast(self, dtype: T.DType) -> UOp:
        return self if self.dtype is dtype else type(self).make("cast", (self,), (), T.like(self.type, dtype))

    def bitcast(self, dtype: T.DType) -> UOp:
        return self if self.dtype is dtype else type(self).make("bitcast", (self,), (), T.like(self.type, dtype))


_SCALED = frozenset(("cast", "bitcast"))


NUMBERED = frozenset(("const", "pad"))
"""Ops with an attribute that is a number: 0.0, -0.0, 0 and False are equal in Python but not the same attribute."""


def exact_attributes(attributes: tuple) -> tuple:
    """Attributes as they can be compared: a number by its spelling, unless it is the only one and an int, which equals no spelling."""
    if len(attributes) == 1 and attributes[0].__class__ is int:
        return attributes
    return tuple(a if isinstance(a, tuple) else repr(a) for a in attributes)


type_of = attrgetter("type")
_inferred: dict[tuple, T.Type] = {}
"""Types of results by what decides them. Types are few: a program has more ops than kinds of ops."""
_INFERRED_LIMIT = 1 << 14


def infer_type(name: str, operands: tuple[UOp, ...], attributes: tuple) -> T.Type:
    """The result's type, which the operands' types and the attributes decide."""
    key = (name, attributes, *map(type_of, operands))
    found = _inferred.get(key)
    if found is not None:
        return found
    definition = TABLE[name]
    if definition.infer is None:
        if definition.result is None:
            return T.token  # sink: as a UOp it has the type of an effect
        raise TypeError(f"morok.{name}: the result's type must be given")
    found = definition.infer(key[2:], {a.name: v for a, v in zip(definition.attributes, attributes)})
    if len(_inferred) >= _INFERRED_LIMIT:
        _inferred.clear()
    _inferred[key] = found
    return found


def number_of(value: Any, dtype: T.DType) -> float | bool | int:
    """A number as the dtype's Python kind, rounded to a float's precision and wrapped to an integer's width."""
    if dtype.kind == "f":
        return _round_float(float(value), dtype)
    if dtype.kind == "b":
        return bool(value)
    value = int(value)
    return value if dtype.min <= value <= dtype.max else (value - dtype.min) % (1 << dtype.bits) + dtype.min


def _round_float(value: float, dtype: T.DType) -> float:
    """The dtype's nearest number; infinite beyond its range. What is printed is read back as the same constant."""
    if dtype is T.float64:
        return value
    if dtype is T.float32:
        return c_float(value).value
    with np.errstate(over="ignore"):
        return float(dtype.np.type(value))


def const(value: Any, type: T.Type, loc: Location | None = None) -> UOp:
    """A constant of a scalar, vector or 0-d tensor type; see `UOp.constant`."""
    return UOp.constant(value, type, loc)


def index_const(value: int) -> UOp:
    return const(value, T.index)


def as_index(value: int | UOp) -> UOp:
    return value if isinstance(value, UOp) else const(value, T.index)


def argument(slot: int, type: T.Type) -> UOp:
    """A function's block argument."""
    return UOp.make("arg", (), (slot,), type)


def toposort(roots: Iterable[UOp]) -> list[UOp]:
    """All that the roots reach, operands before users; no recursion, each op once."""
    order: list[UOp] = []
    seen: set[UOp] = set()
    for root in roots:
        if root in seen:
            continue
        stack: list[tuple[UOp, Iterator[UOp]]] = [(root, iter(root.operands))]
        seen.add(root)
        while stack:
            node, pending = stack[-1]
            for operand in pending:
                if operand not in seen:
                    seen.add(operand)
                    if operand.operands:
                        stack.append((operand, iter(operand.operands)))
                        break
                    order.append(operand)
            else:
                order.append(node)
                stack.pop()
    return order


def toposort_to(roots: Iterable[UOp], is_leaf: Callable[[UOp], bool]) -> list[UOp]:
    """As `toposort`, but not what lies behind the leaves."""
    order: list[UOp] = []
    done: set[UOp] = set()
    stack = list(roots)[::-1]
    while stack:
        node = stack[-1]
        missing = [o for o in node.operands if o not in done] if node not in done and not is_leaf(node) else ()
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        if node not in done:
            done.add(node)
            order.append(node)
    return order


def users_of(order: Iterable[UOp]) -> dict[UOp, list[UOp]]:
    """For each op of a topological order, its users within it."""
    users: dict[UOp, list[UOp]] = {}
    for node in order:
        if node not in users:
            users[node] = []
        for operand in node.operands:
            found = users.get(operand)
            if found is None:
                users[operand] = [node]
            elif not found or found[-1] is not node:
                found.append(node)
    return users


def rebuild(roots: tuple[UOp, ...], replace: Callable[[UOp], UOp | None]) -> tuple[UOp, ...]:
    """One sweep, operands first: each op is rebuilt over its new operands, then `replace` may give another op for it (None keeps it)."""
    new: dict[UOp, UOp] = {}
    for node in toposort(roots):
        rebuilt = node.with_operands(tuple(new[o] for o in node.operands)) if node.operands else node
        found = replace(rebuilt)
        new[node] = rebuilt if found is None else found
    return tuple(new[r] for r in roots)


def substitute(roots: tuple[UOp, ...], replacements: dict[UOp, UOp]) -> tuple[UOp, ...]:
    """The roots with some ops replaced by others; what stands in the replacements is not rewritten again."""
    new: dict[UOp, UOp] = {}
    for node in toposort(roots):
        found = replacements.get(node)
        new[node] = found if found is not None else node.with_operands(tuple(new[o] for o in node.operands)) if node.operands else node
    return tuple(new[r] for r in roots)


def instance_of(u: UOp) -> Instance:
    d = TABLE[u.name]
    return Instance(d, tuple(o.type for o in u.operands), {a.name: v for a, v in zip(d.attributes, u.attributes)}, u.type if d.result is not None else None)


def verify(u: UOp) -> str | None:
    """What is wrong with the op, or None."""
    return None if u.name == "arg" else verify_instance(instance_of(u))
