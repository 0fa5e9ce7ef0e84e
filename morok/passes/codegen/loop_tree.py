"""The loop nest of a kernel: where each range's loop stands, which loop an op is in, and in which order a block's items run.

    end(store(.., carry(.., %k)), %i, %j)      =>      loop %i { loop %j { loop %k { .. } store } }

An op is in the block of the deepest loop that it is open in, so what a loop does not change is outside of it. A range has one loop: what
encloses it are the ranges that its closing ops leave open and those that they close along with it and that have smaller ids. Within a
block, a loop counts as one item, after all that anything inside needs. A load that must not see a store (its buffer is no version after
the store) comes before it.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ...dialect import types as T
from ...errors import InternalError, IRError
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, toposort
from ..symbolic.ranges import open_ranges, open_ranges_of
from .rare_branches import RareWork, find_rare_work


@dataclass(eq=False)
class Loop:
    """A block: the body of a range's loop, of a branch (`rare`) or of the function. `reductions` are the carry ops that close it."""

    range: UOp | None
    rare: RareWork | None = None
    depth: int = 0
    reductions: list[UOp] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    needs: dict[Item, list[Item]] = field(default_factory=dict)

    def add(self, item: Item) -> None:
        if item not in self.needs:
            self.needs[item] = []
            self.items.append(item)


Item: TypeAlias = UOp | Loop
HOISTED = frozenset(("arg", "const", "range", "define_var", "define_local", "define_reg", "special"))
"""What the function's entry (or the loop itself) provides."""


def place(u: UOp) -> str:
    return f"{u.loc[0]}:{u.loc[1]}: " if u.loc else ""


def describe(u: UOp) -> str:
    return f"morok.{u.name}{f' ({u.loc[0]}:{u.loc[1]})' if u.loc else ''}"


