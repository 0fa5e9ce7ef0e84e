"""The op table of the dialect `morok`: every op once. See `opdef.py` for the vocabulary and docs/reference.md for the printed form.

Forms: an op lists in `forms` where it may stand: tensor (the lazy graph), range (loops as values), vector (after pre-expand).
"""
from __future__ import annotations

from math import prod
from typing import Any

from . import types as T
from .opdef import DYNAMIC, OPTIONAL, TABLE, VARIADIC, Attribute, Instance, Operand, op, shown
from .types import spelling

__all__ = ["ALU", "BINARY", "COMPARISONS", "DYNAMIC", "MOVEMENT", "REDUCTIONS", "TABLE", "TERNARY", "UNARY"]

TENSOR, RANGE, VECTOR = "tensor", "range", "vector"
ANYWHERE = (TENSOR, RANGE, VECTOR)

REDUCTIONS = ("add", "mul", "max", "min", "and", "or")
RANGE_KINDS = ("loop", "reduce", "ordered", "thread", "upcast", "unroll")


def static(shape: tuple) -> tuple:
    """Sizes as a type has them: None where symbolic."""
    return tuple(None if s == DYNAMIC else s for s in shape)


def i64_array(name: str, doc: str = "") -> Attribute:
    return Attribute(name, "i64_array", doc=doc)


def sizes(name: str = "sizes") -> Operand:
    return Operand(name, "index", VARIADIC)


# Sources

op("unique", "A number that tells one buffer from another of the same type.", group="sources", forms=(TENSOR,),
   attributes=[Attribute("id", "i64")], result=Operand("token", "token"), infer=lambda o, a: T.token)
op("device", "Names the device whose memory holds a buffer.", group="sources", forms=(TENSOR,),
   attributes=[Attribute("name", "string")], result=Operand("token", "token"), infer=lambda o, a: T.token)
op("buffer", "Memory that exists before the program runs: a realised tensor, or (as a memref) one that the scheduler allocates.", group="sources",
   forms=(TENSOR, RANGE), operands=[Operand("unique", "token"), Operand("device", "token")], result=Operand("result", "buffer"))


def no_axes(i: Instance) -> str | None:
    if isinstance(i.result, T.TensorType) and i.result.shape != ():
        return f"a constant tensor has no axes, not shape {i.result.shape}; expand it"
    return None


def value_fits(i: Instance) -> str | None:
    value, dtype = i.attributes["value"], T.element_dtype(i.result)  # type: ignore[arg-type]
    if dtype.kind == "b":
        return None if isinstance(value, bool) else f"value of an i1 must be true or false, not {shown(value)}"
    if dtype.kind == "f":
        return None if isinstance(value, float) else f"value of an {dtype.mlir} must be a float, not {shown(value)}"
    if isinstance(value, bool) or not isinstance(value, int) or not dtype.min <= value <= dtype.max:
        return f"value {shown(value)} does not fit {dtype.mlir} (from {dtype.min} to {dtype.max})"
    return None


op("const", "A constant; of a tensor type it has no axes, of a vector type every lane has the value.", group="sources", forms=ANYWHERE,
   attributes=[Attribute("value", "number")], result=Operand("result", "value"), verify=[no_axes, value_fits])


def var_bounds(i: Instance) -> str | None:
    low, high = i.attributes["min"], i.attributes["max"]
    return None if low <= high else f"bounds are inclusive and ordered; given min {low} > max {high}"


op("define_var", "A symbolic size with inclusive bounds, given a value when a plan runs.", group="sources", forms=ANYWHERE,
   attributes=[Attribute("name", "string"), Attribute("min", "i64"), Attribute("max", "i64")],
   result=Operand("result", "index"), infer=lambda o, a: T.index, verify=[var_bounds])
op("bind", "The variable together with the value that it has in the next run.", group="sources", forms=(TENSOR,),
   operands=[Operand("variable", "index"), Operand("value", "index")], result=Operand("result", "index"), infer=lambda o, a: T.index)


def one_axis(i: Instance) -> str | None:
    shape = i.attributes["shape"]
    if len(shape) != 1 or shape[0] < 0 and shape[0] != DYNAMIC:
        return f"shape {shape} must have one axis, of a size that is not negative"
    if static(shape) != i.result.shape:  # type: ignore[union-attr]
        return f"shape {shape} does not describe the result {i.result}"
    if len(i.operands) != shape.count(DYNAMIC):
        return f"{shape.count(DYNAMIC)} symbolic sizes are marked in shape, but {len(i.operands)} index operands are given"
    return None


