"""What tests of plans share."""

import pytest

from morok.runtime import realize


@pytest.fixture
def compilations(monkeypatch):
    """The plans that are compiled while the test runs."""
    made = []
    original = realize.compile_plan

    def counted(*given):
        made.append(original(*given))
        return made[-1]
    monkeypatch.setattr(realize, "compile_plan", counted)
    return made
