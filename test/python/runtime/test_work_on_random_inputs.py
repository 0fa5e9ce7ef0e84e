"""A model of random numbers that are not computed yet does no more work than the numbers and the model on numbers in memory: none is drawn again and again."""

import numpy as np
import pytest

from morok import Tensor, nn
from morok.runtime.plan import single_stages
from morok.schedule.work import estimate

MODELS = {
    "layers": (lambda: nn.Sequential(nn.Linear(196, 96), nn.ReLU(), nn.Linear(96, 10)), (32, 196)),
    "one narrow layer": (lambda: nn.Linear(196, 3), (32, 196)),
    "convolution and pooling": (lambda: nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)), (2, 3, 16, 16)),
    "window": (lambda: nn.AvgPool2d(3, 1, 1), (2, 3, 16, 16)),
    "norm": (lambda: nn.LayerNorm(64), (32, 64)),
    "batch norm": (lambda: nn.BatchNorm1d(32), (64, 32)),
    "softmax": (lambda: lambda x: x.softmax(-1), (32, 64)),
    "rows by rows": (lambda: lambda x: x @ x.T, (64, 64)),
    "products of a product": (lambda: lambda x: ((x @ x.T) @ x).relu(), (64, 64)),
    "two products": (lambda: lambda x: x @ x.T + (x * 2) @ x, (64, 64)),
    "row by vector": (lambda: lambda x: x @ x[0], (64, 64)),
    "attention": (lambda: nn.TransformerEncoderLayer(32, 2, 64), (2, 16, 32)),
}


def operations(*tensors):
    plan = Tensor.prepare_batch(tensors)
    return sum(estimate(item.body, {}).operations for stage in single_stages(plan.compiled.stages) if stage.program is not None
               for item in stage.program.schedule.items)


@pytest.mark.parametrize("draw", [Tensor.randn, Tensor.rand])
@pytest.mark.parametrize("name", MODELS)
def test_numbers_are_drawn_once(name, draw):
    make, shape = MODELS[name]
    model = make()
    numbers = draw(*shape)
    memory = Tensor(np.ones(shape, np.float32)).realize()
    drawing, computing = operations(numbers), operations(model(memory))
    assert drawing > 20 * numbers.size  # Threefry is dear
    assert operations(model(draw(*shape))) <= 1.5 * (drawing + computing)  # twice the drawing would be more
