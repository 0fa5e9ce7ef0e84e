"""morok-split-store: each store to global memory, with all it computes, becomes a kernel; `main` launches them. Stores that share a loop share a kernel.

    %e = morok.end (morok.store (morok.index %d[%i]), %v), %i     =>   %k = morok.kernel (morok.param %d {0}), (morok.param %a {1}) {callee = @k0}
    %b = morok.after %d, %e                                            %b = morok.after %d, %k
                                                                       func.func @k0(%d, %a) attributes {morok.kernel} { ... morok.sink }

Buffers get their slots in the order in which the kernel meets them, those written first. A buffer that a kernel both reads and writes has one slot if each
element is read only where it is then written; otherwise the version read has a slot of its own, and morok-fix-assigns makes it a copy.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from mlir import ir

from ...dialect import types as T
from ...errors import IRError
from ...graph.body import Body, Program
from ...graph.uop import UOp, argument, toposort_to
from ..rangeify.placement import ranges_in
from ..registry import Pass, morok_pass
from ..symbolic.ranges import renumbered


@morok_pass("morok-split-store", form="range")
class SplitStore(Pass):
    """Makes each store to global memory, or those that share loops, a kernel."""

    evaluable: ClassVar[bool] = False  # kernels that read and overwrite one buffer are ordered by morok-fix-assigns only

    def run(self, program: Program) -> None:
        for body in list(program.bodies.values()):
            if not body.is_kernel and any(_is_materialised(u) for u in body.order()):
                split_function(program, body)


def split_function(program: Program, body: Body) -> None:
    """Splits one function; its kernels are named after it (`k0`, `k1`, ... for main)."""
    prefix = "k" if body.name == "main" else f"{body.name}_k"
    order = body.order()
    versions: dict[UOp, UOp] = {}
    kernels: dict[UOp, UOp] = {}
    with program.dialect.context:
        kernel_attribute = {"morok.kernel": ir.UnitAttr.get()}
    for count, slices in enumerate(_in_order(order)):
        name, effects = f"{prefix}{count}", [slice_[-1] for slice_ in slices]
        sink, buffers = _outline(slices)
        program.bodies[name] = Body(name, [argument(i, b.type) for i, b in enumerate(buffers)], (), renumbered((sink,)), dict(kernel_attribute),
                                    [{} for _ in buffers])
        params = tuple(UOp.make("param", (_version(b, versions, kernels),), (slot,), T.argument) for slot, b in enumerate(buffers))
        launch = UOp.make("kernel", params, (name,), T.token, effects[0].loc)
        kernels.update(dict.fromkeys(effects, launch))
    program.bodies[body.name] = replace(body, results=tuple(_version(r, versions, kernels) for r in body.results))


def _version(buffer: UOp, versions: dict[UOp, UOp], kernels: dict[UOp, UOp]) -> UOp:
    """The buffer after the launches of the kernels that its version comes after."""
    chain = []
    while buffer not in versions and _is_materialised(buffer):
        chain.append(buffer)
        buffer = buffer.operands[0]
    found = versions.get(buffer, buffer)
    for u in reversed(chain):
        found = versions[u] = UOp.make("after", (found, *dict.fromkeys(kernels[effect] for effect in u.operands[1:])))
    return found


def _in_order(order: list[UOp]) -> list[list[list[UOp]]]:
    """The slices of the effects on global memory, those that share a loop together, each after those whose buffers it needs."""
    effects = dict.fromkeys(effect for u in order if _is_materialised(u) for effect in u.operands[1:])
    slices = {effect: _inner_order(effect) for effect in effects}
    needed = _needed(order, slices)
    together = _sharing_loops(slices, needed)
    needs: dict[int, set[int]] = {group: set() for group in together.values()}
    for effect, others in needed.items():
        if any(together[e] == together[effect] for e in others):
            raise IRError("a store needs what another makes, which shares a loop with it; they cannot be one kernel")
        needs[together[effect]].update(together[e] for e in others)
    done: dict[int, list[UOp]] = {}
    for group in needs:
        stack = [group]
        while stack:
            missing = next((n for n in needs[stack[-1]] if n not in done), None)
            if missing in stack:
                raise IRError("a store needs what another makes, which shares a loop with one that needs the first; they cannot be one kernel")
            if missing is None:
                done[stack.pop()] = []
            else:
                stack.append(missing)
    for effect, group in together.items():
        done[group].append(effect)
    return [[slices[effect] for effect in group] for group in done.values()]


def _needed(order: list[UOp], slices: dict[UOp, list[UOp]]) -> dict[UOp, set[UOp]]:
    """For each effect those that made the buffer versions that it reads or writes over."""
    makers = {u: u.operands[1:] for u in order if _is_materialised(u)}
    needed: dict[UOp, set[UOp]] = {effect: set() for effect in slices}
    for effect, slice_ in slices.items():
        for version in {o for u in slice_ for o in u.operands if _is_version(o)}:
            while version in makers:
                needed[effect].update(makers[version])
                version = version.operands[0]
    return needed


def _sharing_loops(slices: dict[UOp, list[UOp]], needed: dict[UOp, set[UOp]]) -> dict[UOp, int]:
    """For each effect the number of its kernel. Effects whose stores are in one loop are in one kernel. So are those that share a reduction in the same loops
    round it, unless one needs the other: each of these reduces for itself."""
    leader: dict[int, int] = {}

    def find(group: int) -> int:
        while leader[group] != group:
            group = leader[group]
        return group

    def join(a: int, b: int) -> None:
        first, second = find(a), find(b)
        leader[max(first, second)] = min(first, second)

    owner: dict[UOp, int] = {}
    number = {effect: i for i, effect in enumerate(slices)}
    for effect, i in number.items():
        leader[i] = i
        for r in _loops(effect):
            join(owner.setdefault(r, i), i)
    reducers: dict[tuple[UOp, frozenset[UOp]], list[UOp]] = {}
    for effect, slice_ in slices.items():
        for r in slice_:
            if r.name == "range" and r not in owner:
                reducers.setdefault((r, _loops(effect)), []).append(effect)
    for sharing in reducers.values():
        for effect in sharing[1:]:
            if not _depend(sharing[0], effect, number, needed, find):
                join(number[sharing[0]], number[effect])
    return {effect: find(i) for effect, i in number.items()}


def _loops(effect: UOp) -> frozenset[UOp]:
    """The loops round a store."""
    return frozenset(r for u in _ends_of(effect) for r in u.operands[1:])


def _ends_of(effect: UOp) -> list[UOp]:
    found = []
    while effect.name != "store":
        found.append(effect)
        effect = effect.operands[0]
    return found


def _depend(a: UOp, b: UOp, number: dict[UOp, int], needed: dict[UOp, set[UOp]], find: Callable[[int], int]) -> bool:
    """Whether the kernel of one effect needs that of the other, directly or through others."""
    members: dict[int, list[UOp]] = {}
    for effect, i in number.items():
        members.setdefault(find(i), []).append(effect)
    for start, goal in ((a, find(number[b])), (b, find(number[a]))):
        stack, seen = list(members[find(number[start])]), set()
        while stack:
            for other in needed[stack.pop()]:
                group = find(number[other])
                if group == goal:
                    return True
                if group not in seen:
                    seen.add(group)
                    stack += members[group]
    return False


def _is_materialised(u: UOp) -> bool:
    return u.name == "after" and u.type.space is None  # type: ignore[union-attr]


def _is_version(u: UOp) -> bool:
    """Whether the op is a buffer in global memory as some moment left it."""
    return isinstance(u.type, T.MemRefType) and u.type.space is None and u.name != "current"


def _outline(slices: list[list[UOp]]) -> tuple[UOp, list[UOp]]:
    """The kernel's sink over arguments, and the buffer versions that these stand for."""
    effects = [slice_[-1] for slice_ in slices]
    order = list(dict.fromkeys(u for slice_ in slices for u in slice_))
    stores = [_store_of(effect) for effect in effects]
    slots: dict[UOp, int] = {store.operands[0].operands[0]: i for i, store in enumerate(stores)}
    for u in order:
        for o in u.operands:
            if _is_version(o) and o not in slots:
                slots[o] = len(slots)
    buffers = list(slots)
    apart: dict[UOp, UOp] = {}
    """Of a buffer that is read elsewhere than it is written: the argument that its old version is."""
    for store in stores:
        written = store.operands[0].operands[0]
        if not _reads_only_where_it_writes(order, store, written):
            apart[written] = argument(len(buffers), written.type)
            buffers.append(written)
    places = {store.operands[0] for store in stores}
    new: dict[UOp, UOp] = {}
    scratch = sorted((u for u in order if u.name == "define_local"), key=lambda u: u.attribute("id"))  # numbered in each kernel: equal ones are then the same
    new.update((u, UOp.make(u.name, (), (number, *u.attributes[1:]), u.type, u.loc)) for number, u in enumerate(scratch))
    for u in order:
        if u in new:
            continue
        operands = tuple(argument(slots[o], o.type) if _is_version(o) else new[o] for o in u.operands)
        if u.name == "index" and u.operands[0] in apart and u not in places:
            operands = (apart[u.operands[0]], *operands[1:])
        elif u.name == "load" and u.operands[0] in places and u.operands[0].operands[0] in apart:
            place = new[u.operands[0]]
            operands = (place.with_operands((apart[u.operands[0].operands[0]], *place.operands[1:])), *operands[1:])
        new[u] = u.with_operands(operands) if u.operands else u
    return UOp.make("sink", tuple(new[effect] for effect in effects)), buffers