op("iota", "The numbers 0, 1, 2, ... along the only axis.", group="sources", forms=(TENSOR,), operands=[sizes()], attributes=[i64_array("shape")],
   result=Operand("result", "tensor"), verify=[one_axis])


# Movement. Sizes that are symbolic stand as DYNAMIC in the attribute and follow as index operands, in order.

def dynamic_count(*names: str) -> Any:
    def rule(i: Instance) -> str | None:
        want = sum(i.attributes[n].count(DYNAMIC) for n in names)
        have = len(i.operands) - 1
        return None if want == have else f"{want} symbolic sizes are marked in {', '.join(names)}, but {have} index operands are given"
    return rule


def same_rank(*names: str) -> Any:
    def rule(i: Instance) -> str | None:
        rank = len(i.operands[0].shape)  # type: ignore[union-attr]
        for n in names:
            if len(i.attributes[n]) != rank:
                return f"{n} has {len(i.attributes[n])} entries for a source of rank {rank} ({i.operands[0]})"
        return None
    return rule


def no_negative_sizes(*names: str) -> Any:
    def rule(i: Instance) -> str | None:
        for n in names:
            for axis, size in enumerate(i.attributes[n]):
                if size < 0 and size != DYNAMIC:
                    return f"{n} of axis {axis} is {size}; it must not be negative"
        return None
    return rule


def keeps_size(i: Instance) -> str | None:
    source, shape = i.operands[0].shape, i.attributes["shape"]  # type: ignore[union-attr]
    if None in source or DYNAMIC in shape:
        return None
    return None if prod(source) == prod(shape) else f"cannot reshape {source} ({prod(source)} elements) to {shape} ({prod(shape)} elements)"


def is_permutation(i: Instance) -> str | None:
    order = i.attributes["order"]
    return None if sorted(order) == list(range(len(order))) else f"order {order} is not a permutation of the axes 0 to {len(order) - 1}"


def expands_ones(i: Instance) -> str | None:
    source, shape = i.operands[0].shape, i.attributes["shape"]  # type: ignore[union-attr]
    for axis, (old, new) in enumerate(zip(source, shape)):
        if old != 1 and old is not None and new != old:
            return f"axis {axis} of size {old} cannot be expanded to {'a symbolic size' if new == DYNAMIC else new}; only axes of size 1 can"
    return None


def window_inside(i: Instance) -> str | None:
    for axis, (limit, begin, size) in enumerate(zip(i.operands[0].shape, i.attributes["begin"], i.attributes["size"])):  # type: ignore[union-attr]
        if limit is not None and DYNAMIC not in (begin, size) and begin + size > limit:
            return f"window [{begin}, {begin + size}) of axis {axis} exceeds its size {limit}"
    return None


def axes_exist(i: Instance) -> str | None:
    axes, rank = i.attributes["axes"], len(i.operands[0].shape)  # type: ignore[union-attr]
    if len(set(axes)) != len(axes):
        return f"axes {axes} repeat"
    bad = [a for a in axes if not 0 <= a < rank]
    return f"axis {bad[0]} does not exist in a source of rank {rank}" if bad else None


def pad_shape(operands: tuple, attributes: dict) -> T.Type:
    out = []
    for size, low, high in zip(operands[0].shape, attributes["low"], attributes["high"]):
        out.append(None if size is None or DYNAMIC in (low, high) else size + low + high)
    return operands[0].with_shape(tuple(out))


def permuted(operands: tuple, attributes: dict) -> T.Type:
    return operands[0].with_shape(tuple(operands[0].shape[a] for a in attributes["order"]))


def shaped_as(name: str) -> Any:
    return lambda operands, attributes: operands[0].with_shape(static(attributes[name]))


MOVEMENT = ("reshape", "permute", "expand", "pad", "shrink", "flip")
SOURCE, RESULT = Operand("source", "tensor"), Operand("result", "tensor")

op("reshape", "The same elements in row-major order under another shape.", group="movement", forms=(TENSOR,),
   operands=[SOURCE, sizes()], attributes=[i64_array("shape")], result=RESULT, infer=shaped_as("shape"),
   verify=[dynamic_count("shape"), no_negative_sizes("shape"), keeps_size])
op("permute", "Reorders the axes: axis i of the result is axis order[i] of the source.", group="movement", forms=(TENSOR,),
   operands=[SOURCE], attributes=[i64_array("order")], result=RESULT, infer=permuted, verify=[same_rank("order"), is_permutation])