class LoopTree:
    """The plan of one kernel. `root.items` are in the order in which they run; so are the items of each loop."""

    def __init__(self, body: Body) -> None:
        self.order = body.order()
        self.root = Loop(None)
        self.loops: dict[UOp, Loop] = {}
        self.parents: dict[Loop, Loop] = {}
        """The block round each. Loops that knew it would be cycles, with all their ops, until Python's collector came."""
        self.innermost: dict[UOp, UOp] = {}
        """A closing op's innermost and outermost range."""
        self.outermost: dict[UOp, UOp] = {}
        self.provider: dict[UOp, Loop] = {}
        """The loop or branch whose result an op is."""
        self._place_ranges()
        self._place_ops()
        self._order_memory()
        for loop in (self.root, *self.loops.values(), *self.branches):
            self._sort(loop)

    # Ranges

    def _place_ranges(self) -> None:
        enclosing: dict[UOp, frozenset[UOp]] = {}
        closers: dict[UOp, UOp] = {}
        live = open_ranges_of(self.order)
        for u in self.order:
            if u.name == "reduce":
                raise IRError(f"{place(u)}morok-linearize: morok.{u.name} carries no value yet; morok-reduce-to-iter-args comes first")
            if u.name not in ("carry", "end") or len(u.operands) == 1:
                continue
            ranges = u.operands[2:] if u.name == "carry" else u.operands[1:]
            outside = live[u]
            closed = ranges if len(ranges) == 1 else sorted(set(ranges), key=lambda r: r.attributes[0])
            self.outermost[u], self.innermost[u] = closed[0], closed[-1]
            for r in closed:
                if r.name != "range":
                    raise InternalError(f"morok-linearize: {describe(u)} closes {describe(r)}, which is no range")
                enclosing[r] = enclosing.get(r, frozenset()) | outside
                closers.setdefault(r, u)
                if u.name == "carry":
                    self._loop(r).reductions.append(u)
                outside = outside | {r}
        _close_over(enclosing)
        for r in sorted(enclosing, key=lambda r: len(enclosing[r])):
            loop, outer = self._loop(r), enclosing[r]
            if outer:
                parent = max(outer, key=lambda o: len(enclosing.get(o, ())))
                if parent not in enclosing or enclosing[parent] | {parent} != outer:
                    raise InternalError(f"morok-linearize: range {r.attributes[0]} would need two loops: it is closed by "
                                        f"{describe(closers[r])} inside ranges {_ids(outer)}, which are not loops in one another")
                self.parents[loop] = self.loops[parent]
            else:
                self.parents[loop] = self.root
            loop.depth = self.parents[loop].depth + 1

    def _loop(self, r: UOp) -> Loop:
        found = self.loops.get(r)
        if found is None:
            found = self.loops[r] = Loop(r)
        return found

    # Ops

    def _block_of(self, u: UOp) -> Loop:
        """The deepest block that an operand's result is in; the others must be round it."""
        deepest = self.root
        for o in u.operands:
            block = self.blocks[o]
            if block is deepest or block is self.root:
                continue
            outer, inner = (block, deepest) if block.depth <= deepest.depth else (deepest, block)
            deepest = inner
            while inner.depth > outer.depth:
                inner = self.parents[inner]
            if inner is not outer:
                raise InternalError(f"morok-linearize: {describe(u)} needs ranges {_ids(open_ranges(u))}, "
                                    "which are not loops in one another")
        return deepest

    def _place_ops(self) -> None:
        self.blocks: dict[UOp, Loop] = {}
        """The block of an op's result."""
        self.inside: dict[UOp, Loop] = {}
        """The block in which it reads its operands: for a closing op, its innermost loop; for what a branch computes, the branch."""
        closed = {u.operands[0]: self.loops[r] for u, r in self.innermost.items() if u.name == "end"}
        for u in self.order:
            if u.name in HOISTED:
                if u.name == "range" and u not in self.loops:
                    raise InternalError(f"morok-linearize: nothing closes range {u.attributes[0]}")
                self.blocks[u] = self.inside[u] = self.loops.get(u, self.root)
            elif u in self.innermost:
                self.inside[u] = self.loops[self.innermost[u]]
                loop = self.provider[u] = self.loops[self.outermost[u]]
                self.blocks[u] = self.parents[loop]
            elif u in closed:  # an effect happens once per iteration of what closes it, even if it does not depend on the loop (of no iteration, perhaps)
                self.blocks[u] = self.inside[u] = closed[u]
            else:
                self.blocks[u] = self.inside[u] = self._block_of(u)
        branches = self._place_branches()
        for u in self.order:
            if u.name in HOISTED:
                if u in self.loops:
                    loop = self.loops[u]
                    self.parents[loop].add(loop)
                    self._need(u.operands[0], self.parents[loop], loop)
                continue
            block, is_closing = self.inside[u], u in self.innermost
            if not is_closing:
                block.add(u)
            for operand in u.operands:
                if self.blocks[operand] is block and not is_closing and operand not in self.provider:  # as most are
                    if operand.name not in HOISTED:
                        block.needs[u].append(operand)
                else:
                    self._need(operand, block, u)
        for branch in branches:
            assert branch.rare is not None
            self.parents[branch].add(branch)
            self._need(branch.rare.condition, self.parents[branch], branch)

    def _place_branches(self) -> list[Loop]:
        found = []
        for block, rare in find_rare_work(self.order, self.blocks):
            branch = Loop(None, rare, block.depth + 1)
            self.parents[branch] = block
            found.append(branch)
            for u in rare.members:
                self.blocks[u] = self.inside[u] = branch
            for u in rare.outputs:
                self.blocks[u] = block
                self.provider[u] = branch
        self.branches = found
        return found

    def _need(self, operand: UOp, block: Loop, item: Item) -> None:
        """Notes that the item of `block` needs the operand, in the block where the operand's result is."""
        if operand.name in HOISTED:
            return
        needed: Item = self.provider.get(operand, operand)
        where = self.blocks[operand]
        if block is needed and needed.rare is not None:  # within the branch
            needed, where = operand, block
        while block is not where:
            item, parent = block, self.parents.get(block)
            if parent is None:
                raise InternalError(f"morok-linearize: {describe(operand)} is needed outside of its loop")
            block = parent
        if item is needed:
            raise InternalError(f"morok-linearize: {describe(operand)} is needed inside the loop of range "
                                f"{self.outermost[operand].attributes[0]}, which computes it")
        needs = where.needs
        if needed not in needs:
            where.add(needed)
        if item not in self.innermost:  # a closing op runs last in its loop anyway
            if item not in needs:
                where.add(item)
            needs[item].append(needed)

    # Memory

    def _order_memory(self) -> None:
        stores = [u for u in self.order if u.name == "store"]
        if not any(u.name == "after" or u.name == "load" for u in self.order):
            return
        roots = {s: root_buffer(s.operands[0]) for s in stores}
        written = set(roots.values())
        seen: dict[UOp, frozenset[UOp]] = {}
        updates: dict[UOp, set[UOp]] = {}
        """Of an argument that is written, all that the stores to it need."""
        for u in self.order:
            if u.name != "load" or root_buffer(u.operands[0]) not in written:
                continue
            buffer = u.operands[0].operands[0]
            root, version = root_buffer(buffer), _stores_before(buffer, seen)
            if root.name == "arg":
                if root not in updates:
                    updates[root] = set(toposort(s for s in stores if roots[s] is root))
                if u in updates[root]:
                    continue  # an update in place: morok-split-store saw to it that only the iteration that stores an element reads it
            unseen = [s for s in stores if roots[s] is root and s not in version]
            in_place = root.name == "arg" or buffer.name == "current"
            beside = [s for s in unseen if self._share_iterations(u, s)] if in_place and len(unseen) > 1 else unseen
            for store in beside or unseen:  # beside a store in its loop, it reads what that overwrites, and nothing of what other parts of a peeled loop do
                self._before(u, store)

    def _share_iterations(self, load: UOp, store: UOp) -> bool:
        """Whether one's loop is the other's or round it."""
        outer, inner = sorted((self.blocks[load], self.blocks[store]), key=lambda block: block.depth)
        while inner.depth > outer.depth:
            inner = self.parents[inner]
        return inner is outer

    def _before(self, first: UOp, second: UOp) -> None:
        a, b = self.blocks[first], self.blocks[second]
        x: Item = first
        y: Item = second
        while a is not b:
            if a.depth >= b.depth:
                x, a = a, self.parents[a]
            else:
                y, b = b, self.parents[b]
        if x is not y:
            a.needs[y].append(x)

    # Order

    def _sort(self, loop: Loop) -> None:
        """Puts the items after what they need, otherwise in the order in which they came."""
        ordered: list[Item] = []
        state: dict[Item, bool] = {}  # False while what the item needs is being placed
        for first in loop.items:
            if first in state:
                continue
            state[first] = False
            stack = [(first, iter(loop.needs[first]))]
            while stack:
                item, pending = stack[-1]
                for needed in pending:
                    placed = state.get(needed)
                    if placed is False:
                        raise InternalError(f"morok-linearize: no order of loops is legal: {_name(item)} and {_name(needed)} "
                                            "need each other")
                    if placed is None:
                        state[needed] = False
                        stack.append((needed, iter(loop.needs[needed])))
                        break
                else:
                    stack.pop()
                    state[item] = True
                    ordered.append(item)
        loop.items = ordered


