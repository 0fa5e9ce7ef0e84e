"""Whether gradients are recorded: `with morok.no_grad():`, `with morok.enable_grad():`, also as decorators."""
from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any, Self

from ..tracing import TRACING


class _Recording(ContextDecorator):
    unrecorded: bool

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> Self:
        self._before.append(TRACING.set_unrecorded(self.unrecorded))
        return self

    def __exit__(self, *_: Any) -> None:
        TRACING.set_unrecorded(self._before.pop())

    def _recreate_cm(self) -> Self:
        return type(self)()


class no_grad(_Recording):
    """What is read within is cut off from gradients; variables may be written there.

        with morok.no_grad():
            w -= 0.1 * w.grad
    """

    unrecorded = True


class enable_grad(_Recording):
    """Gradients are recorded within, also inside a no_grad().

        with morok.no_grad(), morok.enable_grad():
            morok.is_grad_enabled()
    """

    unrecorded = False


def is_grad_enabled() -> bool:
    """Whether gradients are recorded here.

        morok.is_grad_enabled()
    """
    return not TRACING.unrecorded
