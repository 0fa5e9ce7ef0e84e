"""How many kernels normalisations, statistics, attention and epilogues take, and how many bytes these move against the arguments and results alone.

Where a graph is not one kernel, the reason stands beside it: a large reduction to few results has two stages, so that its parts can run at once, and columns
that no cache holds are passed over in rows.
"""

import numpy as np
import pytest

from morok import Tensor, dtypes
from morok.dialect import types as T
from morok.schedule.work import estimate


def sample(*shape, dtype=dtypes.float32):
    return Tensor(np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)).cast(dtype).realize()


def batch_norm(x, axes, running=False):
    shape = [1 if a in axes else n for a, n in enumerate(x.shape)]
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, keepdim=True, correction=0)
    results = [(x - mean) * (variance + 1e-5).rsqrt() * sample(*shape) + sample(*shape)]
    if running:
        for average, new in ((sample(*shape), mean), (sample(*shape), variance)):
            average.assign(0.9 * average + 0.1 * new)
            results.append(average)
    return results


def attention(heads, length, size, causal=False, bias=False):
    q, k, v = (sample(heads, length, size) for _ in range(3))
    scores = q @ k.transpose(-1, -2) * size**-0.5
    if causal:
        place = Tensor.arange(length)
        scores = scores.where(place.reshape(length, 1) >= place.reshape(1, length), -1e30)
    if bias:
        scores = scores + sample(length, length)
    return [scores.softmax(-1) @ v]


def cross_entropy(rows, classes):
    target = Tensor(np.random.default_rng(0).integers(0, classes, rows).astype(np.int32)).realize()
    return [-sample(rows, classes).log_softmax(-1).gather(1, target.reshape(-1, 1)).mean()]


def residual(norm):
    h = sample(64, 256) + (sample(64, 256) * 2.0).realize()
    return [h, norm(h)]


def both(x, axes):
    return [x.mean(axes), x.var(axes)]


