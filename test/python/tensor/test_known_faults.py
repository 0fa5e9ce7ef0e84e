"""Inputs that other compilers got wrong, varied in shape, dtype and layout."""

import math
import mmap
import threading
import time

import numpy as np
import pytest
from arrays import check, sample

from morok import Tensor, Variable, dtypes
from morok.graph.tensor_graph import graph_statistics
from morok.runtime.config import configured

erf = np.vectorize(math.erf, otypes=[float])


@pytest.mark.parametrize("width", [4, 14, 7])
@pytest.mark.parametrize("rows", [1, 5, 64])
def test_rotary_embedding(width, rows):
    x, c, s = (sample((rows, width), seed=i) for i in range(3))
    half = width // 2
    t = Tensor(x)
    rotated = Tensor.cat([-t[:, half:], t[:, :half]], dim=1)
    position = np.random.default_rng(0).permutation(rows)
    check(rotated, np.concatenate([-x[:, half:], x[:, :half]], 1))
    right = x * c[position] + np.concatenate([-x[:, half:], x[:, :half]], 1) * s[position]
    check(t * Tensor(c)[Tensor(position)] + rotated * Tensor(s)[position], right, 1e-5)


def test_a_column_feeding_several_functions_of_a_stack():
    left, y = sample((4, 33), seed=1) / 4, sample((4, 8), seed=2) / 4
    x, t = Tensor(left)[:, 16:17], Tensor(y)
    column = left[:, 16:17].astype(np.float64)
    right = np.stack([np.log1p(np.exp(column)) + y, erf(column * y), y + 0 * column], -1)
    check(Tensor.stack([x.softplus() + t, (x * t).erf(), t], dim=-1), right.astype(np.float32), 1e-5)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_order_of_outputs_does_not_matter(swapped):
    v = np.random.default_rng(0).standard_normal(2000).astype(np.float32)
    g, t = v[-1850::43], Tensor(v)
    x = t[-1850::43]
    outputs = [x.sum(0), t[-1850:-1849].maximum(-x)]
    Tensor.realize_batch(outputs[::-1] if swapped else outputs)
    check(outputs[0], g.sum(), 1e-5)
    check(outputs[1], np.maximum(v[-1850:-1849], -g))


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.float32], ids=str)
@pytest.mark.parametrize("function", ["tan", "mean", "softmax", "gelu", "argmax", "logsumexp", "flip"])
def test_joining_and_splitting_again_changes_nothing(function, dtype):
    x = Tensor(sample((3, 5), dtype) / dtype.np.type(8))
    same = Tensor.cat([x, x]).split(3)[0]
    np.testing.assert_array_equal(getattr(x, function)().numpy(), getattr(same, function)().numpy())


@pytest.mark.parametrize("slope", [(4, 1, 1), (1, 1, 4), (4, 4, 4), (4,), ()], ids=str)
def test_slopes_broadcast(slope):
    x, s = sample((1, 4, 4, 4), seed=1), sample(slope, seed=2)
    t = Tensor(x)
    check((t * Tensor(s)).where(t < 0, t), np.where(x < 0, s * x, x))


def test_a_cast_to_the_same_dtype_and_a_product_with_one():
    x = Tensor([1.5, -2.5])
    y = x.cast(x.dtype) * 1.0
    Tensor.realize_batch([x, y])
    assert x.tolist() == y.tolist() == [1.5, -2.5]


@pytest.mark.parametrize("shape", [(131, 111, 3), (7,), (1, 17)], ids=str)
def test_an_image_plus_a_0d_tensor(shape):
    a = np.random.default_rng(0).random(shape).astype(np.float32)
    check(Tensor(a) + Tensor(np.float32(0.1)), a + np.float32(0.1))
    check(Tensor(a)[1:] + Tensor(np.float32(0.1)), a[1:] + np.float32(0.1))


