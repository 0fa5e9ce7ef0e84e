"""A bar chart of what `compare.py` measured: `python bench/comparison_chart.py compare.json chart.svg`. Needs matplotlib.

A bar is the ratio to the best peer, a mark the ratio to each; right of the line at 1 morok is faster.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib
from comparison import OURS, ratio, timed

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

MARKS = {"numpy": "o", "torch": "s", "torch-compile": "D", "jax": "^"}
COLOURS = {"numpy": "#1f77b4", "torch": "#ff7f0e", "torch-compile": "#8c564b", "jax": "#9467bd"}


def bar_colour(value: float) -> str:
    return "#8fd19e" if value >= 1 else "#ffe08a" if value >= 0.9 else "#f4a6a0"


def draw(results: dict[str, Any], path: Path) -> None:
    records = [r for r in results["workloads"] if ratio(r, min) is not None]
    figure, axes = plt.subplots(figsize=(10, 1.6 + 0.27 * len(records)))
    ratios = [ratio(r, min) for r in records]
    axes.barh(range(len(records)), [v - 1 for v in ratios], left=1, color=[bar_colour(v) for v in ratios], height=0.7)
    for peer, mark in MARKS.items():
        points = [(min(theirs) / min(timed(r, OURS)), i) for i, r in enumerate(records) if (theirs := timed(r, peer))]
        if points:
            axes.scatter(*zip(*points), marker=mark, s=22, color=COLOURS[peer], label=f"{peer} {results['versions'][peer]}", zorder=3)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set_yticks(range(len(records)), [r["name"] for r in records])
    axes.set_ylim(len(records) - 0.4, -0.6)
    axes.set_xlabel("the peer's time over morok's, least of the rounds; the bar ends at the best peer")
    mean = results["summary"]["geometric_mean"]
    axes.set_title(f"{results['machine']['processor']}, {results['threads']} threads" + (f"; geometric mean of the table {mean:.2f}" if mean else ""))
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="best", fontsize="small")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
