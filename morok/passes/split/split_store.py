"""morok-split-store: each store to global memory, with all it computes, becomes a kernel; `main` launches them.

    %e = morok.end (morok.store (morok.index %d[%i]), %v), %i     =>   %k = morok.kernel (morok.param %d {0}), (morok.param %a {1}) {callee = @k0}
    %b = morok.after %d, %e                                            %b = morok.after %d, %k
                                                                       func.func @k0(%d, %a) attributes {morok.kernel} { ... morok.sink }

Buffers get their slots in the order in which the kernel meets them, the one written first. A buffer that a kernel both reads and writes has one slot if each
element is read only where it is then written; otherwise the version read has a slot of its own, and morok-fix-assigns makes it a copy.
"""
from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from mlir import ir

from ...dialect import types as T
from ...graph.body import Body, Program
from ...graph.uop import UOp, argument, toposort_to
from ..rangeify.placement import ranges_in
from ..registry import Pass, morok_pass
from ..symbolic.ranges import renumbered


@morok_pass("morok-split-store", form="range")
class SplitStore(Pass):
    """Makes each store to global memory a kernel of its own."""

    evaluable: ClassVar[bool] = False  # kernels that read and overwrite one buffer are ordered by morok-fix-assigns only

    def run(self, program: Program) -> None:
        for body in list(program.bodies.values()):
            if not body.is_kernel and any(_is_materialised(u) for u in body.order()):
                split_function(program, body)


def split_function(program: Program, body: Body) -> None:
    """Splits one function; its kernels are named after it (`k0`, `k1`, ... for main)."""
    prefix = "k" if body.name == "main" else f"{body.name}_k"
    versions: dict[UOp, UOp] = {}
    kernels: dict[UOp, UOp] = {}
    count = 0
    with program.dialect.context:
        kernel_attribute = {"morok.kernel": ir.UnitAttr.get()}
    for u in body.order():
        if not _is_materialised(u):
            continue
        buffer = versions.get(u.operands[0], u.operands[0])
        tokens = []
        for effect in u.operands[1:]:
            if effect not in kernels:
                name = f"{prefix}{count}"
                count += 1
                kernel_body, buffers = _outline(effect)
                program.bodies[name] = Body(name, [argument(i, b.type) for i, b in enumerate(buffers)], (), renumbered((kernel_body,)), dict(kernel_attribute),
                                            [{} for _ in buffers])
                params = tuple(UOp.make("param", (versions.get(b, b),), (slot,), T.argument) for slot, b in enumerate(buffers))
                kernels[effect] = UOp.make("kernel", params, (name,), T.token, effect.loc)
            tokens.append(kernels[effect])
        versions[u] = UOp.make("after", (buffer, *tokens))
    program.bodies[body.name] = replace(body, results=tuple(versions.get(r, r) for r in body.results))


def _is_materialised(u: UOp) -> bool:
    return u.name == "after" and u.type.space is None  # type: ignore[union-attr]


def _is_version(u: UOp) -> bool:
    """Whether the op is a buffer in global memory as some moment left it."""
    return isinstance(u.type, T.MemRefType) and u.type.space is None


def _outline(effect: UOp) -> tuple[UOp, list[UOp]]:
    """The kernel's sink over arguments, and the buffer versions that these stand for."""
    order = _inner_order(effect)
    store = next(u for u in reversed(order) if u.name == "store" and u.operands[0].type.space == "global")  # type: ignore[union-attr]
    written = store.operands[0].operands[0]
    slots: dict[UOp, int] = {written: 0}
    for u in order:
        for o in u.operands:
            if _is_version(o) and o not in slots:
                slots[o] = len(slots)
    separate = None if _reads_only_where_it_writes(order, store, written) else len(slots)
    new: dict[UOp, UOp] = {}
    for u in order:
        operands = tuple(argument(slots[o], o.type) if _is_version(o) else new[o] for o in u.operands)
        if separate is not None and u.name == "index" and u.operands[0] is written and u is not store.operands[0]:
            operands = (argument(separate, written.type), *operands[1:])
        elif separate is not None and u.name == "load" and u.operands[0] is store.operands[0]:
            place = new[u.operands[0]]
            operands = (place.with_operands((argument(separate, written.type), *place.operands[1:])), *operands[1:])
        new[u] = u.with_operands(operands) if u.operands else u
    buffers = list(slots)
    if separate is not None:
        buffers.append(written)
    return UOp.make("sink", (new[effect],)), buffers


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
    # The same index expression, but inside a reduction or a local stage: other iterations may have written it already.
    allowed = ranges_in(*place.operands[1:])
    depends: set[UOp] = set(reads_place)
    for u in order:
        if any(o in depends for o in u.operands):
            if u.name == "reduce" or u.name == "end" and u.operands[0] is not store:
                return False
            depends.add(u)
    closing = next((u for u in order if u.name == "end" and u.operands[0] is store), None)
    return closing is None or set(closing.operands[1:]) <= allowed
