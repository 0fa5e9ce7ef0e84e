"""Pictures of the lazy graph: what a value is computed from, as a drawing for notebooks and files.

    Tensor.visualize() -> Picture        an ellipse for each operation, a box for each tensor in memory; arrows go from operands to results

The picture is text in Graphviz's language; `pygraphviz`, which brings Graphviz with it, draws it. Constants stand in the label of what uses them, shapes that
it sees its operands in (reshape, expand) at the arrows. Of a graph that is too large, what is nearest to the results is shown.
"""
from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import MissingPackageError, OptionError
from ..graph.tensor_graph import GRAPH, TensorUOp

FORMATS = ("svg", "png", "pdf", "dot")
SHOWN_OPERATIONS = 200
_STYLE = ('rankdir=TB; bgcolor="transparent"; node [fontname="Helvetica" fontsize=10 height=0.3 margin="0.08,0.04" style=filled]; '
          'edge [fontname="Helvetica" fontsize=8 arrowsize=0.6 color="#666666"];')
_MEMORY, _OPERATION, _RESULT, _REST = "#cfe2f3", "#f3f3f3", "#fce5cd", "#ffffff"


class Picture:
    """A drawing of a graph: notebooks show it, `save` writes it.

        picture = (Tensor([1.0, 2.0]) * 2 + 1).visualize()
        picture.operations      # 2

    `dot` is its text in Graphviz's language, `operations` how many operations the whole graph has.
    """

    def __init__(self, dot: str, operations: int) -> None:
        self.dot, self.operations = dot, operations

    def __repr__(self) -> str:
        return f"Picture of {self.operations} operations; save(path) writes it as {', '.join(FORMATS)}"

    def svg(self) -> str:
        """As SVG. MissingPackageError without pygraphviz."""
        text: str = self._drawn("svg").decode()
        return text[text.index("<svg"):]

    _repr_svg_ = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the drawing in the format that the name ends in: svg, png, pdf, or dot for Graphviz's text. OptionError for another, MissingPackageError
        without pygraphviz (which dot does not need)."""
        kind = Path(path).suffix[1:].lower()
        if kind not in FORMATS:
            raise OptionError(f"a picture is saved as {', '.join(FORMATS)}, not {Path(path).name!r}; let the name end in one of them")
        Path(path).write_bytes(self.dot.encode() if kind == "dot" else self._drawn(kind))

    def _drawn(self, kind: str) -> Any:
        try:
            import pygraphviz
        except ImportError:
            raise MissingPackageError("drawing a graph needs the package pygraphviz: pip install 'morok[notebook]'; the text for Graphviz is picture.dot, "
                                      "which save('graph.dot') writes") from None
        return pygraphviz.AGraph(string=self.dot).draw(format=kind, prog="dot")


def can_draw() -> bool:
    """Whether pygraphviz is there."""
    from importlib.util import find_spec
    return find_spec("pygraphviz") is not None


def picture_of(results: Sequence[TensorUOp], most: int = SHOWN_OPERATIONS) -> Picture:
    """What the results are computed from, `most` operations of it."""
    with GRAPH.lock:
        shown, total = _nearest(results, most)
        return Picture(_text(shown, results, total), total)


def count_operations(results: Sequence[TensorUOp], most: int) -> int:
    """Operations that a picture would show; more than `most` count as one more."""
    with GRAPH.lock:
        seen: set[TensorUOp] = set()
        stack = list(results)
        while stack and len(seen) <= most:
            u = stack.pop()
            if u not in seen:
                seen.add(u)
                stack += _drawn_operands(u)
        return sum(u.name != "buffer" for u in seen)


def _nearest(results: Sequence[TensorUOp], most: int) -> tuple[dict[TensorUOp, int], int]:
    """The values that are shown, in order of their distance from the results, and how many operations there are in all."""
    order: dict[TensorUOp, int] = {}
    layer = list(dict.fromkeys(results))
    while layer:
        for u in layer:
            order[u] = len(order)
        layer = [o for o in dict.fromkeys(o for u in layer for o in _drawn_operands(u)) if o not in order]
    total = sum(u.name != "buffer" for u in order)
    shown: dict[TensorUOp, int] = {}
    operations = 0
    for u in order:
        operations += u.name != "buffer"
        if operations > most:
            break
        shown[u] = len(shown)
    return shown, total


_SEEN_THROUGH = ("reshape", "expand", "detach")


def _drawn_operands(u: TensorUOp) -> list[TensorUOp]:
    """Operands but for constants, places and sizes, before they are reshaped and expanded."""
    return [] if u.name == "buffer" else [_source(o) for o in u.operands if hasattr(o.type, "shape") and _constant(o) is None]


def _source(u: TensorUOp) -> TensorUOp:
    while u.name in _SEEN_THROUGH:
        u = u.operands[0]
    return u


def _constant(u: TensorUOp) -> Any:
    """The number that all elements are, of a constant or what expands one."""
    u = _source(u)
    return u.attribute("value") if u.name == "const" else None


def _text(shown: dict[TensorUOp, int], results: Sequence[TensorUOp], total: int) -> str:
    lines = ["digraph morok {", f"    {_STYLE}"]
    ends = set(results)
    cut = 0
    for u, number in shown.items():
        shape, fill = ("box", _MEMORY) if u.name == "buffer" else ("ellipse", _RESULT if u in ends else _OPERATION)
        tooltip = f"{u.loc[0]}:{u.loc[1]}" if u.loc else u.name
        lines.append(f"    n{number} [shape={shape} fillcolor={_quoted(fill)} label={_quoted(_label(u))} tooltip={_quoted(tooltip)}];")
        for o in [] if u.name == "buffer" else u.operands:
            if not hasattr(o.type, "shape") or _constant(o) is not None:
                continue
            source: Any = _source(o)
            if source in shown:
                seen_as = "" if source.type.shape == o.type.shape else f" [label={_quoted(' ' + _sizes(o))}]"
                lines.append(f"    n{shown[source]} -> n{number}{seen_as};")
            else:
                lines.append(f"    rest -> n{number} [style=dashed];")
                cut += 1
    if cut:
        hidden = total - sum(u.name != "buffer" for u in shown)
        lines.append(f'    rest [shape=plaintext fillcolor="{_REST}" label="{hidden} more operations"];')
    return "\n".join([*lines, "}", ""])


def _label(u: TensorUOp) -> str:
    """What is done, and the result's shape and dtype."""
    return f"{_description(u)}\n{_sizes(u)} {u.type.dtype}"  # type: ignore[union-attr]