def _store_of(effect: UOp) -> UOp:
    while effect.name != "store":
        effect = effect.operands[0]
    return effect


def _inner_order(effect: UOp) -> list[UOp]:
    """The effect's slice, cut at buffers in global memory."""
    return [u for u in toposort_to((effect,), _is_version) if not _is_version(u)]


def _reads_only_where_it_writes(order: list[UOp], store: UOp, written: UOp) -> bool:
    """Whether each load of the written buffer is of the very element that the same iteration stores."""
    place = store.operands[0]
    for u in order:
        if u.name == "index" and u.operands[0] is written and u is not place:
            return False
    reads_place = [u for u in order if u.name == "load" and u.operands[0] is place]
    if not reads_place:
        return True
    closing = next((u for u in order if u.name == "end" and u.operands[0] is store), None)
    loops = set() if closing is None else set(closing.operands[1:])
    if any(v.name == "load" for i in place.operands[1:] for v in toposort_to((i,), _is_version)) and not loops <= set(place.operands[1:]):
        return False  # what is stored where data says may be stored there again; unless each loop has an axis of its own
    # The same index expression, but inside a reduction or a local stage: other iterations may have written it already.
    allowed = ranges_in(*place.operands[1:])
    depends: set[UOp] = set(reads_place)
    for u in order:
        if any(o in depends for o in u.operands):
            if u.name == "reduce" or u.name == "end" and u.operands[0].operands[0].type.space == "local":  # type: ignore[union-attr]
                return False
            depends.add(u)
    return loops <= allowed
