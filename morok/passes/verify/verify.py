"""morok-verify: each op against the rules of the op table, each malformed one a diagnostic at its place.

    kernel.mlir:7:12: error: 'morok.shrink' op window [2, 9) of axis 1 exceeds its size 8

Ops that a pass or a user's Python built are checked as UOps, before they are written as MLIR; their place is the line of Python they come
from.
"""
from __future__ import annotations

from ...dialect.verify import PREFIX, Diagnostic, VerifyError, verify_module
from ...graph.body import Program
from ...graph.uop import verify
from ..registry import Pass, morok_pass


def verify_program(program: Program) -> list[Diagnostic]:
    """One diagnostic for each malformed op of the program."""
    return verify_bodies(program) or verify_module(program.module, program.dialect)


def verify_bodies(program: Program) -> list[Diagnostic]:
    """The same for its straight-line functions alone, without touching MLIR."""
    found: dict[Diagnostic, None] = {}
    for body in program.bodies.values():
        for u in body.order():
            wrong = verify(u)
            if wrong is not None:
                found[Diagnostic(f"'{PREFIX}{u.name}' op {wrong}", *(u.loc or ()))] = None
    return list(found)


@morok_pass("morok-verify")
class Verify(Pass):
    """Checks each op against the rules of the op table."""

    def run(self, program: Program) -> None:
        found = verify_program(program)
        if found:
            raise VerifyError(found)
