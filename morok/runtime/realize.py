"""Realising graphs: from handles of the lazy graph to memory.

    realize_uops([x, y])                  computes both; every tensor that used them reads their buffers from now on
    plan = prepare_uops([x, y])           the same as a plan that can run again
    buffer_of(x).numpy()

A graph that differs from one seen before only in its buffers and in the values of its variables finds its compiled plan by its structural
key; no pass runs then.
"""
from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

import numpy as np

from ..dialect import types as T
from ..errors import JitError, VmapError
from ..fork_safety import awaited_by_fork
from ..graph.body import Body, Program
from ..graph.capture import Captured, capture, reachable, structural_key
from ..graph.in_place import InPlace, assigned_buffers, derived, overwritable
from ..graph.registries import BUFFERS, STAND_INS
from ..graph.repetition import ENDS, computed_along
from ..graph.shape import bound_value, shape_of
from ..graph.stages import RepeatStage, Stage
from ..graph.tensor_graph import GRAPH, TensorUOp, device_of, new_buffer, substitute
from ..passes.rangeify.outline_repeats import split_repeats
from .buffer import Buffer
from .collector import COLLECTOR
from .compiler import CompiledProgram, compile_program, output_types
from .config import Config, current_config
from .device_stages import cut_at_copies
from .devices import device as device_named
from .plan import BoundPlan, CompiledPlan, CompiledRepeat, CompiledStage, ExecutionPlan
from .repeated_parts import split_repeated
from .skeletons import Skeletons
from .stored_plans import load_plan, plan_digest, store_plan

PLAN_LIMIT = 1024
"""Plans that the cache keeps: the ones used last."""


class PlanCache:
    """Compiled plans by structural key and options. `hits` and `misses` count look-ups."""

    def __init__(self) -> None:
        self._plans: OrderedDict[Hashable, CompiledPlan] = OrderedDict()
        self.hits = self.misses = 0

    def get(self, key: Hashable) -> CompiledPlan | None:
        found = self._plans.get(key)
        if found is None:
            self.misses += 1
        else:
            self.hits += 1
            self._plans.move_to_end(key)
        return found

    def add(self, key: Hashable, plan: CompiledPlan) -> None:
        self._plans[key] = plan
        if len(self._plans) > PLAN_LIMIT:
            self._plans.popitem(last=False)

    def clear(self) -> None:
        self._plans.clear()

    def __len__(self) -> int:
        return len(self._plans)


class Runtime:
    """The process's plan cache, and the lock that makes one realize follow another."""

    def __init__(self) -> None:
        self.plans = PlanCache()
        self.skeletons = Skeletons()
        self.lock = threading.RLock()


RUNTIME = Runtime()
awaited_by_fork(RUNTIME, "lock", threading.RLock, 0)


def realize_uops(uops: Sequence[TensorUOp]) -> None:
    """Computes the values that have no memory yet; each handle becomes a buffer (or a view of one, where its shape is symbolic). So do the other values of
    loops that run for them.

    BoundsError where a variable is not bound, MemoryError before anything runs.
    """
    with RUNTIME.lock:
        pending = [u for u in dict.fromkeys(uops) if memory_view(u) is None]
        if not pending:
            return
        if ENDS:
            along = [u for u in computed_along(reachable(pending)) if memory_view(u) is None]
            pending = list(dict.fromkeys([*pending, *along]))
        plan, leaves, values = _planned(pending, current_config())
        plan.check_values(values)
        bound = BoundPlan(plan, [memory_of(leaf) for leaf in leaves])
        bound.run(values)
        for i, u in enumerate(pending):
            slot = plan.outputs[i]
            substitute(u, bound.slots[slot], plan.devices[slot])