op("expand", "Repeats axes of size 1: broadcasting without copies.", group="movement", forms=(TENSOR,),
   operands=[SOURCE, sizes()], attributes=[i64_array("shape")], result=RESULT, infer=shaped_as("shape"),
   verify=[dynamic_count("shape"), same_rank("shape"), no_negative_sizes("shape"), expands_ones])
op("pad", "Surrounds a tensor with `value`: low[i] elements before axis i and high[i] after it.", group="movement", forms=(TENSOR,),
   operands=[SOURCE, sizes()], attributes=[i64_array("low"), i64_array("high"), Attribute("value", "number")], result=RESULT, infer=pad_shape,
   verify=[dynamic_count("low", "high"), same_rank("low", "high"), no_negative_sizes("low", "high"), value_fits])
op("shrink", "A window of a tensor: element i of the result is element i + begin of the source.", group="movement", forms=(TENSOR,),
   operands=[SOURCE, sizes()], attributes=[i64_array("begin"), i64_array("size")], result=RESULT, infer=shaped_as("size"),
   verify=[dynamic_count("begin", "size"), same_rank("begin", "size"), no_negative_sizes("begin", "size"), window_inside])
op("flip", "Reverses the given axes.", group="movement", forms=(TENSOR,),
   operands=[SOURCE], attributes=[i64_array("axes")], result=RESULT, infer=lambda o, a: o[0], verify=[axes_exist])


# ALU: on scalars, vectors and tensors alike. Both operands have one type; broadcasting is explicit.

def first(operands: tuple, attributes: dict) -> T.Type:
    return operands[0]


def as_bool(operands: tuple, attributes: dict) -> T.Type:
    return T.like(operands[0], T.bool_)


UNARY_FLOAT = {
    "sqrt": "Square root; NaN below zero.", "exp": "e to the power x.", "exp2": "2 to the power x.", "expm1": "exp(x) - 1 without cancellation near 0.",
    "log": "Natural logarithm; -inf at 0, NaN below.", "log2": "Logarithm to base 2.", "log1p": "log(1 + x) without cancellation near 0.",
    "sin": "Sine, radians.", "cos": "Cosine, radians.", "tan": "Tangent, radians.", "asin": "Arc sine.", "acos": "Arc cosine.", "atan": "Arc tangent.",
    "sinh": "Hyperbolic sine.", "cosh": "Hyperbolic cosine.", "tanh": "Hyperbolic tangent.", "asinh": "Inverse hyperbolic sine.",
    "acosh": "Inverse hyperbolic cosine.", "atanh": "Inverse hyperbolic tangent.", "erf": "The error function.",
    "floor": "Greatest integer not above x.", "ceil": "Least integer not below x.", "trunc": "x without its fraction.",
    "round": "Nearest integer, ties to even.",
}
BINARY_NUMBER = {
    "add": "Sum; integers wrap.", "sub": "Difference; integers wrap.", "mul": "Product; integers wrap.",
    "max": "The greater; NaN if either is NaN.", "min": "The lesser; NaN if either is NaN.",
}
BINARY_INTEGER = {
    "floordiv": "Quotient rounded towards minus infinity; 0 where the divisor is 0.",
    "mod": "Remainder with the divisor's sign; 0 where the divisor is 0.",
    "shl": "Left shift; 0 where the distance reaches the width or is negative.",
    "shr": "Right shift, arithmetic if signed; the sign (or 0) where the distance reaches the width or is negative.",
}
BINARY_FLOAT = {"div": "Quotient, as IEEE 754.", "pow": "x to the power y, as C's pow."}
BINARY_BITS = {"and": "Bitwise and (logical on bool).", "or": "Bitwise or.", "xor": "Bitwise exclusive or."}
COMPARISONS = {"cmplt": "x < y; false if either is NaN.", "cmple": "x <= y.", "cmpeq": "x == y.", "cmpne": "x != y; true if either is NaN."}

TRANSCENDENTAL = frozenset(UNARY_FLOAT) - {"floor", "ceil", "trunc", "round", "sqrt"} | {"pow"}
"""Functions that take several instructions each."""
UNARY = ("neg", "abs", "not", *UNARY_FLOAT)
BINARY = (*BINARY_NUMBER, *BINARY_INTEGER, *BINARY_FLOAT, *BINARY_BITS, *COMPARISONS)
TERNARY = ("where", "mulacc")

op("neg", "Negation; integers wrap.", group="unary", forms=ANYWHERE, operands=[Operand("x", "number", same="T")],
   result=Operand("result", "number", same="T"), infer=first)
