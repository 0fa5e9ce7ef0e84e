"""Random legal schedules of kernels, and what is wrong with a kernel under one: the interpreter has to find the same values as in the kernel without opts, and
so has machine code, between guard pages, whatever the number of threads and the value of a symbolic size.

    opts = draw_schedule(body, random.Random(7))
    check_schedule(body, opts, known_runs(body, 7), LLVMRenderer())         what is wrong, or None
"""
from __future__ import annotations

import ctypes
import random
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np
from guarded_memory import Guarded, call_apart
from kernel_kinds import kernels_of

from morok.codegen.renderer import RenderedKernel, Renderer
from morok.dialect import types as T
from morok.dialect.context import shared_context
from morok.errors import BoundsError, ScheduleError
from morok.graph.body import Body, Program
from morok.graph.uop import UOp
from morok.interpret import interpret
from morok.passes.optimize.opts import Opt, apply_opt
from morok.passes.registry import make_pass
from morok.passes.symbolic.ranges import ranges_of
from morok.passes.verify.forms import verify_form
from morok.passes.verify.verify import verify_program
from morok.runtime.check import difference

NAMES = (*Opt.NAMES, "UPCAST", "UNROLL", "OVERLAP", "PADTO", "STAGE", "DISTRIBUTE", "PREFETCH", "ACCUMULATE")
MOST_COPIES = 128
"""Copies of a kernel's innermost code that upcast and unrolled loops make: more take long to compile."""


# Drawing a schedule

def draw_schedule(body: Body, choose: random.Random) -> list[Opt]:
    """Opts that are legal one after the other, up to seven."""
    opts: list[Opt] = []
    for _ in range(choose.randint(2, 24)):
        ranges = ranges_of(body.order())
        if not ranges or len(opts) == 7:
            break
        opt = draw_opt(ranges, choose)
        try:
            changed = apply_opt(body, opt)
        except ScheduleError:
            continue
        if copies(changed) <= MOST_COPIES:
            body = changed
            opts.append(opt)
    return opts


def draw_opt(ranges: list[UOp], choose: random.Random) -> Opt:
    name, axis = choose.choice(NAMES), choose.randrange(len(ranges))
    if not Opt.NAMES[name]:
        return Opt(name, axis if name != "THREAD" or choose.random() < 0.3 else 0)
    if name == "SWAP":
        return Opt(name, axis, choose.randrange(len(ranges)))
    if name == "ACCUMULATE":
        reductions = [i for i, r in enumerate(ranges) if r.attribute("kind") == "reduce"]
        return Opt(name, choose.choice(reductions or [axis]), choose.randrange(len(ranges)))
    if name == "STAGE":
        return Opt(name, axis, choose.randrange(3))
    if name == "PREFETCH":
        return Opt(name, axis, choose.choice((1, 1, 2, 2, 3)))
    bound = ranges[axis].operands[0]
    extent = bound.value if bound.is_const() else choose.choice((2, 3, 4, 8))  # no factor is legal where the extent is symbolic
    factors = [f for f in range(1, extent + 1) if extent % f == 0] if name in ("UPCAST", "UNROLL", "TILE") else [2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32]
    return Opt(name, axis, choose.choice(factors or [1]))


def copies(body: Body) -> int:
    """The most copies that expansion makes of anything."""
    return prod(r.operands[0].value for r in ranges_of(body.order()) if r.attribute("kind") in ("upcast", "unroll"))


# Values

@dataclass(frozen=True)
class Run:
    """A run of a kernel without opts: the values of its symbolic sizes, arrays for its buffers, and what these hold afterwards."""

    sizes: dict[str, int]
    inputs: list[np.ndarray]
    known: list[np.ndarray]


def known_runs(body: Body, seed: int) -> list[Run]:
    """One run; for a kernel with symbolic sizes one at the least values, one at the greatest and one between."""
    inputs = inputs_of(body, seed)
    runs = []
    for sizes in sizes_of(body, random.Random(seed)):
        try:
            runs.append(Run(sizes, inputs, evaluate(body, inputs, sizes)))
        except BoundsError:  # integers that are places in a small buffer
            zeros = [np.zeros_like(x) if x.dtype.kind in "iu" else x for x in inputs]
            runs.append(Run(sizes, zeros, evaluate(body, zeros, sizes)))
    return runs


def sizes_of(body: Body, choose: random.Random) -> list[dict[str, int]]:
    bounds = {u.attribute("name"): u.attributes[1:] for u in body.order() if u.name == "define_var"}
    if not bounds:
        return [{}]
    return [{n: low for n, (low, _) in bounds.items()}, {n: choose.randint(*b) for n, b in bounds.items()}, {n: high for n, (_, high) in bounds.items()}]


def inputs_of(body: Body, seed: int) -> list[np.ndarray]:
    """Arrays for a kernel's buffers; integers are small, for they may be places in another buffer."""
    generator = np.random.default_rng(seed)
    return [random_array(generator, a.type.shape, a.dtype) for a in body.arguments]


def random_array(generator: np.random.Generator, shape: tuple[int, ...], dtype: T.DType) -> np.ndarray:
    if dtype is T.bool_:
        return generator.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_float:
        return generator.uniform(-2, 2, shape).astype(dtype.np)
    return generator.integers(0, 3, shape).astype(dtype.np)


