"""What the dialect costs per op: `python bench/dialect_cost.py` prints it.

The cost of an op handed to Python is the one to watch: without the OpView classes of morok/dialect/morok.py it is 13 us, with them 0.6 us
(an idle core of a Zen 5).
"""
from __future__ import annotations

import time
from collections.abc import Callable

from mlir import ir

from morok.dialect.context import DialectContext, shared_context
from morok.dialect.verify import verify_module
from morok.graph.body import Program


def microseconds_per_op(run: Callable[[], object], count: int, repeats: int = 5) -> float:
    """The least time of several runs over `count` ops."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) / count * 1e6


def chain(dialect: DialectContext, count: int) -> ir.Module:
    """A function of `count` additions."""
    with dialect.context, dialect.unknown:
        module = ir.Module.parse("func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  return %a : tensor<8xf32>\n}")
        block = module.body.operations[0].regions[0].blocks[0]
        ret = block.operations[0].operation
        ip, value = ir.InsertionPoint(ret), block.arguments[0]
        for _ in range(count):
            value = ir.Operation.create("morok.add", results=[value.type], operands=[value, value], ip=ip).results[0]
        ret.operands[0] = value
    return module


def iterate(module: ir.Module) -> int:
    return sum(1 for _ in module.body.operations[0].regions[0].blocks[0].operations)


def dialect_costs(count: int = 2000) -> dict[str, float]:
    """Microseconds per op of each kind of work."""
    dialect = shared_context()
    module = chain(dialect, count)
    program = Program(dialect, module)
    body = program.bodies["main"]

    def write() -> None:
        written = Program(dialect)
        written.bodies["main"] = body
        written.flush()

    return {
        "create": microseconds_per_op(lambda: chain(dialect, count), count),
        "hand to Python": microseconds_per_op(lambda: iterate(module), count),
        "verify in MLIR": microseconds_per_op(module.operation.verify, count),
        "verify by the op table": microseconds_per_op(lambda: verify_module(module, dialect), count),
        "read as UOps": microseconds_per_op(lambda: Program(dialect, module), count),
        "write as MLIR": microseconds_per_op(write, count),
    }


if __name__ == "__main__":
    for work, cost in dialect_costs().items():
        print(f"{work:24}{cost:8.2f} us")
