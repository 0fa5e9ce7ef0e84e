"""Where values are materialised: the decisions of range assignment, made on the tensor form from consumers to producers.

Each tensor op is asked for at one or several *sites*: indices, a gate (inside pads), and the loops round the request. From them follows how often the op
would be evaluated if it were computed in place, against how many elements it has:

- a value whose evaluation is dear (a transcendental, a reduction) and that would be computed more than once per element is stored;
- if all its sites lie in common outer loops of one kernel and differ only in inner indices, it is stored in *local* scratch inside those loops (softmax's
  exponentials: one row), otherwise in a buffer of its own, written by a kernel of its own;
- outputs, `contiguous` and the targets of assigns are always stored; cheap elementwise values are computed again.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from ...dialect import types as T
from ...dialect.ops import ALU, MOVEMENT, TRANSCENDENTAL
from ...graph.shape import shape_of
from ...graph.uop import UOp, toposort
from ..symbolic.bounds import bounds
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges

DEAR = 8.0
"""Cost per element, in elementary operations, from which on a value is stored rather than computed twice: about what a store and a load cost."""
LOCAL_ELEMENTS = 1 << 17
"""Largest local stage: 512 KiB of float32, which a core's second cache holds, and the stack of a thread with some rows of it."""
LEAST_PRODUCT = 8
"""Terms of a product's sum from which on it is worth a buffer to have rows and columns for a register tile."""
SMALL_REDUCTION = 1024
"""A reduction to a single value of at most so many elements is computed inside each kernel that needs it."""
FUSED_DEPTH = 128
"""Terms of a product's sum up to which its results may be a local stage, and results of a product that an element of a stage may go into: a block of rows
passes over all of the product's other factor, some terms for each element of the stage. From there on that takes longer than to store the element and to
read it again, and the factor's panels no longer fit beside the stages. Attention's heads are not as deep."""
OVERWRITING = frozenset(("assign", "scan", "scatter", "counted_scatter"))
"""Ops whose results are a first operand overwritten."""
STORED_OPS = OVERWRITING | {"contiguous", "copy"}
"""Ops whose results are memory."""


@dataclass(frozen=True)
class Request:
    """An element of a value: its indices and the gate under which memory may be read for it."""

    indices: tuple[UOp, ...]
    gate: UOp | None


@dataclass
class Sites:
    """The distinct requests for one tensor op, each with the loops round it (outer first)."""

    loops: dict[Request, tuple[UOp, ...]] = field(default_factory=dict)

    def add(self, request: Request, loops: tuple[UOp, ...]) -> None:
        self.loops.setdefault(request, loops)


@dataclass
class Stored:
    """A decision to store. `axes` are the axes that the buffer has; the others (`shared`) are fixed by the loops round it."""

    space: str
    axes: tuple[int, ...]
    loops: tuple[UOp, ...] = ()
    shared: dict[int, UOp] = field(default_factory=dict)


def ranges_in(*values: UOp | None) -> frozenset[UOp]:
    """The ranges that index expressions reach."""
    found: frozenset[UOp] = frozenset()
    for value in values:
        if value is not None:
            found |= open_ranges(value)
    return found


