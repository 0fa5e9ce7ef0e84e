"""Opts: single, legal changes to a kernel's loops. A schedule is a list of them, written `UPCAST(1,16) THREAD(0)` and kept in the kernel's
`morok.opts`. The table of them is in `apply_opts.py`, and so in docs/passes.md.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from ...errors import OptionError, ScheduleError
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, index_const, rebuild
from ..symbolic.ranges import make_range, open_ranges, ranges_of, renumbered, replace_ranges
from .accumulate import accumulate
from .distribute import distribute
from .pad import padded
from .panel_axes import range_axes, window_axes
from .peel import peel
from .prefetch import prefetched
from .stage import factors, stage


@dataclass(frozen=True)
class Opt:
    """One opt; `argument` is the factor or the second axis. The `axis` of STREAM is a buffer's number."""

    name: str
    axis: int
    argument: int | None = None

    NAMES: ClassVar[dict[str, bool]] = {"THREAD": False, "DISTRIBUTE": False, "STREAM": False, "TILE": True, "SWAP": True, "UPCAST": True,
                                        "UNROLL": True, "PEEL": True, "OVERLAP": True, "PADTO": True, "STAGE": True, "WINDOW": True,
                                        "PREFETCH": True, "ACCUMULATE": True}

    def __str__(self) -> str:
        return f"{self.name}({self.axis})" if self.argument is None else f"{self.name}({self.axis},{self.argument})"


def parse_opts(text: str) -> list[Opt]:
    """The opts in a string such as `THREAD(0) UPCAST(1,16)`; OptionError for anything else."""
    opts = []
    for word in re.findall(r"[A-Za-z]+\([^)]*\)|[^\s,;]+", text):
        match = re.fullmatch(r"([A-Z]+)\((\d+)(?:, *(\d+))?\)", word)
        if match is None or match[1] not in Opt.NAMES or (match[3] is not None) != Opt.NAMES[match[1]]:
            raise OptionError(f"'{word}' is no opt; opts are THREAD(axis), TILE(axis,n), SWAP(axis,axis), UPCAST(axis,n), UNROLL(axis,n), "
                              "PEEL(axis,n), OVERLAP(axis,n), PADTO(axis,n), STAGE(axis,factor), WINDOW(axis,factor), DISTRIBUTE(axis), STREAM(buffer), "
                              "PREFETCH(axis,level), ACCUMULATE(axis,axis)")
        opts.append(Opt(match[1], int(match[2]), int(match[3]) if match[3] is not None else None))
    return opts


def apply_opt(body: Body, opt: Opt) -> Body:
    """The kernel with the opt applied; ScheduleError says why where it is not legal."""
    ranges = ranges_of(body.order())
    for axis in (opt.axis, opt.argument) if opt.name in ("SWAP", "ACCUMULATE") else () if opt.name == "STREAM" else (opt.axis,):
        if axis is None or axis >= len(ranges):
            raise ScheduleError(f"{opt}: the kernel {body.name} has {len(ranges)} loops, numbered from 0")
    return _APPLY[opt.name](body, opt, ranges)


def closers(order: list[UOp], range_: UOp) -> list[UOp]:
    """The ops that close a range."""
    return [u for u in order if u.name in ("reduce", "end") and range_ in u.operands[1:]]


def constant_extent(opt: Opt, range_: UOp) -> int:
    if not range_.operands[0].is_const():
        raise ScheduleError(f"{opt}: the loop's extent is symbolic; only a constant one can be divided")
    return range_.operands[0].value


