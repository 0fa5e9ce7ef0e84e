"""Each pass on range form keeps what a function computes: random bodies, interpreted before and after."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_bodies import Bodies, inputs_for, program_of

from morok.graph.body import Body
from morok.graph.uop import toposort, verify
from morok.interpret import interpret
from morok.passes.rangeify.initial_symbolic import InitialSymbolic
from morok.passes.rangeify.load_collapse import LoadCollapse
from morok.passes.rangeify.mega_pass import MegaPass
from morok.passes.rangeify.simplify_ranges import SimplifyRanges
from morok.passes.rangeify.split_ranges import SplitRanges

PASSES = {
    "initial-symbolic": [InitialSymbolic],
    "load-collapse": [LoadCollapse],
    "split-ranges": [SplitRanges],
    "simplify-ranges": [SimplifyRanges],
    "mega-pass": [MegaPass],
    "all": [LoadCollapse, SplitRanges, InitialSymbolic, MegaPass, SimplifyRanges],
    "other order": [SimplifyRanges, MegaPass, SplitRanges, LoadCollapse, SimplifyRanges],
}


def results_of(body: Body, seed: int) -> list[np.ndarray]:
    return interpret(program_of(body), "main", inputs_for(body, seed), {"n": 1 + seed % 4})


@pytest.mark.parametrize("name", PASSES)
@example(seed=404760)  # a gathered value that is counted: its gate went with the count, and the load was open
@given(seed=st.integers(0, 10**9))
def test_same_results(name, seed):
    body = Bodies(seed).body()
    before = results_of(body, seed)
    for made in PASSES[name]:
        body = made().rewrite(body)
        ids = [u.attributes[0] for u in toposort(body.roots) if u.name == "range"]
        assert len(ids) == len(set(ids)), "two ranges of one id"
        assert [verify(u) for u in body.order() if verify(u)] == []
    for x, y in zip(before, results_of(body, seed)):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("made", [InitialSymbolic, LoadCollapse, SplitRanges, SimplifyRanges, MegaPass])
@given(seed=st.integers(0, 10**9))
def test_a_second_run_changes_nothing(made, seed):
    once = made().rewrite(Bodies(seed).body())
    assert made().rewrite(once) is once
