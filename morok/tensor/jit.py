"""morok.jit: a function of tensors, captured once per signature; later calls bind memory and run the plan.

    @morok.jit
    def step(x, w):
        w.assign(w - 0.1 * (w @ x))       # written in place, at every call
        return w.sum()

A signature is the structure of the arguments (lists, tuples, dicts), the shapes, dtypes and devices of their tensors, which of these are the
same, and all other values. Tensors that the function reaches otherwise, such as weights, are read and written anew by every call. Results
are tensors of their own; a result that is an argument, or a tensor from outside, is that tensor itself.
"""
from __future__ import annotations

import functools
import inspect
import threading
import types
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from ..errors import OptionError
from ..fork_safety import renewed_after_fork
from ..graph.derivation import VARIABLES, is_derived
from ..graph.registries import BUFFERS
from ..graph.tensor_graph import TensorUOp
from ..runtime.buffer import Buffer
from ..runtime.config import current_config
from ..runtime.direct_call import DirectCall, run_plan
from ..runtime.plan import CompiledPlan
from ..runtime.realize import RUNTIME, memory_of, plan_uops, realize_uops
from ..runtime.report import plan_report
from .core import Leaf, Storage
from .fast_call import FastCall
from .gradient.modes import is_grad_enabled
from .jit_arguments import Arguments, Call
from .jit_gradients import CapturedGradients
from .results import CutStorage, ResultStorage, result_tensor, symbolic_result
from .storage_memory import own_memory, storage_memory
from .tensor import Tensor
from .tracing import TRACING, Trace, stand_in

SIGNATURE_LIMIT = 256
"""Captured signatures that one function keeps: the ones used last."""
OTHER_LIMIT = 8
"""Captures for the same signature and other gradients that are kept: the latest."""
FAST_LIMIT = 4
"""Signatures that a call looks at before it takes its arguments apart."""

PLAIN = frozenset((type(None), bool, int, float, str))
"""Classes of arguments that hold no tensor."""

P = ParamSpec("P")
Rest = ParamSpec("Rest")
Owner = TypeVar("Owner")
Result = TypeVar("Result")


@overload
def jit(function: Callable[P, Result], *, beam: int | None = None) -> Jitted[P, Result]: ...


@overload
def jit(function: None = None, *, beam: int | None = None) -> Callable[[Callable[P, Result]], Jitted[P, Result]]: ...


def jit(function: Callable | None = None, *, beam: int | None = None) -> Any:
    """A function that is captured at its first call with each signature, and afterwards only run. Also a decorator, of methods too.

    `beam` as in `Tensor.prepare`.

    JitError, which names the function, where it looks at a value that only a call has. An error leaves every tensor as it was.

        f = morok.jit(lambda x: (x * 2 + 1).relu())
        f(Tensor([1.0, -2.0])).numpy()
    """
    if function is None:
        return functools.partial(jit, beam=beam)
    if not callable(function):
        raise TypeError(f"morok.jit takes a function, not {function!r}")
    if beam is not None and (type(beam) is not int or beam < 0):
        raise OptionError(f"morok.jit: beam is {beam!r}; it takes a whole number of at least 0, or None")
    return Jitted(function, beam)


