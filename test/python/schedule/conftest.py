"""Programs in kernel form that several tests schedule."""

import pytest
from kernel_form_text import kernel_text, main_text, parse

from morok.graph.body import Program


@pytest.fixture
def chain() -> Program:
    """in0 -> k1 -> %b -> k1 -> %c -> k1 -> %d -> k1 -> result."""
    return parse(main_text("""
        %b = global 0
        %c = global 1
        %d = global 2
        %r = global 3
        %k0 = k1(%b, %in0)
        %b1 = after(%b, %k0)
        %k1 = k1(%c, %b1)
        %c1 = after(%c, %k1)
        %k2 = k1(%d, %c1)
        %d1 = after(%d, %k2)
        %k3 = k1(%r, %d1)
        %r1 = after(%r, %k3)
    """, 1, ["%r1"]), kernel_text("k1", 1))
