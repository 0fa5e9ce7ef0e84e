"""The one knob for threads."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import OptionError
from morok.runtime import config


@pytest.fixture(autouse=True)
def restored():
    before = list(config._threads)
    yield
    config._threads[:] = before


def test_setting_holds_until_the_next():
    morok.set_num_threads(1)
    assert morok.get_num_threads() == 1
    morok.set_num_threads(10 ** 6)
    assert morok.get_num_threads() == config.available_cpus()


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


def test_same_bits_for_any_number():
    x = Tensor(np.random.default_rng(0).standard_normal((301, 4099)).astype(np.float32)).realize()
    found = []
    for count in (1, 2):
        with morok.num_threads(count):
            found.append([t.numpy().tobytes() for t in (x.sum(), x.sum(0), x @ x.T, x.softmax(-1))])
    assert found[0] == found[1]
