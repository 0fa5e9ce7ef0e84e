"""Kernel-form programs for tests, from a few lines: buffers of one type, kernels that store the sum of what they read."""

from mlir import ir

from morok.dialect.context import shared_context
from morok.graph.body import Program

MEMREF = "memref<16xf32>"
EXTENT = '"morok.const"() {value = 16 : index} : () -> index'
POINTER = '!morok.ptr<f32, "global">'


def kernel_text(name: str, sources: int, memref: str = MEMREF, extent: str = EXTENT, in_place: bool = False, kind: str = "loop") -> str:
    """A kernel that writes slot 0 with the sum of the slots after it (and of slot 0 itself, in place)."""
    arguments = ", ".join(f"%a{i}: {memref}" for i in range(sources + 1))
    read = list(range(0 if in_place else 1, sources + 1))
    lines = [
        f"func.func @{name}({arguments}) attributes {{morok.kernel}} {{",
        f"%n = {extent}",
        f'%i = "morok.range"(%n) {{id = 0, kind = "{kind}"}} : (index) -> index',
        '%sum0 = "morok.const"() {value = 0.0 : f32} : () -> f32',
    ]
    for k, slot in enumerate(read):
        lines += [
            f'%p{slot} = "morok.index"(%a{slot}, %i) : ({memref}, index) -> {POINTER}',
            f'%v{slot} = "morok.load"(%p{slot}) {{operandSegmentSizes = array<i32: 1, 0, 0>}} : ({POINTER}) -> f32',
            f'%sum{k + 1} = "morok.add"(%sum{k}, %v{slot}) : (f32, f32) -> f32',
        ]
    lines += [
        f'%o = "morok.index"(%a0, %i) : ({memref}, index) -> {POINTER}',
        f'%s = "morok.store"(%o, %sum{len(read)}) : ({POINTER}, f32) -> !morok.token',
        '%e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token',
        '"morok.sink"(%e) : (!morok.token) -> ()',
        "return",
        "}",
    ]
    return "\n".join(lines)


def main_text(body: str, arguments: int, results: list[str], memref: str = MEMREF) -> str:
    """`@main` from lines `x = global N`, `k = kernel(%a, %b)` and `y = after(%x, %k)`."""
    lines: list[str] = []
    for line in filter(None, map(str.strip, body.splitlines())):
        left, right = (part.strip() for part in line.split("=", 1))
        if right.startswith("global"):
            lines.append(f'{left} = "morok.define_global"() {{id = {right.split()[1]}}} : () -> {memref}')
            continue
        name, operands = right[:-1].split("(")
        values = operands.replace(" ", "").split(",")
        if name == "after":
            types = ", ".join([memref] + ["!morok.token"] * (len(values) - 1))
            lines.append(f'{left} = "morok.after"({", ".join(values)}) : ({types}) -> {memref}')
            continue
        for slot, buffer in enumerate(values):
            lines.append(f'{left}_{slot} = "morok.param"({buffer}) {{slot = {slot}}} : ({memref}) -> !morok.argument')
        types = ", ".join(["!morok.argument"] * len(values))
        given = ", ".join(f"{left}_{slot}" for slot in range(len(values)))
        lines.append(f'{left} = "morok.kernel"({given}) {{callee = @{name}}} : ({types}) -> !morok.token')
    head = ", ".join(f"%in{i}: {memref}" for i in range(arguments))
    types = ", ".join([memref] * len(results))
    return f"func.func @main({head}) -> ({types}) {{\n" + "\n".join(lines) + f"\nreturn {', '.join(results)} : {types}\n}}"


def parse(*functions: str) -> Program:
    dialect = shared_context()
    return Program(dialect, ir.Module.parse("\n".join(functions), dialect.context))
