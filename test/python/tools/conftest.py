"""Fixtures: the tools with the sample passes, which are known only while a test runs."""

import pytest
from tool_samples import register_sample_passes, runner

from morok.passes.registry import PASSES, load_passes
from morok.tools.morok_compile import MorokCompile
from morok.tools.morok_opt import MorokOpt


@pytest.fixture
def sample_passes():
    load_passes()
    before = dict(PASSES)
    register_sample_passes()
    yield
    PASSES.clear()
    PASSES.update(before)


@pytest.fixture
def opt(sample_passes):
    """Runs morok-opt in this process: exit code, standard output, standard error."""
    return runner(MorokOpt)


@pytest.fixture
def compile_(sample_passes):
    return runner(MorokCompile)