def loops_round(request: Request, loops: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """The loops in which a value at these indices is computed: out to the innermost loop that the indices use; it is hoisted out of the others."""
    used = ranges_in(*request.indices, request.gate)
    last = max((i for i, r in enumerate(loops) if r in used), default=-1)
    return loops[:last + 1]


def extent(size: int | UOp) -> int:
    """A size, or the greatest value of a symbolic one."""
    return size if isinstance(size, int) else bounds(size)[1]


def elements(u: UOp) -> int:
    return prod(extent(s) for s in shape_of(u))


def evaluations(sites: Sites) -> list[int]:
    """How many times the op would be evaluated for each request if nothing were stored."""
    return [prod(extent(r.operands[0]) if not r.operands[0].is_const() else r.operands[0].value for r in loops_round(request, loops))
            for request, loops in sites.loops.items()]


def costs(order: list[UOp]) -> dict[UOp, float]:
    """The cost of one element of each op if computed in place, in elementary operations. Values made of constants alone cost nothing much."""
    cost: dict[UOp, float] = {}
    reads_memory: dict[UOp, bool] = {}
    for u in order:
        reads_memory[u] = u.name in ("arg", *STORED_OPS) or any(reads_memory[o] for o in u.operands)
        inner = sum(cost[o] for o in u.operands)
        if u.name in ALU:
            cost[u] = inner + (10.0 if u.name in TRANSCENDENTAL else 4.0 if u.name in ("div", "sqrt", "floordiv", "mod") and u.dtype is not T.index else 1.0)
        elif u.name == "reduce_axis":
            cost[u] = (cost[u.operands[0]] + 1.0) * max(1, elements(u.operands[0])) / max(1, elements(u)) if reads_memory[u] else 1.0
        elif u.name in ("expand", "pad"):
            cost[u] = cost[u.operands[0]] * min(1.0, elements(u.operands[0]) / max(1, elements(u)))
        elif u.name in MOVEMENT or u.name == "detach" or u.name in STORED_OPS:
            cost[u] = cost[u.operands[0]] if u.name in MOVEMENT or u.name == "detach" else 1.0
        else:
            cost[u] = 1.0 if u.name == "arg" else 0.0
    return cost


def product_depths(order: list[UOp]) -> dict[UOp, int]:
    """For each op, how many terms the nearest products have that it is computed from, the deepest of them; 0 where there are none."""
    depths: dict[UOp, int] = {}
    for u in order:
        own = _depth(u) if u.name == "reduce_axis" else 0
        depths[u] = own if own or u.name in STORED_OPS else max((depths[o] for o in u.operands), default=0)
    return depths


def _depth(u: UOp) -> int:
    """How many terms a sum of products has of which each factor serves several results; 0 for another reduction."""
    value = u.operands[0]
    while value.name == "cast":
        value = value.operands[0]
    if u.attribute("op") != "add" or value.name != "mul":
        return 0
    terms = elements(value)
    return terms // max(1, elements(u)) if all(2 * elements(_before_movement(o)) <= terms for o in value.operands) else 0


def _before_movement(u: UOp) -> UOp:
    while u.name in MOVEMENT or u.name == "cast":
        u = u.operands[0]
    return u


def decide(u: UOp, sites: Sites, cost: float, product_depth: int) -> Stored | None:
    """Whether and where a value that need not be stored is stored all the same. It is of a cost, and computed from a product of so many terms, if any."""
    if u.name not in ALU and u.name != "reduce_axis" or u.type is T.index or cost < DEAR:
        return None
    count = elements(u)
    if u.name == "reduce_axis" and count == 1 and elements(u.operands[0]) > SMALL_REDUCTION and any(sites.loops.values()):
        return Stored("global", tuple(range(len(shape_of(u)))))
    if u.name == "reduce_axis" and cost < DEAR * elements(u.operands[0]) / max(1, count) and any(_splits_product(r, loops) for r, loops in sites.loops.items()):
        return Stored("global", tuple(range(len(shape_of(u)))))
    if u.name == "reduce_axis" and _depth(u) >= LEAST_PRODUCT and not all(_has_loops(i) for r in sites.loops for i in r.indices):
        return Stored("global", tuple(range(len(shape_of(u)))))
    times = evaluations(sites)
    if count == 0 or sum(times) <= 1.5 * count:
        return None
    stage = _local_stage(u, sites) if max(product_depth, max(times) // count) <= FUSED_DEPTH else None
    return stage or Stored("global", tuple(range(len(shape_of(u)))))


def _splits_product(request: Request, loops: tuple[UOp, ...]) -> bool:
    """Whether a value is computed between the loops of a product, once for each row and before the columns: they could make no register tile."""
    outside = loops_round(request, loops)
    inside = loops[len(outside):]
    sums = next((i for i, r in enumerate(inside) if r.attribute("kind") == "reduce"), 0)
    return bool(outside) and sums > 0


def _has_loops(index: UOp) -> bool:
    """Whether an index is a sum of ranges, or of parts that a range can be split into: then the axis has loops of its own. Along a rotated axis, or one whose
    elements two axes share out between them at an offset, it has none, and a product no rows and columns."""
    form = linear(index)
    for term, _ in form.terms:
        if not open_ranges(term):  # the same all along
            continue
        if term.name in ("floordiv", "mod") and term.operands[1].is_const():
            inside, size = linear(term.operands[0]), term.operands[1].value
            if inside.constant or not all(t.name == "range" and (c % size == 0 or size % c == 0 and extent(t.operands[0]) % (size // c) == 0)
                                          for t, c in inside.terms):
                return False
        elif term.name != "range":
            return False
    return True


def _loops_before_the_first_unused(request: Request, loops: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """The outer loops that a request uses all of: outside of the first that it does not use, which would compute it again."""
    used = ranges_in(*request.indices)
    return loops[:next((i for i, r in enumerate(loops) if r not in used), len(loops))]


def _source_elements(u: UOp) -> int:
    """How many elements of memory a value is computed from, a factor of a product that is another's memory too counted for each. One that is large beside
    them (attention's scores) is better not stored whole; a small one (a layer's output beside its weights, a product of two squares) costs little to
    store, and its consumer need not run row by row."""
    value = u.operands[0] if u.name == "reduce_axis" else u
    while value.name == "cast":
        value = value.operands[0]
    factors = value.operands if value.name == "mul" else (value,)
    return sum(elements(v) for factor in factors for v in toposort((factor,)) if v.name in ("arg", *STORED_OPS))


def _local_stage(u: UOp, sites: Sites) -> Stored | None:
    requests = list(sites.loops)
    if any(r.gate is not None for r in requests):
        return None
    common = sites.loops[requests[0]]
    if len(requests) == 1:
        common = _loops_before_the_first_unused(requests[0], common)
        if 2 * elements(u) <= _source_elements(u):
            return None
    for loops in sites.loops.values():
        common = tuple(a for a, b in zip(common, loops) if a is b)
    if not common:
        return None
    shape = shape_of(u)
    shared = {axis: requests[0].indices[axis] for axis in range(len(shape))
              if len({r.indices[axis] for r in requests}) == 1 and ranges_in(requests[0].indices[axis]) <= set(common)}
    axes = tuple(a for a in range(len(shape)) if a not in shared)
    if not axes or not all(isinstance(shape[a], int) for a in axes) or prod(extent(shape[a]) for a in axes) > LOCAL_ELEMENTS:
        return None
    request = Request(tuple(shared.values()), None)
    loops = loops_round(request, common)
    outer = prod(bounds(r)[1] + 1 for r in loops)
    if not loops or outer * prod(extent(shape[a]) for a in axes) > 1.5 * elements(u):
        return None
    return Stored("local", axes, loops, shared)
