"""morok-tune: looks after the schedules that searches have found (docs/tuning.md).

    morok-tune show                       each kernel, its schedule, its time and the heuristic's
    morok-tune export -o schedules.json
    morok-tune import schedules.json
    morok-tune clear
"""
from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..runtime.config import environment_config
from ..runtime.tuning.database import Entry, TuningDatabase, exported, imported
from .diagnostics import ToolError
from .flags import TEXT, Parsed, parse_flags
from .source import read_file
from .tool import Tool, run_tool

COMMANDS = ("show", "export", "import", "clear")


class MorokTune(Tool):
    """The tool."""

    name = "morok-tune"
    overview = "Shows, exports, imports or clears the tuning database: the schedules that MOROK_BEAM has found."
    usage = "[flags] show | export | import <file, - for standard input> | clear"

    def register_flags(self) -> None:
        self.register_flag("help", "show this help")
        self.register_flag("version", "show the version")
        self.register_flag("o", "write to this file instead of standard output", TEXT, "file")
        self.register_flag("cache-dir", "the cache directory that holds the database (default: MOROK_CACHE_DIR, or ~/.cache/morok)", TEXT, "directory")
        self.register_flag("python-traceback", "show where in Python an internal error arose")

    def parse_arguments(self, arguments: Sequence[str]) -> Parsed:
        return parse_flags(["--help" if a == "-h" else a for a in arguments], self.flags)

    def run(self) -> int:
        if self.options.others:
            raise ToolError(f"unknown flag '--{self.options.others[0][0]}'; see --help")
        command, *files = self.options.inputs or [""]
        if command not in COMMANDS:
            raise ToolError(f"takes one of {', '.join(COMMANDS)}" + (f", not '{command}'" if command else "; see --help"))
        if len(files) != (command == "import"):
            raise ToolError("import takes one file, - for standard input" if command == "import" else f"{command} takes no file")
        directory = self.options.text("cache-dir") or environment_config().cache_dir
        database = TuningDatabase(Path(os.path.abspath(directory), "tuning", "tuning.sqlite3"))
        if command == "show":
            self.write_output(shown(database).encode())
        elif command == "export":
            self.write_output(exported(database.entries()).encode())
        elif command == "clear":
            self.write_output(f"{database.clear()} schedules removed from {database.path}\n".encode())
        else:
            self.write_output(import_into(database, *read_file(files[0], self.stdin)).encode())
        return 0


def import_into(database: TuningDatabase, file: str, data: bytes) -> str:
    """Enters an exported file; what there is to say about it."""
    try:
        entries = imported(data.decode())
    except ValueError as error:  # UnicodeDecodeError and TuningError are some
        raise ToolError(f"{file}: {error}") from None
    if entries and not database.put(*entries):
        raise ToolError(f"cannot write '{database.path}'")
    return f"{len(entries)} schedules entered in {database.path}\n"


def shown(database: TuningDatabase) -> str:
    """The entries for people."""
    entries = database.entries()
    lines = [f"{database.path}: {len(entries)} schedules"]
    for entry in entries:
        lines += ["", *_lines(entry)]
    return "\n".join(lines) + "\n"


def _lines(entry: Entry) -> list[str]:
    gain = entry.heuristic_seconds / entry.seconds if entry.seconds else 1.0
    return [entry.kernel, f"  {entry.key}  {entry.cpu}, {entry.threads} threads, {entry.backend}, {entry.versions}", f"  opts: {entry.opts or '-'}",
            f"  {entry.seconds * 1e6:.1f} us; the heuristic's schedule {entry.heuristic_seconds * 1e6:.1f} us, {gain:.2f} times as long; "
            f"{entry.candidates} schedules tried"]


def main() -> None:
    run_tool(MorokTune())


if __name__ == "__main__":
    main()
