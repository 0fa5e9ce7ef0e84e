"""Programs over several devices: cut at each `copy` into stages, between which memory is copied from one device to the other.

    y = (x + 1).to("CPU:1") * 2        stage 0   s = x + 1
                                       copy      c = s, into CPU:1
                                       stage 1   y = c * 2

The values of all copies that need equally many copies before them are computed in one stage. A value that a stage computes for a copy is an
argument of the later ones. Memory is numbered by slots: the leaves of the captured graph first.

An argument that may be overwritten is, in the last stage alone, because earlier contents may be asked for until then. What an earlier stage
assigns to it lies in memory of its own, and is copied into the argument's at the end.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..dialect import types as T
from ..errors import DeviceError
from ..graph.body import Body
from ..graph.shape import max_size, numel, shape_of
from ..graph.stages import Stage
from ..graph.tensor_graph import stated, symbolic_sizes
from ..graph.uop import UOp, argument, rebuild
from .devices import canonical_name


@dataclass
class Stages:
    """A program as stages; `devices` of each slot, `outputs` the slot of each result."""

    stages: list[Stage]
    devices: list[str]
    outputs: tuple[int, ...]


def cut_at_copies(body: Body, devices: Sequence[str]) -> Stages:
    """The stages of a captured function, whose arguments live on these devices. DeviceError where one op's operands live on two."""
    order = body.order()
    where = place_ops(order, devices)
    copies = [u for u in order if u.name == "copy" and is_real_copy(u, where)]
    home, shared = assigned_results(body, order)
    if shared:  # their memory holds one of several results: that one is copied into it at the end
        given = [{k: v for k, v in d.items() if k != "morok.in_place" or a not in shared}
                 for a, d in zip(body.arguments, body.argument_attributes)]
        body = replace(body, argument_attributes=given)
    if not copies:
        count = len(body.arguments)
        outputs = tuple(range(count, count + len(body.results)))
        landings = {s: home[r].attributes[0] for s, r in zip(outputs, body.results) if r in home and home[r] in shared}
        plain = _without_copies(body) if any(u.name == "copy" for u in order) else body
        return Stages([Stage(plain, tuple(range(count)), outputs, tuple(landings.items()))],
                      [*devices, *(where[r] or "CPU" for r in body.results)], tuple(landings.get(s, s) for s in outputs))
    return _Cutter(body, list(devices), order, where, copies, home).cut()


def place_ops(order: Sequence[UOp], devices: Sequence[str]) -> dict[UOp, str | None]:
    """The device that computes each op; None for what depends on no buffer."""
    where: dict[UOp, str | None] = {}
    for u in order:
        if u.name == "arg":
            where[u] = devices[u.attributes[0]]
        elif u.name == "copy":
            where[u] = canonical_name(u.attributes[0])
        else:
            found = {where[o] for o in u.operands} - {None}
            if len(found) > 1:
                place = f"{u.loc[0]}:{u.loc[1]}: " if u.loc else ""
                names = " and ".join(sorted(map(str, found)))
                raise DeviceError(f"{place}morok.{u.name} of tensors on {names}; bring them to one device with .to(device)")
            where[u] = found.pop() if found else None
    return where


def is_real_copy(u: UOp, where: dict[UOp, str | None]) -> bool:
    """Whether memory has to move: what depends on no buffer is computed where it is wanted."""
    return where[u.operands[0]] not in (None, where[u])


def assigned_results(body: Body, order: Sequence[UOp]) -> tuple[dict[UOp, UOp], set[UOp]]:
    """The results that are the last value assigned to an argument which may be overwritten, with the argument; and the arguments to which
    other results are assigned as well."""
    last: dict[UOp, UOp] = {}
    shared: set[UOp] = set()
    results = {r for r in body.results if r.name == "assign"}
    for r in [u for u in order if u in results] if results else ():  # later ones come after those that they are made of
        target = r.operands[0]
        while target.name == "assign":
            target = target.operands[0]
        if target.name == "arg" and "morok.in_place" in body.argument_attributes[target.attributes[0]]:
            if target in last:
                shared.add(target)
            last[target] = r
    return {r: target for target, r in last.items()}, shared


def _without_copies(body: Body) -> Body:
    return body.with_roots(rebuild(body.roots, lambda u: u.operands[0] if u.name == "copy" else None))


