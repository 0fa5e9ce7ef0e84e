"""What people see of a tensor: its repr, HTML for notebooks, a picture of the graph. None computes anything."""
from __future__ import annotations

import os
from html import escape
from typing import Any

import numpy as np

from .arguments import integer
from .in_place import InPlaceMethods
from .known_values import known_array
from .pictures import SHOWN_OPERATIONS, Picture, can_draw, count_operations, picture_of

SHOWN_ELEMENTS = 1000
"""Of a greater array, the first and last three along each axis are shown."""
_INLINE_OPERATIONS = 60
"""Of a greater graph, HTML shows no picture of itself: visualize() does."""


class DisplayMethods(InPlaceMethods):
    __slots__ = ()

    def __repr__(self) -> str:
        values = self._text("Tensor(")
        return f"Tensor({self._facts()}, not computed yet)" if values is None else f"Tensor({values}, {self._facts()})"

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and self.numel() == 1 else format(repr(self), spec)

    def _facts(self) -> str:
        return f"shape={self.shape}, dtype={self.dtype}, device={self.device!r}{', requires_grad=True' if self.requires_grad else ''}"

    def _text(self, prefix: str) -> str | None:
        """The first values as NumPy prints them; None where they are not computed yet."""
        array = known_array(self)
        return None if array is None else np.array2string(array, separator=", ", prefix=prefix, threshold=SHOWN_ELEMENTS)

    def _repr_html_(self) -> str:
        """For notebooks: shape, dtype, device, and the first values, or a picture of what is yet to be computed."""
        values = self._text("")
        facts = f"<div style='font-family: monospace'><b>Tensor</b> {escape(self._facts())}</div>"
        if values is not None:
            return f"<div class='morok-tensor'>{facts}<pre style='margin: 0.3em 0'>{escape(values)}</pre></div>"
        picture = ""
        if can_draw() and count_operations([self.stored_uop], _INLINE_OPERATIONS) <= _INLINE_OPERATIONS:
            picture = f"<details><summary>graph</summary>{self.visualize().svg()}</details>"
        return f"<div class='morok-tensor'>{facts}<div style='font-family: monospace'><i>not computed yet</i></div>{picture}</div>"

    def visualize(self, file: str | os.PathLike[str] | None = None, limit: int = SHOWN_OPERATIONS) -> Picture:
        """A picture of the graph that this value would be computed from; notebooks show it. Nothing is computed. With `file`, it is also written there: svg,
        png, pdf, or dot. Of more operations than `limit`, the nearest to the result are shown. `morok.visualize` draws several tensors.

        OptionError for a file of another kind; MissingPackageError for drawing (dot is no drawing) without pygraphviz, which `morok[notebook]` brings.

            x = Tensor([1.0, 2.0])
            (x * 2 + x).sum().visualize().operations      # 3
        """
        return visualize(self, file=file, limit=limit)


def visualize(*tensors: Any, file: str | os.PathLike[str] | None = None, limit: int = SHOWN_OPERATIONS) -> Picture:
    """A picture of the graph that tensors of any shapes and dtypes would be computed from, as `Tensor.visualize` draws it of one.

    TypeError for what is no tensor, or none at all; OptionError for a file that is not svg, png, pdf or dot; MissingPackageError for drawing without
    pygraphviz.

        x = Tensor([1.0, 2.0])
        morok.visualize(x + 1, x * 2).operations      # 2
    """
    if not tensors or not all(isinstance(t, DisplayMethods) for t in tensors):
        raise TypeError(f"visualize: takes tensors, not {next((t for t in tensors if not isinstance(t, DisplayMethods)), 'nothing')!r}; give the file by name: "
                        "file='graph.svg'")
    picture = picture_of([t.stored_uop for t in tensors], integer(limit, "visualize: limit"))
    if file is not None:
        picture.save(file)
    return picture