def prepare_uops(uops: Sequence[TensorUOp]) -> ExecutionPlan:
    """A plan that computes the values each time it runs. Tensors stay as they are, but for those that the plan assigns in place: the first
    run makes them the buffers that they are assigned to, and each later run assigns to them again. Values that are realised already are
    copied."""
    uops = list(uops)
    with RUNTIME.lock:
        with GRAPH.lock:
            targets = assigned_buffers(uops)
            made = derived(reachable(uops), targets) if targets else set()
            unread = overwritable(reachable(uops), uops, lambda t: t in targets and _may_overwrite(t)) if targets else set()
        plan, leaves, values = _planned(uops, current_config(), targets)
        memory = [memory_of(leaf) for leaf in leaves]
        if not targets:
            return ExecutionPlan(plan, memory, values)
        copies = []
        for i, leaf in enumerate(leaves):
            if leaf in targets and leaf not in unread:
                original, memory[i] = memory[i], Buffer(memory[i].shape, memory[i].dtype, memory[i].device)
                copies.append((memory[i], original))
        outputs = [(u, slot) for u, slot in zip(uops, plan.outputs) if u in made and (slot < len(leaves) or _has_value(u))]
        return ExecutionPlan(plan, memory, values, _FirstRun(outputs, len(leaves), copies))


class _FirstRun:
    """What a plan that assigns in place does around its first run, so that all else keeps the values that it has.

    A buffer whose old contents somebody outside the plan may ask for is left alone: the plan has a copy, which becomes the assigned tensor's
    memory. Outputs that live on as tensors and are made of what the plan overwrites become buffers with the value of the first run.
    """

    def __init__(self, outputs: Sequence[tuple[TensorUOp, int]], leaf_count: int, copies: list[tuple[Buffer, Buffer]]) -> None:
        outputs = [(u, slot) for u, slot in outputs if memory_view(u) is None]
        self._assigned = [(u, slot) for u, slot in outputs if slot < leaf_count]
        self._others = [(weakref.ref(u), slot) for u, slot in outputs if slot >= leaf_count]
        self._copies = copies

    def before(self, plan: ExecutionPlan, values: Mapping[str, int]) -> None:
        """The plan is about to run at `values`."""
        for to, source in self._copies:
            to.copy_from(source)
        if values != plan.values:  # the run computes the others at other sizes than theirs
            realize_uops([u for u, _ in self._living()])

    def after(self, plan: ExecutionPlan) -> None:
        with RUNTIME.lock:
            slots, devices = plan._bound.slots, plan.compiled.devices
            while self._assigned:
                u, slot = self._assigned.pop()
                if memory_view(u) is None:
                    substitute(u, slots[slot], devices[slot])
                del u  # what only it used does not live on
            for other, slot in self._living():
                own = Buffer(slots[slot].shape, slots[slot].dtype, slots[slot].device)
                own.copy_from(slots[slot])
                substitute(other, own, devices[slot])

    def _living(self) -> list[tuple[TensorUOp, int]]:
        GRAPH.drain()
        found = [(u, slot) for ref, slot in self._others if (u := ref()) is not None]
        return [(u, slot) for u, slot in found if memory_view(u) is None]


def new_buffer_from_numpy(array: np.ndarray, device: str = "CPU", borrow: bool = False) -> TensorUOp:
    """A buffer with the array's elements: a copy, or with `borrow` the array's own memory where kernels can use it. Nothing ever writes to
    borrowed memory. TypeError for a dtype that morok lacks, DeviceError for an unknown device."""
    where = device_named(device)
    storage = Buffer.borrow(array, where) if borrow else Buffer.from_numpy(array, where)
    return new_buffer(T.tensor(storage.shape, storage.dtype), where.name, storage)


def buffer_of(u: TensorUOp) -> Buffer | None:
    """The memory that begins with the value's elements in row-major order; None for a value that is not realised. Its size may be greater
    than the value's, whose shape may differ too: `buffer_of(u).numpy(shape)`."""
    found = memory_view(u)
    return None if found is None else BUFFERS.get(found)


def memory_view(u: TensorUOp) -> TensorUOp | None:
    """The buffer of which the value is the first elements, in order; None for any other value."""
    while True:
        if u.name == "buffer":
            return u
        if u.name in ("reshape", "detach"):
            u = u.operands[0]
        elif u.name == "shrink" and len(u.type.shape) == 1 and u.attribute("begin") == (0,):  # type: ignore[union-attr]
            u = u.operands[0]
        else:
            return None


