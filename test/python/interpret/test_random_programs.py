"""Random programs mean the same in tensor, range, kernel and optimised form, and are of these forms."""

import pytest
from random_programs import Generator, what_differs

from morok.passes.verify.forms import verify_form
from morok.passes.verify.verify import verify_program


@pytest.mark.parametrize("seed", range(100))
def test_stages_agree(seed):
    assert what_differs(seed) is None


def test_programs_are_of_tensor_form_and_varied():
    names = set()
    for seed in range(100):
        program = Generator(seed).program()
        assert verify_program(program) == [] and verify_form(program, "tensor") == []
        names |= {u.name for u in program.bodies["main"].order()}
    assert names >= {"permute", "pad", "shrink", "flip", "expand", "reshape", "reduce_axis", "cast", "contiguous", "where", "assign"}
