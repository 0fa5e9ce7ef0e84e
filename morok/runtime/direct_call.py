"""Running a compiled plan on memory given at each call: what a jitted function does.

    call = DirectCall.of(plan)                     None where the plan needs more than one call into machine code
    frame = call.take_frame()
    frame.array[call.leaf_places[0]] = buffer.address
    call.host(frame.address, call.threads)

Each frame is an argument array and a scratch arena of its own; a call takes one that waits, so that calls of several threads do not meet.
"""
from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

from ..dialect import types as T
from .buffer import Buffer, Layout
from .devices import device
from .plan import BoundPlan, CompiledPlan


class Frame:
    """An argument array with its scratch memory."""

    __slots__ = ("array", "address", "arena")

    def __init__(self, array: ctypes.Array, arena: Buffer | None) -> None:
        self.array, self.arena = array, arena
        self.address = ctypes.addressof(array)


class DirectCall:
    """A plan of a single stage that copies nothing, has no variables, and writes to no leaf."""

    __slots__ = ("host", "threads", "leaf_places", "result_places", "results", "_program", "_fixed", "_intermediates", "_waiting", "_arena_device")

    @staticmethod
    def of(plan: CompiledPlan) -> DirectCall | None:
        stage = plan.stages[0] if len(plan.stages) == 1 else None
        if stage is None or stage.program is None or stage.copies or plan.variables or stage.program.config.check:
            return None
        if len(set(plan.outputs)) < len(plan.outputs) or any(slot < plan.leaf_count for slot in plan.outputs):
            return None
        return DirectCall(plan)

    def __init__(self, plan: CompiledPlan) -> None:
        stage = plan.stages[0]
        self._program = program = stage.program
        assert program is not None
        self.threads = program.threads_for(())
        self.host = program.host(self.threads)
        first = len(program.functions)
        place = {slot: first + i for i, slot in enumerate(stage.slots) if slot >= 0}
        self.leaf_places = tuple(place.get(slot, -1) for slot in range(plan.leaf_count))
        """Where in the array each leaf's address belongs; -1 for one that no kernel takes."""
        self.result_places = tuple(place[slot] for slot in plan.outputs)
        self.results = tuple(Layout(plan.types[slot - plan.leaf_count].shape, plan.types[slot - plan.leaf_count].dtype, device(plan.devices[slot]))
                             for slot in plan.outputs)
        self._fixed = list(program.functions) + [0] * len(stage.slots) + list(program.constants)
        self._intermediates = [(first + i, program.memory.offsets[i]) for i, slot in enumerate(stage.slots) if slot < 0 and i in program.memory.offsets]
        self._arena_device = next((plan.devices[s] for s in stage.slots if s >= 0), "CPU")
        self._waiting: list[Frame] = []

    def take_frame(self) -> Frame:
        """A frame that nobody else uses; `give_back` it after the call."""
        try:
            return self._waiting.pop()
        except IndexError:
            pass
        nbytes = self._program.memory.nbytes  # type: ignore[union-attr]
        arena = Buffer((nbytes,), T.uint8, self._arena_device) if nbytes else None
        array = (ctypes.c_int64 * len(self._fixed))(*self._fixed)
        for place, offset in self._intermediates:
            assert arena is not None
            array[place] = arena.address + offset
        return Frame(array, arena)

    def give_back(self, frame: Frame) -> None:
        self._waiting.append(frame)

    def run(self, leaves: Sequence[Buffer]) -> list[Buffer]:
        """Runs on these leaves; gives the results in new memory."""
        frame = self.take_frame()
        array = frame.array
        for place, buffer in zip(self.leaf_places, leaves):
            if place >= 0:
                array[place] = buffer.address
        results = [Buffer.of_layout(layout) for layout in self.results]
        for place, buffer in zip(self.result_places, results):
            array[place] = buffer.address
        self.host(frame.address, self.threads)
        self._waiting.append(frame)
        return results


def run_plan(plan: CompiledPlan, leaves: Sequence[Buffer], values: Mapping[str, int]) -> list[Buffer]:
    """Runs any plan on these leaves; gives each output's memory: new, or the leaf's that is assigned in place."""
    plan.check_values(values)
    bound = BoundPlan(plan, leaves)
    bound.run(values)
    return [bound.output(i) for i in range(len(plan.outputs))]