class Jitted(Generic[P, Result]):
    """What `morok.jit` makes of a function. `captures` counts the signatures that it was captured for."""

    def __init__(self, function: Callable[P, Result], beam: int | None = None, reads_gradients_of_variables: bool = False) -> None:
        """With `reads_gradients_of_variables` the function reads gradients as those of their variables alone, whoever else knows them."""
        functools.update_wrapper(self, function)
        self._reads_gradients_of_variables = reads_gradients_of_variables
        self.name = getattr(function, "__qualname__", None) or repr(function)
        self.captures = 0
        self._function, self._beam = function, beam
        self._lock = threading.RLock()
        renewed_after_fork(self, "_lock", threading.RLock)
        self._captured: OrderedDict[Hashable, Captured] = OrderedDict()
        self._fast: tuple[FastCall, ...] = ()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Result:
        if VARIABLES and not TRACING.count and self._is_differentiated(args, kwargs):
            return self._function(*args, **kwargs)
        if not kwargs:
            for fast in self._fast:
                result = fast.call(args)
                if result is not None:
                    return result
        return self._call(args, kwargs)

    def __reduce__(self) -> Any:
        raise TypeError(f"a captured function holds machine code and memory, and cannot be pickled; pickle what it was made of, and call "
                        f"morok.jit again: {self!r}")

    def __copy__(self) -> Jitted[P, Result]:
        return self

    def __deepcopy__(self, memo: dict) -> Jitted[P, Result]:
        """Itself, as Python's functions."""
        return self

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Jitted[P, Result]: ...

    @overload
    def __get__(self: Jitted[Concatenate[Owner, Rest], Result], instance: Owner, owner: Any = None) -> Callable[Rest, Result]: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self) -> str:
        return f"morok.jit({self.name})"

    def report(self) -> str:
        """What each captured signature runs, as `ExecutionPlan.report` shows it."""
        with self._lock:
            captured = list(self._captured.values())
        head = f"{self!r}: {len(captured)} {'signature' if len(captured) == 1 else 'signatures'} captured\n"
        return head + "\n".join(one.report() for one in captured)

    def clear(self) -> None:
        """Forgets all that was captured."""
        with self._lock:
            self._captured.clear()
            self._fast = ()

    def _is_differentiated(self, args: tuple, kwargs: dict) -> bool:
        """Whether derivatives are wanted with respect to an argument: the function is then computed as others, so that they find their way."""
        if self._reads_gradients_of_variables or not is_grad_enabled():
            return False
        others = []
        for a in args:
            if a.__class__ is Tensor and a._chain is None:
                u = a._storage._uop  # memory alone, if it is the result of a captured function
                if u.__class__ is TensorUOp and is_derived(u):
                    return True
            elif a.__class__ not in PLAIN:
                others.append(a)
        return bool(others or kwargs) and any(is_derived(t.uop) for t in Arguments((others, kwargs)).tensors)

    def _call(self, args: tuple, kwargs: dict) -> Any:
        if TRACING.count and (TRACING.current is not None or TRACING.level is not None):
            return self._function(*args, **kwargs)  # part of the function that is being captured, or mapped
        with _naming(self.name):
            arguments = Arguments((args, kwargs))
            call = arguments.bind()
            key = (call.key, current_config())
        captured = self._fitting(key)
        if captured is None:
            with self._lock:
                captured = self._fitting(key)
                if captured is None:
                    captured = self._capture(arguments, call)
                    captured.other = self._captured.get(key)
                    captured.keep_others(OTHER_LIMIT)
                    self._captured[key] = captured
                    if len(self._captured) > SIGNATURE_LIMIT:
                        self._captured.popitem(last=False)
        else:
            try:
                self._captured.move_to_end(key)
            except KeyError:  # another thread dropped it meanwhile
                pass
        if captured.is_eager_for(call):
            return _realized(self._function(*args, **kwargs))
        with _naming(self.name):
            result = captured.run(call)
        if not kwargs:
            self._hasten(captured, args, call)
        return result

    def _fitting(self, key: Hashable) -> Captured | None:
        """What was captured for the signature with the gradients that there are now."""
        captured = self._captured.get(key)
        while captured is not None and not captured.gradients.fit():
            captured = captured.other
        return captured

    def _hasten(self, captured: Captured, args: tuple, call: Call) -> None:
        """Puts the capture's fast path before those of others, if it has one."""
        if captured.fast is None and captured.direct is not None and not captured.gradients:
            captured.fast = FastCall.of(captured, captured.direct, args, call)
        if captured.fast is not None:
            self._fast = (captured.fast, *[other for other in self._fast if other is not captured.fast][:FAST_LIMIT - 1])

    def _capture(self, arguments: Arguments, call: Call) -> Captured:
        self.captures += 1
        values = [(slot.value, slot.device) for slot in call.slots]
        try:
            with Trace(self.name) as trace:
                inputs = [_traced_input(trace, *value) for value in values]
                tensors = arguments.traced(call, [storage for storage, _ in inputs])
                (args, kwargs) = arguments.rebuild(tensors)
                result = self._function(*args, **kwargs)
                captured = Captured(self.name, trace, result, tensors, call, inputs, self._reads_gradients_of_variables)
        except Exception as error:
            error.add_note(f"morok.jit captured {self.name}{_place(self._function)}; no tensor was changed")
            raise
        with _naming(self.name):
            captured.compile(self._beam)
        return captured


def _place(function: Callable) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""


