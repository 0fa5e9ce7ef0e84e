"""The table of wrong calls: each raises at once the error wanted, gives no value, and leaves every tensor as it was.

That none ends the interpreter is tested by being run here.
"""

import builtins

import pytest
from wrong_call_names import names, states
from wrong_calls import CALLS

from morok.errors import MorokError

ROWS = [pytest.param(*row, id=row[0]) for rows in CALLS.values() for row in rows]
CAUGHT = (TypeError, ValueError, IndexError, KeyError, OverflowError, RuntimeError, NotImplementedError, AttributeError, OSError, BufferError)
"""What users of NumPy and PyTorch catch."""


def run(call, found):
    try:
        code = compile(call, "<call>", "eval")
    except SyntaxError:
        exec(call, found)
    else:
        eval(code, found)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The same names for all calls, as none may change them."""
    return names(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def before(found):
    return states(found)


@pytest.mark.parametrize("call, kind, part", ROWS)
def test_a_wrong_call(call, kind, part, found, before):
    with pytest.raises(kind) as raised:
        run(call, found)
    assert raised.type is kind
    assert part in str(raised.value)
    assert states(found) == before


def test_the_table_has_two_hundred_distinct_calls():
    calls = [row[0] for rows in CALLS.values() for row in rows]
    assert len(calls) == len(set(calls)) >= 200


def test_errors_are_of_kinds_that_users_catch():
    kinds = {row[1] for rows in CALLS.values() for row in rows}
    for kind in kinds:
        assert issubclass(kind, CAUGHT), kind
        assert issubclass(kind, MorokError) or getattr(builtins, kind.__name__) is kind


def test_each_message_says_more_than_that_it_is_wrong():
    for rows in CALLS.values():
        for call, _, part in rows:
            assert len(part.split()) >= 4, call
