"""`MOROK_CHECK=1`: every stage of a compilation is evaluated by the interpreter and compared with the stage before.

    InternalError: morok-load-collapse changed result 0: 3 of 12 elements differ, first at [1]: 6.0 became 0.0

Slow: each pass costs an evaluation in NumPy. A pass between whose output and its successor's nothing can be evaluated says so (`evaluable`).
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from ..dialect import types as T
from ..errors import InternalError
from ..graph.body import Body, Program
from ..graph.shape import evaluate_index, shape_of
from ..interpret import interpret
from ..passes.pipeline import CompositePass, Instrumentation, Step
from ..schedule.items import kernel_variables

TOLERANCE = {T.float16: 4e-3, T.bfloat16: 3e-2, T.float32: 2e-5, T.float64: 1e-10}
"""Of the greatest magnitude in a result: sums may be taken in another order."""


class CheckStages(Instrumentation):
    """Evaluates `@main` (or, where there is none, each kernel) after each pass."""

    def __init__(self, program: Program, inputs: Sequence[np.ndarray] | None = None, values: Mapping[str, int] | None = None) -> None:
        self.values = dict(values or {})
        main = program.bodies.get("main")
        self.inputs = [] if main is None else list(inputs) if inputs is not None else [random_input(a.type, i) for i, a in enumerate(main.arguments)]
        self.counts = [None] * len(main.results) if main is None else [_count(r, self.values) for r in main.results]
        self.known: list[np.ndarray] | None = None
        self.kernels: dict[str, list[np.ndarray]] = {}

    def before(self, step: Step, program: Program) -> None:
        if "main" in program.bodies:
            if self.known is None:
                self.known = self._results(program)
        elif not isinstance(step, CompositePass):
            self.kernels = {k.name: self._run_kernel(program, k) for k in program.kernels()}

    def after(self, step: Step, program: Program) -> None:
        if isinstance(step, CompositePass) or not getattr(step, "evaluable", True):
            return
        if self.known is not None:
            found = self._results(program)
            self._compare(step.name, "result", self.known, found)
            self.known = found
        for kernel in program.kernels():
            if kernel.name in self.kernels:
                found = self._run_kernel(program, kernel)
                self._compare(step.name, f"@{kernel.name}, buffer", self.kernels[kernel.name], found)
                self.kernels[kernel.name] = found

    def _results(self, program: Program) -> list[np.ndarray]:
        found = interpret(program, "main", self.inputs, self.values)
        return [_flat(r, n) for r, n in zip(found, self.counts)]

    def _run_kernel(self, program: Program, kernel: Body) -> list[np.ndarray]:
        given = [random_input(a.type, i) for i, a in enumerate(kernel.arguments)]
        values = {name: self.values.get(name, high) for name, (_, high) in kernel_variables(kernel).items()}
        return interpret(program, kernel.name, given, values)

    def _compare(self, pass_name: str, what: str, before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> None:
        for i, (old, new) in enumerate(zip(before, after)):
            wrong = difference(old, new)
            if wrong is not None:
                raise InternalError(f"{pass_name} changed {what} {i}: {wrong}")


def random_input(t: T.Type, seed: int) -> np.ndarray:
    """Small numbers of an argument's type, the same each time."""
    generator = np.random.default_rng(seed)
    shape, dtype = t.shape, T.element_dtype(t)  # type: ignore[union-attr]
    if dtype is T.bool_:
        return generator.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_float:
        return generator.uniform(-2, 2, shape).astype(dtype.np)
    return generator.integers(0 if dtype.kind == "u" else -4, 9, shape).astype(dtype.np)


def difference(before: np.ndarray, after: np.ndarray) -> str | None:
    """How two results differ, or None where they agree up to rounding."""
    before, after = before.reshape(-1), after.reshape(-1)
    if before.dtype != after.dtype and {before.dtype, after.dtype} <= {np.dtype(np.bool_), np.dtype(np.uint8)}:
        before, after = before.view(np.uint8), after.view(np.uint8)
    if before.dtype != after.dtype or before.size != after.size:
        return f"{before.size} elements of {before.dtype} became {after.size} of {after.dtype}"
    dtype = T.dtype_of_numpy(before.dtype)
    if dtype.is_float:
        x, y = before.astype(np.float64), after.astype(np.float64)
        finite = np.isfinite(x)
        scale = np.abs(x[finite]).max(initial=0.0)
        with np.errstate(invalid="ignore", over="ignore"):
            same = (x == y) | (np.isnan(x) & np.isnan(y)) | (np.abs(x - y) <= TOLERANCE[dtype] * np.maximum(np.abs(x), scale))
            same |= _near_overflow(x, y, dtype)
    else:
        same = before == after
    if same.all():
        return None
    at = int(np.argmin(same))
    return f"{int((~same).sum())} of {same.size} elements differ, first at [{at}]: {before[at]} became {after[at]}"


def _near_overflow(x: np.ndarray, y: np.ndarray, dtype: T.DType) -> np.ndarray:
    """Where one order of a sum overflows and another just does not."""
    limit = float(np.finfo(dtype.np).max) if dtype is not T.bfloat16 else 3.3e38
    return (np.abs(x) > limit / 2) & (np.abs(y) > limit / 2) & (np.sign(x) == np.sign(y))


def _count(result: object, values: Mapping[str, int]) -> int | None:
    """The elements that a result has at these values; the memory of a symbolic shape is larger."""
    shape = shape_of(result)  # type: ignore[arg-type]
    return prod(evaluate_index(s, values) for s in shape)


def _flat(result: np.ndarray, count: int | None) -> np.ndarray:
    return result.reshape(-1) if count is None else result.reshape(-1)[:count]
