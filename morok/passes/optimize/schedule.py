"""A schedule in the making: a kernel, the opts applied so far, and names for its loops that outlive the renumbering that each opt brings."""
from __future__ import annotations

from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, toposort
from ..symbolic.ranges import open_ranges, ranges_of
from .opts import Opt, apply_opt


class Schedule:
    """A kernel and the opts applied so far."""

    def __init__(self, body: Body):
        self.body = body
        self.opts: list[Opt] = []

    def apply(self, opt: Opt) -> bool:
        """Applies the opt if it is legal."""
        try:
            self.body = apply_opt(self.body, opt)
        except ScheduleError:
            return False
        self.opts.append(opt)
        return True


class NamedLoops:
    """The loops of a kernel under the names given to its ranges. Each method applies one opt; ScheduleError where it is not legal."""

    def __init__(self, body: Body, names: dict[UOp, str]) -> None:
        self.body = body
        self.opts: list[Opt] = []
        order = body.order()
        self.order = [names[r] for r in ranges_of(order)]
        written, read = ({root_buffer(u.operands[0]) for u in order if u.name == name} for name in ("store", "load"))
        self.repeatable = not any(b.name == "arg" for b in written & read)
        """Whether iterations may be done twice: nothing that the kernel writes is read in it."""

    def axis(self, name: str) -> int:
        return self.order.index(name)

    def _apply(self, name: str, axis: int, argument: int | None = None) -> None:
        opt = Opt(name, axis, argument)
        self.body = apply_opt(self.body, opt)
        self.opts.append(opt)

    def pad(self, name: str, multiple: int) -> None:
        """Runs the loop to a multiple, if its extent is none, or, where iterations can be done twice, if it is less than one."""
        if self.extent(name) % multiple and (self.extent(name) < multiple or not self.repeatable):
            self._apply("PADTO", self.axis(name), multiple)

    def extent(self, name: str) -> int:
        return ranges_of(self.body.order())[self.axis(name)].operands[0].value

    def divide(self, opt: str, name: str, factor: int, inner: str) -> None:
        """UPCAST, UNROLL or TILE: the inner loop gets a name of its own (where nothing is left of the outer one, its place)."""
        axis, size = self.axis(name), self.extent(name)
        whole = size == factor
        if opt == "TILE" and (whole or factor == 1):
            return
        if factor < size and size % factor:
            self._apply("OVERLAP", axis, factor)
            self.order.insert(axis + 1, inner)
            if opt == "UPCAST":
                self._apply(opt, axis + 1, factor)
            return
        self._apply(opt, axis, factor)
        if whole:
            self.order[axis] = inner
        else:
            self.order.insert(axis + 1, inner)

    def peel(self, name: str, factor: int) -> None:
        """PEEL of a loop that no others are in; the rest gets a name of its own."""
        opt = Opt("PEEL", self.axis(name), factor)
        body = apply_opt(self.body, opt)
        if len(ranges_of(body.order())) != len(self.order) + 1:
            raise ScheduleError(f"{opt}: there are loops inside, which would be there twice")
        self.body = body
        self.opts.append(opt)
        self.order.insert(self.axis(name) + 1, f"{name} rest")

    def arrange(self, names: list[str]) -> None:
        """Puts these loops in this order, in the places that they hold together."""
        present = [n for n in names if n in self.order]
        places = sorted(self.axis(n) for n in present)
        for place, wanted in zip(places, present):
            at = self.axis(wanted)
            if at != place:
                self._apply("SWAP", place, at)
                self.order[place], self.order[at] = self.order[at], self.order[place]

    def accumulate(self, name: str, outside: str) -> None:
        """ACCUMULATE. The loops that add keep their names, behind all others; those that read the results get names of their own."""
        order = self.body.order()
        ranges = dict(zip(ranges_of(order), self.order))
        loop = next(r for r, n in ranges.items() if n == name)
        reduction = next(u for u in order if u.name == "reduce" and loop in u.operands[1:])
        sums = {r for u in toposort((reduction,)) if u.name == "reduce" for r in u.operands[1:]}
        adding = [n for r, n in ranges.items() if r is not loop and (r in sums or self.axis(n) > self.axis(outside) and r in open_ranges(reduction))]
        self._apply("ACCUMULATE", self.axis(name), self.axis(outside))
        names = {n: f"result of {n}" for r, n in ranges.items() if n in adding and r not in sums}
        self.order = [*(names.get(n, n) for r, n in ranges.items() if r not in sums), name, *adding]

    def stage(self, outside: str, factor: int, opt: str = "STAGE") -> None:
        """STAGE or WINDOW."""
        before = len(ranges_of(self.body.order()))
        self._apply(opt, self.axis(outside), factor)
        self.order += [f"panel {len(self.opts)}.{i}" for i in range(len(ranges_of(self.body.order())) - before)]

    def thread(self, name: str) -> None:
        self._apply("THREAD", self.axis(name))