def memory_of(leaf: TensorUOp) -> Buffer:
    """A buffer's memory. JitError for a buffer that stood for a tensor while a function was captured, VmapError for one that stood for an example while a
    function was mapped: what was made of it is looked at afterwards."""
    found = BUFFERS.get(leaf)
    if not isinstance(found, Buffer) and leaf in STAND_INS:
        raise VmapError("a tensor that was made of an example inside a function which morok.vmap maps has no value of its own; return it from the function, in "
                        "lists, tuples and dicts")
    if not isinstance(found, Buffer):
        raise JitError("a tensor that was made inside a function which morok.jit captured has no value outside of it; return it from the function, in lists, "
                       "tuples and dicts, or assign it to a tensor from outside")
    return found


def _has_value(u: TensorUOp) -> bool:
    """Whether all variables that the value depends on are bound."""
    order = reachable([u])
    bound = {bound_value(b)[0] for b in order if b.name == "bind"}
    return all(v.attributes[0] in bound for v in order if v.name == "define_var")


def _may_overwrite(target: TensorUOp) -> bool:
    storage = BUFFERS.get(target)
    return isinstance(storage, Buffer) and not storage.is_shared


def plan_uops(uops: Sequence[TensorUOp], config: Config, targets: frozenset) -> tuple[CompiledPlan, list[TensorUOp], dict[str, int]]:
    """The compiled plan of the values, with its leaves and the values of its variables. It overwrites these buffers; the caller sees to who
    else reads them."""
    with RUNTIME.lock:
        return _planned(list(uops), config, targets)


def _planned(uops: list[TensorUOp], config: Config, in_place: InPlace = _may_overwrite) -> tuple[CompiledPlan, list[TensorUOp], dict[str, int]]:
    """The compiled plan of the graph, from the cache or made now, with the leaves and values to run it on."""
    with GRAPH.lock:  # what may be overwritten depends on who is alive: key and program must see the same
        key, leaves, values = structural_key(uops, in_place)
        plan = RUNTIME.plans.get((key, config))
        if plan is not None:
            return plan, leaves, values
        devices = [device_of(leaf) for leaf in leaves]
        parameters = RUNTIME.skeletons.parameters(key, devices)  # type: ignore[arg-type]
        extra: list[TensorUOp] = []
        if parameters is not None:
            key, extra, values = parameters.key, parameters.leaves(devices), {**values, **parameters.values}
            plan = RUNTIME.plans.get((key, config))
            if plan is not None:
                return plan, leaves + extra, values
        stored = plan_digest(key, config)
        with COLLECTOR.paused():
            if stored is not None:
                plan = load_plan(stored, config, values)
            captured = capture(uops, in_place) if plan is None else None
    if plan is None:
        assert captured is not None
        with nullcontext() if config.beam else COLLECTOR.paused():  # a search takes long
            plan = compile_plan(captured if parameters is None else parameters.apply(captured, extra), config)
        if stored is not None:
            store_plan(plan_digest(key, config) or stored, plan, config)  # a search may have added to the database
    RUNTIME.plans.add((key, config), plan)
    return plan, leaves + extra, values


def compile_plan(captured: Captured, config: Config) -> CompiledPlan:
    """Compiles a captured graph, stage by stage where it spans devices."""
    main = captured.program.bodies["main"]
    cut = cut_at_copies(main, captured.devices)
    count = len(captured.leaves)
    layout = _Layout(count, cut.devices, cut.outputs)
    for whole in cut.stages:
        new_slot = partial(layout.new_slot, whole)
        for stage in split_repeats(whole, new_slot):
            for part in split_repeated(stage, new_slot) if isinstance(stage, Stage) else [stage]:
                layout.stages.append(layout.laid_out(part, captured, config))
    types = tuple(layout.types[s] for s in range(count, len(layout.devices)))
    return CompiledPlan(tuple(layout.stages), count, types, tuple(layout.devices), tuple(layout.outputs),
                        tuple(shape_of(r) for r in main.results), captured.variables)