class _Cutter:
    def __init__(self, body: Body, devices: list[str], order: list[UOp], where: dict[UOp, str | None], copies: list[UOp],
                 home: dict[UOp, UOp]) -> None:
        self.body, self.devices, self.order, self.where, self.home = body, devices, order, where, home
        self.depth: dict[UOp, int] = {}
        for u in order:
            self.depth[u] = max((self.depth[o] for o in u.operands), default=0) + (u in copies)
        self.copies = copies
        self.slot: dict[UOp, int] = {a: i for i, a in enumerate(body.arguments)}
        """Where a value lies once it is computed: arguments, copies, and values that copies were made of."""

    def cut(self) -> Stages:
        last = max(self.depth[c] for c in self.copies)
        stages = []
        for k in range(last + 1):
            copies = [c for c in self.copies if self.depth[c] == k + 1]
            wanted = [c.operands[0] for c in copies] if k < last else list(self.body.results)
            stages.append(self._stage(list(dict.fromkeys(w for w in wanted if w not in self.slot)), copies, k == last))
        outputs: list[int] = []
        landings = []
        for r in self.body.results:
            if r in self.home:
                landings.append((self.slot[r], self.slot[self.home[r]]))
                outputs.append(self.slot[self.home[r]])
            elif self.slot[r] in outputs or self.slot[r] < len(self.body.arguments):  # not memory of its own
                fresh = self._new_slot(self.where[r])
                stages[-1].copies += ((self.slot[r], fresh),)
                outputs.append(fresh)
            else:
                outputs.append(self.slot[r])
        stages[-1].copies += tuple(dict.fromkeys(landings))
        return Stages(stages, self.devices, tuple(outputs))

    def _new_slot(self, device: str | None) -> int:
        self.devices.append(device or "CPU")
        return len(self.devices) - 1

    def _stage(self, wanted: list[UOp], copies: list[UOp], is_last: bool) -> Stage:
        stage = self._computation(wanted, is_last) if wanted else Stage(None, (), ())
        moves = []
        for c in copies:
            self.slot[c] = self._new_slot(self.where[c])
            moves.append((self.slot[c.operands[0]], self.slot[c]))
        stage.copies = tuple(moves)
        return stage

    def _computation(self, wanted: list[UOp], is_last: bool) -> Stage:
        arguments: list[UOp] = []
        inputs: list[int] = []
        attributes: list[dict] = []
        new: dict[UOp, UOp] = {}
        for u in self._needed(wanted):
            if u in self.slot:
                known = u.name == "arg"
                fresh = argument(len(arguments), u.type if known else memory_type(u))
                arguments.append(fresh)
                inputs.append(self.slot[u])
                given = self.body.argument_attributes
                attributes.append(given[u.attributes[0]] if known and is_last and given else {})
                new[u] = fresh if known else _view(fresh, u, new)
            else:
                operands = tuple(new[o] for o in u.operands)
                new[u] = operands[0] if u.name == "copy" else u.with_operands(operands) if operands else u
        body = Body(self.body.name, arguments, tuple(new[w] for w in wanted), (), self.body.attributes, attributes)
        for w in wanted:
            self.slot[w] = self._new_slot(self.where[w])
        return Stage(body, tuple(inputs), tuple(self.slot[w] for w in wanted))

    def _needed(self, wanted: list[UOp]) -> list[UOp]:
        """What the values reach, short of what earlier stages left in memory; sizes are always wanted."""
        seen: set[UOp] = set()
        stack = list(wanted)
        while stack:
            u = stack.pop()
            if u not in seen:
                seen.add(u)
                stack += _size_operands(u) if u in self.slot else u.operands
        return [u for u in self.order if u in seen]


def memory_type(u: UOp) -> T.TensorType:
    """How a computed value lies in memory: flat, with room for the greatest size, where its shape is symbolic."""
    assert isinstance(u.type, T.TensorType)
    if None not in u.type.shape:
        return u.type
    count = 1
    for s in shape_of(u):
        count *= max_size(s)
    return T.tensor((count,), u.type.dtype)


def _size_operands(u: UOp) -> list[UOp]:
    if u.name == "arg" or None not in getattr(u.type, "shape", ()):
        return []
    return [s for s in (*shape_of(u), numel(shape_of(u))) if isinstance(s, UOp)]


def _view(memory: UOp, u: UOp, new: dict[UOp, UOp]) -> UOp:
    """The value as it was, read from its memory."""
    if memory.type is u.type:
        return memory
    shape = shape_of(u)
    count = (numel(shape),)
    flat = UOp.make("shrink", (memory, *symbolic_sizes(count)), ((0,), stated(count)))
    return UOp.make("reshape", (flat, *symbolic_sizes(shape)), (stated(shape),))
