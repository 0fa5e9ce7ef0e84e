"""The process's MLIR context, with the dialect loaded once."""
from __future__ import annotations

import sys
import threading
from functools import cached_property

from mlir import ir
from mlir.dialects import irdl
from mlir.dialects._ods_common import _cext

from ..fork_safety import renewed_after_fork, renewed_properties
from .irdl import dialect_text
from .types import TypeTranslator


class DialectContext:
    """An MLIR context that knows `morok`, with its type translator. Threads are off: modules here are small, and MLIR's pool does not survive a fork."""

    def __init__(self, allow_unregistered: bool = False) -> None:
        self.context = ir.Context()
        self.context.enable_multithreading(False)
        self.context.allow_unregistered_dialects = allow_unregistered
        with self.context, ir.Location.unknown():
            irdl.load_dialects(ir.Module.parse(dialect_text()))
        self.types = TypeTranslator(self.context)

    @cached_property
    def unknown(self) -> ir.Location:
        return ir.Location.unknown(self.context)


_cext.globals.append_dialect_search_prefix("morok.dialect")
_lock = threading.Lock()
renewed_after_fork(sys.modules[__name__], "_lock", threading.Lock)
renewed_properties(DialectContext)
_shared: list[DialectContext] = []


def shared_context() -> DialectContext:
    """The context that tensor graphs and compilations of this process share."""
    if not _shared:
        with _lock:
            if not _shared:
                _shared.append(DialectContext())
    return _shared[0]
