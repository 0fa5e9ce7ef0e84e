"""Kernels under given opts."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir

from ...codegen.backends import renderer
from ...dialect.context import shared_context
from ...graph.body import Body
from ...passes.optimize.machine import Machine
from ...passes.optimize.opts import Opt, apply_opts, parse_opts
from ...passes.symbolic import simplify
from ..compiled_kernel import SOURCE
from ..config import Config


def scheduled(body: Body, opts: str, source: str) -> Body:
    """The kernel with these opts applied, marked with where they are from; ScheduleError or OptionError where they do not fit."""
    parsed = parse_opts(opts)
    return finished(body, apply_opts(body, parsed), parsed, source)


def finished(body: Body, applied: Body, opts: Sequence[Opt], source: str) -> Body:
    """A kernel with opts applied, as back ends take it."""
    done = applied.with_roots(simplify(applied.roots)) if opts else applied
    context = shared_context().context
    marks = {"morok.opts": ir.StringAttr.get(spelled(opts), context), SOURCE: ir.StringAttr.get(source, context)}
    return replace(done, attributes={**body.attributes, **marks})


def marked_given(body: Body) -> Body:
    """The kernel, marked if it came with opts of its own."""
    if "morok.opts" not in body.attributes or SOURCE in body.attributes:
        return body
    return replace(body, attributes={**body.attributes, SOURCE: ir.StringAttr.get("given", shared_context().context)})


def spelled(opts: Sequence[Opt]) -> str:
    return " ".join(map(str, opts))


def machine_for(config: Config) -> Machine:
    """What the heuristic is told of this machine."""
    return renderer(config.backend).target.machine(config.num_threads)
