"""Affine loops and accesses, for `morok-linearize{affine=true}`.

    scf.for %i = %c0 to %c4            affine.for %i = 0 to 4
    memref.load %a[%i * 16 + 3]   =>   affine.load %a[%i * 16 + 3]

A loop is affine if its extent is known at the function's entry (then it is a constant or a symbol), an access if its place is linear in
affine loops.
"""
from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from mlir import ir

from ...dialect import types as T
from ...graph.uop import UOp
from ..symbolic.linear import linear
from .emission import Value
from .kernel_writer import KernelWriter, is_divided
from .loop_tree import Loop


class AffineWriter(KernelWriter):
    """Writes affine loops and accesses where they are affine."""

    def _make_loop(self, loop: Loop, low: Value, high: Value, initial: Sequence[Value], types: Sequence[ir.Type]) -> ir.Operation:
        if loop.range is None or self.tree.blocks[loop.range.operands[0]] is not self.tree.root:
            return super()._make_loop(loop, low, high, initial, types)
        known = loop.range.operands[0].name == "const" and not is_divided(loop)
        bounds = [] if known else [low, high]
        with self.dialect.context:
            if known:
                maps = [ir.AffineMap.get_constant(0), ir.AffineMap.get_constant(loop.range.operands[0].value)]
            else:
                maps = [ir.AffineMap.get(0, 1, [ir.AffineSymbolExpr.get(0)])] * 2
            step = ir.IntegerAttr.get(self.names.type(T.index), 1)
            segments = ir.DenseI32ArrayAttr.get([len(bounds) // 2, len(bounds) // 2, len(initial)])
        attributes = {"lowerBoundMap": ir.AffineMapAttr.get(maps[0]), "upperBoundMap": ir.AffineMapAttr.get(maps[1]), "step": step,
                      "operandSegmentSizes": segments}
        self._affine.add(loop.range)
        return ir.Operation.create("affine.for", results=types, operands=[*bounds, *initial], attributes=attributes, regions=1,
                                   loc=self.dialect.unknown, ip=self.ip)

    @cached_property
    def _affine(self) -> set[UOp]:
        """Ranges whose loops are affine."""
        return set()

    def _affine_place(self, pointer: UOp) -> tuple[list[Value], dict] | None:
        """The operands and the map of an access that is linear in affine loops."""
        form = linear(pointer.operands[-1])
        if len(pointer.operands) != 2 or not all(term in self._affine for term, _ in form.terms):
            return None
        with self.dialect.context:
            place = ir.AffineExpr.get_constant(form.constant)
            for n, (_, step) in enumerate(form.terms):
                place = place + ir.AffineDimExpr.get(n) * step
            attributes = {"map": ir.AffineMapAttr.get(ir.AffineMap.get(len(form.terms), 0, [place]))}
        return [self.values[pointer.operands[0]], *(self.values[term] for term, _ in form.terms)], attributes

    def _read(self, pointer: UOp, t: T.Type) -> Value:
        found = self._affine_place(pointer)
        if found is None:
            return super()._read(pointer, t)
        return self.create("affine.vector_load" if isinstance(t, T.VectorType) else "affine.load", t, *found)

    def _write(self, pointer: UOp, x: Value, is_vector: bool) -> None:
        found = self._affine_place(pointer)
        if found is None:
            super()._write(pointer, x, is_vector)
        else:
            self.create("affine.vector_store" if is_vector else "affine.store", None, (x, *found[0]), found[1])
