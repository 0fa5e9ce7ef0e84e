"""The sum of all that reaches one value. Few terms are added; many, as the steps of a loop make them, are put together so that the work stays linear:

    windows beside one another        pad(g0) + pad(g1) + ...           =>   g0, g1, ... end to end
    equal computations                sum(a0 * b0) + sum(a1 * b1) ...   =>   one sum, of the a side by side times the b side by side
    anything else                     in groups, each of them stored
"""
from __future__ import annotations

from collections.abc import Sequence

from ...graph.tensor_graph import TensorUOp
from .. import build
from ..joining import GROUP, _joined

MANY = 8
"""Terms beyond which they are more than added."""
PRODUCTS = {"mul", "reduce_axis", "reshape", "permute"}
"""What a product is before it is summed, and on its way to the matrix."""
LINEAR = {"reshape", "expand", "permute", "cast", "mul", "reduce_axis"}
"""Ops that equal computations are made of."""


def passes_terms(u: TensorUOp, terms: Sequence[TensorUOp]) -> bool:
    """Whether terms that reach a movement go on by themselves: what reaches the matrix of several products are products, as long as they are not added
    before they are summed."""
    return len(terms) > 1 and u.name in ("expand", "reshape", "permute") and (len(terms) > MANY or any(t.name in PRODUCTS for t in terms))


def total(terms: Sequence[TensorUOp]) -> TensorUOp:
    """The sum of terms of one shape and dtype."""
    terms = list(terms)
    if len(terms) > MANY:
        terms = _batched(_windows_joined(terms))
    while len(terms) > GROUP:
        groups = [terms[i:i + GROUP] for i in range(0, len(terms), GROUP)]
        terms = [build.op("contiguous", (_added(g),)) if len(g) > 1 else g[0] for g in groups]
    return _added(terms)


def _added(terms: Sequence[TensorUOp]) -> TensorUOp:
    result = terms[0]
    for term in terms[1:]:
        if _is_product(result):  # two products in one kernel would be computed element by element
            result = build.op("contiguous", (result,))
        result = build.alu("add", result, term)
    return result


def _is_product(u: TensorUOp) -> bool:
    """Whether a value is a sum of products, moved or not."""
    while u.name in ("reshape", "permute", "cast", "add"):
        if u.name == "add" and _is_product(u.operands[1]):
            return True
        u = u.operands[0]
    if u.name != "reduce_axis" or u.attributes[0] != "add":
        return False
    u = u.operands[0]
    return (u.operands[0] if u.name == "cast" else u).name == "mul"


# Windows beside one another

def _windows_joined(terms: list[TensorUOp]) -> list[TensorUOp]:
    """Terms that are windows along one axis, and do not overlap, as one."""
    found: dict[int, list[tuple[int, TensorUOp]]] = {}
    rest = []
    for term in terms:
        axis = _axis_of_window(term)
        if axis is None:
            rest.append(term)
        else:
            found.setdefault(axis, []).append((build.stated_of(term, "low")[axis], term))  # type: ignore[arg-type]
    for axis, windows in found.items():
        if len(windows) <= MANY:
            rest += [term for _, term in windows]
            continue
        shape = build.shape_of(windows[0][1])
        end, parts = 0, []
        for begin, term in sorted(windows, key=lambda w: w[0]):
            if begin < end:
                rest.append(term)
                continue
            if begin > end:
                parts.append(_zeros(term, axis, begin - end))
            inner = term.operands[0]
            parts.append(inner)
            end = begin + build.shape_of(inner)[axis]  # type: ignore[operator]
        if end < shape[axis]:
            parts.append(_zeros(windows[0][1], axis, shape[axis] - end))  # type: ignore[operator]
        rest.append(_joined(parts, axis))
    return rest


def _axis_of_window(term: TensorUOp) -> int | None:
    """The only axis along which a term is padded with zeros."""
    if term.name != "pad" or not all(isinstance(s, int) for s in build.shape_of(term)) or not _pads_zeros(term):
        return None
    whole, part = build.shape_of(term), build.shape_of(term.operands[0])
    axes = [a for a, (w, p) in enumerate(zip(whole, part)) if w != p]
    return axes[0] if len(axes) == 1 else None


def _pads_zeros(term: TensorUOp) -> bool:
    return build.pad(term.operands[0], build.stated_of(term, "low"), build.stated_of(term, "high")) is term


