"""morok-apply-opts: applies a schedule to each kernel, a given one or the heuristic's.

    %i = morok.range 1024 {id = 0, loop}       =>  %i = morok.range 64 {id = 0, thread}, %l = morok.range 16 {id = 1, upcast}
    ... morok.index %a[%i] ...                     ... morok.index %a[%i * 16 + %l] ...
    func.func @k0 {morok.kernel}                   func.func @k0 {morok.kernel, morok.opts = "UPCAST(0,16) THREAD(0)"}

What stands in `morok.opts` can be given again as the option `opts`: the same schedule results. A schedule is a list of opts:

| opt | effect | legal where |
|---|---|---|
| THREAD(a) | the iterations of a (and of what PEEL left of it) are divided among the threads | a is the outermost loop of a store, and no store is outside |
| TILE(a,n) | a becomes two loops, the inner one of n iterations | n divides the extent |
| SWAP(a,b) | the two loops change places | both are closed by the same ops |
| UPCAST(a,n) | the inner n iterations of a parallel loop run at once: lanes and register tile | n divides the extent; a is a loop |
| UNROLL(a,n) | the inner n iterations of a reduction run at once, each in its own partial result | n divides the extent; a is a reduction |
| OVERLAP(a,n) | as TILE, but the last round starts earlier, to end where a ends | a is a loop, n < extent, and the kernel reads nothing that it writes |
| PADTO(a,n) | a parallel loop runs to a multiple of n; what it does past its end has no effect | extent mod n > 0; a is a loop |
| STAGE(a,f) | the f-th factor of the sums is copied into a contiguous panel inside the loop a | it changes inside of a, and the panel fits |
| WINDOW(a,f) | as STAGE, but the panel holds what the factor's loops span together, once: of an image under a kernel, a piece of the image | as STAGE |
| ACCUMULATE(a,b) | the loop a of a sum goes right inside b, in order; what is between is added up in scratch | a is a reduction inside of b; no scratch yet |
| DISTRIBUTE(a) | a, round several stages, becomes a loop of each, with scratch for all iterations | scratch is filled inside of a, and stays small |
| PREFETCH(a,c) | what several nests inside of a read is fetched into cache c for the next iteration; in order: where later iterations write | there is such |
| STREAM(b) | stores to buffer b go past the caches, where whole vectors are written | the kernel writes b and does not read it |
| PEEL(a,n) | the loop runs to the last multiple of n; the rest follows in a loop of its own | 0 < extent mod n < extent |

An axis is a range's place in loop order (its id). An opt that divides a range puts the new inner range right behind it, and ids are made dense again,
so the axes of later opts count the ranges as they are by then.
"""
from __future__ import annotations

from dataclasses import replace

from mlir import ir

from ...graph.body import Body, Program
from ..registry import Pass, at_least, morok_pass
from ..symbolic import simplify
from .heuristic import default_schedule
from .machine import Machine
from .opts import apply_opts, parse_opts
from .schedule import NamedLoops, Schedule


@morok_pass("morok-apply-opts", form="kernel")
class ApplyOpts(Pass):
    """Applies the opts given (or, without any, those of the heuristic) to each kernel that has none yet."""

    opts: str = ""
    heuristic: bool = True
    vector_bits: int = at_least(8, 256)
    registers: int = at_least(4, 16)
    cache_bytes: int = at_least(1, 1 << 20)
    threads: int = at_least(1, 1)

    def run(self, program: Program) -> None:
        for body in program.kernels():
            if "morok.opts" not in body.attributes:
                program.bodies[body.name] = self._schedule(body, program)

    def _schedule(self, body: Body, program: Program) -> Body:
        scheduled: Schedule | NamedLoops
        if self.opts:
            opts = parse_opts(self.opts)
            scheduled = Schedule(apply_opts(body, opts))
            scheduled.opts = opts
        elif self.heuristic:
            scheduled = default_schedule(body, Machine(self.vector_bits, self.registers, cache_bytes=self.cache_bytes, threads=self.threads))
        else:
            return body
        done = scheduled.body.with_roots(simplify(scheduled.body.roots)) if scheduled.opts else scheduled.body
        with program.dialect.context:
            text = ir.StringAttr.get(" ".join(map(str, scheduled.opts)))
        return replace(done, attributes={**done.attributes, "morok.opts": text})