op("abs", "Absolute value; the least integer stays itself.", group="unary", forms=ANYWHERE, operands=[Operand("x", "number", same="T")],
   result=Operand("result", "number", same="T"), infer=first)
op("not", "Bitwise complement (logical on bool).", group="unary", forms=ANYWHERE, operands=[Operand("x", "bits", same="T")],
   result=Operand("result", "bits", same="T"), infer=first)
for _name, _doc in UNARY_FLOAT.items():
    op(_name, _doc, group="unary", forms=ANYWHERE, operands=[Operand("x", "float", same="T")], result=Operand("result", "float", same="T"), infer=first)


def _binary(docs: dict[str, str], kind: str, group: str = "binary") -> None:
    for name, doc in docs.items():
        same = "T"
        result = Operand("result", "bool") if group == "comparison" else Operand("result", kind, same=same)
        op(name, doc, group=group, forms=ANYWHERE, operands=[Operand("x", kind, same=same), Operand("y", kind, same=same)], result=result,
           infer=as_bool if group == "comparison" else first)


_binary(BINARY_NUMBER, "value")
_binary(BINARY_INTEGER, "integer")
_binary(BINARY_FLOAT, "float")
_binary(BINARY_BITS, "bits")
_binary(COMPARISONS, "value", "comparison")


def condition_matches(i: Instance) -> str | None:
    condition, value = i.operands[0], i.operands[1]
    want = T.like(value, T.bool_)
    return None if condition is want else f"the condition has type {spelling(condition)}, expected {spelling(want)}"


op("where", "x where the condition holds, else y.", group="ternary", forms=ANYWHERE,
   operands=[Operand("condition", "bool"), Operand("x", "value", same="T"), Operand("y", "value", same="T")],
   result=Operand("result", "value", same="T"), infer=lambda o, a: o[1], verify=[condition_matches])
op("mulacc", "x * y + z, rounded once for floats.", group="ternary", forms=(RANGE, VECTOR),
   operands=[Operand("x", "number", same="T"), Operand("y", "number", same="T"), Operand("z", "number", same="T")],
   result=Operand("result", "number", same="T"), infer=first)


def same_form(i: Instance) -> str | None:
    want = T.like(i.operands[0], T.element_dtype(i.result))  # type: ignore[arg-type]
    return None if i.result is want else f"result type is {spelling(i.result)}, expected {spelling(want)}"  # type: ignore[arg-type]


def same_width(i: Instance) -> str | None:
    old, new = T.element_dtype(i.operands[0]), T.element_dtype(i.result)  # type: ignore[arg-type]
    return None if old.bits == new.bits else f"{old.mlir} has {old.bits} bits and {new.mlir} has {new.bits}; a bitcast keeps the width"


op("cast", "Conversion. Floats to integers truncate through int64 (saturated, NaN gives 0) and wrap; to bool, x != 0.", group="unary", forms=ANYWHERE,
   operands=[Operand("x", "value")], result=Operand("result", "value"), verify=[same_form])
op("bitcast", "The same bits under another type of the same width.", group="unary", forms=ANYWHERE,
   operands=[Operand("x", "value")], result=Operand("result", "value"), verify=[same_form, same_width])

ALU = frozenset((*UNARY, *BINARY, *TERNARY, "cast", "bitcast"))


# Tensor level

def without_axes(operands: tuple, attributes: dict) -> T.Type:
    return operands[0].with_shape(tuple(s for a, s in enumerate(operands[0].shape) if a not in attributes["axes"]))


def same_shape_as_view(i: Instance) -> str | None:
    target, view, value = i.operands
    if T.element_dtype(view) is not T.element_dtype(target):
        return f"the view has type {view}, but the target has type {target}; a view keeps the element type"
    return None if view is value else f"the value has type {value}, but the view written has type {view}"


REDUCTION = Attribute("op", "string", choices=REDUCTIONS)


def combines_dtype(i: Instance) -> str | None:
    dtype = T.element_dtype(i.operands[0])
    return f"reduction '{i.attributes['op']}' combines integers and bools, not {dtype.mlir}" if dtype.is_float and i.attributes["op"] in ("and", "or") else None


op("reduce_axis", "Combines the elements along `axes`, which the result lacks.", group="tensor", forms=(TENSOR,),
   operands=[SOURCE], attributes=[REDUCTION, i64_array("axes")], result=RESULT, infer=without_axes, verify=[axes_exist, combines_dtype])
