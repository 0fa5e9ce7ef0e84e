"""Tests of Tensor against NumPy.

With MOROK_TENSOR_ORACLE=1 values come from the interpreter instead of compiled code: what fails then is Tensor's own fault.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


def realize_by_interpreter(uops):
    from morok.graph.capture import capture
    from morok.graph.tensor_graph import BUFFERS, substitute
    from morok.interpret import interpret
    from morok.runtime.buffer import Buffer
    from morok.runtime.realize import memory_view

    pending = [u for u in dict.fromkeys(uops) if memory_view(u) is None]
    if not pending:
        return
    captured = capture(pending, False)
    inputs = [BUFFERS.get(leaf).numpy() for leaf in captured.leaves]
    for u, value in zip(pending, interpret(captured.program, "main", inputs, captured.values)):
        memory = value if None not in u.type.shape else value.ravel()
        if None in u.type.shape:
            from morok.graph.shape import max_shape

            padded = np.zeros(int(np.prod(max_shape(u))), value.dtype)
            padded[: memory.size] = memory
            memory = padded
        substitute(u, Buffer.from_numpy(memory))


@pytest.fixture(autouse=True)
def _evaluator(monkeypatch):
    if os.environ.get("MOROK_TENSOR_ORACLE"):
        from morok.tensor import realize

        monkeypatch.setattr(realize, "realize", realize_by_interpreter)
    yield
