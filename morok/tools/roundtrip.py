"""Whether a module survives being printed and read back."""
from __future__ import annotations

import io

from mlir import ir

from .diagnostics import Collector


def bytecode(module: ir.Module) -> bytes:
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def roundtrip_error(module: ir.Module, context: ir.Context, collector: Collector) -> str | None:
    """What is wrong with the first of the custom form, the generic form and the bytecode that does not read back as the same module."""
    def generic(m: ir.Module) -> str:
        return str(m.operation.get_asm(print_generic_op_form=True, use_local_scope=True))

    expected = generic(module)
    for form, data in {"custom": str(module).encode(), "generic": expected.encode(), "bytecode": bytecode(module)}.items():
        before = len(collector.errors)
        try:
            read = ir.Module.parse(data, context)
        except ir.MLIRError:
            return f"the {form} form does not read back: {next((d.message for d in collector.errors[before:]), '')}"
        if generic(read) != expected:
            return f"the {form} form reads back as another module"
    return None
