"""The short path of a jitted function: a call whose arguments are tensors with memory of their own, or the very static values of the capture.

It compares each argument with what the capture was made for, puts the addresses into a frame of the plan, and wraps the results: nothing is hashed
or looked up. Where an argument is of another kind it gives None, and the call takes the long path, which takes anything.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph.tensor_graph import TensorUOp
from ..runtime.buffer import Buffer
from ..runtime.config import current_config
from ..runtime.direct_call import DirectCall
from .gradient.modes import is_grad_enabled
from .jit_arguments import Call
from .results import CutStorage, ResultStorage, result_tensor
from .tensor import Tensor
from .tracing import TRACING

if TYPE_CHECKING:
    from .jit import Captured


SAME = object()
"""In the place of a shape: the tensor is that of an earlier argument."""


class FastCall:
    """One capture's. It writes to no argument, and its results are outputs of the plan, each once."""

    __slots__ = ("_count", "_config", "_inputs", "_outside", "_direct", "_results", "_rebuild", "_cut")

    @staticmethod
    def of(captured: Captured, direct: DirectCall, args: tuple, call: Call) -> FastCall | None:
        """None where the capture, or what it was called with, is of another kind."""
        plan, numbers = direct.plan, [what for _, what, _ in captured.outputs]
        if captured.writes or plan.variables or not numbers or any(kind != "output" for kind, _, _ in captured.outputs):
            return None
        if numbers != list(range(len(numbers))) or len(direct.layouts) != len(plan.outputs):
            return None
        places = {leaf: place for leaf, place in zip(captured.leaves, direct.leaf_places) if isinstance(leaf, int)}
        inputs: list[tuple] = []
        number = 0
        for a in args:
            again = next((i for i, b in enumerate(args[:len(inputs)]) if a is b and a.__class__ is Tensor), None)
            if again is not None:
                inputs.append((again, SAME, None, None, -1))
            elif a.__class__ is Tensor:
                slot = call.slots[number] if number < len(call.slots) else None
                if slot is None or call.tensors[number] is not a or a._chain is not None or slot.value.name != "buffer":
                    return None
                kind: Any = slot.value.type
                inputs.append((kind, kind.shape, kind.dtype, slot.memory().device, places.get(number, -1)))
                number += 1
            elif a is None or a.__class__ in (bool, int, str) or a.__class__ is float and a != 0:  # 0.0 equals -0.0
                inputs.append((a, None, None, None, -1))
            else:
                return None
        if number != len(call.slots):
            return None
        outside = [(leaf, place) for leaf, place in zip(captured.leaves, direct.leaf_places) if not isinstance(leaf, int) and place >= 0]
        return FastCall(captured, direct, tuple(inputs), tuple(outside))

    def __init__(self, captured: Captured, direct: DirectCall, inputs: tuple, outside: tuple) -> None:
        self._count = len(inputs)
        self._config, self._direct = captured.config, direct
        self._inputs, self._outside = inputs, outside
        self._results = tuple((place, layout, device, CutStorage if number in captured.cut else ResultStorage)
                              for place, layout, (_, number, device) in zip(direct.result_places, direct.layouts, captured.outputs))
        self._cut = bool(captured.cut)
        self._rebuild = None if captured.result.is_single else captured.result.rebuild

    def call(self, args: tuple) -> Any:
        """The result; None where the arguments are not of this kind."""
        if len(args) != self._count or TRACING.count or current_config() is not self._config or self._cut and not is_grad_enabled():
            return None
        direct = self._direct
        frame = direct.take_frame()
        array = frame.array
        held = []  # memory stays alive during the call, whatever other threads do to the tensors
        for a, (type_, shape, dtype, device, place) in zip(args, self._inputs):
            if shape is SAME:
                if a is not args[type_]:
                    break
            elif a.__class__ is Tensor:
                if a._chain is not None:
                    break
                u = a._storage._uop
                if u.__class__ is Buffer:
                    if u.shape != shape or u.dtype is not dtype:
                        break
                elif u.type is type_:
                    u = u.storage
                    if u is None:
                        break
                else:
                    break
                if u.device is not device:
                    break
                if place >= 0:
                    array[place] = u.address
                    held.append(u)
            elif shape is not None or a is not type_ and (a.__class__ is not type_.__class__ or a != type_):
                break
        else:
            for leaf, place in self._outside:
                u = leaf.storage if leaf.__class__ is TensorUOp else leaf._uop
                if u.__class__ is TensorUOp:
                    u = u.storage
                if u is None:
                    break
                array[place] = u.address
                held.append(u)
            else:
                results = []
                for place, layout, device, kind in self._results:
                    buffer = Buffer.of_layout(layout)
                    array[place] = buffer.address
                    results.append(result_tensor(Tensor, buffer, device, kind))
                for to, source in direct.repeats:
                    array[to] = array[source]
                direct.host(frame.pointer, direct.number)
                direct.give_back(frame)
                return results[0] if self._rebuild is None else self._rebuild(results)
        direct.give_back(frame)
        return None