def _zeros(like: TensorUOp, axis: int, size: int) -> TensorUOp:
    return build.full(tuple(size if a == axis else s for a, s in enumerate(build.shape_of(like))), 0.0, like.dtype)


# Equal computations

def _batched(terms: list[TensorUOp]) -> list[TensorUOp]:
    """Sums of products that differ only in what they are made of: one sum with an axis more."""
    rest = [term for term in terms if not _is_sum_of_products(term)]
    kinds: dict[int, list[tuple[TensorUOp, list[TensorUOp]]]] = {}
    numbers: dict[tuple, int] = {}
    for term in terms:
        if _is_sum_of_products(term):
            leaves: list[TensorUOp] = []
            kinds.setdefault(_skeleton(term, leaves, numbers), []).append((term, leaves))
    for members in kinds.values():
        first, leaves = members[0]
        if len(members) <= MANY:
            rest += [term for term, _ in members]
            continue
        count = len(members)
        stacked = {}
        for i, leaf in enumerate(leaves):
            others = [m[1][i] for m in members]
            shape = build.shape_of(leaf)
            if all(o is leaf for o in others):
                stacked[i] = build.expand(build.reshape(leaf, (1, *shape)), (count, *shape))
            else:
                # stored: a product reads each element many times
                stacked[i] = build.op("contiguous", (_joined([build.reshape(o, (1, *shape)) for o in others], 0),))
        inside = _with_axis(first.operands[0], {leaf: stacked[i] for i, leaf in enumerate(leaves)}, count)
        name, axes = first.attributes
        rest.append(build.reduce(inside, name, (0, *(a + 1 for a in axes))))
    return rest


def _is_sum_of_products(term: TensorUOp) -> bool:
    return term.name == "reduce_axis" and term.attributes[0] == "add"


def _skeleton(term: TensorUOp, leaves: list[TensorUOp], numbers: dict[tuple, int]) -> int:
    """The number of what a term computes from its leaves, which are all that is no op of LINEAR. A chain may be thousands of ops long."""
    seen: dict[TensorUOp, int] = {}
    stack = [term]
    while stack:
        u = stack[-1]
        if u in seen:
            stack.pop()
            continue
        inner = u.operands if _is_linear(u) else ()
        missing = [o for o in inner if o not in seen]
        if missing:
            stack += reversed(missing)
            continue
        stack.pop()
        if inner:
            key: tuple = (u.name, u.attributes, build.shape_of(u), u.dtype, *(seen[o] for o in inner))
        else:
            key = ("leaf", len(leaves), build.shape_of(u), u.dtype)
            leaves.append(u)
        seen[u] = numbers.setdefault(key, len(numbers))
    return seen[term]


def _is_linear(u: TensorUOp) -> bool:
    static = all(isinstance(s, int) for s in build.shape_of(u))
    return u.name in LINEAR and static and (u.name != "reduce_axis" or u.attributes[0] == "add") and _tensors_only(u)


def _tensors_only(u: TensorUOp) -> bool:
    return len(u.operands) == (2 if u.name == "mul" else 1)


def _with_axis(whole: TensorUOp, leaves: dict[TensorUOp, TensorUOp], count: int) -> TensorUOp:
    """The same with a first axis more, from leaves that have it."""
    made = dict(leaves)
    stack = [whole]
    while stack:
        u = stack[-1]
        missing = [o for o in u.operands if o not in made] if u not in made else []
        if missing:
            stack += missing
            continue
        stack.pop()
        if u not in made:
            made[u] = _one_with_axis(u, [made[o] for o in u.operands], count)
    return made[whole]


def _one_with_axis(u: TensorUOp, inner: list[TensorUOp], count: int) -> TensorUOp:
    shape = (count, *build.shape_of(u))
    if u.name == "reshape":
        return build.reshape(inner[0], shape)
    if u.name == "expand":
        return build.expand(inner[0], shape)
    if u.name == "permute":
        return build.permute(inner[0], (0, *(a + 1 for a in u.attributes[0])))
    if u.name == "cast":
        return build.cast(inner[0], u.dtype)
    if u.name == "mul":
        return build.alu("mul", *inner)
    return build.reduce(inner[0], u.attributes[0], tuple(a + 1 for a in u.attributes[1]))
