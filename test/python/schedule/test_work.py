"""work.py: operations and bytes counted by hand."""

from kernel_form_text import kernel_text, parse

from morok.schedule.work import Work, estimate

VARIABLE = '"morok.define_var"() {name = "n", min = 1, max = 16} : () -> index'


def test_sum_of_two_vectors():
    """16 iterations of two adds (the first of a zero), two loads and a store; 3 buffers of 64 bytes."""
    kernel = parse(kernel_text("k2", 2)).bodies["k2"]
    assert estimate(kernel, {}) == Work(16 * 5, 3 * 64)


def test_work_follows_the_variables():
    kernel = parse(kernel_text("k1", 1, extent=VARIABLE)).bodies["k1"]
    assert estimate(kernel, {"n": 4}) == Work(4 * 3, 2 * 16)
    assert estimate(kernel, {}) == Work(16 * 3, 2 * 64)
