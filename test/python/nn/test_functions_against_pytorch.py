"""Functions of layers: values and gradients against PyTorch's, which reference.json holds."""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import FUNCTIONS, digest, drawn, weights_for

from morok import Tensor, nn

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text())["functions"]


def compare(found, wanted, what):
    (shape, sums), (want_shape, want_sums) = digest(found), wanted
    assert shape == want_shape, what
    np.testing.assert_allclose(sums, want_sums, rtol=1e-9, atol=1e-9, err_msg=what)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    function, shapes, options = FUNCTIONS[name]
    given = [Tensor(a, requires_grad=True) for a in drawn(shapes)]
    function = getattr(nn.functional, function, None) or getattr(Tensor, function)
    outputs = function(*given, **options)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    floats = [o for o in outputs if o.dtype.is_float]
    sum((o * Tensor(weights_for(o.shape)[0])).sum() for o in floats).backward()
    Tensor.realize_batch([*outputs, *(t.grad for t in given)])
    for i, (o, wanted) in enumerate(zip(outputs, REFERENCE[name]["outputs"], strict=True)):
        compare(o.numpy(), wanted, f"output {i}")
    for i, (t, wanted) in enumerate(zip(given, REFERENCE[name]["gradients"], strict=True)):
        compare(t.grad.numpy(), wanted, f"gradient {i}")
