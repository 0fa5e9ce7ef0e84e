"""Random programs over a few tensors, as lists of steps that NumPy runs with the meaning that docs/semantics.md gives, and Tensor in several ways.

A step makes a new variable (a value, or a view of another variable) or writes to one in place. No step rounds differently by the order of its operations, so
that all ways must agree exactly.
"""

import numpy as np

import morok
from morok import Tensor, dtypes

DTYPES = ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
SIZES = (1, 2, 2, 3, 3, 4, 5, 7, 0, 2, 3, 5, 13, 33, 64)
MOST = 1200


def wrapped(a, dtype):
    """The conversion of docs/semantics.md."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return a != 0
    if a.dtype.kind == "f" and dtype.kind in "iu":
        wide = np.trunc(a.astype(np.float64))
        inside = np.where(np.abs(wide) < 2.0**63, wide, 0).astype(np.int64)
        whole = np.where(wide >= 2.0**63, np.iinfo(np.int64).max, np.where(wide <= -(2.0**63), np.iinfo(np.int64).min, inside))
        return whole.astype(dtype)
    with np.errstate(over="ignore"):
        return a.astype(dtype)


def promoted(*arrays):
    dtype = dtypes.as_dtype(arrays[0].dtype)
    for a in arrays[1:]:
        dtype = dtypes.promote(dtype, dtypes.as_dtype(a.dtype))
    return [wrapped(a, dtype.np) for a in arrays]


def numbers(*arrays):
    """Of one dtype that is not bool: bools are int8."""
    arrays = promoted(*arrays)
    return [a.astype(np.int8) if a.dtype == bool else a for a in arrays]


def divided(a, b, function):
    a, b = numbers(a, b)
    a, b = np.broadcast_arrays(a, b)
    zero = b == 0
    return np.where(zero, 0, function(a, np.where(zero, 1, b))).astype(a.dtype)


def shifted(a, b, left):
    a, b = numbers(a, b)
    a, b = np.broadcast_arrays(a, b)
    width = a.dtype.itemsize * 8
    inside = (b >= 0) & (b < width)
    distance = np.where(inside, b, 0).astype(a.dtype)
    if left:
        return np.where(inside, a << distance, 0).astype(a.dtype)
    return np.where(inside, a >> distance, np.where(a < 0, -1, 0)).astype(a.dtype)


def is_whole(*arrays):
    return all(a.dtype.kind in "iub" for a in arrays)


def small(a):
    """Whole numbers from -8 to 8, whose sums are exact."""
    return np.clip(np.round(a), -8, 8)


KINDS = [*"unary binary binary view view turn reduce cast write write take put join pad product".split(), "add to"]
ALWAYS = lambda *_: True  # noqa: E731
BINARY = {
    "add": (lambda a, b: np.add(*numbers(a, b)), lambda a, b: number(a, b)[0] + number(a, b)[1], ALWAYS),
    "sub": (lambda a, b: np.subtract(*numbers(a, b)), lambda a, b: number(a, b)[0] - number(a, b)[1], ALWAYS),
    "mul": (lambda a, b: np.multiply(*numbers(a, b)), lambda a, b: number(a, b)[0] * number(a, b)[1], ALWAYS),
    "maximum": (lambda a, b: np.maximum(*promoted(a, b)), lambda a, b: a.maximum(b), ALWAYS),
    "minimum": (lambda a, b: np.minimum(*promoted(a, b)), lambda a, b: a.minimum(b), ALWAYS),
    "floor_divide": (lambda a, b: divided(a, b, np.floor_divide), lambda a, b: a // b, lambda a, b: is_whole(*promoted(a, b))),
    "mod": (lambda a, b: divided(a, b, np.remainder), lambda a, b: a % b, lambda a, b: is_whole(*promoted(a, b))),
    "and": (lambda a, b: np.bitwise_and(*promoted(a, b)), lambda a, b: a & b, lambda a, b: is_whole(*promoted(a, b))),
    "xor": (lambda a, b: np.bitwise_xor(*promoted(a, b)), lambda a, b: a ^ b, lambda a, b: is_whole(*promoted(a, b))),
    "shl": (lambda a, b: shifted(a, b, True), lambda a, b: a << b, lambda a, b: is_whole(*promoted(a, b))),
    "shr": (lambda a, b: shifted(a, b, False), lambda a, b: a >> b, lambda a, b: is_whole(*promoted(a, b))),
    "lt": (lambda a, b: np.less(*promoted(a, b)), lambda a, b: a < b, lambda a, b: not mixed_signs(a, b)),
    "eq": (lambda a, b: np.equal(*promoted(a, b)), lambda a, b: a == b, lambda a, b: not mixed_signs(a, b)),
    "where": (lambda a, b: np.where(a > 0, *promoted(a, b)), lambda a, b: a.where(a > 0, b), ALWAYS),
}
UNARY = {
    "neg": (lambda a: np.negative(*numbers(a)), lambda t: -number(t)[0]),
    "abs": (lambda a: np.abs(*numbers(a)), lambda t: number(t)[0].abs()),
    "square": (lambda a: np.multiply(*numbers(a, a)), lambda t: number(t)[0] * number(t)[0]),
    "sqrt": (lambda a: np.sqrt(np.abs(floats(a))), lambda t: floating(t).abs().sqrt()),
    "floor": (lambda a: np.floor(floats(a)), lambda t: floating(t).floor()),
    "clip": (lambda a: np.clip(*numbers(a), 0, 3), lambda t: number(t)[0].clip(0, 3)),
    "not": (lambda a: np.logical_not(a), lambda t: t.logical_not()),
    "plus one": (lambda a: np.add(*numbers(a), np.ones((), numbers(a)[0].dtype)), lambda t: number(t)[0] + 1),
}
REDUCTIONS = {
    "sum": (lambda a, axis: summed(a, axis, np.sum), lambda t, axis: few(t).sum(axis)),
    "max": (lambda a, axis: a.max(axis), lambda t, axis: t.max(axis)),
    "min": (lambda a, axis: a.min(axis), lambda t, axis: t.min(axis)),
    "argmax": (lambda a, axis: a.argmax(axis), lambda t, axis: t.argmax(axis)),
    "any": (lambda a, axis: (a != 0).any(axis), lambda t, axis: t.any(axis)),
    "cumsum": (lambda a, axis: summed(a, axis, np.cumsum), lambda t, axis: few(t).cumsum(axis)),
}


def number(*tensors):
    """As `numbers`, of tensors."""
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = dtypes.promote(dtype, t.dtype)
    return [t.cast(dtypes.int8) for t in tensors] if dtype is dtypes.bool else list(tensors)


def mixed_signs(a, b):
    return {a.dtype.name, b.dtype.name} == {"int64", "uint64"}


def floats(a):
    return a if a.dtype.kind == "f" else wrapped(a, np.float32)


def floating(t):
    return t if t.dtype.is_float else t.cast(dtypes.float32)


def few(t):
    return t.round().clip(-8, 8) if t.dtype.is_float else t


def summed(a, axis, function):
    dtype = a.dtype if a.dtype.kind == "f" else np.uint64 if a.dtype.kind == "u" else np.int64
    return function(small(a) if a.dtype.kind == "f" else a, axis=axis, dtype=dtype)


def joined(a, b, name, axis):
    if isinstance(a, np.ndarray):
        return (np.concatenate if name == "cat" else np.stack)(promoted(a, b), axis)
    return (Tensor.cat if name == "cat" else Tensor.stack)([a, b], dim=axis)


def multiplied(a, b):
    """Of whole numbers from -8 to 8 where they are floats."""
    if not isinstance(a, np.ndarray):
        return few(a) @ few(b)
    a, b = promoted(*(small(v) if v.dtype.kind == "f" else v for v in (a, b)))
    if a.dtype.kind == "f":
        return (a.astype(np.float64) @ b.astype(np.float64)).astype(a.dtype)
    return a @ b


def key_of(random, shape):
    """A key of slices, integers and new axes."""
    key = []
    for size in shape[: random.randint(0, len(shape))]:
        kind = random.choice(["slice", "slice", "all", "int"])
        if kind == "int" and size:
            key.append(random.randint(-size, size - 1))
        elif kind == "slice":
            ends = [random.choice([None, random.randint(-size - 1, size + 1)]) for _ in range(2)]
            key.append(slice(*ends, random.choice([None, 1, 2, -1, -2, 3])))
        else:
            key.append(slice(None))
    if random.random() < 0.2:
        key.insert(random.randint(0, len(key)), None)
    return tuple(key)


def turned(random, a):
    """A movement of the whole array, as one function for NumPy and Tensor."""
    kind = random.choice(["permute", "flip", "reshape", "unsqueeze", "expand"])
    if kind == "permute":
        order = random.sample(range(a.ndim), a.ndim)
        return lambda v: v.transpose(order) if isinstance(v, np.ndarray) else v.permute(*order)
    if kind == "flip" and a.ndim:
        axis = random.randrange(a.ndim)
        return lambda v: np.flip(v, axis) if isinstance(v, np.ndarray) else v.flip(axis)
    if kind == "reshape" and np.shares_memory(a, a.reshape(-1)):
        return lambda v: v.reshape(-1)
    axis = random.randint(0, a.ndim)
    if kind == "expand" and a.size <= MOST // 3:
        return lambda v: np.repeat(np.expand_dims(v, axis), 3, axis) if isinstance(v, np.ndarray) else expanded(v, axis)
    return lambda v: np.expand_dims(v, axis) if isinstance(v, np.ndarray) else v.unsqueeze(axis)


def expanded(t, axis):
    """A copy, as an expanded view cannot be written."""
    u = t.unsqueeze(axis)
    return u.expand(*(3 if i == axis else s for i, s in enumerate(u.shape))).clone()


class Program:
    """Inputs, and steps that each take the list of variables and add to it or write to one."""

    def __init__(self, random, steps):
        self.random, self.steps, self.text = random, [], []
        first = self.array()
        self.inputs = [first]
        for _ in range(random.randint(0, 2)):  # of shapes that broadcast with the first
            self.inputs.append(self.array(tuple(random.choice([s, s, 1]) for s in first.shape[random.randint(0, first.ndim):])))
        self.values = [a.copy() for a in self.inputs]
        for _ in range(steps):
            self.grow()

    def array(self, shape=None, dtype=None):
        random = self.random
        if shape is None:
            shape = tuple(random.choice(SIZES) for _ in range(random.randint(0, 3)))
            shape = shape if np.prod(shape) <= MOST else shape[:1]
        dtype = np.dtype(random.choice(DTYPES)) if dtype is None else dtype
        rng = np.random.default_rng(random.randint(0, 999))
        whole = rng.integers(0 if dtype.kind == "u" else -9, 10, shape)
        if dtype.kind == "f":
            values = np.asarray(whole / 4).astype(dtype)
            if random.random() < 0.3 and values.size:
                values.flat[rng.integers(values.size)] = random.choice([np.nan, np.inf, -np.inf, -0.0, 1e4])
            return values
        return np.asarray(whole > 0 if dtype.kind == "b" else whole).astype(dtype)

    def step(self, text, function):
        self.text.append(text)
        self.steps.append(function)
        with np.errstate(all="ignore"):
            function(self.values)

    def grow(self):
        random, values = self.random, self.values
        i = max(random.randrange(len(values)), random.randrange(len(values)))  # rather a new one
        a = values[i]
        kind = random.choice(KINDS)
        if kind == "unary":
            name = random.choice(list(UNARY))
            self.step(f"v{len(values)} = {name}(v{i})", lambda vs: vs.append(np.asarray(UNARY[name][0](vs[i])) if is_arrays(vs) else UNARY[name][1](vs[i])))
        elif kind == "binary":
            j = random.choice([k for k, b in enumerate(values) if broadcasts(a, b)])
            name = random.choice([n for n, (_, _, takes) in BINARY.items() if takes(a, values[j])])
            self.step(f"v{len(values)} = {name}(v{i}, v{j})",
                      lambda vs: vs.append(np.asarray(BINARY[name][0](vs[i], vs[j])) if is_arrays(vs) else BINARY[name][1](vs[i], vs[j])))
        elif kind == "view":
            key = key_of(random, a.shape)
            self.step(f"v{len(values)} = v{i}[{key}]", lambda vs: vs.append(vs[i][(*key, ...)]))
        elif kind == "turn":
            move = turned(random, a)
            self.step(f"v{len(values)} = a view or copy of v{i}", lambda vs: vs.append(move(vs[i])))
        elif kind == "reduce" and a.ndim:
            axis = random.randrange(a.ndim)
            name = random.choice(list(REDUCTIONS) if a.shape[axis] else ["sum", "any", "cumsum"])
            self.step(f"v{len(values)} = {name}(v{i}, {axis})",
                      lambda vs: vs.append(np.asarray(REDUCTIONS[name][0](vs[i], axis)) if is_arrays(vs) else REDUCTIONS[name][1](vs[i], axis)))
        elif kind == "cast":
            dtype = random.choice(DTYPES)
            self.step(f"v{len(values)} = v{i}.cast({dtype})",
                      lambda vs: vs.append(np.array(wrapped(vs[i], dtype)) if is_arrays(vs) else vs[i].cast(dtype).clone()))
        elif kind == "join":
            j = random.choice([k for k, b in enumerate(values) if b.shape == a.shape])
            axis, name = random.randint(0, max(a.ndim - 1, 0)), "cat" if a.ndim and random.random() < 0.5 else "stack"
            if a.size <= MOST // 2:
                self.step(f"v{len(values)} = {name}(v{i}, v{j}, {axis})", lambda vs: vs.append(joined(vs[i], vs[j], name, axis)))
        elif kind == "pad":
            pairs = [(random.randint(0, 2), random.randint(0, 2)) for _ in a.shape]
            if np.prod([p + s + q for (p, q), s in zip(pairs, a.shape)]) <= MOST:
                self.step(f"v{len(values)} = v{i}.pad({pairs})",
                          lambda vs: vs.append(np.array(np.pad(vs[i], pairs) if pairs else vs[i]) if is_arrays(vs) else vs[i].pad(pairs).clone()))
        elif kind == "product":
            fitting = [k for k, b in enumerate(values) if a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0] and a.shape[0] * b.shape[1] <= MOST]
            if fitting:
                j = random.choice(fitting)
                self.step(f"v{len(values)} = v{i} @ v{j}", lambda vs: vs.append(multiplied(vs[i], vs[j])))
        elif kind in ("write", "add to"):
            key = (*key_of(random, a.shape), ...)
            fitting = [k for k, b in enumerate(values) if fits(b, a[key])]
            if fitting:
                j = random.choice(fitting)
                self.step(f"v{i}[{key}] {'+=' if kind == 'add to' else '='} v{j}", lambda vs: write(vs, i, key, j, kind == "add to"))
        elif kind in ("take", "put") and a.ndim and a.shape[0]:
            index = [random.randint(-a.shape[0], a.shape[0] - 1) for _ in range(random.randint(0, 4))]
            if kind == "take":
                self.step(f"v{len(values)} = v{i}[{index}]",
                          lambda vs: vs.append(vs[i][np.array(index, np.int64)] if is_arrays(vs) else vs[i][Tensor(index, dtype="int64")]))
            elif fitting := [k for k, b in enumerate(values) if fits(b, a[np.array(index, np.int64)])]:
                j = random.choice(fitting)
                self.step(f"v{i}[{index}] = v{j}", lambda vs: write(vs, i, np.array(index, np.int64), j, False))

    def __repr__(self):
        inputs = [f"v{k} = np.array({a.tolist()}, {str(a.dtype)!r}).reshape({a.shape})" for k, a in enumerate(self.inputs)]
        return "\n".join([*inputs, *self.text])


def is_arrays(values):
    return isinstance(values[0], np.ndarray)


def broadcasts(a, b):
    try:
        return np.prod(np.broadcast_shapes(a.shape, b.shape)) <= MOST
    except ValueError:
        return False


def fits(value, target):
    try:
        return np.broadcast_shapes(value.shape, target.shape) == target.shape or value.ndim == 0
    except ValueError:
        return False


def write(values, i, key, j, adding):
    """Writes v[j] at a key of v[i], converted; or adds, in the dtype of v[i]."""
    target, value = values[i], values[j]
    if is_arrays(values):
        part = target[key] if isinstance(key, tuple) else None
        given = wrapped(np.array(value), target.dtype)
        if adding:
            given = np.logical_or(part, given) if target.dtype == bool else part + given
        target[key] = given
    elif adding:
        part = target[key]
        part += value.cast(target.dtype)
    else:
        target[key if isinstance(key, tuple) else Tensor(key)] = value


def run(program, tensors, after=None):
    """Runs the steps over the tensors, all variables; `after` is called with them after each step."""
    values = list(tensors)
    for step in program.steps:
        step(values)
        if after is not None:
            after(values)
    return values


def captured(program):
    """The program as a captured function of its inputs."""
    return morok.jit(lambda *inputs: tuple(run(program, inputs)[len(inputs):]))