def test_row_sums_of_an_outer_product():
    e = np.arange(1, 11, dtype=np.float64)
    t = Tensor(e)
    product = t.unsqueeze(1) * t
    b = (product / (1 + product)).sum(1) - t * t / (1 + t * t) - t
    np.testing.assert_allclose(b.numpy()[[0, 9]], [6.48012266, -1.26859693], rtol=1e-8)


@pytest.mark.parametrize("n, right", [(10, 10), (20, 29)])
def test_a_conditional_count(n, right):
    assert (1 + (Tensor.arange(n) > 10)).sum().item() == right


@pytest.mark.parametrize("m, n", [(2, 3), (1, 1), (4, 1)])
def test_a_gather_by_an_index_of_two_symbolic_sizes(m, n):
    a, i = sample((5, 3), seed=1), np.random.default_rng(0).integers(0, 5, (4, 3))
    rows, columns = Variable("m", 1, 4).bind(m), Variable("n", 1, 3).bind(n)
    index = Tensor(i)[:rows, :columns]
    check(Tensor(a)[index.reshape(-1)].reshape(rows, columns, 3), a[i[:m, :n]])


@pytest.mark.parametrize("shape", [(2, 6), (12,), (3, 4)], ids=str)
@pytest.mark.parametrize("offset", [0, 1])
def test_reshapes_of_views_with_an_offset(shape, offset):
    a = sample((13,), seed=1)
    check(Tensor(a)[offset : offset + 12].reshape(shape).reshape(3, 4).T + 0, a[offset : offset + 12].reshape(3, 4).T)


