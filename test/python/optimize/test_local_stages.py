"""Which values are local stages: those that are large beside what they are computed from, however often that is the same memory, and whose products are
not so deep that a block of rows reads more of the other factor than it keeps."""
import numpy as np
import pytest

from morok import Tensor, Variable


def square(seed, n=256):
    return Tensor(np.random.default_rng(seed).standard_normal((n, n)).astype(np.float32)).realize()


@pytest.mark.parametrize("names", ["aaa", "aab", "aba", "abc", "aabb"])
def test_a_chain_of_square_products_is_a_kernel_for_each(names):
    """Row by row, the second product would read all of its other factor for every few rows."""
    tensors = {name: square(ord(name)) for name in names}
    y = tensors[names[0]]
    for name in names[1:]:
        y = y @ tensors[name]
    plan = y.prepare()
    assert plan.num_kernels() == len(names) - 1
    plan.execute()
    expected = np.linalg.multi_dot([tensors[name].numpy().astype(np.float64) for name in names])
    assert np.abs(plan.output_buffer_at(0).numpy() - expected).max() <= 1e-5 * np.abs(expected).max()


def test_scores_of_one_tensor_with_itself_are_a_local_stage():
    x = Tensor(np.random.default_rng(0).standard_normal((4, 128, 32)).astype(np.float32)).realize()
    assert ((x @ x.mT).softmax(-1) @ x).prepare().num_kernels() == 1


def scale_of_rows(x):
    return (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt()


@pytest.mark.parametrize("build", [lambda x, w: (x @ w).layernorm(-1, 1e-5), lambda x, w: (x @ w).softmax(-1), lambda x, w: x.tanh() @ w,
                                   lambda x, w: x.softmax(-1) @ w, lambda x, w: x * scale_of_rows(x) @ w],
                         ids=["layer norm of a product", "softmax of a product", "product of tanh", "product of softmax", "product of an RMS norm"])
def test_a_deep_product_keeps_its_register_tile(build):
    """What comes before or after it is a kernel of its own: its rows are not done a few at a time."""
    assert build(square(1), square(2)).prepare().num_kernels() == 2


@pytest.mark.parametrize("move", [lambda y: y.roll(3, 0), lambda y: y.reshape(16, 16, 2, 128).permute(0, 2, 1, 3).reshape(512, 128)[5:-3]],
                         ids=["rolled", "rows shared out at an offset"])
def test_a_product_whose_results_go_to_places_without_loops_of_their_own_is_stored(move):
    x, w = square(1), square(2)
    plan = move(x @ w).prepare()
    assert plan.num_kernels() == 2
    plan.execute()
    expected = move(Tensor(x.numpy().astype(np.float64) @ w.numpy().astype(np.float64))).numpy()
    assert np.abs(plan.output_buffer_at(0).numpy() - expected).max() <= 1e-5 * np.abs(expected).max()


def test_heads_beside_one_another_are_no_reason_to_store_a_product():
    """A product whose axes are split or joined evenly writes to where its results go."""
    assert (square(1) @ square(2)).reshape(256, 8, 32).permute(1, 0, 2).contiguous().prepare().num_kernels() == 1
    assert ((square(1) @ square(2)).reshape(4, 64, 256).permute(1, 0, 2).reshape(64, 1024) + 1).prepare().num_kernels() == 1


def test_a_window_of_a_product_at_a_symbolic_place_has_loops():
    start = Variable("start", 0, 100).bind(7)
    window = (square(1) @ square(2)).shrink(((start, start + 64), (0, 256)))
    plan = (window + 1).prepare()
    assert plan.num_kernels() == 1
