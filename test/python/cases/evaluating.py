"""One expression of tensors computed in every way that there is; all must agree."""

import numpy as np

import morok
from morok import Tensor
from morok.graph.capture import capture
from morok.graph.tensor_graph import BUFFERS
from morok.interpret import interpret


def interpreted(tensor):
    """The value by the NumPy oracle, with no kernel compiled."""
    captured = capture([tensor.uop], False)
    return interpret(captured.program, "main", [BUFFERS.get(leaf).numpy() for leaf in captured.leaves], captured.values)[0]


def everywhere(function, *arrays):
    """The function's value by name of the way: lazy, jitted twice, of constants that are folded, realised operands, and the interpreter."""
    jitted = morok.jit(function)
    tensors = [Tensor(a) for a in arrays]
    found = {"lazy": function(*tensors).numpy(), "jitted": jitted(*tensors).numpy(), "jitted again": jitted(*tensors).numpy(),
             "interpreted": interpreted(function(*tensors))}
    if all(a.size and (a == a.flat[0]).all() for a in arrays):
        found["folded"] = function(*(Tensor.full(a.shape, a.flat[0].item(), dtype=str(a.dtype)) for a in arrays)).numpy()
    return found


def check_everywhere(function, expected, *arrays, tolerance=0.0):
    """Every way gives the expected value, with its shape and dtype; NaN is equal to NaN."""
    for way, value in everywhere(function, *arrays).items():
        assert (value.shape, value.dtype) == (expected.shape, expected.dtype), way
        if tolerance:
            np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance, err_msg=way)
        else:
            np.testing.assert_array_equal(value, expected, err_msg=way)