def test_a_feedback_loop_over_halves_of_a_buffer():
    size = 1 << 12
    buffer = np.zeros(size, np.float32)
    t = Tensor(buffer)
    for i in range(20):
        new = np.full(size // 2, i, np.float32)
        t = Tensor.cat([t[size // 2 :], Tensor(new)]).realize()
        buffer = np.concatenate([buffer[size // 2 :], new])
        np.testing.assert_array_equal(t.numpy(), buffer)


def test_the_size_of_the_process_stays_flat():
    def rounds(count):
        for i in range(count):
            x = Tensor(np.ones((4, 4), np.float32))
            ((x @ x).softmax(-1)[1:].sum(0) + i).T[0]

    rounds(300)  # fills the caches
    before = graph_statistics()
    rounds(2000)
    after = graph_statistics()
    assert after["operations"] <= before["operations"] + 10 and after["tensors"] <= before["tensors"] + 2


def test_threads_build_and_realise_at_once():
    failures = []

    def work(seed):
        try:
            a = sample((16, 16), seed=seed)
            for i in range(10):
                t = Tensor(a)
                t[i:] += 1
                right = a.copy()
                right[i:] += 1
                np.testing.assert_allclose((t @ t.T).sum(0).numpy(), (right @ right.T).sum(0), rtol=1e-4)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_unary_chains_compile_in_linear_time():
    x = Tensor([0.5])
    right = 0.5
    for _ in range(60):
        x, right = x.sin() * x + 0.5, math.sin(right) * right + 0.5
    np.testing.assert_allclose(x.item(), right, rtol=1e-4)


def test_places_beyond_two_to_the_31():
    """Memory that nobody touches costs nothing, so that a buffer may be that large."""
    far = (1 << 31) + 7
    try:
        memory = mmap.mmap(-1, far + 100)
    except OSError:
        pytest.skip("no room for 2 GiB of addresses")
    array = np.frombuffer(memory, np.uint8)
    array[far : far + 5] = [1, 2, 3, 4, 5]
    array[3] = 9
    t = Tensor(array, borrow=True)
    assert t[far : far + 5].tolist() == [1, 2, 3, 4, 5]
    assert t[3 :: far - 1].tolist() == [9, 3]
    assert t.reshape(1, -1)[0, far + 1].item() == 2
    assert t[Tensor([far + 2, 3])].tolist() == [3, 9]


def test_a_big_constant_is_not_folded_element_by_element():
    began = time.process_time()
    out = Tensor.zeros(200_000, 10, 10).sum(-1)
    plan = out.prepare()
    seconds = time.process_time() - began
    assert seconds < 1, f"compiled in {seconds:.1f} s"
    plan.execute()
    got = plan.output_buffer_at(0).numpy()
    assert got.shape == (200_000, 10) and not got.any()


@pytest.mark.parametrize("rows, columns", [(64, 10), (1, 1), (7, 3), (130, 33)])
def test_a_sum_shared_by_kernels_of_which_one_needs_the_other(rows, columns):
    """Two kernels that both compute the sum of a mask were taken for one, which then needed itself."""
    rng = np.random.default_rng(rows)
    values, mask = rng.standard_normal((rows, columns)), rng.random(rows) > 0.3
    mask[0] = True
    x, m = Tensor(values), Tensor(mask).cast("float64")
    total, log_sums = m.sum(), x.logsumexp(-1)
    loss, shares = (log_sums * m).sum() / total, (x - log_sums.reshape(rows, 1)).exp() / total
    Tensor.realize_batch([log_sums, loss, shares])
    want = np.log(np.exp(values).sum(1))
    np.testing.assert_allclose(loss.item(), want[mask].sum() / mask.sum())
    np.testing.assert_allclose(shares.numpy(), np.exp(values - want[:, None]) / mask.sum())


@pytest.mark.parametrize("batch, channels, size", [(1, 3, 5), (4, 4, 6), (7, 5, 4)])
def test_scratch_of_several_axes_has_all_of_them_in_every_iteration(batch, channels, size):
    """Distributing a loop over its stages kept the first axis of their scratch and dropped the others."""
    rng = np.random.default_rng(batch)
    images, weights = rng.standard_normal((batch, 1, size, size)).astype(np.float32), rng.standard_normal((channels, 1, 3, 3)).astype(np.float32)
    y = Tensor(images).conv2d(Tensor(weights), padding=1)
    distance = y - y.mean((0, 2, 3)).reshape(1, -1, 1, 1)
    padded = np.pad(images[:, 0].astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    want = np.einsum("nhwij,oij->onhw", windows, weights[:, 0]).var((1, 2, 3))
    with configured(check=True):
        found = (distance * distance).mean((0, 2, 3)).numpy()
    np.testing.assert_allclose(found, want, rtol=1e-4)


def test_scratch_within_scratch_has_loops_of_its_own():
    """A value kept in scratch for a row, made of another that each of its elements keeps in scratch, shared the loops of that."""
    table, places = np.arange(30.0).reshape(2, 3, 5), np.arange(21).reshape(3, 7) % 4
    taken = Tensor(table).gather(-1, Tensor(places).unsqueeze(0).expand(2, 3, 7)).contiguous()
    first = (taken[0] + 1).contiguous()
    found = (first + first.pad(((0, 0), (1, 0)))[:, :7] + taken[1]).numpy()
    want = np.take_along_axis(table, np.broadcast_to(places, (2, 3, 7)), -1)
    np.testing.assert_array_equal(found, want[0] + 1 + np.pad(want[0] + 1, ((0, 0), (1, 0)))[:, :7] + want[1])


@pytest.mark.parametrize("dtype", [dtypes.float64, dtypes.float32], ids=str)
@pytest.mark.parametrize("columns", [1, 2, 3, 5, 6, 7])
def test_a_quotient_chosen_inside_a_pad(columns, dtype):
    """Outside the window both loads give 0, and the quotient that is not chosen NaN."""
    x, y = sample((4, columns), dtype, seed=1, low=1), sample((4, columns), dtype, seed=2, low=1)
    right = np.pad(np.where(x < y, x / y, 0), ((0, 0), (0, 1)))
    a, b = Tensor(x), Tensor(y)
    check((a / b).where(a < b, 0.0).pad(((0, 0), (0, 1))), right)
    check((a / b).where(a.eq(a), 0.0).pad(((0, 0), (0, 1))), np.pad(x / y, ((0, 0), (0, 1))))