op("contiguous", "Asks that the value be materialised in row-major order.", group="tensor", forms=(TENSOR,), operands=[SOURCE], result=RESULT, infer=first)
op("detach", "The value, cut off from gradients.", group="tensor", forms=(TENSOR,), operands=[SOURCE], result=RESULT, infer=first)
op("copy", "The value in another device's memory.", group="tensor", forms=(TENSOR,),
   operands=[SOURCE], attributes=[Attribute("device", "string")], result=RESULT, infer=first)
op("assign", "The target with the elements that `view` (movement ops over the target) selects replaced by `value`; written in place where nothing else "
   "needs the old value.", group="tensor", forms=(TENSOR,), operands=[Operand("target", "tensor"), Operand("view", "tensor"), Operand("value", "tensor")],
   result=RESULT, infer=first, verify=[same_shape_as_view])


def scans_an_axis(i: Instance) -> str | None:
    rank = len(i.operands[0].shape)  # type: ignore[union-attr]
    if i.attributes["op"] == "logaddexp" and not T.element_dtype(i.operands[0]).is_float:
        return f"logaddexp combines floats, not {T.element_dtype(i.operands[0]).mlir}"
    return combines_dtype(i) or (None if 0 <= i.attributes["axis"] < rank else f"axis {i.attributes['axis']} does not exist in a source of rank {rank}")


def ranks_of_scatter(i: Instance) -> str | None:
    target, positions, value = (o.shape for o in i.operands)  # type: ignore[union-attr]
    if len(target) != 3 or value != (target[0], positions[-1], target[2]) or positions != value[:2]:
        return f"a target of shape {target} (b, n, r) takes positions (b, k) and a value (b, k, r), not {positions} and {value}"
    return None if not i.operands[1].dtype.is_float else f"positions are integers, not {i.operands[1].dtype}"  # type: ignore[union-attr]


def ranks_of_counted_scatter(i: Instance) -> str | None:
    target, keys, starts, value = (o.shape for o in i.operands)  # type: ignore[union-attr]
    if len(target) != 3 or len(keys) != 3 or len(starts) != 3 or starts[:2] != keys[:2] or value != (*keys, target[2]) or keys[0] != target[0]:
        return f"a target of shape {target} (b, n, r) takes keys (b, c, k), starts (b, c, m) and a value (b, c, k, r), not {keys}, {starts} and {value}"
    return None if not any(i.operands[o].dtype.is_float for o in (1, 2)) else "keys and starts are integers"  # type: ignore[union-attr]


op("scan", "Along `axis`, each element combined with all before it. `logaddexp` is log(exp(x) + exp(y)).", group="tensor", forms=(TENSOR,),
   operands=[SOURCE], attributes=[Attribute("op", "string", choices=(*REDUCTIONS, "logaddexp")), Attribute("axis", "i64")], result=RESULT, infer=first,
   verify=[scans_an_axis])
op("scatter", "The target with each row of the value combined, in their order, with the row of the target that its position names: [b, positions[b, k], :] for "
   "row [b, k, :]. A position outside of the target names none. `set` replaces, so that the last one stays.", group="tensor", forms=(TENSOR,),
   operands=[Operand("target", "tensor"), Operand("positions", "tensor"), Operand("value", "tensor")],
   attributes=[Attribute("op", "string", choices=("set", "add", "mul", "max", "min"))], result=RESULT, infer=first, verify=[ranks_of_scatter])
op("counted_scatter", "The target with each row of the value at the next free place of its key: row [b, c, k, :] goes to [b, p, :], where p is "
   "starts[b, c, keys[b, c, k]] plus the number of equal keys in keys[b, c, :k]. The places of one b must differ.", group="tensor", forms=(TENSOR,),
   operands=[Operand("target", "tensor"), Operand("keys", "tensor"), Operand("starts", "tensor"), Operand("value", "tensor")], result=RESULT, infer=first,
   verify=[ranks_of_counted_scatter])

# Repetition. What depends on `carried` values is computed once an iteration; a `repeat` closes them, as `reduce` closes ranges.

def counts(i: Instance) -> str | None:
    count, goes_on = i.attributes["count"], i.attributes.get("while")
    if count < 0:
        return f"count is {count}; it must not be negative"
    if not i.operands:
        return "carries nothing; it takes one value at least"
    return None if goes_on is None or 0 <= goes_on < len(i.operands) else f"while names carried value {goes_on} of {len(i.operands)}"


op("carried", "What an iteration of a `repeat` receives from the one before it. `unique` tells one from another of the same type.", group="repeat",
   forms=(TENSOR,), operands=[Operand("unique", "token")], result=RESULT)