def _name(item: Item) -> str:
    return describe(item) if isinstance(item, UOp) else f"the loop of range {item.range.attributes[0]}" if item.range else "a branch"


def _close_over(enclosing: dict[UOp, frozenset[UOp]]) -> None:
    """What closes a range need not use every loop round it: a row's reduction that uses the inner of two loops still runs in both."""
    changed = True
    while changed:
        changed = False
        for r, outer in enclosing.items():
            full = outer.union(*(enclosing.get(o, frozenset()) for o in outer))
            if full != outer:
                enclosing[r], changed = full, True


def _ids(ranges: frozenset[UOp]) -> list[int]:
    return sorted(r.attributes[0] for r in ranges)


def _stores_before(buffer: UOp, seen: dict[UOp, frozenset[UOp]]) -> frozenset[UOp]:
    """The stores that this version of a buffer comes after."""
    found: frozenset[UOp] = frozenset()
    while buffer.name == "current":
        buffer = buffer.operands[0]
    if buffer.name != "after":
        return found
    if buffer in seen:
        return seen[buffer]
    stack, visited = [buffer], {buffer}
    while stack:
        u = stack.pop()
        if u.name == "store":
            found |= {u}
        for o in u.operands:
            if o not in visited and (o.type is T.token or o.name == "after"):
                visited.add(o)
                stack.append(o)
    seen[buffer] = found
    return found
