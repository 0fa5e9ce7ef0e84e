"""Fixtures: a cache directory of the test's own, and a process that remembers no schedule."""

import pytest

from morok.graph.registries import KERNELS
from morok.runtime.config import configured
from morok.runtime.realize import RUNTIME
from morok.runtime.tuning.tuned import TUNED


@pytest.fixture
def forget():
    """Makes the process as one that has compiled nothing and read no schedule."""
    def clear():
        RUNTIME.plans.clear()
        KERNELS.clear()
        TUNED.clear()
    clear()
    yield clear
    clear()


@pytest.fixture
def tuning(tmp_path, forget):
    """Options with a database of the test's own and short searches."""
    directory = tmp_path / "cache"
    with configured(cache_dir=str(directory), tuning=True, beam_budget=2, cache=False) as config:
        yield config