def _sizes(u: TensorUOp) -> str:
    return " × ".join(str(s) if isinstance(s, int) and s >= 0 else "?" for s in u.type.shape) or "0-d"  # type: ignore[union-attr]


def _description(u: TensorUOp) -> str:
    if u.name == "buffer":
        return "memory"
    if _constant(u) is not None:
        return _number(_constant(u))
    if u.name == "reduce_axis":
        name = {"add": "sum", "mul": "prod"}.get(u.attribute("op"), u.attribute("op"))
        return f"{name} over {_listed(u.attribute('axes'))}"
    if u.name in ("permute", "flip"):
        return f"{u.name} {_listed(u.attributes[0])}"
    if u.name == "pad":
        return f"pad {_listed(u.attribute('low'))} {_listed(u.attribute('high'))}"
    if u.name == "shrink":
        return f"shrink from {_listed(u.attribute('begin'))}"
    constants = [_constant(o) if hasattr(o.type, "shape") else None for o in u.operands]
    if any(c is not None for c in constants):
        return f"{u.name}({', '.join('·' if c is None else _number(c) for c in constants)})"
    return str(u.name)


def _listed(numbers: Any) -> str:
    return ", ".join("?" if not isinstance(n, int) or n < 0 else str(n) for n in numbers)


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
