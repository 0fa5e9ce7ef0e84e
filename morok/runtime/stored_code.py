"""Kernels and host functions on disk: from the IR of a kernel to its machine code, without passes or LLVM.

An entry of a kernel holds the function after its opts, its parameters, and the object. Back ends other than LLVM keep no objects.
"""
from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

from ..codegen.jit import CompiledModule, load_object
from ..codegen.object_code import object_code
from ..codegen.renderer import RenderedKernel
from ..fork_safety import renewed_after_fork
from ..graph.body import Body
from ..passes.codegen.parameters import Parameter
from .compiled_kernel import SYMBOL, CompiledKernel
from .config import Config
from .disk_cache import disk_cache
from .encoding import NotEncodable, decode, encode, type_spelled
from .fingerprint import digest


class StoredKernels:
    """The kernels of this process that are on disk, by their keys."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._known: WeakValueDictionary[str, CompiledKernel] = WeakValueDictionary()

    def get(self, key: str, config: Config, body: Body | None = None) -> CompiledKernel | None:
        """The kernel of a key, from this process or from disk. `body` is its function after the opts, where that is known already."""
        found = self._known.get(key)
        cache = disk_cache(config)
        if found is None and cache is not None:
            content = cache.get(key)
            found = None if content is None else _unpacked(content, key, body)
            if found is not None:
                with self._lock:
                    found = self._known.setdefault(key, found)
        return found

    def put(self, key: str, kernel: CompiledKernel, config: Config) -> None:
        cache = disk_cache(config)
        if cache is None or not isinstance(kernel.module, CompiledModule):
            return
        try:
            content = _packed(kernel)
        except NotEncodable:
            return
        cache.put(key, content)
        with self._lock:
            self._known[key] = kernel

    def clear(self) -> None:
        """Forgets the kernels of this process; the disk keeps them."""
        self._known.clear()


STORED_KERNELS = StoredKernels()


def kernel_digest(body: Body, config: Config, opts: str | None = None) -> str | None:
    """The key of a kernel of kernel form under opts that a search found, or the heuristic's; None where it is not to be kept."""
    if config.backend != "llvm" or disk_cache(config) is None:
        return None
    try:
        text = kernel_text(body)
    except NotEncodable:
        return None
    return digest("kernel", replace(config, beam=0, tuning=False), text if opts is None else f"{opts}\0{text}")


def kernel_text(body: Body) -> str:
    """A kernel as text, the same in every process and whatever its name; NotEncodable where there is none."""
    return json.dumps(encode([_nameless(body)]))


def _nameless(body: Body) -> Body:
    return Body(SYMBOL, body.arguments, body.results, body.sinks, body.attributes, body.argument_attributes)


def stored_object(text: str, llvm_ir: Any, config: Config) -> bytes:
    """The object of a text, from disk or compiled from the LLVM IR that `llvm_ir(text)` gives."""
    cache = disk_cache(config)
    key = digest("object", config, text) if cache is not None else ""
    found = cache.get(key) if cache is not None else None
    if found is None:
        found, _ = object_code(llvm_ir(text))
        if cache is not None:
            cache.put(key, found)
    return found


# Entries

def _packed(kernel: CompiledKernel) -> bytes:
    parameters = [[p.kind, p.slot, p.name, None if p.type is None else repr(p.type), p.is_read, p.is_written, p.least, p.greatest]
                  for p in kernel.rendered.parameters]
    head = json.dumps([parameters, encode([kernel.body])]).encode()
    return len(head).to_bytes(4, "little") + head + kernel.module.object_code  # type: ignore[attr-defined]


def _unpacked(content: bytes, key: str, body: Body | None) -> CompiledKernel | None:
    size = 4 + int.from_bytes(content[:4], "little")
    try:
        given, encoded = json.loads(content[4:size])
        rendered = RenderedKernel(SYMBOL, "", _parameters(given))
        if body is None:
            body, = decode(encoded)
        return CompiledKernel(body, rendered, load_object(content[size:], (SYMBOL,)), key)
    except (ValueError, KeyError, TypeError, IndexError, RuntimeError):  # of another make than ours
        return None


def _parameters(given: Sequence[Any]) -> tuple[Parameter, ...]:
    return tuple(Parameter(kind, slot, name, None if spelling is None else type_spelled(spelling), *rest)  # type: ignore[arg-type]
                 for kind, slot, name, spelling, *rest in given)
