"""morok-reuse-buffers: an elementwise kernel writes into a buffer that it is the last to read.

    %a1 = morok.after %a, %k0                                     %a1 = morok.after %a, %k0
    %k1 = morok.kernel (param %b {0}), (param %a1 {1})     =>     %k1 = morok.kernel (param %a1 {0})         @k1 reads and writes slot 0
    %b1 = morok.after %b, %k1                                     %b1 = morok.after %a1, %k1

Only memory that the plan allocates itself is reused, of the same type, and only where all else that touches it is done when the kernel begins. The kernel
reads it at the very element that the same iteration writes, and has no reduction or scratch, whose other iterations might read it later.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ...dialect import types as T
from ...graph.body import Body, Program
from ...graph.buffers import argument_uses, root_buffer
from ...graph.uop import UOp, argument, substitute, toposort
from ..registry import Pass, morok_pass
from ..symbolic.ranges import open_ranges


@morok_pass("morok-reuse-buffers", form="kernel")
class ReuseBuffers(Pass):
    """Lets elementwise kernels overwrite intermediate buffers that nothing reads after them."""

    def run(self, program: Program) -> None:
        for body in list(program.bodies.values()):
            if not body.is_kernel and any(u.name == "define_global" for u in body.order()):
                _reuse(program, body)


def _reuse(program: Program, main: Body) -> None:
    order = toposort(main.results)
    launches = [u for u in order if u.name == "kernel"]
    touching: dict[UOp, list[UOp]] = {}
    before = Order(order, launches)
    for launch in launches:
        for p in launch.operands:
            touching.setdefault(root_buffer(p), []).append(launch)
    kept = {root_buffer(r) for r in main.results}
    times = Counter(k.attribute("callee") for k in launches)
    new: dict[UOp, UOp] = {}
    moved: dict[UOp, UOp] = {}
    """Buffers whose memory is another's: the version that they begin as."""
    for u in order:
        kernel = program.bodies[u.attribute("callee")] if u.name == "kernel" and times[u.attribute("callee")] == 1 else None
        if kernel is not None and len(kernel.arguments) != len(u.operands):  # one launch on several rows
            kernel = None
        pair = _reusable(kernel, u, touching, before, kept) if kernel is not None else None
        if kernel is None or pair is None:
            operands = tuple([moved.get(o, new[o]) for o in u.operands])
            new[u] = u.with_operands(operands) if operands else u
            continue
        read, written = pair
        source = u.operands[read].operands[0]
        moved[u.operands[written].operands[0]] = new[source]
        program.bodies[kernel.name] = _in_place(kernel, read, written)
        versions = [moved.get(v, new[v]) for slot, v in enumerate(p.operands[0] for p in u.operands) if slot != read]
        params = tuple(UOp.make("param", (v,), (slot,), T.argument) for slot, v in enumerate(versions))
        new[u] = UOp.make("kernel", params, u.attributes, T.token, u.loc)
    if moved:
        program.bodies[main.name] = replace(main, results=tuple(new[r] for r in main.results))


class Order:
    """Which launches are done when another begins."""

    def __init__(self, order: list[UOp], launches: list[UOp]) -> None:
        self.place = {launch: i for i, launch in enumerate(launches)}
        self.done: dict[UOp, int] = {}
        """For each op the launches that it comes after, as bits; a launch itself included."""
        for u in order:
            bits = 0
            for o in u.operands:
                bits |= self.done[o]
            self.done[u] = bits | 1 << self.place[u] if u in self.place else bits

    def is_done(self, earlier: UOp, when: UOp) -> bool:
        return bool(self.done[when] >> self.place[earlier] & 1)


def _reusable(kernel: Body, launch: UOp, touching: dict[UOp, list[UOp]], before: Order, kept: set[UOp]) -> tuple[int, int] | None:
    """A slot that the kernel reads last and one that it writes first, if one can be the other's memory."""
    order = kernel.order()
    if any(u.name in ("reduce", "define_local") for u in order):
        return None
    reads, writes = argument_uses(kernel)
    roots = [root_buffer(p) for p in launch.operands]
    for written in sorted(writes - reads):
        if launch.operands[written].operands[0].name != "define_global" or touching[roots[written]][0] is not launch:
            continue
        for read in sorted(reads - writes):
            root = roots[read]
            if root.name == "define_global" and root not in kept and kernel.arguments[read].type is kernel.arguments[written].type and all(
                    before.is_done(other, launch) for other in touching[root]) and roots.count(root) == 1 and _same_elements(order, read, written):
                return read, written
    return None


def _same_elements(order: list[UOp], read: int, written: int) -> bool:
    """Whether slot `read` is read only at the element of slot `written` that the same iteration stores, in every iteration."""
    stores = [u for u in order if u.name == "store" and root_buffer(u.operands[0]).attributes[0] == written]
    if len(stores) != 1 or len(stores[0].operands) != 2:
        return False
    place = stores[0].operands[0].operands[1:]
    ended = next((u for u in order if u.name == "end" and u.operands[0] is stores[0]), None)
    if ended is not None and not set(ended.operands[1:]) <= {r for i in place for r in open_ranges(i)}:
        return False
    loads = [u for u in order if u.name == "load" and root_buffer(u.operands[0]).attributes[0] == read]
    return all(len(u.operands) == 1 and u.operands[0].operands[1:] == place for u in loads)


def _in_place(kernel: Body, read: int, written: int) -> Body:
    """The kernel with one argument less: what it read there it reads where it writes."""
    place = {slot: slot - (slot > read) for slot in range(len(kernel.arguments)) if slot != read}
    place[read] = place[written]
    new = {a: argument(place[a.attributes[0]], a.type) for a in kernel.arguments}
    kept = [a for a in kernel.arguments if a.attributes[0] != read]
    return replace(kernel, arguments=[new[a] for a in kept], sinks=substitute(kernel.sinks, new),
                   argument_attributes=[g for a, g in zip(kernel.arguments, kernel.argument_attributes) if a.attributes[0] != read])