op("carries", "A carried value of a `repeat`, with what it is at first and what each iteration makes of it.", group="repeat", forms=(TENSOR,),
   operands=[Operand("carried", "tensor", same="T"), Operand("initial", "tensor", same="T"), Operand("next", "tensor", same="T")],
   result=Operand("value", "token"), infer=lambda o, a: T.token)
op("repeat", "Computes the next values of what it carries `count` times, or as long as the carried bool (without axes) that `while` names is true.",
   group="repeat", forms=(TENSOR,), operands=[Operand("values", "token", VARIADIC)],
   attributes=[Attribute("count", "i64"), Attribute("while", "i64", optional=True)], result=Operand("loop", "token"), infer=lambda o, a: T.token,
   verify=[counts])
op("repeated", "A carried value after the last iteration.", group="repeat", forms=(TENSOR,), operands=[Operand("loop", "token")],
   attributes=[Attribute("number", "i64")], result=RESULT)
op("sink", "Holds together the effects that a function is for.", group="range", forms=(TENSOR, RANGE, VECTOR), operands=[Operand("effects", "token", VARIADIC)])


# Range level: loops are values. An op is in the loops of the ranges that it reaches through its operands, until a reduce or end closes them.

op("range", "The counter of a loop from 0 to extent; `id` tells ranges apart and orders them, outer first.", group="range", forms=(RANGE, VECTOR),
   operands=[Operand("extent", "index")], attributes=[Attribute("id", "i64"), Attribute("kind", "string", choices=RANGE_KINDS)],
   result=Operand("result", "index"), infer=lambda o, a: T.index)


def index_type(operands: tuple, attributes: dict) -> T.Type:
    buffer = operands[0]
    space = getattr(buffer, "space", None) or "global"
    lanes = next((o.lanes for o in operands[1:] if isinstance(o, T.VectorType)), None)
    return T.ptr(buffer.dtype if lanes is None else T.vector(lanes, buffer.dtype), space)


def one_index_per_axis_or_one(i: Instance) -> str | None:
    rank = len(i.operands[0].shape)  # type: ignore[union-attr]
    return None if len(i.operands) - 1 in (1, rank) else f"{len(i.operands) - 1} indices for a buffer of rank {rank} ({i.operands[0]})"


def index_result(i: Instance) -> str | None:
    plain = index_type(i.operands, {})
    if i.result is plain:
        return None
    element = getattr(i.result, "element", None)
    if isinstance(plain.element, T.DType) and isinstance(element, T.VectorType) and element.dtype is plain.element and i.result.space == plain.space:  # type: ignore[union-attr]
        return None  # a contiguous vector access at a scalar index
    return f"result type is {i.result}, expected {plain} or a vector of it"


op("index", "The place of an element: one index per axis, or the row-major place alone. With vector indices, one place per lane; with a vector pointer type "
   "and scalar indices, consecutive elements from there.", group="range", forms=(RANGE, VECTOR),
   operands=[Operand("buffer", "memref"), Operand("indices", "indices", VARIADIC, same="I")],
   result=Operand("pointer", "pointer"), verify=[one_index_per_axis_or_one, index_result])


def load_type(operands: tuple, attributes: dict) -> T.Type:
    return operands[0].element


def gate_matches(position: int) -> Any:
    def rule(i: Instance) -> str | None:
        if len(i.operands) <= position:
            return None
        element = i.operands[0].element  # type: ignore[union-attr]
        want = T.bool_ if isinstance(element, T.DType) else T.vector(element.lanes, T.bool_)
        gate = i.operands[position]
        return None if gate is want or gate is T.bool_ else f"the gate has type {spelling(gate)}, expected {spelling(want)}"
    return rule


def other_matches(i: Instance) -> str | None:
    element = i.operands[0].element  # type: ignore[union-attr]
    if len(i.operands) < 3 or i.operands[2] is element:
        return None
    return f"the value for a closed gate has type {spelling(i.operands[2])}, expected {spelling(element)}"


def store_matches(i: Instance) -> str | None:
    element = i.operands[0].element  # type: ignore[union-attr]
    return None if i.operands[1] is element else f"the value has type {spelling(i.operands[1])}, but the pointer is to {spelling(element)}"


op("load", "The element at a pointer; with a gate, `other` where the gate is false, and memory is not touched there.", group="range", forms=(RANGE, VECTOR),
   operands=[Operand("pointer", "pointer"), Operand("gate", "bool", OPTIONAL), Operand("other", "value", OPTIONAL)],
   result=Operand("result", "value"), infer=load_type, verify=[gate_matches(1), other_matches])
