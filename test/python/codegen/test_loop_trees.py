"""Loop trees: what a compilation makes dies with its last reference."""
import gc
import weakref

import numpy as np
import pytest

from morok import Tensor
from morok.passes.codegen.loop_tree import LoopTree
from morok.passes.symbolic.ranges import open_ranges, open_ranges_of


@pytest.fixture
def trees(monkeypatch):
    """The order of each kernel that is written, and references to its loops that do not keep them."""
    found = []
    make = LoopTree.__init__

    def watched(self, body):
        make(self, body)
        blocks = [self.root, *self.loops.values(), *self.branches]
        found.append((list(self.order), [weakref.ref(block) for block in blocks]))

    monkeypatch.setattr(LoopTree, "__init__", watched)
    return found


KERNELS = {
    "elementwise": lambda x: x * 2 + 0.7123,
    "a branch": lambda x: (x * 1.0713).sin(),  # for arguments beyond 10^5
    "stages": lambda x: (x * 1.0917).softmax(-1),
    "product with an epilogue": lambda x: (x @ (x.T * 1.0231)).gelu(),
    "a scan": lambda x: (x + 0.9731).cumsum(0),
}


@pytest.mark.parametrize("name", KERNELS)
def test_no_cycle_is_left_for_the_collector(name, trees):
    x = Tensor(np.random.default_rng(len(name)).standard_normal((37, 29)).astype(np.float32)).realize()
    gc.disable()
    try:
        KERNELS[name](x).prepare()
        assert trees
        assert not [block for _, blocks in trees for ref in blocks if (block := ref()) is not None]
    finally:
        gc.enable()


@pytest.mark.parametrize("name", KERNELS)
def test_open_ranges_in_one_sweep_are_those_of_each_op(name, trees):
    x = Tensor(np.random.default_rng(len(name)).standard_normal((41, 23)).astype(np.float32)).realize()
    KERNELS[name](x).prepare()
    assert trees
    for order, _ in trees:
        assert open_ranges_of(order) == {u: open_ranges(u) for u in order}
