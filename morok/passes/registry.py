"""Passes: how one is declared, found by name, and given its options.

    @morok_pass("morok-split-ranges", form="range")
    class SplitRanges(Pass):
        '''Splits ranges used with a modulo.'''        # the first line is the summary in --list-passes
        max_factor: int = 64                            # on the command line: morok-split-ranges{max-factor=64}

        def run(self, program: Program) -> None: ...

A pass changes `program.bodies`; one that needs MLIR itself takes `program.module` and calls `program.reread()` after it.
Packages outside add passes through the entry-point group `morok.passes` (modules that are imported for their decorators).
"""
from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

from ..dialect import types as T
from ..errors import OptionError, UnknownPassError
from ..graph.body import Body, Program


class Pass(ABC):
    """A named step over a program. Subclasses are dataclasses whose fields are the options."""

    name: ClassVar[str]
    form: ClassVar[str]
    """The form that the pass expects: tensor, range, kernel, optimised, vector or any."""
    evaluable: ClassVar[bool] = True
    """Whether the interpreter can run what the pass leaves; not where the next pass must complete it."""

    @abstractmethod
    def run(self, program: Program) -> None:
        """Changes the program in place."""

    @classmethod
    def summary(cls) -> str:
        return (cls.__doc__ or "").strip().splitlines()[0]

    def spelling(self) -> str:
        """The pass as a pipeline spells it, with the options that are not at their defaults."""
        given = [f"{f.name.replace('_', '-')}={_text(getattr(self, f.name))}" for f in dataclasses.fields(self) if getattr(self, f.name) != f.default]  # type: ignore[arg-type]
        return self.name + (f"{{{' '.join(given)}}}" if given else "")


class KernelPass(Pass):
    """A pass that rewrites each kernel by itself; on a module without kernels, each function that computes no tensors."""

    def run(self, program: Program) -> None:
        for body in program.kernels() or [body for body in program.bodies.values() if not _has_tensors(body)]:
            program.bodies[body.name] = self.rewrite(body)

    @abstractmethod
    def rewrite(self, body: Body) -> Body:
        """The kernel after the pass."""


def _has_tensors(body: Body) -> bool:
    return any(isinstance(u.type, T.TensorType) for u in (*body.arguments, *body.order()))


PASSES: dict[str, type[Pass]] = {}


def morok_pass(name: str, form: str = "any") -> Callable[[type], type]:
    """Registers a pass under its command-line name."""
    def register(cls: type) -> type:
        made: Any = dataclasses.dataclass(cls)
        made.name, made.form = name, form
        PASSES[name] = made
        return made
    return register


@cache
def load_own_passes() -> None:
    """Imports every module under morok.passes."""
    from .. import passes as package
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)


@cache
def load_passes() -> dict[str, type[Pass]]:
    """All passes by name: morok's, then those of other packages. ImportError names a package whose passes cannot be imported."""
    load_own_passes()
    for entry in importlib.metadata.entry_points(group="morok.passes"):
        try:
            entry.load()
        except Exception as error:
            package = entry.dist.name if entry.dist else "?"
            raise ImportError(f"{entry.value}, an entry point of the package {package}: {type(error).__name__}: {error}") from error
    return PASSES


def find_pass(name: str) -> type[Pass] | None:
    """The pass of that name, if there is one. Other packages are imported only for a name that is not morok's own."""
    load_own_passes()
    return PASSES.get(name) or load_passes().get(name)


def make_pass(name: str, options: dict[str, str] | None = None) -> Pass:
    """The pass of that name with options as text; UnknownPassError and OptionError say what is allowed."""
    cls = find_pass(name)
    if cls is None:
        raise UnknownPassError(f"unknown pass '{name}'; see --list-passes")
    fields = {f.name.replace("_", "-"): f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, text in (options or {}).items():
        if key not in fields:
            raise OptionError(f"{name} has no option '{key}'; it takes {', '.join(fields) or 'none'}")
        values[fields[key].name] = _parse(name, key, fields[key], text)
    return cls(**values)


def at_least(least: int, default: int) -> Any:
    """The field of an integer option that has a least value."""
    return dataclasses.field(default=default, metadata={"least": least})


def _parse(pass_name: str, key: str, field: dataclasses.Field, text: str) -> Any:
    default = field.default
    if isinstance(default, bool):
        if text in ("true", "1", "false", "0"):
            return text in ("true", "1")
        raise OptionError(f"{pass_name}: option {key} takes true or false, not '{text}'")
    if isinstance(default, int):
        least = field.metadata.get("least")
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or least is not None and value < least:
            raise OptionError(f"{pass_name}: option {key} takes an integer{'' if least is None else f' of {least} or more'}, not '{text}'")
        return value
    return text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