GRAPHS = {
    "softmax of rows": (1, lambda: [sample(100, 64).softmax(-1)]),
    "softmax of long rows": (1, lambda: [sample(64, 5000).softmax(-1)]),
    "softmax of columns": (1, lambda: [sample(100, 64).softmax(0)]),
    "softmax of many columns": (1, lambda: [sample(1021, 513).softmax(0)]),
    "softmax of long columns": (1, lambda: [sample(4096, 1024).softmax(0)]),
    "softmax of a sum's columns": (1, lambda: [(sample(300, 200) * 0.5 + sample(200)).softmax(0)]),
    "softmax of a middle axis": (1, lambda: [sample(8, 64, 56).softmax(1)]),
    "softmax of the last two axes": (1, lambda: [sample(16, 32, 40).softmax((1, 2))]),
    "softmax of the outer axes": (1, lambda: [sample(16, 32, 40).softmax((0, 2))]),
    "softmax in float16": (1, lambda: [sample(64, 512, dtype=dtypes.float16).softmax(-1)]),
    "log softmax of rows": (1, lambda: [sample(128, 1000).log_softmax(-1)]),
    "log softmax of few columns": (1, lambda: [sample(100, 64).log_softmax(0)]),
    "log softmax of columns that are in no first cache": (2, lambda: [sample(512, 1000).log_softmax(0)]),
    "log sum of exponentials of rows": (1, lambda: [sample(512, 100).logsumexp(-1)]),
    "log sum of exponentials of columns": (1, lambda: [sample(512, 1000).logsumexp(0)]),
    "cross entropy": (1, lambda: cross_entropy(64, 1000)),
    "layer norm": (1, lambda: [sample(33, 77).layer_norm((77,), sample(77), sample(77))]),
    "layer norm over two axes": (1, lambda: [sample(32, 28, 28).layer_norm((28, 28), sample(28, 28), sample(28, 28))]),
    "layer norm over a middle axis": (1, lambda: [sample(8, 96, 56, 56).layernorm(1)]),
    "layer norm of many short columns": (1, lambda: [sample(32, 100000).layernorm(0)]),
    "layer norm in bfloat16": (1, lambda: [sample(64, 768, dtype=dtypes.bfloat16).layernorm()]),
    "RMS norm": (1, lambda: [sample(100, 1000).rms_norm((1000,), sample(1000))]),
    "group norm": (1, lambda: [sample(8, 8, 8, 28, 28).layernorm((2, 3, 4))]),
    "instance norm": (1, lambda: [sample(8, 32, 28, 28).layernorm((2, 3))]),
    "RMS norm after a residual": (1, lambda: residual(lambda h: h.rms_norm((256,), sample(256)))),
    "mean and variance of rows": (1, lambda: both(sample(100, 1000), 1)),
    "mean and variance of columns": (1, lambda: both(sample(1000, 1000), 0)),
    "mean and variance of a small matrix": (1, lambda: both(sample(100, 64), (0, 1))),
    "batch statistics, channels second": (1, lambda: both(sample(32, 64, 28, 28), (0, 2, 3))),
    "batch norm, channels second": (1, lambda: batch_norm(sample(32, 64, 28, 28), (0, 2, 3))),
    "batch norm, few small images": (1, lambda: batch_norm(sample(4, 16, 9, 11), (0, 2, 3))),
    "batch norm with running statistics": (1, lambda: batch_norm(sample(32, 64, 28, 28), (0, 2, 3), running=True)),
    "batch norm, channels last, in two stages": (3, lambda: batch_norm(sample(32, 28, 28, 64), (0, 1, 2))),
    "least and greatest of all, the parts together": (3, lambda: [(x := sample(1000, 1000)).max(), x.min()]),
    "attention": (1, lambda: attention(3, 77, 40)),
    "attention with a causal mask": (1, lambda: attention(2, 128, 64, causal=True)),
    "attention with a bias": (1, lambda: attention(2, 64, 32, bias=True)),
    "a product with bias, activation and residual": (1, lambda: [((x := sample(32, 64)) @ sample(64, 64) + sample(64)).gelu() + x]),
    "a product of scaled values, cast": (1, lambda: [((sample(32, 64) * 0.5 + 1.0).relu() @ sample(64, 32) * 0.1).cast(dtypes.float16)]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_number_of_kernels(name):
    wanted, make = GRAPHS[name]
    plan = Tensor.prepare_batch(make())
    assert plan.num_kernels() == wanted
    if wanted == 1:
        moved, least = _bytes(plan)
        assert moved <= 1.01 * least, f"{name}: {moved} bytes are moved, arguments and results have {least}"


def _bytes(plan):
    """Bytes that the kernels move, and those of arguments and results."""
    moved = least = 0
    for stage in plan.compiled.stages:
        schedule = stage.program.schedule
        moved += sum(estimate(item.body, {}).nbytes for item in schedule.items)
        kept = [b.type for i, b in enumerate(schedule.buffers) if i < schedule.argument_count or i in schedule.results]
        least += sum(t.nbytes for t in kept if isinstance(t, T.MemRefType))
    return moved, least


COLUMNS = {
    "softmax": lambda x: x.softmax(0),
    "log softmax": lambda x: x.log_softmax(0),
    "layer norm": lambda x: x.layernorm(0),
}
EXPECTED = {
    "softmax": lambda x: np.exp(x - x.max(0)) / np.exp(x - x.max(0)).sum(0),
    "log softmax": lambda x: x - x.max(0) - np.log(np.exp(x - x.max(0)).sum(0)),
    "layer norm": lambda x: (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5),
}


@pytest.mark.parametrize("shape", [(5, 3), (100, 64), (37, 65), (64, 129), (300, 517), (21, 40000)])
@pytest.mark.parametrize("name", EXPECTED)
def test_columns_have_the_right_values(name, shape):
    x = sample(*shape)
    np.testing.assert_allclose(COLUMNS[name](x).numpy(), EXPECTED[name](x.numpy().astype(np.float64)), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("size", [1 << 18, 1000003])
def test_parts_in_the_same_loops(size):
    """With a rest that the parts leave, and with a reduction that needs the result of another and so has loops of its own."""
    x = sample(size)
    wide = x.numpy().astype(np.float64)
    plan = Tensor.prepare_batch([x.max(), x.min(), (x * x).sum(), x.var(correction=0)])
    plan.execute()
    for i, wanted in enumerate((wide.max(), wide.min(), (wide * wide).sum(), wide.var())):
        np.testing.assert_allclose(plan.output_buffer_at(i).numpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("shape", [(4, 16, 9, 11), (2, 8, 32, 32), (3, 20, 16, 16), (32, 64, 28, 28)])
def test_batch_norm_has_the_right_values(shape):
    x = sample(*shape)
    wide = x.numpy().astype(np.float64)
    weight = sample(1, shape[1], 1, 1).numpy()
    mean, variance = wide.mean((0, 2, 3), keepdims=True), wide.var((0, 2, 3), keepdims=True)
    wanted = (wide - mean) / np.sqrt(variance + 1e-5) * weight + weight
    np.testing.assert_allclose(batch_norm(x, (0, 2, 3))[0].numpy(), wanted, rtol=2e-4, atol=2e-5)
