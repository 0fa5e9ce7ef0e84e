"""The tables of scaling.py, on small sizes."""

import sys

import pytest
import scaling


def cells(table):
    return [list(column.cells) for column in table.columns]


def test_time_for_each_operation():
    names, taken, rates, relative = cells(scaling.work(1, (16, 32)))
    assert names == ["16³", "32³"] and len(taken) == len(rates) == 2
    assert relative[0] == "1.00" and float(relative[1]) > 0


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_memory_beside_inputs_and_outputs():
    names, inputs, outputs, beside, planned = cells(scaling.memory(1, 16))
    row = names.index("product")
    assert float(inputs[row]) == float(outputs[row]) == pytest.approx(4 * 128 ** 2 / 1e6, abs=0.01)
    assert all(float(b) < 64 for b in beside)


def test_gain_of_threads():
    names, *_, gains = cells(scaling.threads(1, 16))
    assert len(names) == len(gains) and all(float(g) > 0 for g in gains)
