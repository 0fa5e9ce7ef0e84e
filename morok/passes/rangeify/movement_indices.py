"""How an element's indices change through a movement op: from the result's indices to the source's.

| op | source index |
|---|---|
| reshape | flattened and unflattened, axis group by axis group |
| permute | reordered |
| expand | 0 on a repeated axis |
| pad | index - low, and a gate that says whether the element is inside |
| shrink | index + begin |
| flip | size - 1 - index |
"""
from __future__ import annotations

from ...dialect.opdef import DYNAMIC
from ...graph.shape import shape_of
from ...graph.uop import UOp, as_index, index_const

Indices = tuple[UOp, ...]
Size = "int | UOp"


def source_indices(op: UOp, indices: Indices) -> tuple[Indices, UOp | None]:
    """The source's indices for the result element at `indices`, and for a pad the condition under which it is the source's."""
    return _TRANSFORMS[op.name](op, indices)


def flatten(indices: Indices, shape: tuple) -> UOp:
    """The row-major position of an element."""
    flat = index_const(0)
    for i, size in zip(indices, shape):
        flat = flat * as_index(size) + i
    return flat


def unflatten(flat: UOp, shape: tuple) -> Indices:
    """The indices of a row-major position."""
    out: list[UOp] = []
    stride: UOp = index_const(1)
    for axis in range(len(shape) - 1, -1, -1):
        size = as_index(shape[axis])
        if size.is_const(1):
            out.append(index_const(0))
            continue
        quotient = flat // stride
        out.append(quotient if all(as_index(s).is_const(1) for s in shape[:axis]) else quotient % size)
        stride = stride * size
    return tuple(reversed(out))


def _reshape(op: UOp, indices: Indices) -> tuple[Indices, None]:
    """Axes are grouped so that each group of the source holds as many elements as one group of the result; only groups that differ are flattened."""
    new, old = shape_of(op), shape_of(op.operands[0])
    out: list[UOp] = []
    for old_axes, new_axes in axis_groups(old, new):
        sizes = [old[a] for a in old_axes]
        kept = [a for a in new_axes if new[a] != 1]
        wanted = [a for a in old_axes if old[a] != 1]
        if [new[a] for a in kept] == [old[a] for a in wanted]:
            following = iter(kept)
            out += [index_const(0) if old[a] == 1 else indices[next(following)] for a in old_axes]
        else:
            out += unflatten(flatten(tuple(indices[a] for a in new_axes), tuple(new[a] for a in new_axes)), tuple(sizes))
    return tuple(out), None


def axis_groups(old: tuple, new: tuple) -> list[tuple[list[int], list[int]]]:
    """The finest division of both shapes into consecutive groups of equal size. From a symbolic size on that has no equal partner, all is one group."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and (old[i] is new[j] or old[i] == new[j]):
            end = i + 1, j + 1
        else:
            end = _group_end(old, new, i, j)
        groups.append((list(range(i, end[0])), list(range(j, end[1]))))
        i, j = end
    return groups


def _group_end(old: tuple, new: tuple, i: int, j: int) -> tuple[int, int]:
    """Behind the shortest groups from axes i and j on that hold equally many elements."""
    have = want = 1
    while i < len(old) or j < len(new):
        from_old = i < len(old) and (have <= want or j == len(new))
        size = old[i] if from_old else new[j]
        if not isinstance(size, int) or size == 0:
            return len(old), len(new)
        if from_old:
            have, i = have * size, i + 1
        else:
            want, j = want * size, j + 1
        if have == want:
            break
    return i, j


def _permute(op: UOp, indices: Indices) -> tuple[Indices, None]:
    out: list[UOp] = [indices[0]] * len(indices)
    for position, axis in enumerate(op.attribute("order")):
        out[axis] = indices[position]
    return tuple(out), None


def _expand(op: UOp, indices: Indices) -> tuple[Indices, None]:
    old, new = shape_of(op.operands[0]), shape_of(op)
    return tuple(index_const(0) if a == 1 and b != 1 else i for i, a, b in zip(indices, old, new)), None


def _shrink(op: UOp, indices: Indices) -> tuple[Indices, None]:
    begins = _filled(op.attribute("begin"), op.operands[1:])
    return tuple(i + as_index(b) for i, b in zip(indices, begins)), None


def _flip(op: UOp, indices: Indices) -> tuple[Indices, None]:
    shape, axes = shape_of(op), op.attribute("axes")
    return tuple(as_index(shape[a]) - 1 - i if a in axes else i for a, i in enumerate(indices)), None


def _pad(op: UOp, indices: Indices) -> tuple[Indices, UOp | None]:
    low_sizes, high_sizes = op.attribute("low"), op.attribute("high")
    lows = _filled(low_sizes, op.operands[1:])
    highs = _filled(high_sizes, op.operands[1 + low_sizes.count(DYNAMIC):])
    out, gate = [], None
    for index, low, high, size in zip(indices, lows, highs, shape_of(op.operands[0])):
        source = index - as_index(low)
        out.append(source)
        conditions = [] if low == 0 else [as_index(low).alu("cmple", index)]
        if not (isinstance(high, int) and high == 0):
            conditions.append(source.lt(as_index(size)))
        for condition in conditions:
            gate = condition if gate is None else gate & condition
    return tuple(out), gate


def _filled(sizes: tuple, operands: tuple[UOp, ...]) -> list:
    following = iter(operands)
    return [next(following) if s == DYNAMIC else s for s in sizes]


_TRANSFORMS = {"reshape": _reshape, "permute": _permute, "expand": _expand, "shrink": _shrink, "flip": _flip, "pad": _pad}
