"""Random programs in tensor form: movement, elementwise, reductions, casts, results, an assign through a view. One seed, one program.

    python test/python/interpret/random_programs.py 300 2000        # runs these seeds through the passes and reports what differs
"""

import random
import sys
from math import prod

import numpy as np

from morok.dialect import types as T
from morok.dialect.context import shared_context
from morok.graph.body import Body, Program
from morok.graph.uop import UOp, argument, const
from morok.interpret import interpret
from morok.passes.registry import make_pass
from morok.passes.verify.forms import verify_form
from morok.passes.verify.verify import verify_program

SIZES = (1, 2, 3, 4, 5, 8)
DTYPES = (T.float32, T.float32, T.float32, T.int32, T.uint8, T.bool_, T.float16)
MOST_ELEMENTS = 400
STAGES = (("morok-rangeify", "range"), ("morok-split", "kernel"), ("morok-apply-opts", "optimised"))


class Generator:
    """Grows a program from a seed; `sizes` are those of the arguments' axes."""

    def __init__(self, seed, sizes=SIZES):
        self.random, self.sizes = random.Random(seed), sizes
        self.least_window = 0 if 0 in sizes else 1

    def program(self):
        choose = self.random
        arguments = [argument(i, T.tensor(tuple(choose.choice(self.sizes) for _ in range(choose.randint(0, 3))), choose.choice(DTYPES)))
                     for i in range(choose.randint(1, 3))]
        pool = list(arguments)
        for _ in range(choose.randint(3, 14)):
            u = self.operation(choose.choice(pool[-4:]), pool)
            if u is not None and prod(u.type.shape) <= MOST_ELEMENTS and len(u.type.shape) <= 4:
                pool.append(u)
        results = [pool[-1], *(choose.choice(pool[len(arguments):] or pool) for _ in range(choose.randint(0, 2)))]
        if choose.random() < 0.4:
            results.append(self.assign(choose.choice(arguments), pool))
        program = Program(shared_context())
        program.bodies["main"] = Body("main", arguments, tuple(dict.fromkeys(results)))
        return program

    def operation(self, u, pool):
        kinds = (self.movement, self.movement, self.movement, self.unary, self.reduction, self.cast, self.binary, self.binary,
                 self.contiguous)
        return self.random.choice(kinds)(u, pool)

    def movement(self, u, pool=()):
        choose, shape = self.random, u.type.shape
        name = choose.choice(("permute", "pad", "shrink", "flip", "expand", "reshape"))
        if name == "permute":
            order = list(range(len(shape)))
            choose.shuffle(order)
            return UOp.make(name, (u,), (tuple(order),))
        if name == "pad":
            low, high = (tuple(choose.randint(0, 2) for _ in shape) for _ in range(2))
            return UOp.make(name, (u,), (low, high, const(choose.choice((0, 1, 3)), u.dtype).value))
        if name == "shrink":
            begin = tuple(choose.randint(0, max(0, s - 1)) for s in shape)
            size = tuple(choose.randint(min(self.least_window, s - b), s - b) for s, b in zip(shape, begin))
            return UOp.make(name, (u,), (begin, size))
        if name == "flip":
            return UOp.make(name, (u,), (tuple(a for a in range(len(shape)) if choose.random() < 0.5),))
        if name == "expand":
            return UOp.make(name, (u,), (tuple(choose.choice((1, 3, 4)) if s == 1 else s for s in shape),))
        count = prod(shape)
        shapes = [(count,), (1, *shape), *((count // n, n) for n in (2, 3, 4, 5) if count and count % n == 0)]
        return UOp.make(name, (u,), (choose.choice(shapes),))

    def unary(self, u, pool):
        names = ("not",) if u.dtype is T.bool_ else ("neg", "abs") + ("exp2", "sin", "floor", "sqrt") * u.dtype.is_float
        return UOp.make(self.random.choice(names), (u,))

    def reduction(self, u, pool):
        axes = tuple(a for a in range(len(u.type.shape)) if self.random.random() < 0.5)
        return UOp.make("reduce_axis", (u,), (self.random.choice(("and", "or", "max") if u.dtype is T.bool_ else ("add", "max", "min")),
                                              axes))

    def cast(self, u, pool):
        return u.cast(self.random.choice((T.float32, T.int32, T.bool_, T.float16, T.int8)))

    def contiguous(self, u, pool):
        return UOp.make("contiguous", (u,))

    def binary(self, u, pool):
        other = self.random.choice([v for v in pool if v.type is u.type] or [u])
        names = ("and", "or", "xor") if u.dtype is T.bool_ else ("add", "mul", "max", "sub", "where") + ("floordiv", "mod", "shl",
                                                                                                         "shr") * u.dtype.is_int
        name = self.random.choice(names)
        return UOp.make("cmplt", (u, other)).where(u, other) if name == "where" else UOp.make(name, (u, other))

    def assign(self, target, pool):
        view = target
        for _ in range(self.random.randint(0, 3)):
            moved = self.movement(view)
            view = moved if moved.name not in ("pad", "expand") else view
        value = self.random.choice([v for v in pool if v.type is view.type] or [UOp.make("not" if view.dtype is T.bool_ else "neg",
                                                                                         (view,))])
        return UOp.make("assign", (target, view, value))


def inputs_of(program, seed):
    generator = np.random.default_rng(seed)
    return [np.asarray(generator.standard_normal(a.type.shape) * 3).astype(a.dtype.np) for a in program.bodies["main"].arguments]


def what_differs(seed, sizes=SIZES):
    """What is wrong after the first pass that breaks the program, or None."""
    program = Generator(seed, sizes).program()
    inputs = inputs_of(program, seed)
    want = interpret(program, "main", inputs)
    for name, form in STAGES:
        make_pass(name).run(program)
        found = verify_program(program) or verify_form(program, form)
        if found:
            return f"after {name}: {found[0]}"
        for i, (old, new) in enumerate(zip(want, interpret(program, "main", inputs))):
            if not agree(old, new):
                return f"after {name}: result {i} differs"
    return None


def agree(old, new):
    tolerance = 2e-2 if old.dtype.itemsize == 2 else 1e-4
    with np.errstate(all="ignore"):
        return old.shape == new.shape and old.dtype == new.dtype and np.allclose(
            old.astype(np.float64), new.astype(np.float64), rtol=tolerance, atol=tolerance / 10, equal_nan=True)


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        try:
            wrong = what_differs(seed, (0, *SIZES) if "zero" in sys.argv else SIZES)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            print(seed, wrong)