@contextmanager
def _naming(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"in a call of morok.jit({name})")
        raise


def _traced_input(trace: Trace, given: TensorUOp, device: str) -> tuple[Storage, TensorUOp]:
    """A storage of the trace for an argument, and the buffer that stands for it."""
    buffer, value = stand_in(given, device)
    storage = Storage(value, device)
    trace.add_stand_in(storage, buffer, value)
    return storage, buffer


def _realized(result: Any) -> Any:
    found = Arguments(result)
    Tensor.realize_batch(list(found.tensors))
    return result


Place = Storage | Leaf | int
"""Where memory comes from: a storage from outside, the gradient that a variable has, or the argument of that number."""


def _storage_of(place: Storage | Leaf) -> Storage:
    if isinstance(place, Storage):
        return place
    assert place.gradient is not None  # as CapturedGradients.fit has found
    return place.gradient._storage


class Captured:
    """A function captured for one signature."""

    def __init__(self, name: str, trace: Trace, result: Any, tensors: Sequence[Tensor], call: Call, inputs: Sequence[tuple[Storage, TensorUOp]],
                 reads_gradients_of_variables: bool = False) -> None:
        """Within the trace: takes down what is to be computed."""
        self.name = name
        self.direct: DirectCall | None = None
        self.fast: FastCall | None = None
        self.result = Arguments(result)
        self.result.check_lasting(name)
        self._inputs = {storage: i for i, (storage, _) in enumerate(inputs)}
        given = {id(t): i for i, t in enumerate(tensors)}
        made: dict[TensorUOp, int] = {}
        cut: set[int] = set()  # what depends on variables
        self.outputs: list[tuple[str, Any, str]] = []
        """What each tensor of the result is: an argument, a tensor from outside, or an output of the plan."""
        for t in self.result.tensors:
            if id(t) in given:
                self.outputs.append(("argument", given[id(t)], t.device))
            elif t._storage in trace.stand_ins and t._storage not in self._inputs and t._chain is None:
                self.outputs.append(("outside", t, t.device))
            else:
                number = made.setdefault(t.uop, len(made))
                self.outputs.append(("output", number, t.device))
                if is_derived(t.uop):
                    cut.add(number)
        self.cut = frozenset(cut)
        self.gradients = CapturedGradients(trace, made, self._inputs.keys(), reads_gradients_of_variables)
        self.other: Captured | None = None
        """What was captured for the same signature and other gradients."""
        self._targets = list(trace.written)
        self._written: list[Place] = []
        self._sinks = [*made, *[trace.value(s) for s in self._targets]]
        self._made = len(made)
        self._stand_ins = dict(trace.stand_ins)
        self._call = call
        self._outside = frozenset(s for s in trace.stand_ins if s not in self._inputs and s not in self.gradients.places)
        self._eager = any(None in self._stand_ins_type(s) for s in self._targets)

    def keep_others(self, count: int) -> None:
        """Forgets all but so many, this one among them, of those captured for the same signature."""
        last: Captured | None = self
        for _ in range(count - 1):
            last = last.other if last is not None else None
        if last is not None:
            last.other = None

    def _stand_ins_type(self, storage: Storage) -> tuple:
        return storage._uop.type.shape  # type: ignore[union-attr]

    def compile(self, beam: int | None = None) -> None:
        """After the trace: makes the plan, and forgets the graph."""
        call, sinks, stand_ins = self._call, self._sinks, self._stand_ins
        del self._call, self._sinks, self._stand_ins
        self.config = current_config()
        with RUNTIME.lock:
            if self.config.check:
                for storage, buffer in stand_ins.items():
                    BUFFERS.attach(buffer, self._memory(storage, call))
            targets = frozenset(stand_ins[s] for s in self._targets)
            self.plan: CompiledPlan | None = None
            leaves: list[TensorUOp] = []
            self._values: dict[str, int] = {}
            if sinks:
                self.plan, leaves, self._values = plan_uops(sinks, self.config if beam is None else replace(self.config, beam=beam), targets)
        of_buffer = {buffer: storage for storage, buffer in stand_ins.items()}
        places: dict[Storage, Leaf | int] = {**self.gradients.places, **self._inputs}
        self.leaves: list[Place | TensorUOp] = []
        """Where the memory of each leaf comes from; a buffer where the function made it."""
        for leaf in leaves:
            found = of_buffer.get(leaf)
            self.leaves.append(leaf if found is None else places.get(found, found))
        self._target_leaves = [self.leaves.index(places.get(s, s)) if stand_ins[s] in leaves else -1 for s in self._targets]
        self._written = [places.get(s, s) for s in self._targets]
        self._read_outside = [leaf for leaf in dict.fromkeys((*self.leaves, *self._written)) if isinstance(leaf, (Storage, Leaf))]
        del self._inputs, self._targets
        if self.plan is not None:
            self.direct = DirectCall.of(self.plan)

    @property
    def writes(self) -> bool:
        """Whether some tensor is assigned to."""
        return bool(self._written)

    def is_eager_for(self, call: Call) -> bool:
        """Whether arguments and captured tensors share memory that the function writes, in a way that the plan does not know of."""
        return self._eager or bool(self._written) and any(slot.storage in self._outside or self.gradients.holds(slot.storage) for slot in call.slots)

    def run(self, call: Call) -> Any:
        pending = [s.value for s in map(_storage_of, self._read_outside) if s._uop.__class__ is TensorUOp and s._uop.name != "buffer"]
        if pending:
            realize_uops(pending)  # together: gradients share what they are made of
        if self._written:
            with RUNTIME.lock:
                results = self._run_writing(call)
        elif self.plan is None:
            results = []
        else:
            results = self._execute([self._leaf(leaf, call) for leaf in self.leaves], call)
        self.gradients.set(lambda output, device: self._new_tensor(results[output], output, device, call))
        return self.result.rebuild(self._tensors(call, results))

    def _execute(self, leaves: Sequence[Buffer], call: Call) -> list[Buffer]:
        """Each output's memory."""
        values = {**self._values, **call.values}
        if self.direct is not None:
            return self.direct.run(leaves, values)
        assert self.plan is not None
        return run_plan(self.plan, leaves, values)

    def _tensors(self, call: Call, results: Sequence[Buffer]) -> list[Any]:
        fresh: dict[int, Any] = {}
        found = []
        for kind, what, device in self.outputs:
            if kind == "argument":
                found.append(call.tensors[what])
            elif kind == "outside":
                found.append(what)
            else:
                first = fresh.get(what)
                if first is None:
                    fresh[what] = first = self._new_tensor(results[what], what, device, call)
                else:  # a tensor of its own with the same value
                    first = Tensor._from_uop(first.uop, device)
                found.append(first)
        return found

    def _new_tensor(self, buffer: Buffer, output: int, device: str, call: Call) -> Any:
        assert self.plan is not None
        shape = self.plan.shapes[output]
        if all(isinstance(s, int) for s in shape):
            return result_tensor(Tensor, buffer, device, CutStorage if output in self.cut and is_grad_enabled() else ResultStorage)
        return symbolic_result(Tensor, buffer, shape, {**self._values, **call.values}, device)

    def report(self) -> str:
        return plan_report(self.plan, self._values) if self.plan is not None else "computes nothing\n"

    # Memory

    def _leaf(self, leaf: Place | TensorUOp, call: Call) -> Buffer:
        if isinstance(leaf, int):
            return call.slots[leaf].memory()
        return memory_of(leaf) if isinstance(leaf, TensorUOp) else storage_memory(_storage_of(leaf))

    def _memory(self, storage: Storage, call: Call) -> Buffer:
        i = self._inputs.get(storage)
        return storage_memory(storage) if i is None else call.slots[i].memory()

    def _run_writing(self, call: Call) -> list[Buffer]:
        """Runs a plan that writes: each target has memory that nobody else reads."""
        owned: dict[int, Buffer] = {}
        targets: list[Buffer] = []
        for target, leaf in zip(self._written, self._target_leaves):
            memory = call.slots[target].own_memory() if isinstance(target, int) else own_memory(_storage_of(target))
            targets.append(memory)
            if leaf >= 0:
                owned[leaf] = memory
        leaves = [owned[i] if i in owned else self._leaf(leaf, call) for i, leaf in enumerate(self.leaves)]
        results = self._execute(leaves, call)
        for i, (target, memory) in enumerate(zip(self._written, targets)):
            result = results[self._made + i]
            if result is not memory:
                memory.copy_from(result)
            if isinstance(target, int):
                call.slots[target].written(memory)
            else:
                _storage_of(target).was_written()
        return results
