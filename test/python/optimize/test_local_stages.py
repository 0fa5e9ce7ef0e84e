"""Which values are local stages: those that are large beside what they are computed from, however often that is the same memory."""
import numpy as np
import pytest

from morok import Tensor


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