def evaluate(body: Body, inputs: list[np.ndarray], sizes: dict[str, int]) -> list[np.ndarray]:
    program = Program(shared_context())
    program.bodies[body.name] = body
    return interpret(program, body.name, inputs, sizes)


def scheduled_by_pass(body: Body, opts: list[Opt]) -> Body:
    """The kernel with the opts as text, as `morok-opt` would apply them, in a program that is well formed."""
    program = Program(shared_context())
    program.bodies[body.name] = body
    make_pass("morok-apply-opts", {"opts": " ".join(map(str, opts)), "heuristic": "false"}).run(program)
    found = verify_program(program) or verify_form(program, "optimised")
    assert not found, str(found[0])
    return program.bodies[body.name]


def is_exact(body: Body) -> bool:
    """Whether every schedule gives the same bits: nothing is summed in floats, and no function is approximated."""
    return not any(u.name in INEXACT or u.name in ("add", "sub") and any(o.name == "mul" for o in u.operands)
                   or u.name == "reduce" and u.attribute("op") in ("add", "mul")
                   for u in body.order() if isinstance(u.type, T.DType) and u.dtype.is_float)


INEXACT = {"exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "erf", "pow", "rsqrt", "sqrt", "reciprocal", "fdiv", "fma"}


def coarsest_float(body: Body) -> T.DType | None:
    """The float type of the fewest digits that the kernel rounds to: a wider result is no more exact than that."""
    found = {u.dtype for u in body.order() if isinstance(u.type, T.DType)}
    return next((d for d in (T.bfloat16, T.float16, T.float32, T.float64) if d in found), None)


def wrong_values(body: Body, known: list[np.ndarray], found: list[np.ndarray]) -> str | None:
    """How the buffers of a scheduled kernel differ from those of the kernel `body`, which has no opts."""
    exact, rounded = is_exact(body), coarsest_float(body)
    for i, (old, new) in enumerate(zip(known, found)):
        if np.ascontiguousarray(old).tobytes() == np.ascontiguousarray(new).tobytes():
            continue
        wrong = difference(old, new)
        if exact:
            return f"buffer {i}: {wrong or 'equal up to rounding, but not bit for bit'}"
        if wrong is not None and rounded is not None and body.arguments[i].dtype.is_float and rounded.bits < body.arguments[i].dtype.bits:
            with np.errstate(over="ignore"):
                wrong = difference(old.astype(rounded.np), new.astype(rounded.np))
        if wrong is not None:
            return f"buffer {i}: {wrong}"
    return None


# Machine code between guard pages

def run_guarded(rendered: RenderedKernel, address: int, run: Run, side: str, threads: int) -> tuple[str | None, list[np.ndarray]]:
    """The buffers after one call for each thread, the last thread first; and what went wrong beside their values."""
    buffers = [Guarded(x, side) for x in run.inputs]
    numbers = [run.sizes[name] for name in rendered.variables]
    extra = [ctypes.c_int32] * (len(numbers) + 2 * rendered.uses_threads)
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(buffers), *extra)(address)

    def call():
        for thread in reversed(range(threads)):
            function(*[b.address for b in buffers], *numbers, *((thread, threads) if rendered.uses_threads else ()))

    died = call_apart(call)
    if died is None and not all(b.margins_are_whole() for b in buffers):
        died = "bytes beside a buffer were written"
    return died, [np.array(b.array) for b in buffers]


def check_schedule(body: Body, opts: list[Opt], runs: list[Run], renderer: Renderer) -> str | None:
    """What is wrong with the kernel under the schedule, or None."""
    scheduled = scheduled_by_pass(body, opts)
    for run in runs:
        wrong = wrong_values(body, run.known, evaluate(scheduled, run.inputs, run.sizes))
        if wrong is not None:
            return f"interpreter{sizes_text(run)}: {wrong}"
    rendered = renderer.render(scheduled, "k")
    module = renderer.compile(rendered)
    for run, threads, side in product(runs, (1, 2, 3) if rendered.uses_threads else (1,), ("start", "end")):
        died, found = run_guarded(rendered, module.address("k"), run, side, threads)
        wrong = died or wrong_values(body, run.known, found)
        if wrong is not None:
            return f"machine code{sizes_text(run)}, {threads} threads, buffers at the {side}: {wrong}"
    return None


def sizes_text(run: Run) -> str:
    return "".join(f", {name} = {value}" for name, value in run.sizes.items())


def what_is_wrong(kind: str, seed: int, renderer: Renderer, schedules: int = 2) -> list[str]:
    """Each wrong schedule of a kernel of that kind, with what is wrong."""
    choose = random.Random(f"{kind} {seed}")
    found = []
    for number, body in enumerate(kernels_of(kind, choose)):
        body = replace(body, name=f"k{number}")
        runs = known_runs(body, seed)
        for _ in range(schedules):
            opts = draw_schedule(body, choose)
            try:
                wrong = check_schedule(body, opts, runs, renderer)
            except Exception as error:
                wrong = f"{type(error).__name__}: {str(error)[:600]}"
            if wrong is not None:
                found.append(f"{kind} {seed} k{number} {' '.join(map(str, opts))!r}: {wrong}")
    return found
