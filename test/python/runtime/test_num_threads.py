"""The one knob for threads."""

import numpy as np
import pytest

import morok
from morok import Tensor, dtypes
from morok.errors import OptionError
from morok.runtime import config


@pytest.fixture(autouse=True)
def restored():
    before = config._process.config
    yield
    config._process.config = before


def test_setting_holds_until_the_next():
    morok.set_num_threads(1)
    assert morok.get_num_threads() == 1
    morok.set_num_threads(10 ** 6)
    assert morok.get_num_threads() == config.available_cpus()


def test_a_jitted_function_keeps_its_fast_path():
    """Options that do not change stay the same object, by which a call knows that its capture holds."""
    morok.set_num_threads(1)
    assert config.current_config() is config.current_config()
    f = morok.jit(lambda x: x + 1)
    x = Tensor([1.0])
    assert [f(x).item() for _ in range(3)] == [2.0] * 3 and f.captures == 1


def test_within_a_block():
    before = morok.get_num_threads()
    with morok.num_threads(1):
        assert morok.get_num_threads() == 1
    assert morok.get_num_threads() == before


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", None, True])
def test_wrong_numbers_change_nothing(wrong):
    before = morok.get_num_threads()
    for call in (morok.set_num_threads, morok.num_threads):
        with pytest.raises(OptionError, match="number of threads is a whole number"):
            call(wrong)
    assert morok.get_num_threads() == before


def floats(*shape, dtype=np.float32):
    return Tensor(np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)).realize()


ROWS, DEEP, IMAGES, HEADS = floats(301, 4099), floats(4099, 77), floats(2, 12, 29, 31), [floats(3, 129, 32) for _ in range(3)]
FLOAT_SUMS = {
    "sum of all": lambda: ROWS.sum(),
    "row sums": lambda: ROWS.sum(1),
    "column sums": lambda: ROWS.sum(0),
    "products of rows": lambda: (ROWS * 1e-3 + 1).prod(1),
    "variance": lambda: ROWS.var(1),
    "deviation": lambda: ROWS.std(),
    "log-sum-exp": lambda: ROWS.logsumexp(1),
    "softmax": lambda: ROWS.softmax(-1),
    "softmax of columns": lambda: ROWS.softmax(0),
    "layer norm": lambda: ROWS.layernorm(),
    "batch mean": lambda: IMAGES.mean((0, 2, 3)),
    "product": lambda: ROWS @ DEEP,
    "transposed product": lambda: ROWS @ ROWS.T,
    "matrix-vector": lambda: ROWS @ DEEP[:, 0],
    "vector-matrix": lambda: DEEP[:301, 0] @ ROWS,
    "float64 product": lambda: ROWS.cast(dtypes.float64) @ DEEP.cast(dtypes.float64),
    "float16 product": lambda: ROWS.cast(dtypes.float16) @ DEEP.cast(dtypes.float16),
    "attention": lambda: (HEADS[0] @ HEADS[1].mT * 0.1).softmax(-1) @ HEADS[2],
    "convolution": lambda: IMAGES.conv2d(floats(20, 12, 3, 3), padding=1),
    "strided convolution": lambda: IMAGES.conv2d(floats(20, 12, 3, 3), stride=2),
    "depthwise convolution": lambda: IMAGES.conv2d(floats(12, 1, 3, 3), groups=12),
    "two layers": lambda: (ROWS @ DEEP).relu() @ DEEP[:77, :40],
    "exponential": lambda: ROWS.exp(),
    "gelu": lambda: ROWS.gelu(),
}


@pytest.mark.parametrize("compute", FLOAT_SUMS.values(), ids=FLOAT_SUMS)
def test_same_bits_for_any_number(compute):
    found = []
    for count in (1, 2, 3, 5):
        with config.configured(num_threads=count):
            found.append(compute().numpy().tobytes())
    assert found == found[:1] * 4
