"""morok-rangeify: tensor form to range form, by the passes of this folder in order.

    func.func @main(%a: tensor<2x3xf32>) -> tensor<3xf32>   =>   func.func @main(%a: memref<2x3xf32>) -> memref<3xf32>
    movement ops, reduce_axis                                    ranges, index arithmetic, loads, reductions, bufferize

`--mlir-print-ir-after-all` shows each step.
"""
from __future__ import annotations

from ..pipeline import CompositePass
from ..registry import morok_pass


@morok_pass("morok-rangeify", form="tensor")
class Rangeify(CompositePass):
    """Lowers tensor form to range form: all rangeify passes in order."""

    passes = ("morok-early-movement-ops", "morok-defer-normalization", "morok-exact-float-products", "morok-range-assignment", "morok-load-collapse",
              "morok-split-ranges", "morok-initial-symbolic", "morok-mega-pass", "morok-fuse-outputs", "morok-simplify-ranges", "morok-split-reductions")
