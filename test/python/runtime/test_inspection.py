"""The IR of lazy tensors after a stage is that of the plan that runs."""
import re

import numpy as np
import pytest

from morok import Tensor
from morok.runtime.config import configured
from morok.runtime.inspection import STAGES, stage_text


def tensor(*shape):
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32)).realize()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("make", [lambda: tensor(301, 130) @ tensor(130, 257), lambda: tensor(40, 1000).softmax(-1), lambda: (tensor(60, 70) * 2).exp()])
def test_optimised_stage_shows_the_schedules_that_run(make, threads):
    with configured(num_threads=threads, tuning=False):
        y = make()
        kernels = [k for stage in y.prepare().compiled.stages for k in stage.program.kernels.values()]
        assert re.findall(r'morok\.opts = "([^"]*)"', stage_text([y], "optimised")) == [k.opts for k in kernels]


def test_unknown_stage_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=f"no stage 'assembly'; stages are {', '.join(STAGES)}"):
        stage_text([tensor(3)], "assembly")