class _Layout:
    """Slots as the stages fill them."""

    def __init__(self, leaves: int, devices: Sequence[str], outputs: Sequence[int]) -> None:
        self.devices, self.outputs = list(devices), list(outputs)
        self.types: dict[int, T.MemRefType] = {}
        self.stages: list[CompiledStage | CompiledRepeat] = []
        self.leaves = leaves
        self.renamed: dict[int, int] = {}
        self.compiled: dict[tuple, CompiledProgram] = {}
        """Programs by their computation: stages that are repeated share one."""

    def new_slot(self, stage: Stage) -> int:
        """Memory for a value between parts of a stage, on its device."""
        self.devices.append(next((self.devices[s] for s in (*stage.inputs, *stage.outputs)), "CPU"))
        return len(self.devices) - 1

    def laid_out(self, stage: Stage | RepeatStage, captured: Captured, config: Config) -> CompiledStage | CompiledRepeat:
        """The stage compiled; its slots get their types."""
        if isinstance(stage, RepeatStage):
            self.types.update(zip((*stage.carried, *stage.following), stage.types * 2))
            inner = tuple(self.laid_out(s, captured, config) for s in stage.stages)
            return CompiledRepeat(inner, stage.carried, stage.following, stage.count, stage.goes_on)
        copies: list[tuple[int, int]] = []
        program = None
        slots: list[int] = []
        if stage.body is not None:
            program = self._compiled(stage, stage.body, captured, config)
            slots = self._place(stage, program, copies)
        for source_slot, to in stage.copies:
            source_slot = self.renamed.get(source_slot, source_slot)
            if source_slot == to:  # assigned in place
                continue
            if to >= self.leaves:
                self.types[to] = self._type_of(source_slot, captured)
            copies.append((source_slot, to))
        return CompiledStage(program, tuple(slots), tuple(copies))

    def _compiled(self, stage: Stage, body: Body, captured: Captured, config: Config) -> CompiledProgram:
        key = body.roots, tuple(a.type for a in body.arguments), tuple(tuple(d) for d in body.argument_attributes)
        found = self.compiled.get(key)
        if found is None:
            source = Program(captured.program.dialect)
            source.bodies["main"] = body
            inputs = self._check_inputs(stage, captured) if config.check else None
            found = self.compiled[key] = compile_program(source, config, inputs, captured.values)
        return found

    def _place(self, stage: Stage, program: CompiledProgram, copies: list[tuple[int, int]]) -> list[int]:
        """The slot of each buffer of the program. A result that is an argument overwritten in place is that argument's slot; one that is an
        argument as it was, or a second name of another result, is a copy."""
        schedule = program.schedule
        slots = [*stage.inputs, *[-1] * (len(schedule.buffers) - schedule.argument_count)]
        written = frozenset().union(*(item.written_ids for item in schedule.items))
        taken: set[int] = set()
        for slot, buffer, t in zip(stage.outputs, schedule.results, output_types(program)):
            self.types[slot] = t
            if buffer in taken or buffer < schedule.argument_count and buffer not in written:
                copies.append((slots[buffer], slot))
            elif buffer < schedule.argument_count:
                if slot != slots[buffer]:
                    self._rename(slot, slots[buffer])
            else:
                slots[buffer] = slot
            taken.add(buffer)
        return slots

    def _rename(self, slot: int, target: int) -> None:
        """Outputs at the slot lie at the target; the slot itself stays, with no memory to speak of."""
        self.renamed[slot] = target
        self.outputs = [target if s == slot else s for s in self.outputs]
        self.types[slot] = T.memref((0,), self.types[slot].dtype)

    def _type_of(self, slot: int, captured: Captured) -> T.MemRefType:
        if slot >= self.leaves:
            return self.types[slot]
        t = captured.leaves[slot].type
        assert isinstance(t, T.TensorType)
        return T.memref(t.shape, t.dtype)

    def _check_inputs(self, stage: Stage, captured: Captured) -> list[np.ndarray]:
        from .check import random_input
        assert stage.body is not None
        return [memory_of(captured.leaves[s]).numpy() if s < self.leaves else random_input(a.type, i)
                for i, (s, a) in enumerate(zip(stage.inputs, stage.body.arguments))]
