"""LLVM IR text of a module that may not be translatable.

The bindings' `translate_module_to_llvmir` crashes the process where MLIR gives up; the C function under it returns null, so it is called
here directly. PyDLL keeps the interpreter's lock, which diagnostic handlers need.
"""
from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import mlir
from mlir import ir
from mlir._mlir_libs import _mlirDialectsLLVM  # noqa: F401  (registers the translations)


class _Operation(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_void_p)]


@cache
def _library() -> ctypes.PyDLL:
    place = next(path for root in mlir.__path__ for path in sorted(Path(root, "_mlir_libs").glob("libMLIRPythonCAPI.*")))
    library = ctypes.PyDLL(str(place))  # its dependency libLLVM is found through it
    for name, result, arguments in (
            ("mlirTranslateModuleToLLVMIR", ctypes.c_void_p, [_Operation, ctypes.c_void_p]),
            ("LLVMContextCreate", ctypes.c_void_p, []), ("LLVMContextDispose", None, [ctypes.c_void_p]),
            ("LLVMPrintModuleToString", ctypes.c_void_p, [ctypes.c_void_p]), ("LLVMDisposeMessage", None, [ctypes.c_void_p]),
            ("LLVMDisposeModule", None, [ctypes.c_void_p])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _pointer(operation: ir.Operation) -> int | None:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(operation._CAPIPtr, b"mlir.ir.Operation._CAPIPtr")


def llvm_ir(module: ir.Module) -> str | None:
    """LLVM IR text of a module in the llvm dialect, None if it cannot be translated: the context's diagnostics say why."""
    library = _library()
    context = library.LLVMContextCreate()
    try:
        translated = library.mlirTranslateModuleToLLVMIR(_Operation(_pointer(module.operation)), context)
        if not translated:
            return None
        text = library.LLVMPrintModuleToString(translated)
        result = ctypes.string_at(text).decode()
        library.LLVMDisposeMessage(text)
        library.LLVMDisposeModule(translated)
        return result
    finally:
        library.LLVMContextDispose(context)
