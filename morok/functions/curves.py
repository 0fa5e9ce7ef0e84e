"""Functions given by samples: between them (interp), their slope (gradient), the area below them, and polynomials."""
from __future__ import annotations

from typing import Any, Unpack

from ..errors import BoundsError, ShapeError
from ..tensor import dtypes
from ..tensor.arguments import also_named, integer, normal_axes, number
from ..tensor.other_names import Dim, OneDim
from ..tensor.tensor import Tensor
from .joining import cat
from .operands import tensor_of


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None) -> Tensor:
    """Between the points (xp, fp), joined by straight lines, the value at x: NumPy's.

    xp and fp are vectors of equal size, at least one; xp increases, or with `period` is taken modulo it, in any order. The shape of x, in its float dtype
    combined with those of the points; NaN where x is. Before the first point `left` (by default its value), behind the last `right`. Derivatives pass to x and
    fp. ShapeError for other vectors, BoundsError for a period of 0.

        morok.interp([0.5, 2.5], [0.0, 1.0, 2.0], [0.0, 10.0, 20.0])  # [5.0, 20.0]
    """
    points, values = tensor_of(xp), tensor_of(fp)
    if points.ndim != 1 or points.shape != values.shape or points.shape[0] == 0:
        raise ShapeError(f"interp: xp and fp are vectors of equal size, at least one element, not shapes {points.shape} and {values.shape}")
    at = tensor_of(x)
    dtype = (at.reshape(-1)[:1]._floating().cat(points[:1]._floating(), values[:1]._floating())).dtype
    at, points, values = at.cast(dtype), points.cast(dtype), values.cast(dtype)
    if period is not None:
        at, points, values = _within_a_period(at, points, values, abs(number(period, "interp: period")))
        left = right = None
    count: Any = points.shape[0]
    place = points.searchsorted(at, side="right").clamp(1, max(count - 1, 1)) if count > 1 else None
    if place is None:
        found = values.broadcast_to(at.shape) if at.ndim else values.reshape(())
    else:
        x0, x1, y0, y1 = points.take(place - 1), points.take(place), values.take(place - 1), values.take(place)
        inside = (at > points[0]) & (at < points[-1])
        slope = (y1 - y0) / (x1 - x0)
        found = (slope * (at - x0).where(inside, 0.0) + y0).where(inside, values[0].where(at <= points[0], values[-1]))
        found = values[-1].where(at >= points[-1], found)
    if left is not None:
        found = tensor_of(left).cast(dtype).where(at < points[0], found)
    if right is not None:
        found = tensor_of(right).cast(dtype).where(at > points[-1], found)
    return at.where(at.isnan(), found)


def _within_a_period(at: Tensor, points: Tensor, values: Tensor, period: float) -> tuple[Tensor, Tensor, Tensor]:
    """All modulo the period, the points in order, and one more before and behind them."""
    if not period:
        raise BoundsError("interp: the period must not be 0")
    places = points.mod(period)
    order = places.argsort()
    places, values = places.take(order), values.take(order)
    return at.mod(period), cat([places[-1:] - period, places, places[:1] + period]), cat([values[-1:], values, values[:1]])


@also_named(dim="axis")
def gradient(x: Any, *spacing: Any, axis: Any = None, edge_order: int = 1, **other: Unpack[Dim]) -> Any:
    """The slope along an axis, NumPy's: central differences of second order inside, one-sided ones of order `edge_order` (1 or 2) at both ends.

    `spacing` is one distance for all axes, or one for each, or for each a vector of coordinates. A tensor for one axis, a tuple for several (default: all),
    the tensor's shape each; integers become floats. ShapeError for an axis of fewer than edge_order + 1 elements or another number of distances.

        morok.gradient([1.0, 2.0, 4.0, 7.0])  # [1.0, 1.5, 2.5, 3.0]
    """
    t = tensor_of(x)._floating()
    axes = normal_axes(axis, t.ndim, "gradient") if not isinstance(axis, (tuple, list)) else tuple(normal_axes(a, t.ndim, "gradient")[0] for a in axis)
    if edge_order not in (1, 2):
        raise BoundsError(f"gradient: edge_order is 1 or 2, not {edge_order!r}")
    given = spacing if spacing else (1.0,)
    if len(given) not in (1, len(axes)) or len(given) == 1 and len(axes) > 1 and tensor_of(given[0]).ndim:
        raise ShapeError(f"gradient: takes a distance for all axes or one for each of {len(axes)}, given {len(given)}")
    steps = given * len(axes) if len(given) == 1 else given
    found = tuple(_slope(t.moveaxis(a, -1), step, edge_order, a).moveaxis(-1, a) for a, step in zip(axes, steps))
    return found[0] if len(found) == 1 and not isinstance(axis, (tuple, list)) else found


