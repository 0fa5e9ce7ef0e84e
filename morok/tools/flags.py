"""Command lines in LLVM's manner: `--name=value` or `-name value`, switches, and flags whose order matters. Nothing is abbreviated."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .diagnostics import ToolError

SWITCH, TEXT, OPTIONAL_TEXT = "switch", "text", "optional text"


@dataclass(frozen=True)
class Flag:
    """A flag: a switch (`--x`, `--x=false`), one that takes a value, or one whose value may be left out."""

    name: str
    help: str
    kind: str = SWITCH
    value: str = ""
    """What the help calls the value."""
    default: str | bool | None = False

    def heading(self) -> str:
        dashes = "-" if len(self.name) == 1 else "--"
        if self.kind == SWITCH:
            return f"{dashes}{self.name}"
        if len(self.name) == 1:
            return f"-{self.name} <{self.value}>"
        return f"{dashes}{self.name}=<{self.value}>" if self.kind == TEXT else f"{dashes}{self.name}[=<{self.value}>]"


@dataclass
class Parsed:
    """What a command line says."""

    values: dict[str, str | bool | None]
    inputs: list[str] = field(default_factory=list)
    others: list[tuple[str, str | None]] = field(default_factory=list)
    """Flags that are not declared, in order, with their values; the declared ones that `ordered` names are among them."""

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def on(self, name: str) -> bool:
        return bool(self.values.get(name))


def parse_flags(arguments: Sequence[str], flags: dict[str, Flag], ordered: Sequence[str] = ()) -> Parsed:
    """Splits a command line; ToolError on a flag that lacks its value or has one that it does not take."""
    parsed = Parsed({flag.name: flag.default for flag in flags.values()})
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            parsed.inputs += rest
            break
        if not argument.startswith("-") or argument == "-":
            parsed.inputs.append(argument)
            continue
        name, equals, given = argument.lstrip("-").partition("=")
        flag = flags.get(name)
        value: str | None = given if equals else None
        if flag is None:
            parsed.others.append((name, value))
            continue
        if flag.kind == TEXT and value is None:
            if not rest:
                raise ToolError(f"{argument}: needs a value: {flag.heading()}")
            value = rest.pop(0)
        if name in ordered:
            parsed.others.append((name, value))
        else:
            parsed.values[name] = _switch(argument, value) if flag.kind == SWITCH else value if value is not None else ""
    return parsed


def _switch(argument: str, value: str | None) -> bool:
    if value is None or value.lower() in ("true", "1"):
        return True
    if value.lower() in ("false", "0"):
        return False
    raise ToolError(f"{argument.partition('=')[0]}: takes true or false, not '{value}'")
