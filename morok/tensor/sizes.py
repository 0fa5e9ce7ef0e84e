"""Sizes of axes: ints, and SymbolicInts where a Variable decides.

    n = Variable("n", 1, 64).bind(5)
    n + n is equal to 2 * n, (n + 1) - 1 to n; int(n) == 5; (n * 3).bounds == (3, 192)

Sums and products are kept as polynomials over variables, so that equal sizes are found equal however they were computed.
"""
from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from ..dialect import types as T
from ..errors import BoundsError, ShapeError
from ..graph import shape as symbolic
from ..graph.tensor_graph import TensorUOp, index_value

GREATEST = (1 << 63) - 1

Monomial = tuple[TensorUOp, ...]
"""A product of atoms: variables, and what is no sum or product."""
Polynomial = dict[Monomial, int]


class SymbolicInt:
    """An integer that depends on Variables. Arithmetic gives SymbolicInts (or ints, where the variables cancel out)."""

    __slots__ = ("uop", "_polynomial", "_bounds")

    def __init__(self, uop: TensorUOp, polynomial: Polynomial | None = None) -> None:
        self.uop = uop
        self._polynomial = polynomial
        self._bounds: tuple[int, int] | None = None

    @property
    def polynomial(self) -> Polynomial:
        if self._polynomial is None:
            self._polynomial = _polynomial_of(self.uop)
        return self._polynomial

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest value that the variables' bounds allow."""
        if self._bounds is None:
            self._bounds = symbolic.interval(self.uop)
        return self._bounds

    def __int__(self) -> int:
        """The value with the variables as bound; BoundsError where one is not bound."""
        return symbolic.evaluate_index(self.uop, {})

    def __add__(self, other: Any) -> Any:
        return _combine(self, other, _sum)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _combine(self, other, lambda x, y: _sum(x, _product(y, {(): -1})))

    def __rsub__(self, other: Any) -> Any:
        return (self * -1) + other

    def __mul__(self, other: Any) -> Any:
        return _combine(self, other, _product)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def __floordiv__(self, other: Any) -> Any:
        if not is_size(other):
            return NotImplemented
        exact = divided(self, other)
        return exact if exact is not None else as_size(self.uop // operand(other))

    def __rfloordiv__(self, other: Any) -> Any:
        return as_size(index_value(other) // self.uop) if is_size(other) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        if not is_size(other):
            return NotImplemented
        return 0 if divided(self, other) is not None else as_size(self.uop % operand(other))

    def __rmod__(self, other: Any) -> Any:
        return as_size(index_value(other) % self.uop) if is_size(other) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Whether both are the same size for every value of the variables."""
        return isinstance(other, SymbolicInt) and other.uop is self.uop

    def __hash__(self) -> int:
        return id(self.uop)

    def __bool__(self) -> bool:
        """True, unless the size may be 0."""
        low, high = self.bounds
        if low <= 0 <= high:
            raise BoundsError(f"whether {self!r} is 0 depends on its variables (from {low} to {high})")
        return True

    def _order(self, other: Any) -> tuple[int, int]:
        difference = self - other
        return (difference, difference) if isinstance(difference, int) else difference.bounds

    def __lt__(self, other: Any) -> bool:
        return self._decide(other, lambda d: d < 0, "<")

    def __le__(self, other: Any) -> bool:
        return self._decide(other, lambda d: d <= 0, "<=")

    def __gt__(self, other: Any) -> bool:
        return self._decide(other, lambda d: d > 0, ">")

    def __ge__(self, other: Any) -> bool:
        return self._decide(other, lambda d: d >= 0, ">=")

    def _decide(self, other: Any, holds: Any, sign: str) -> bool:
        if not is_size(other):
            return NotImplemented
        low, high = (holds(d) for d in self._order(other))
        if low != high:
            raise BoundsError(f"whether {self!r} {sign} {other!r} depends on the variables' values; compare int({self!r})")
        return low

    def __repr__(self) -> str:
        return _text(self.uop)


Size = int | SymbolicInt
Shape = tuple[Size, ...]


def is_size(value: Any) -> bool:
    return isinstance(value, (int, SymbolicInt))


def as_size(u: Any) -> Size:
    """An index UOp (or int) as a size in normal form."""
    return u if isinstance(u, (int, SymbolicInt)) else _from_polynomial(_polynomial_of(u))


def operand(size: Size) -> TensorUOp:
    """The size as an index UOp."""
    return size.uop if isinstance(size, SymbolicInt) else index_value(size)


def numel(shape: Iterable[Size]) -> Size:
    """How many elements a shape has."""
    count: Size = 1
    for s in shape:
        count = count * s
    return count


def divided(size: Size, by: Size) -> Size | None:
    """size / by where that is an integer for every value of the variables, else None."""
    if isinstance(size, int) and isinstance(by, int):
        return size // by if by and size % by == 0 else None
    divisor = _polynomial(by)
    if len(divisor) != 1:
        return 1 if divisor == _polynomial(size) else None
    ((atoms, factor),) = divisor.items()
    out: Polynomial = {}
    for monomial, coefficient in _polynomial(size).items():
        rest = list(monomial)
        for atom in atoms:
            if atom not in rest:
                return None
            rest.remove(atom)
        if not factor or coefficient % factor:
            return None
        out[tuple(rest)] = coefficient // factor
    return _from_polynomial(out)


def least(size: Size) -> int:
    return size if isinstance(size, int) else size.bounds[0]


def greatest(size: Size) -> int:
    return size if isinstance(size, int) else size.bounds[1]


def concrete(shape: Shape) -> tuple[int, ...]:
    """The sizes with the variables as bound."""
    return tuple(int(s) for s in shape)


def require(given: Any, what: str) -> Size:
    """A size that a caller gave: an int (or NumPy integer) or SymbolicInt, not negative."""
    size = given
    if isinstance(size, SymbolicInt):
        if size.bounds[0] < 0:
            raise ShapeError(f"{what}: size {size!r} may be as small as {size.bounds[0]}; a size must not be negative")
        return size
    try:
        size = size if isinstance(size, bool) else operator.index(size)
    except TypeError:
        size = None
    if size is None or isinstance(size, bool):
        raise TypeError(f"{what}: a size is an int or a bound Variable, not {given!r}")
    if size < 0:
        raise ShapeError(f"{what}: size {size} is negative")
    if size > GREATEST:
        raise ShapeError(f"{what}: size {size} is more than any tensor has")
    return size


def countable(shape: Shape, what: str) -> Shape:
    """The shape, if its elements can be counted in 64 bits."""
    if greatest(numel(shape)) > GREATEST or any(greatest(s) > GREATEST for s in shape):
        raise ShapeError(f"{what}: shape {shape} has more elements than a tensor can have")
    return shape


# Polynomials

def _combine(x: SymbolicInt, y: Any, operation: Any) -> Any:
    if not is_size(y):
        return NotImplemented
    return _from_polynomial(operation(x.polynomial, _polynomial(y)))


def _polynomial(size: Size) -> Polynomial:
    return size.polynomial if isinstance(size, SymbolicInt) else {(): size} if size else {}


def _sum(x: Polynomial, y: Polynomial) -> Polynomial:
    out = dict(x)
    for monomial, coefficient in y.items():
        total = out.get(monomial, 0) + coefficient
        if total:
            out[monomial] = total
        else:
            out.pop(monomial, None)
    return out


def _product(x: Polynomial, y: Polynomial) -> Polynomial:
    out: Polynomial = {}
    for a, p in x.items():
        for b, q in y.items():
            out = _sum(out, {tuple(sorted(a + b, key=_text)): p * q})
    return out


def _polynomial_of(u: TensorUOp) -> Polynomial:
    """Sums and products are taken apart; sizes are small expressions, so recursion is no danger."""
    if u.name == "const":
        return {(): u.value} if u.value else {}
    if u.name in ("add", "sub", "mul", "neg"):
        parts = [_polynomial_of(o) for o in u.operands]
        if u.name == "neg":
            return _product(parts[0], {(): -1})
        if u.name == "sub":
            return _sum(parts[0], _product(parts[1], {(): -1}))
        return (_sum if u.name == "add" else _product)(*parts)
    return {(u,): 1}


def _from_polynomial(polynomial: Polynomial) -> Size:
    if not polynomial:
        return 0
    if list(polynomial) == [()]:
        return polynomial[()]
    terms = sorted(polynomial.items(), key=lambda term: (not term[0], [_text(a) for a in term[0]]))
    total: TensorUOp | None = None
    for monomial, coefficient in terms:
        product = index_value(coefficient)
        for i, atom in enumerate(monomial):
            product = atom if i == 0 else product * atom  # type: ignore[assignment]
        if monomial and coefficient != 1:
            product = product * coefficient  # type: ignore[assignment]
        total = product if total is None else total + product  # type: ignore[assignment]
    assert total is not None and total.type is T.index
    return SymbolicInt(total, polynomial)


_SIGNS = {"add": "+", "mul": "*", "sub": "-", "floordiv": "//", "mod": "%"}


def _text(u: TensorUOp, inside: bool = False) -> str:
    """The expression as Python would write it, `n=5` for a bound variable."""
    if u.name == "const":
        return str(u.value)
    if u.name == "define_var":
        return str(u.attributes[0])
    if u.name == "bind":
        text = f"{_text(u.operands[0])}={_text(u.operands[1])}"
    elif u.name in _SIGNS:
        text = f"{_text(u.operands[0], True)} {_SIGNS[u.name]} {_text(u.operands[1], True)}"
    else:
        return f"{u.name}({', '.join(_text(o) for o in u.operands)})"
    return f"({text})" if inside else text
