"""The user's source line: the first frame outside the package."""
from __future__ import annotations

import pathlib
import sys

from .uop import Location

_PACKAGE = str(pathlib.Path(__file__).resolve().parent.parent) + "/"


def user_location() -> Location | None:
    """File and line of the innermost caller outside morok; None where there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None
