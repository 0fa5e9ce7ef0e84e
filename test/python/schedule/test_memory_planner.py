"""memory_planner.py: buffers in use at the same time never overlap, others share."""

from hypothesis import given
from hypothesis import strategies as st

from morok.schedule import create_schedule, parallel_groups, plan_memory
from morok.schedule.memory_planner import Lifetime, place


def test_a_chain_of_three_needs_two_places(chain):
    """b, c and d live in groups 0-1, 1-2 and 2-3: d may lie where b was."""
    schedule = create_schedule(chain)
    plan = plan_memory(schedule, parallel_groups(schedule.items))
    assert sorted(plan.offsets) == [1, 2, 3]
    assert plan.offsets[1] == plan.offsets[3] != plan.offsets[2]
    assert plan.nbytes == 128 and plan.unshared_nbytes == 192


def test_arguments_and_results_have_memory_of_their_own(chain):
    schedule = create_schedule(chain)
    plan = plan_memory(schedule, parallel_groups(schedule.items))
    assert 0 not in plan.offsets and 4 not in plan.offsets


def test_a_gap_is_filled():
    plan = place([Lifetime(0, 640, 0, 5), Lifetime(1, 320, 0, 1), Lifetime(2, 128, 2, 3), Lifetime(3, 128, 2, 3)])
    assert plan.offsets == {0: 0, 1: 640, 2: 640, 3: 768} and plan.nbytes == 960


def test_sizes_of_zero_and_odd_sizes():
    plan = place([Lifetime(0, 0, 0, 1), Lifetime(1, 7, 0, 1), Lifetime(2, 65, 0, 1)])
    assert plan.offsets == {2: 0, 1: 128, 0: 192} and plan.nbytes == 256


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 9), st.integers(0, 9)), max_size=25))
def test_what_lives_together_lies_apart(entries):
    given = [Lifetime(i, n, min(a, b), max(a, b)) for i, (n, a, b) in enumerate(entries)]
    plan = place(given)
    assert plan.nbytes <= plan.unshared_nbytes
    for x in given:
        assert plan.offsets[x.buffer] % 64 == 0 and plan.offsets[x.buffer] + x.nbytes <= plan.nbytes
        for y in given:
            if x.buffer < y.buffer and x.overlaps(y):
                a, b = plan.offsets[x.buffer], plan.offsets[y.buffer]
                assert a + max(x.nbytes, 1) <= b or b + max(y.nbytes, 1) <= a
