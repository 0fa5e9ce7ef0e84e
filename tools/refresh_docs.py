"""Runs the commands and programs that the documents show and puts their real output there; `--check` says what is stale instead.

In README.md and docs/*.md, a ```console block holds `$ command` lines, each followed by what it printed; a ```python block directly followed by a
```text block holds a program and what it prints.
"""
from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"```(console|python)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
TOOLS = {"morok-opt": "morok.tools.morok_opt", "morok-compile": "morok.tools.morok_compile"}


def run_command(line: str) -> str:
    """The output of one shown command; the project's own tools run as modules, so that nothing needs to be installed."""
    for tool, module in TOOLS.items():
        line = re.sub(rf"(^|\| ?){tool}\b", rf"\g<1>{sys.executable} -m {module}", line)
    line = re.sub(r"^python\b", sys.executable, line)
    done = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, env=_environment())
    return done.stdout + done.stderr


def run_program(source: str) -> str:
    done = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, env=_environment())
    return done.stdout + done.stderr


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _console(body: str) -> str:
    commands = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{run_command(command).rstrip()}\n" for command in commands)


def refreshed(text: str) -> str:
    """The document with all outputs as they are now."""
    def replace(match: re.Match[str]) -> str:
        kind, body, output = match.groups()
        if kind == "console":
            return f"```console\n{_console(body)}```\n"
        if output is None:
            return match[0]
        return f"```python\n{body}```\n\n```text\n{run_program(body)}```\n"
    return BLOCK.sub(replace, text)


def documents() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; name stale documents and exit 1")
    arguments = parser.parse_args()
    stale = []
    for path in documents():
        old = path.read_text()
        new = refreshed(old)
        if new != old:
            stale.append(path)
            if not arguments.check:
                path.write_text(new)
    for path in stale:
        print(f"{path.relative_to(ROOT)}: {'stale; run tools/refresh_docs.py' if arguments.check else 'refreshed'}")
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
