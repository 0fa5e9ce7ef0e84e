"""From the lazy graph to a program: what some sinks reach as a function `main` of the tensor form.

    captured = capture([x])
    captured.program.module      func.func @main(%arg0: tensor<2x3xf32>, ...) -> tensor<...>
    captured.leaves              the buffers that are its arguments, in order
    structural_key([x])          the same for all graphs that capture to the same program

Each buffer becomes an argument, each `bind` its variable. An argument that assigns may overwrite has the attribute `morok.in_place`.
"""
from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from mlir import ir

from ..dialect.context import shared_context
from ..errors import BoundsError
from .body import Body, Program
from .in_place import InPlace, overwritable
from .shape import add_bound_value, bound_value
from .tensor_graph import GRAPH, TensorUOp, device_of
from .uop import UOp, argument

ENTRY = "main"


@dataclass
class Captured:
    """A program and what to run it with: the buffers of its arguments, the bounds and the bound values of its variables."""

    program: Program
    leaves: list[TensorUOp]
    variables: dict[str, tuple[int, int]]
    values: dict[str, int]
    nodes: list[UOp]
    """The program's ops in the order of the entries of the structural key."""

    @property
    def devices(self) -> list[str]:
        """The device of each leaf."""
        return [device_of(leaf) for leaf in self.leaves]


def capture(sinks: Sequence[TensorUOp], in_place: InPlace = True) -> Captured:
    """The program that computes the sinks. BoundsError where a variable is bound to two values. `detach` is for derivatives alone, and left out.

    `in_place` False forbids to overwrite buffers; a function is asked for each buffer that could be overwritten.
    """
    with GRAPH.lock:
        order = reachable(sinks)
        writable = overwritable(order, sinks, in_place)
        leaves: list[TensorUOp] = []
        variables: dict[str, tuple[int, int]] = {}
        values: dict[str, int] = {}
        new: dict[TensorUOp, UOp] = {}
        uniques = 0
        for u in order:
            if u.name == "buffer":
                new[u] = argument(len(leaves), u.type)
                leaves.append(u)
                continue
            if u.name == "unique":  # of a carried value
                new[u] = UOp.make("unique", (), (uniques,))
                uniques += 1
                continue
            if u.name == "detach":
                new[u] = new[u.operands[0]]
                continue
            content = u
            if u.name == "bind":
                add_bound_value(values, *bound_value(u))
                content = u.operands[0]
            if content.name == "define_var":
                add_variable(variables, content)
            new[u] = UOp.make(content.name, tuple([new[o] for o in content.operands]), content.attributes, content.type, content.loc)
        overwrite = {"morok.in_place": ir.UnitAttr.get(shared_context().context)}
        attributes = [overwrite if leaf in writable else {} for leaf in leaves]
        results = tuple(new[s] for s in sinks)
    program = Program(shared_context())
    program.bodies[ENTRY] = Body(ENTRY, [argument(i, leaf.type) for i, leaf in enumerate(leaves)], results, (), {}, attributes)
    return Captured(program, leaves, variables, values, list(dict.fromkeys(new.values())))


def add_variable(variables: dict[str, tuple[int, int]], variable: UOp) -> None:
    """Enters a variable's bounds; BoundsError where it has others already."""
    name, *bounds = variable.attributes
    given = variables.setdefault(name, tuple(bounds))  # type: ignore[arg-type]
    if given != tuple(bounds):
        raise BoundsError(f"two variables named {name!r} with bounds {given[0]} to {given[1]} and {bounds[0]} to {bounds[1]}; rename one")


_LEAVES = frozenset(("buffer", "bind"))


def reachable(sinks: Sequence[TensorUOp]) -> list[TensorUOp]:
    """All that the sinks reach, operands first; not what lies behind buffers and binds."""
    order: list[TensorUOp] = []
    seen: set[TensorUOp] = set()
    stack = list(reversed(sinks))
    while stack:
        u = stack[-1]
        if u in seen:
            stack.pop()
            continue
        missing = [o for o in u.operands if o not in seen] if u.name not in _LEAVES else None
        if missing:
            missing.reverse()
            stack += missing
        else:
            stack.pop()
            seen.add(u)
            order.append(u)
    return order


def structural_key(sinks: Sequence[TensorUOp], in_place: InPlace = True) -> tuple[Hashable, list[TensorUOp], dict[str, int]]:
    """A key that is equal for graphs that differ in nothing but which buffers they read and which values their variables are bound to;
    with it the buffers in argument order and the bound values. BoundsError as from `capture`."""
    with GRAPH.lock:
        order = reachable(sinks)
        entries: dict[tuple, int] = {}
        number: dict[TensorUOp, int] = {}
        leaves: list[TensorUOp] = []
        variables: dict[str, tuple[int, int]] = {}
        values: dict[str, int] = {}
        assigns, uniques = False, 0
        for u in order:
            name, entry = u.name, ()  # type: str, tuple
            if name == "detach":
                number[u] = number[u.operands[0]]
                continue
            if name == "buffer":
                entry = (len(leaves), u.type, device_of(u))
                leaves.append(u)
            elif name == "unique":
                entry = (name, uniques)
                uniques += 1
            elif name == "bind":
                add_bound_value(values, *bound_value(u))
                add_variable(variables, u.operands[0])
                entry = (u.operands[0].content,)  # type: ignore[attr-defined]
            else:
                entry = (u.content, *[number[o] for o in u.operands])
                if name == "define_var":
                    add_variable(variables, u)
                elif name == "assign":
                    assigns = True
            number[u] = entries.setdefault(entry, len(entries))
        writable: tuple[int, ...] = ()
        if assigns:
            found = overwritable(order, sinks, in_place)
            writable = tuple([i for i, leaf in enumerate(leaves) if leaf in found])
        return (tuple(entries), tuple([number[s] for s in sinks]), writable), leaves, values