op("store", "Writes an element, only where the gate (if any) holds; a streaming one past the caches, where whole vectors are written.", group="range",
   forms=(RANGE, VECTOR), operands=[Operand("pointer", "pointer"), Operand("value", "value"), Operand("gate", "bool", OPTIONAL)],
   attributes=[Attribute("hint", "string", choices=("streaming",), optional=True)],
   result=Operand("effect", "token"), infer=lambda o, a: T.token, verify=[store_matches, gate_matches(2)])


def level_of_cache(i: Instance) -> str | None:
    return None if i.attributes["level"] in (1, 2) else f"level is {i.attributes['level']}; a processor's caches for it are 1 and 2"


op("prefetch", "The value; a hint that the element at the pointer, which may lie outside of the buffer, is wanted soon in the cache of that level.",
   group="range", forms=(RANGE, VECTOR), operands=[Operand("value", "value", same="T"), Operand("pointer", "pointer")], attributes=[Attribute("level", "i64")],
   result=Operand("result", "value", same="T"), infer=first, verify=[level_of_cache])
op("reduce", "Combines the value over the ranges, which close here; over no iteration, the reduction's identity.", group="range", forms=(RANGE, VECTOR),
   operands=[Operand("value", "value", same="T"), Operand("ranges", "index", VARIADIC)], attributes=[REDUCTION],
   result=Operand("result", "value", same="T"), infer=first, verify=[combines_dtype])


op("carry", "A value that loops carry from iteration to iteration: `initial` (a constant) before the first, combined with the value by each. The ranges "
   "close here.", group="vector", forms=(VECTOR,),
   operands=[Operand("value", "value", same="T"), Operand("initial", "value", same="T"), Operand("ranges", "index", VARIADIC)], attributes=[REDUCTION],
   result=Operand("result", "value", same="T"), infer=first, verify=[combines_dtype])


def bufferize_shape(i: Instance) -> str | None:
    if not isinstance(i.result, T.MemRefType) or i.result.dtype is not i.operands[0]:
        return f"result type is {i.result}, expected a memref of {spelling(i.operands[0])}"
    if i.result.space != (None if i.attributes["space"] == "global" else "local"):
        return f"space {i.attributes['space']} does not match the type {i.result}"
    if len(i.operands) - 1 != len(i.result.shape):
        return f"{len(i.operands) - 1} indices for a result of rank {len(i.result.shape)}"
    return None


op("bufferize", "Materialises a value: element (indices) of a new buffer is the value there. The ranges in the indices close here. Space local is "
   "thread-private scratch inside the loops that stay open.", group="range", forms=(RANGE,),
   operands=[Operand("value", "scalar"), Operand("indices", "index", VARIADIC)],
   attributes=[Attribute("id", "i64"), Attribute("space", "string", choices=("global", "local"))], result=Operand("buffer", "memref"), verify=[bufferize_shape])
op("end", "Closes the ranges round an effect: all its iterations are done.", group="range", forms=(RANGE, VECTOR),
   operands=[Operand("effect", "token"), Operand("ranges", "index", VARIADIC)], result=Operand("done", "token"), infer=lambda o, a: T.token)
op("after", "The buffer as it is once the effects are done.", group="range", forms=(RANGE, VECTOR),
   operands=[Operand("buffer", "memref", same="T"), Operand("effects", "token", VARIADIC)], result=Operand("result", "memref", same="T"), infer=first)
op("current", "The buffer as the iterations so far of the ordered ranges left it: what is read through it sees the stores of earlier iterations.",
   group="range", forms=(RANGE, VECTOR), operands=[Operand("buffer", "memref", same="T"), Operand("ranges", "index", VARIADIC)],
   result=Operand("result", "memref", same="T"), infer=first)
op("barrier", "Done when every thread has done the effects.", group="range", forms=(RANGE, VECTOR),
   operands=[Operand("effects", "token", VARIADIC)], result=Operand("done", "token"), infer=lambda o, a: T.token)
op("param", "Binds a buffer to a kernel's parameter slot.", group="range", forms=(RANGE,),
   operands=[Operand("buffer", "memref")], attributes=[Attribute("slot", "i64")], result=Operand("argument", "argument"), infer=lambda o, a: T.argument)
op("kernel", "Launches a kernel on its buffers, in slot order; on each row of them, in any order, where they are several times as many as it takes. `values` "
   "are those of the kernel's variables for each row, in the order of their names; without it they are the program's.", group="range", forms=(RANGE,),
   operands=[Operand("arguments", "argument", VARIADIC)], attributes=[Attribute("callee", "symbol"), Attribute("values", "i64_array", optional=True)],
   result=Operand("done", "token"), infer=lambda o, a: T.token)