def _slope(t: Tensor, spacing: Any, edge_order: int, axis: int) -> Tensor:
    size: Any = t.shape[-1]
    if size < edge_order + 1:
        raise ShapeError(f"gradient: axis {axis} has {size} elements; edge_order {edge_order} needs {edge_order + 1}")
    step = tensor_of(spacing)
    if step.ndim > 1 or step.ndim and step.shape[0] != size:
        raise ShapeError(f"gradient: the coordinates of axis {axis} are a vector of {size}, not of shape {step.shape}")
    d = (step[1:] - step[:-1]).cast(t.dtype) if step.ndim else step.cast(t.dtype).broadcast_to((size - 1,))
    before, behind = d[:-1], d[1:]
    low, middle, high = t[..., :-2], t[..., 1:-1], t[..., 2:]
    inner = ((behind / before) * (middle - low) + (before / behind) * (high - middle)) / (before + behind) if step.ndim else (high - low) / (before + behind)
    if edge_order == 1:
        first, last = (t[..., 1:2] - t[..., :1]) / d[:1], (t[..., -1:] - t[..., -2:-1]) / d[-1:]
    else:
        first, last = _edge(t[..., 0:1], t[..., 1:2], t[..., 2:3], d[:1], d[1:2]), _edge(t[..., -1:], t[..., -2:-1], t[..., -3:-2], -d[-1:], -d[-2:-1])
    return cat([first, inner, last], -1)


def _edge(end: Tensor, second: Tensor, third: Tensor, near: Tensor, far: Tensor) -> Tensor:
    """The slope at the end of the parabola through three points."""
    return ((second - end) / near) * ((near + far + near) / (near + far)) - ((third - second) / far) * (near / (near + far))


@also_named(dim="axis")
def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, **other: Unpack[OneDim]) -> Tensor:
    """Running areas below the curve through y, by trapezia: element i is the area up to point i + 1. PyTorch's.

    y's shape with one element fewer on the axis; `x` are the points' coordinates, or `dx` their distance. Errors are those of Tensor.trapezoid.

        morok.cumulative_trapezoid([1.0, 2.0, 3.0])  # [1.5, 4.0]
    """
    t = tensor_of(y)._floating()
    (along,) = normal_axes(axis, t.ndim, "cumulative_trapezoid")
    rows = t.moveaxis(along, -1)
    width = dx
    if x is not None:
        points = tensor_of(x)
        if points.shape[-1:] != rows.shape[-1:]:
            raise ShapeError(f"cumulative_trapezoid: x of shape {points.shape} has not the {rows.shape[-1]} points of y on axis {along}")
        width = points[..., 1:] - points[..., :-1] if points.ndim == 1 else (lambda p: p[..., 1:] - p[..., :-1])(points.moveaxis(along, -1))
    return ((rows[..., 1:] + rows[..., :-1]) * 0.5 * width).cumsum(-1).moveaxis(-1, along)


def polyval(p: Any, x: Any) -> Tensor:
    """The polynomial with the coefficients p, that of the greatest power first, at x, by Horner's rule.

    p is a vector; the shape of x, dtypes combine. ShapeError for coefficients that are no vector.

        morok.polyval([1.0, 0.0, -1.0], [2.0, 3.0])  # [3.0, 8.0]
    """
    coefficients, t = tensor_of(p), tensor_of(x)
    if coefficients.ndim != 1:
        raise ShapeError(f"polyval: the coefficients are a vector, not of shape {coefficients.shape}")
    dtype = dtypes.promote(coefficients.dtype, t.dtype)
    found = t.cast(dtype).zeros_like()
    for i in range(integer(coefficients.shape[0], "polyval: the number of coefficients")):
        found = found * t + coefficients[i]
    return found
