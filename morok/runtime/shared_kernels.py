"""One kernel for many that differ in constant offsets alone.

    b0[i] = a[3, i] * 2          b0[i] = a[offset_0, i] * 2       compiled once, called with 3, 5, 8, ...
    b0[i] = a[5, i] * 2     =>
    b0[i] = a[8, i] * 2

What counts as an offset is a constant among the indices of a buffer, alone or added to something. Extents, gates and all else must be equal.
"""
from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from ..dialect import types as T
from ..graph.body import Body
from ..graph.uop import UOp, index_const, rebuild, substitute

SHARED_FROM = 8
"""Kernels that share from that many on: constants make better code, by a little."""
PREFIX = "morok_offset_"
_GREATEST = (1 << 31) - 1


@dataclass(frozen=True)
class SharedKernel:
    """A kernel with offsets as variables, and what these are for each kernel that it stands for."""

    body: Body
    members: Mapping[Hashable, Mapping[str, int]]


def share(kernels: Mapping[Hashable, Body]) -> list[SharedKernel]:
    """Kernels that can do the work of at least SHARED_FROM of the given ones each."""
    if len(kernels) < SHARED_FROM:
        return []
    groups: dict[tuple, dict[Hashable, tuple[int, ...]]] = {}
    for key, body in kernels.items():
        skeleton, offsets = without_offsets(body)
        if offsets:
            groups.setdefault((skeleton, tuple(a.type for a in body.arguments)), {})[key] = offsets
    return [_shared(kernels[next(iter(members))], skeleton, members) for (skeleton, _), members in groups.items() if len(members) >= SHARED_FROM]


def without_offsets(body: Body) -> tuple[tuple[UOp, ...], tuple[int, ...]]:
    """The sinks with the variables PREFIX0, PREFIX1, ... in the places of offsets, and the offsets."""
    offsets: list[int] = []

    def taken(u: UOp) -> UOp:
        if u.name == "const" and 0 <= u.value <= _GREATEST:
            offsets.append(u.value)
            return _variable(len(offsets) - 1, 0)
        if u.name == "add" and u.operands[1].name == "const" and 0 <= u.operands[1].value <= _GREATEST:
            return UOp.make("add", (u.operands[0], taken(u.operands[1])))
        return u

    def replaced(u: UOp) -> UOp | None:
        if u.name != "index":
            return None
        operands = (u.operands[0], *[taken(o) if o.type is T.index else o for o in u.operands[1:]])
        return UOp.make("index", operands, u.attributes, u.type, u.loc) if operands != u.operands else None

    return rebuild(body.sinks, replaced), tuple(offsets)


def _shared(body: Body, skeleton: tuple[UOp, ...], members: Mapping[Hashable, tuple[int, ...]]) -> SharedKernel:
    """Offsets that are the same for all stay constants; the others get bounds that the next batch will probably have too."""
    values = list(zip(*members.values()))
    differ = [i for i, given in enumerate(values) if len(set(given)) > 1]
    new = {_variable(i, 0): _variable(i, (1 << max(given).bit_length()) - 1) if i in differ else index_const(given[0])
           for i, given in enumerate(values)}
    return SharedKernel(replace(body, sinks=substitute(skeleton, new)),
                        {key: {f"{PREFIX}{i}": offsets[i] for i in differ} for key, offsets in members.items()})


def specialised(body: Body, offsets: Mapping[str, int]) -> Body:
    """A shared kernel's function as it is at these offsets."""
    new = {u: index_const(offsets[u.attribute("name")]) for u in body.order() if u.name == "define_var" and u.attribute("name") in offsets}
    return body.with_roots(substitute(body.roots, new))


def _variable(number: int, greatest: int) -> UOp:
    return UOp.make("define_var", (), (f"{PREFIX}{number}", 0, greatest))
