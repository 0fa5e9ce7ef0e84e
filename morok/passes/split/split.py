"""morok-split: range form to kernel form, by the passes of this folder in order.

    one function of bufferized values   =>   @main that allocates, launches and orders; @k0, @k1, ... that each fill one buffer
"""
from __future__ import annotations

from ..pipeline import CompositePass
from ..registry import morok_pass


@morok_pass("morok-split", form="range")
class Split(CompositePass):
    """Lowers range form to kernel form: buffers, kernels, and the order of their effects."""

    passes = ("morok-bufferize-to-store", "morok-split-store", "morok-fix-assigns", "morok-reuse-buffers", "morok-join-launches")