def _divided(body: Body, opt: Opt, range_: UOp, inner_kind: str) -> Body:
    extent, factor = constant_extent(opt, range_), opt.argument
    if not factor or extent % factor:
        raise ScheduleError(f"{opt}: {factor} does not divide the extent {extent}; PEEL({opt.axis},{factor}) first")
    if extent == factor and inner_kind != range_.attribute("kind"):
        inner = make_range(index_const(extent), range_.attribute("id"), inner_kind, range_)
        return body.with_roots(replace_ranges(body.roots, {range_: inner}, {range_: (inner,)}))
    outer, inner = _in_two(range_, extent // factor, factor, inner_kind)
    return _with_ranges(body, range_, outer * factor + inner, outer, inner)


def _in_two(range_: UOp, rounds: int, factor: int, inner_kind: str) -> tuple[UOp, UOp]:
    """An outer range in the place of `range_`, and an inner one right behind it."""
    place = range_.attribute("id")
    outer = make_range(index_const(rounds), place, range_.attribute("kind"), range_)
    return outer, make_range(index_const(factor), place + 1, inner_kind, range_)


def _with_ranges(body: Body, range_: UOp, value: UOp, outer: UOp, inner: UOp) -> Body:
    """The body with two ranges instead of one; ids behind them make room."""
    values = {r: make_range(r.operands[0], r.attribute("id") + 1, r.attribute("kind"), r)
              for r in ranges_of(body.order()) if r.attribute("id") > range_.attribute("id")}
    loops = {r: (v,) for r, v in values.items()}
    return body.with_roots(renumbered(replace_ranges(body.roots, {**values, range_: value}, {**loops, range_: (outer, inner)})))


def _upcast(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    range_ = ranges[opt.axis]
    if range_.attribute("kind") != "loop":
        raise ScheduleError(f"{opt}: axis {opt.axis} is of kind {range_.attribute('kind')}; only a parallel loop can be upcast")
    return _divided(body, opt, range_, "upcast")


def _unroll(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    range_ = ranges[opt.axis]
    if range_.attribute("kind") != "reduce":
        raise ScheduleError(f"{opt}: axis {opt.axis} is of kind {range_.attribute('kind')}; only a reduction can be unrolled")
    return _divided(body, opt, range_, "unroll")


def _tile(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    range_ = ranges[opt.axis]
    if range_.attribute("kind") not in ("loop", "reduce"):
        raise ScheduleError(f"{opt}: axis {opt.axis} is of kind {range_.attribute('kind')} and cannot be tiled")
    if opt.argument == constant_extent(opt, range_) or opt.argument == 1:
        raise ScheduleError(f"{opt}: a tile of {opt.argument} out of {range_.operands[0].value} divides nothing")
    return _divided(body, opt, range_, range_.attribute("kind"))


def _swap(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    first, second = ranges[opt.axis], ranges[opt.argument]  # type: ignore[index]
    order = body.order()
    if first is second or set(closers(order, first)) != set(closers(order, second)):
        raise ScheduleError(f"{opt}: the loops are not closed by the same ops, so one cannot take the other's place")
    a, b = (make_range(r.operands[0], other.attribute("id"), r.attribute("kind"), r) for r, other in ((first, second), (second, first)))
    return body.with_roots(replace_ranges(body.roots, {first: a, second: b}, {first: (a,), second: (b,)}))


def _thread(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    order = body.order()
    outermost: dict[UOp, None] = {}
    for end in order:
        if end.name == "end" and end.operands[1:] and end.operands[0].operands[0].type.space == "global":  # type: ignore[union-attr]
            outermost[min(end.operands[1:], key=lambda r: r.attribute("id"))] = None
    if ranges[opt.axis] not in outermost:
        raise ScheduleError(f"{opt}: axis {opt.axis} is not the outermost loop of a store")
    for r in outermost:
        if r.attribute("kind") != "loop":
            raise ScheduleError(f"{opt}: axis {r.attribute('id')} is of kind {r.attribute('kind')}; only a parallel loop can be divided among threads")
    if any(u.name == "store" and u.operands[0].type.space == "global" and not open_ranges(u) & outermost.keys() for u in order):  # type: ignore[union-attr]
        raise ScheduleError(f"{opt}: a store is outside of the threaded loops; every thread would run it")
    threaded = {r: make_range(r.operands[0], r.attribute("id"), "thread", r) for r in outermost}
    return body.with_roots(replace_ranges(body.roots, dict(threaded), {r: (v,) for r, v in threaded.items()}))


def _peel(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    range_ = ranges[opt.axis]
    extent, factor = constant_extent(opt, range_), opt.argument
    if range_.attribute("kind") not in ("loop", "reduce"):
        raise ScheduleError(f"{opt}: axis {opt.axis} is of kind {range_.attribute('kind')} and cannot be peeled")
    if not factor or not extent % factor or extent < factor:
        raise ScheduleError(f"{opt}: extent {extent} leaves no rest, or nothing but a rest, when divided by {factor}")
    return body.with_roots(renumbered(peel(body.roots, range_, extent - extent % factor)))


def _overlap(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    range_ = ranges[opt.axis]
    extent, factor = constant_extent(opt, range_), opt.argument
    if range_.attribute("kind") != "loop":
        raise ScheduleError(f"{opt}: axis {opt.axis} is of kind {range_.attribute('kind')}; only a parallel loop can do iterations twice")
    if not factor or factor >= extent or not extent % factor:
        raise ScheduleError(f"{opt}: {factor} must be less than the extent {extent} and leave a rest")
    order = body.order()
    written = {root_buffer(u.operands[0]) for u in order if u.name == "store" and u.operands[0].type.space == "global"}  # type: ignore[union-attr]
    if any(u.name == "load" and root_buffer(u.operands[0]) in written or u.name == "current" for u in order):
        raise ScheduleError(f"{opt}: the kernel reads what it writes; an iteration done twice would read its own result")
    outer, inner = _in_two(range_, -(-extent // factor), factor, "loop")
    return _with_ranges(body, range_, UOp.make("min", (outer * factor, index_const(extent - factor))) + inner, outer, inner)


def _padto(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    range_ = ranges[opt.axis]
    extent, multiple = constant_extent(opt, range_), opt.argument
    if range_.attribute("kind") != "loop":
        raise ScheduleError(f"{opt}: axis {opt.axis} is of kind {range_.attribute('kind')}; only a parallel loop can be padded")
    if not multiple or not extent % multiple or not extent:
        raise ScheduleError(f"{opt}: extent {extent} is a multiple of {multiple} already" if multiple else f"{opt}: the multiple is at least 1")
    scratch = (u for u in body.order() if u.name == "index" and u.type.space == "local")  # type: ignore[union-attr]
    if any(range_ in open_ranges(position) for u in scratch for position in u.operands[1:]):
        raise ScheduleError(f"{opt}: the loop steps through scratch, which has no room for iterations past its end")
    return body.with_roots(padded(body.roots, range_, -(-extent // multiple) * multiple))


def _stage(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    found = factors(body.order())
    if opt.argument >= len(found):  # type: ignore[operator]
        raise ScheduleError(f"{opt}: the kernel {body.name} has {len(found)} factors that can be staged, numbered from 0")
    axes_of = window_axes if opt.name == "WINDOW" else range_axes
    return body.with_roots(renumbered(stage(body.roots, str(opt), opt.axis, found[opt.argument], axes_of)))  # type: ignore[index]


def _distribute(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    range_ = ranges[opt.axis]
    constant_extent(opt, range_)
    if range_.attribute("kind") != "loop":
        raise ScheduleError(f"{opt}: axis {opt.axis} is of kind {range_.attribute('kind')}; only a parallel loop can be distributed")
    return body.with_roots(renumbered(distribute(body.roots, str(opt), range_)))


def _accumulate(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    return body.with_roots(renumbered(accumulate(body.roots, str(opt), ranges[opt.axis], ranges[opt.argument])))  # type: ignore[index]


def _prefetch(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    assert opt.argument is not None
    return prefetched(body, str(opt), ranges[opt.axis], opt.argument)


def _stream(body: Body, opt: Opt, ranges: list[UOp]) -> Body:
    order = body.order()
    if opt.axis >= len(body.arguments):
        raise ScheduleError(f"{opt}: the kernel {body.name} has {len(body.arguments)} buffers, numbered from 0")
    buffer = body.arguments[opt.axis]
    if not any(u.name == "store" and root_buffer(u.operands[0]) is buffer for u in order):
        raise ScheduleError(f"{opt}: the kernel does not write buffer {opt.axis}")
    if any(u.name == "load" and root_buffer(u.operands[0]) is buffer for u in order):
        raise ScheduleError(f"{opt}: the kernel reads buffer {opt.axis} too, so that its lines are in the caches anyway")

    def streaming(u: UOp) -> UOp | None:
        return UOp.make("store", u.operands, ("streaming",), None, u.loc) if u.name == "store" and root_buffer(u.operands[0]) is buffer else None
    return body.with_roots(rebuild(body.roots, streaming))


_APPLY = {"UPCAST": _upcast, "UNROLL": _unroll, "TILE": _tile, "SWAP": _swap, "THREAD": _thread, "PEEL": _peel, "OVERLAP": _overlap,
          "PADTO": _padto, "STAGE": _stage, "WINDOW": _stage, "DISTRIBUTE": _distribute, "STREAM": _stream, "PREFETCH": _prefetch,
          "ACCUMULATE": _accumulate}


def apply_opts(body: Body, opts: list[Opt]) -> Body:
    """The kernel with all opts applied in order."""
    for opt in opts:
        body = apply_opt(body, opt)
    return body
