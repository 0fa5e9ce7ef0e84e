"""The other names that arguments have, as signatures declare them for type checkers: `**other: Unpack[OneDim]` lets a call say `dim=` for `axis=`.

`also_named` and `reduction` (arguments.py) put each under the parameter's own name, before the function sees it, and refuse all others.
"""
from __future__ import annotations

from typing import Any, TypedDict

from .annotations import Axes, ShapeLike


class OneDim(TypedDict, total=False):
    """PyTorch's name of an axis."""
    dim: int | None


class Dim(TypedDict, total=False):
    """PyTorch's name of an axis or several."""
    dim: Axes


class Dims(Dim, total=False):
    """PyTorch's names of several axes."""
    dims: Axes


class OneAxis(TypedDict, total=False):
    """NumPy's name of an axis."""
    axis: int | None


class SeveralAxes(TypedDict, total=False):
    """NumPy's name of an axis or several."""
    axis: Axes


class Keepdims(TypedDict, total=False):
    """NumPy's name of whether an axis stays."""
    keepdims: bool


class AxisKeepdims(OneAxis, Keepdims, total=False):
    """NumPy's names of an axis, and of whether it stays."""


class AxisValue(OneAxis, total=False):
    """NumPy's name of an axis, and PyTorch's of a number in place of a source."""
    value: Any


class StartEndAxis(TypedDict, total=False):
    """The first and the last of several axes."""
    start_axis: int
    end_axis: int


class OfReduction(TypedDict, total=False):
    """PyTorch's name of the axes, NumPy's of whether they stay, and the place for results that NumPy passes on as None."""
    dim: Axes
    keepdims: bool
    out: None


class Ddof(TypedDict, total=False):
    """NumPy's name of what is taken off the number of elements."""
    ddof: Any


class OfVariance(OfReduction, Ddof, total=False):
    """Those of reductions and of what is taken off the number of elements."""


class OfQuantile(Dim, total=False):
    """PyTorch's and NumPy's names of the axes, of whether they stay, and of what lies between two elements."""
    keepdims: bool
    interpolation: str


class OneWeight(TypedDict, total=False):
    """PyTorch's name of weights."""
    weight: Any


class InOutDims(TypedDict, total=False):
    """PyTorch's names of the mapped axes."""
    in_dims: Any
    out_dims: Any


class Size(TypedDict, total=False):
    """NumPy's name of the shape of what is drawn."""
    size: ShapeLike | None


class LocScaleSize(Size, total=False):
    """NumPy's names of mean, standard deviation and shape."""
    loc: Any
    scale: Any
