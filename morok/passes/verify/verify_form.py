"""morok-verify-form: the program against the rules of a form (see `forms.py`).

    --morok-verify-form=form=range      a.mlir:4: error: 'morok.reduce_axis' op does not belong in range form
"""
from __future__ import annotations

from ...dialect.verify import VerifyError
from ...graph.body import Program
from ..registry import Pass, morok_pass
from .forms import verify_form
from .verify import verify_program


@morok_pass("morok-verify-form")
class VerifyForm(Pass):
    """Checks the ops, then that the program is of a form: tensor, range, kernel, optimised, vector, loops or llvm."""

    form: str = "tensor"  # type: ignore[misc]  # the class's `form` is any; this is the option

    def run(self, program: Program) -> None:
        found = verify_program(program) or verify_form(program, self.form)
        if found:
            raise VerifyError(found)