def allocated_in(space: str | None) -> Any:
    def rule(i: Instance) -> str | None:
        assert isinstance(i.result, T.MemRefType)
        if None in i.result.shape:
            return f"memory has a static shape, not {i.result}"
        return None if i.result.space == space else f"result type is {i.result}, expected {T.memref(i.result.shape, i.result.dtype, space)}"
    return rule


op("define_global", "A buffer that the scheduler allocates for the plan.", group="range", forms=(RANGE,),
   attributes=[Attribute("id", "i64")], result=Operand("buffer", "memref"), verify=[allocated_in(None)])
op("define_local", "Thread-private scratch memory of a kernel.", group="range", forms=(RANGE, VECTOR),
   attributes=[Attribute("id", "i64")], result=Operand("buffer", "memref"), verify=[allocated_in("local")])
op("define_reg", "An accumulator array that is to live in registers.", group="range", forms=(RANGE, VECTOR),
   attributes=[Attribute("id", "i64")], result=Operand("buffer", "memref"), verify=[allocated_in("register")])
op("special", "A number that the caller gives the kernel: thread_id.", group="range", forms=(RANGE, VECTOR),
   attributes=[Attribute("name", "string", choices=("thread_id",))], result=Operand("result", "index"), infer=lambda o, a: T.index)


# Vector level

def counts_lanes(i: Instance) -> str | None:
    return None if T.element_dtype(i.result).is_int else f"lanes are numbered in integers or index, not as {i.result}"  # type: ignore[arg-type]


def at_least_one(i: Instance) -> str | None:
    return None if i.operands else "takes at least 1 operand, given 0"


def splat_or_lanes(i: Instance) -> str | None:
    count, result = len(i.operands), i.result
    assert isinstance(result, T.VectorType)
    if result.dtype is not i.operands[0] or count not in (1, result.lanes):
        made = f"a vector<{count}x{spelling(i.operands[0])}>" if count > 1 else f"a vector of {spelling(i.operands[0])}"
        return f"{count} operand{'s' if count > 1 else ''} of type {spelling(i.operands[0])} make{'s' if count == 1 else ''} {made}, not {result}"
    return None


def lane_exists(i: Instance) -> str | None:
    source = i.operands[0]
    lane = i.attributes["lane"]
    return None if 0 <= lane < source.lanes else f"lane {lane} does not exist in {source}"  # type: ignore[union-attr]


def lanes_exist(i: Instance) -> str | None:
    count = 2 * i.operands[0].lanes  # type: ignore[union-attr]
    outside = [lane for lane in i.attributes["lanes"] if not 0 <= lane < count]
    return f"lane {outside[0]} does not exist in two vectors {i.operands[0]}" if outside else None


op("unroll", "The lane numbers 0 to n - 1 of an expanded range.", group="vector", forms=(VECTOR,), result=Operand("lanes", "vector"), verify=[counts_lanes])
op("contract", "Combines the lanes of a vector; floats in a fixed tree order.", group="vector", forms=(VECTOR,),
   operands=[Operand("source", "vector")], attributes=[REDUCTION], result=Operand("result", "scalar"), infer=lambda o, a: o[0].dtype, verify=[combines_dtype])
op("vectorize", "A vector from its lanes, or from one scalar that fills all.", group="vector", forms=(VECTOR,),
   operands=[Operand("lanes", "scalar", VARIADIC, same="T")], result=Operand("result", "vector"), verify=[at_least_one, splat_or_lanes])
op("gep", "One lane of a vector.", group="vector", forms=(VECTOR,), operands=[Operand("source", "vector")], attributes=[Attribute("lane", "i64")],
   result=Operand("result", "scalar"), infer=lambda o, a: o[0].dtype, verify=[lane_exists])
op("shuffle", "Lanes of two vectors, counted through both, as a vector.", group="vector", forms=(VECTOR,),
   operands=[Operand("first", "vector", same="T"), Operand("second", "vector", same="T")], attributes=[Attribute("lanes", "i64_array")],
   result=Operand("result", "vector"), infer=lambda o, a: T.vector(len(a["lanes"]), o[0].dtype), verify=[lanes_exist])
op("cat", "Joins vectors end to end.", group="vector", forms=(VECTOR,), operands=[Operand("parts", "vector", VARIADIC, same="T")],
   result=Operand("result", "vector"), infer=lambda o, a: T.vector(sum(v.lanes for v in o), o[0].dtype), verify=[at_least_one])
