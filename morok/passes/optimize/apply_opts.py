"""morok-apply-opts: applies a schedule to each kernel, a given one or the heuristic's.

    %i = morok.range 1024 {id = 0, loop}       =>  %i = morok.range 64 {id = 0, thread}, %l = morok.range 16 {id = 1, upcast}
    ... morok.index %a[%i] ...                     ... morok.index %a[%i * 16 + %l] ...
    func.func @k0 {morok.kernel}                   func.func @k0 {morok.kernel, morok.opts = "UPCAST(0,16) THREAD(0)"}

What stands in `morok.opts` can be given again as the option `opts`: the same schedule results.
"""
from __future__ import annotations

from dataclasses import replace

from mlir import ir

from ...graph.body import Body, Program
from ..registry import Pass, morok_pass
from ..symbolic import simplify
from .heuristic import Machine, Schedule, default_schedule
from .opts import apply_opts, parse_opts


@morok_pass("morok-apply-opts", form="kernel")
class ApplyOpts(Pass):
    """Applies the opts given (or, without any, those of the heuristic) to each kernel that has none yet."""

    opts: str = ""
    heuristic: bool = True
    vector_bits: int = 256

    def run(self, program: Program) -> None:
        for body in program.kernels():
            if "morok.opts" not in body.attributes:
                program.bodies[body.name] = self._schedule(body, program)

    def _schedule(self, body: Body, program: Program) -> Body:
        if self.opts:
            opts = parse_opts(self.opts)
            scheduled = Schedule(apply_opts(body, opts))
            scheduled.opts = opts
        elif self.heuristic:
            scheduled = default_schedule(body, Machine(self.vector_bits))
        else:
            return body
        done = scheduled.body.with_roots(simplify(scheduled.body.roots)) if scheduled.opts else scheduled.body
        with program.dialect.context:
            text = ir.StringAttr.get(" ".join(map(str, scheduled.opts)))
        return replace(done, attributes={**done.attributes, "morok.opts": text})
