"""What decides about machine code besides the IR: the code of this compiler, the versions of what it stands on, the CPU, the options.

    digest("kernel", config, text)             a file name for what is made of the text under these options
"""
from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache, lru_cache
from importlib.util import find_spec

import llvmlite
import llvmlite.binding as llvm

from .. import _IMPORTED_AT, __version__
from ..codegen.backends import renderer
from ..passes.registry import PASSES
from .config import Config

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def digest(kind: str, config: Config, text: str) -> str:
    """A digest of the text, of what kind of thing is made of it, and of all else that decides what comes out."""
    return hashlib.blake2b("\0".join((kind, _environment(config), text)).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


@lru_cache(maxsize=64)
def _environment(config: Config) -> str:
    options = [(f.name, getattr(config, f.name)) for f in fields(config) if f.compare]
    return repr((_versions(), renderer(config.backend).target, options))


@cache
def is_settled() -> bool:
    """Whether the files of morok are what this process runs: none was written after it began."""
    return all(written <= _IMPORTED_AT for _, _, written in _sources(PACKAGE))


@cache
def _versions() -> str:
    """Versions, and of each file of morok and of packages that add passes its size and when it was written: code that is being worked on has one
    version number for many states."""
    return hashlib.blake2b(repr((__version__, llvmlite.__version__, llvm.llvm_version_info, sys.platform, _file(_origin("mlir._mlir_libs._mlir")),
                                 sorted(_sources(PACKAGE)), sorted(_plugins()))).encode()).hexdigest()


def _origin(module: str) -> str | None:
    spec = find_spec(module)
    return None if spec is None else spec.origin


def _sources(directory: str) -> Iterator[tuple]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".mlir")):
                facts = entry.stat()
                yield os.path.relpath(entry.path, PACKAGE), facts.st_size, facts.st_mtime_ns
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _sources(entry.path)


def _plugins() -> Iterator[tuple]:
    """The files of other packages whose passes are registered."""
    for name in {p.__module__ for p in PASSES.values() if not p.__module__.startswith("morok.")}:
        yield name, *_file(getattr(sys.modules.get(name), "__file__", None))


def _file(path: str | None) -> tuple:
    try:
        facts = os.stat(path)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return (path,)
    return path, facts.st_size, facts.st_mtime_ns
