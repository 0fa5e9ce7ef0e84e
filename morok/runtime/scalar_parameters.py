"""Graphs that differ in the values of scalar constants share code: constants that change become arguments of one element each.

    x * 0.1        compiled as it is
    x * 0.2        the same skeleton with another value: compiled once more, as x * a with the argument a
    x * 0.3        the same code

Only constants that did change become arguments; the others stay where they can be folded. The result is the same bits either way, so a constant
stays one where its value decides what is folded: 0, 1, -1, infinities and NaN, and constants that meet nothing but constants and counters.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from ..dialect import types as T
from ..dialect.ops import ALU, MOVEMENT
from ..graph.body import Program
from ..graph.capture import Captured
from ..graph.tensor_graph import TensorUOp, new_buffer
from ..graph.uop import UOp, argument, substitute
from .buffer import Buffer
from .varying_constants import varying

_CARRYING = frozenset((*MOVEMENT, "cast", "contiguous"))
"""Ops through which a constant stays a constant to what uses it."""

Constant = tuple[T.TensorType, str]
"""Type and value as spelled."""


@dataclass(frozen=True)
class ScalarArguments:
    """The constants of a graph that are arguments, in order."""

    constants: tuple[Constant, ...]

    def leaves(self, device: str) -> list[TensorUOp]:
        """Buffers with the values."""
        return [new_buffer(t, device, Buffer.from_numpy(np.array(_number(t, text), t.dtype.np), device)) for t, text in self.constants]

    def as_arguments(self, captured: Captured, leaves: Sequence[TensorUOp]) -> Captured:
        """The program with the constants as its last arguments, which are these leaves."""
        main = captured.program.bodies["main"]
        count = len(main.arguments)
        arguments = [argument(count + i, t) for i, (t, _) in enumerate(self.constants)]
        replaced = {UOp.make("const", (), (_number(t, text),), t): a for (t, text), a in zip(self.constants, arguments)}
        program = Program(captured.program.dialect)
        body = main.with_roots(substitute(main.roots, replaced))
        program.bodies["main"] = replace(body, arguments=[*main.arguments, *arguments],
                                         argument_attributes=[*main.argument_attributes, *[{} for _ in arguments]])
        return replace(captured, program=program, leaves=[*captured.leaves, *leaves])


def take_constants(entries: Sequence[tuple], skeleton: list) -> tuple[tuple[Constant, ...], frozenset[int]]:
    """The constants among a structural key's entries that may become arguments, and which of them vary between repetitions of one part; the skeleton's
    entries lack them."""
    constants: list[Constant] = []
    beside_data, alone = _fit_constants(entries)
    differ = varying(entries, beside_data | alone)
    fit = sorted(beside_data | differ)
    for i in fit:
        (_, (text,), t), = entries[i]
        skeleton[i] = ("constant", t, len(constants))
        constants.append((t, text))
    return tuple(constants), frozenset(n for n, i in enumerate(fit) if i in differ)


def _fit_constants(entries: Sequence[tuple]) -> tuple[set[int], set[int]]:
    """The entries that are constants of a number type, of which every use has data beside them, and those of which some use has constants alone; none where
    values move between devices."""
    if any(entry[0][0] == "copy" for entry in entries if isinstance(entry[0], tuple)):
        return set(), set()
    fit: set[int] = set()
    alone: set[int] = set()
    carries: list[frozenset[int]] = []
    has_data: list[bool] = []
    none: frozenset[int] = frozenset()
    for i, entry in enumerate(entries):
        content, *operands = entry
        if not isinstance(content, tuple):  # a buffer
            carries.append(none)
            has_data.append(True)
            continue
        name, _, t = content
        carried = none.union(*(carries[o] for o in operands)) if operands else none
        data = any(has_data[o] for o in operands)
        if name == "const" and isinstance(t, T.TensorType) and t.dtype.kind in "fiu":
            fit.add(i)
            carried = frozenset((i,))
        elif name not in _CARRYING:
            if not data:
                alone |= carried
            if name in ALU and carried and any(not has_data[o] and not carries[o] for o in operands):  # counters
                fit -= {c for c in carried if entries[c][0][2].dtype.kind != "f"}
            carried = none
        carries.append(carried)
        has_data.append(data)
    return fit - alone, fit & alone


def is_special(constant: Constant) -> bool:
    """Whether the value is one that folding may know."""
    t, text = constant
    value = _number(t, text)
    return value in (0, 1, -1) or not isfinite(value)


def _number(t: T.TensorType, text: str) -> Any:
    return float(text) if t.dtype.is_float else int(text)
