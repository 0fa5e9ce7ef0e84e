"""What the tools say about themselves: help, the list of passes, the dialects known."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from mlir import ir

from ..dialect.context import DialectContext
from ..passes.registry import PASSES, Pass
from ..passes.upstream import upstream_passes
from .diagnostics import Collector
from .flags import Flag


def columns(rows: Iterable[tuple[str, str]], indent: str = "  ", width: int = 40) -> list[str]:
    """Lines of two columns; a heading too long for its column pushes the text on the same line."""
    return [f"{indent}{heading:<{width}} - {text}" for heading, text in rows]


def option_rows(cls: type[Pass]) -> list[tuple[str, str]]:
    """The options of a pass and their defaults."""
    fields: Any = dataclasses.fields(cls)  # type: ignore[arg-type]
    return [(f"--{f.name.replace('_', '-')}=<{type(f.default).__name__}>", f"default {_default_text(f.default)}") for f in fields]


def _default_text(value: Any) -> str:
    """A default as the command line takes it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def help_text(tool: str, overview: str, usage: str, flags: Iterable[Flag]) -> str:
    """The help of a tool: its flags."""
    lines = [f"OVERVIEW: {overview}", "", f"USAGE: {tool} {usage}", "", "FLAGS:", *columns((flag.heading(), flag.help) for flag in flags)]
    return "\n".join(lines) + "\n"


def pass_summaries() -> str:
    """One line for each pass, ours and upstream's."""
    own = columns((f"--{name}", cls.summary()) for name, cls in sorted(PASSES.items()))
    upstream = columns((f"--{name}", listed.summary) for name, listed in upstream_passes().items())
    heading = "PASSES (run in the order given, with options as --pass='option=value ...'):"
    return "\n".join([heading, *own, "", "UPSTREAM PASSES:", *upstream]) + "\n"


def pass_list() -> str:
    """Each pass with its options; ours with the form that it expects."""
    lines = ["Passes (in brackets the form that each expects):"]
    for name, cls in sorted(PASSES.items()):
        lines += columns([(f"--{name}", f"{cls.summary()} [{cls.form}]")])
        lines += columns(option_rows(cls), indent="    ", width=38)
    lines.append("Upstream passes:")
    for name, listed in upstream_passes().items():
        lines += columns([(f"--{name}", listed.summary)])
        lines += columns([(f"--{option}", text) for option, text in listed.options], indent="    ", width=38)
    return "\n".join(lines) + "\n"


def dialect_names(dialect: DialectContext) -> Sequence[str]:
    """The dialects that a context knows, from the list that MLIR gives to whoever asks for another."""
    with Collector(dialect.context, "-") as collector:
        try:
            ir.Module.parse("no_such_dialect.op", dialect.context)
        except ir.MLIRError:
            pass
    notes = [note.message for d in collector.found for note in d.notes]
    listed = next((n for n in notes if "Available dialects:" in n), "").partition("Available dialects:")[2]
    names = listed.partition("(* corresponding")[0].partition(";")[0].split(",")
    return [name.replace("(*)", "").strip() for name in names if name.strip()]
