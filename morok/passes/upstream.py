"""Upstream MLIR's passes by name: checked before MLIR sees them, run through PassManagers that are built once per context and kept.

MLIR reports a wrong pass option on the process's stderr and a wrong name as a ValueError; here both become a PipelineError in one line.
"""
from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from weakref import WeakKeyDictionary

import mlir
from mlir import ir
from mlir.passmanager import PassManager

from ..dialect.context import DialectContext
from ..errors import MorokError
from ..fork_safety import awaited_by_fork


class PipelineError(MorokError, ValueError):
    """A pipeline that cannot be run: an unknown pass, a wrong option, bad syntax. `column` (from 1, or None) is where in the text."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message if column is None else f"column {column}: {message}")
        self.message, self.column = message, column


@dataclass(frozen=True)
class UpstreamPass:
    """An upstream pass with its options, nested in `anchors` below the module. Made by `upstream_pass`, which checks it."""

    name: str
    options: str = ""
    anchors: tuple[str, ...] = ()

    def spelling(self) -> str:
        text = self.name + (f"{{{self.options}}}" if self.options else "")
        for anchor in reversed(self.anchors):
            text = f"{anchor}({text})"
        return text


@cache
def upstream_pass(name: str, options: str = "", anchors: tuple[str, ...] = ()) -> UpstreamPass:
    """The pass, known to exist and to take these options; PipelineError otherwise. One that is restricted to another operation than the
    module is nested in it, as mlir-opt does."""
    made = UpstreamPass(name, options, anchors)
    wrong, _ = _parse_error(UpstreamPass(name, "", ("any",)))
    if "does not refer to a registered pass" in wrong:
        raise PipelineError(f"unknown pass '{name}'{suggestion(name)}")
    wrong, printed = _parse_error(made)
    restricted = re.search(r"restricted to '([^']+)' on a PassManager intended to run on '([^']+)'", wrong)
    if restricted and not anchors:
        return upstream_pass(name, options, (restricted[1],))
    if restricted:
        raise PipelineError(f"pass '{name}' runs on '{restricted[1]}', not on '{restricted[2]}'")
    unknown = re.search(r"no such option (\S+)", wrong)
    if unknown:
        raise PipelineError(f"pass '{name}' has no option '{unknown[1]}'")
    if wrong:
        detail = re.sub(r"^\s*: for the --(\S+) option: ", r"option \1: ", printed) or wrong
        raise PipelineError(f"pass '{name}': {_first_line(detail)}")
    return made


def _parse_error(step: UpstreamPass) -> tuple[str, str]:
    """What MLIR has against the pass ('' if nothing): as an exception, and as printed."""
    with capturing_stderr() as printed:
        try:
            PassManager.parse(f"builtin.module({step.spelling()})", _checking_context())
        except ValueError as error:
            return str(error) or "is not accepted", printed()
    return "", ""


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), text)


@cache
def _checking_context() -> ir.Context:
    context = ir.Context()
    context.enable_multithreading(False)
    return context


def is_operation(name: str) -> bool:
    """Whether MLIR knows an operation of this name."""
    try:
        _checking_context().get_dialect_descriptor(name.partition(".")[0])
        return _checking_context().is_registered_operation(name)
    except ValueError:
        return False


def is_upstream(name: str) -> bool:
    return "does not refer to a registered pass" not in _parse_error(UpstreamPass(name, "", ("any",)))[0]


_stderr_lock = threading.Lock()
awaited_by_fork(sys.modules[__name__], "_stderr_lock", threading.Lock, 2)  # the child would have the file as its stderr


@contextmanager
def capturing_stderr() -> Iterator:
    """Keeps what C++ code writes to the process's stderr; yields a function that gives it."""
    with _stderr_lock, tempfile.TemporaryFile() as kept:
        saved = os.dup(2)
        os.dup2(kept.fileno(), 2)

        def printed() -> str:
            kept.seek(0)
            return kept.read().decode(errors="replace")
        try:
            yield printed
        finally:
            os.dup2(saved, 2)
            os.close(saved)


# Running

_managers: WeakKeyDictionary[DialectContext, dict[tuple[str, bool], PassManager]] = WeakKeyDictionary()


def run_upstream(dialect: DialectContext, module: ir.Module, steps: list[UpstreamPass], verify: bool) -> None:
    """Runs consecutive upstream passes in one PassManager; MLIRError if one fails."""
    text = f"builtin.module({','.join(step.spelling() for step in steps)})"
    managers = _managers.setdefault(dialect, {})
    manager = managers.get((text, verify))
    if manager is None:
        manager = managers[text, verify] = PassManager.parse(text, dialect.context)
        manager.enable_verifier(verify)
    manager.run(module.operation)


# Listing

@dataclass(frozen=True)
class Listed:
    """What mlir-opt says about a pass: its summary, and its options with theirs."""

    summary: str
    options: tuple[tuple[str, str], ...]


@cache
def upstream_passes() -> dict[str, Listed]:
    """Upstream passes by name, as the mlir-opt of the same package version lists them; empty if there is none."""
    tools = [Path(place) / "bin" / "mlir-opt" for place in mlir.__path__]
    tool = next((t for t in tools if t.exists()), None)
    if tool is None:
        return {}
    text = subprocess.run([tool, "--list-passes"], capture_output=True, text=True).stdout
    found: dict[str, Listed] = {}
    name = ""
    for line in text.splitlines():
        entry = re.match(r"^(  |    )--(\S+?)\s+-\s+(.*)$", line)
        if entry is None:
            continue
        if entry[1] == "  ":
            name = entry[2]
            found[name] = Listed(entry[3], ())
        elif name:
            found[name] = Listed(found[name].summary, (*found[name].options, (entry[2], entry[3])))
    return found


def suggestion(name: str, more: tuple[str, ...] = ()) -> str:
    """`; did you mean 'x'?` if a pass (or one of `more`) is named much alike, else a pointer to the list."""
    from .registry import PASSES
    close = difflib.get_close_matches(name, [*PASSES, *more, *upstream_passes()], n=1, cutoff=0.75)
    return f"; did you mean '{close[0]}'?" if close else "; see --list-passes"
