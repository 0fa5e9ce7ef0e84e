"""morok beside NumPy, PyTorch, compiled PyTorch and JAX, on the same arrays with the same number of threads.

    python bench/compare.py                                    # all workloads
    python bench/compare.py --only table                       # the table's twenty
    python bench/compare.py softmax 'matmul 512' --rounds 5    # those whose names contain one of these
    python bench/compare.py --peers numpy                      # beside NumPy alone
    python bench/compare.py --python build/peers/bin/python    # the peers live in another environment, made as bench/requirements.txt says

Each peer is a process of its own, stopped while another has its turn. A round times every peer once, in random order, over as many calls as take
20 ms; all results are checked against NumPy in float64. A cell shows the rate at the least time and at the median. A ratio above 1 says how many
times faster than the best peer morok is, at the least time and at the median; a peer whose result is wrong (!) is no best peer. The geometric
mean is over the table's rows but its last. compare.json has every sample, compare.svg is the chart.

Peers allocate their results anew at each call, as a user has them do, which costs page faults where results are large; an execution plan of morok's
writes where it wrote before. --keep-memory takes that cost away.
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from comparison import LAST, OURS, Record, ratio, shown, summary
from peers import PEERS, as_tuple
from peers.numpy_ops import NumPy
from remote_peer import MissingPeer, PeerError, RemotePeer
from rich.console import Console
from rich.table import Table
from workloads import Workload, exactly, same, small, workloads

ROOT = Path(__file__).resolve().parents[1]
NOTES = Console(stderr=True, highlight=False)


# Measuring


def measure(workload: Workload, peers: Sequence[RemotePeer], options: argparse.Namespace) -> Record:
    found: dict[str, Record] = {}
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        arrays = workload.arrays()
        paths = [save(array, Path(folder) / f"input{i}.npy") for i, array in enumerate(arrays)]
        exact = exact_results(workload, arrays)
        del arrays
        for peer in peers:
            results = Path(folder) / peer.name
            results.mkdir()
            found[peer.name] = prepare(workload, peer, paths, results, exact, options)
    time_in_rounds([p for p in peers if "error" not in found[p.name]], found, options)
    return {"name": workload.name, "unit": workload.unit, "amount": workload.amount, "listed": workload.listed, "peers": found}


def save(array: np.ndarray, path: Path) -> str:
    np.save(path, array)
    return str(path)


def exact_results(workload: Workload, arrays: Iterable[np.ndarray]) -> list[np.ndarray]:
    """In float64."""
    return [np.asarray(r) for r in as_tuple(workload.compute(NumPy(), *map(exactly, arrays)))]


def prepare(workload: Workload, peer: RemotePeer, inputs: list[str], results: Path, exact: list[np.ndarray], options: argparse.Namespace) -> Record:
    """Has the peer compile and run the workload once, and checks what it computed."""
    try:
        reply = peer.ask(options.limit, do="prepare", workload=workload.name, scale=options.scale, inputs=inputs, results=str(results))
    except PeerError as e:
        return {"error": str(e)}
    error = max(relative_error(np.load(path), e) for path, e in zip(reply["results"], exact))
    return {"first_call": reply["seconds"], "relative_error": error, "wrong": not error <= workload.tolerance, "seconds": []}


def relative_error(result: np.ndarray, exact: np.ndarray) -> float:
    """The largest difference, relative to the largest exact value; infinite where the shapes differ."""
    if result.shape != exact.shape:
        return float("inf")
    return float(np.abs(result - exact).max() / max(np.abs(exact).max(), 1e-30))


def time_in_rounds(peers: Sequence[RemotePeer], found: dict[str, Record], options: argparse.Namespace) -> None:
    """One peer after the other, each round in another order. A peer that has used up its time sits out the other rounds."""
    used = dict.fromkeys((p.name for p in peers), 0.0)
    for _ in range(options.rounds):
        for peer in random.sample(peers, len(peers)):
            record = found[peer.name]
            if "error" in record or used[peer.name] > options.budget:
                continue
            start = time.perf_counter()
            try:
                record["seconds"].append(peer.ask(options.limit, do="time", least=options.least)["seconds"])
            except PeerError as e:
                record["error"] = str(e)
            used[peer.name] += time.perf_counter() - start


# Showing


def cell(record: Record, peer: str) -> str:
    found = record["peers"].get(peer)
    if found is None:
        return ""
    if "error" in found or not found["seconds"]:
        return "failed"
    best, middle = (shown(record, least(found["seconds"])) for least in (min, statistics.median))
    return f"{best}{'!' if found['wrong'] else ''} [dim]{middle}[/dim]"


def ratio_cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"[{'green' if value >= 1 else 'yellow' if value >= 0.9 else 'red'}]{value:.2f}[/]"


def row(record: Record, names: Sequence[str]) -> list[str]:
    error = record["peers"].get(OURS, {}).get("relative_error")
    return [record["name"], record["unit"], *(cell(record, n) for n in names), ratio_cell(ratio(record, min)), ratio_cell(ratio(record, statistics.median)),
            "" if error is None else f"{error:.0e}"]


def show(records: Sequence[Record], names: Sequence[str]) -> None:
    console = Console(width=None if sys.stdout.isatty() else 170, highlight=False)
    table = Table("workload", "unit", *names, "ratio", "median", "error", caption_justify="left",
                  caption="rates (or times, of us) at the least time and at the median; ratio and median: how many times faster than the best peer, by each")
    for record in records:
        table.add_row(*row(record, names), end_section=record["name"] == LAST)
    console.print(table)
    for name in names:
        for record in records:
            found = record["peers"].get(name, {})
            if "error" in found:
                console.print(f"{record['name']}: {name} failed: {found['error']}", markup=False)
            elif found.get("wrong"):
                console.print(f"{record['name']}: {name} is wrong by {found['relative_error']:.0e}", markup=False)
    for what, value in summary(records).items():
        if value is not None:
            console.print(f"{what.replace('_', ' ')}: {value:.3f}")


def machine() -> Record:
    model = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    return {"processor": model, "cpus": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()}


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def write_chart(results: Path, chart: Path, pythons: Iterable[str]) -> None:
    """By the first interpreter that has matplotlib."""
    for python in pythons:
        done = subprocess.run([python, str(Path(__file__).with_name("comparison_chart.py")), str(results), str(chart)], capture_output=True, text=True)
        if done.returncode == 0:
            return NOTES.print(f"chart: {chart}", markup=False, soft_wrap=True)
    NOTES.print(f"no chart: {done.stderr.strip().splitlines()[-1]}", markup=False)


# The command


@contextmanager
def started(names: Iterable[str], options: argparse.Namespace) -> Iterator[list[RemotePeer]]:
    """The peers that are installed; those that are not are named."""
    peers: list[RemotePeer] = []
    is_complete = True
    try:
        for name in names:
            try:
                peers.append(RemotePeer(name, sys.executable if name == OURS else options.python, options.threads, options.keep_memory))
            except MissingPeer as e:
                NOTES.print(f"{name} is skipped: {e}", markup=False)
                is_complete = False
        if not is_complete:
            NOTES.print(f"bench/requirements.txt installs the peers; --python names the interpreter that has them, now {options.python}", markup=False,
                        soft_wrap=True)
        yield peers
    finally:
        for peer in peers:
            peer.close()


def run(chosen: Sequence[Workload], options: argparse.Namespace) -> None:
    options.output.mkdir(parents=True, exist_ok=True)
    results, records = options.output / "compare.json", []
    start = machine()
    if start["load"][0] > 0.5:
        NOTES.print(f"the machine does something else: its load is {start['load'][0]:.1f}")
    with started([OURS, *options.peers], options) as peers:
        names = [peer.name for peer in peers]
        about = {"machine": start, "threads": options.threads, "rounds": options.rounds, "keep_memory": options.keep_memory,
                 "versions": {p.name: p.version for p in peers}}
        try:
            for i, workload in enumerate(chosen, 1):
                records.append(measure(workload, peers, options))
                NOTES.print(f"{i}/{len(chosen)}", " | ".join(row(records[-1], names)), soft_wrap=True)
                results.write_text(json.dumps({**about, "summary": summary(records), "workloads": records}, indent=1))
        except KeyboardInterrupt:
            NOTES.print("interrupted: what follows is what was measured")
    if records:
        show(records, names)
        NOTES.print(f"every sample: {results}", markup=False, soft_wrap=True)
        write_chart(results, options.output / "compare.svg", dict.fromkeys([sys.executable, options.python]))


def parse(arguments: Sequence[str] | None) -> tuple[list[Workload], argparse.Namespace]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser.add_argument("workloads", nargs="*", metavar="workload", help="part of a name, ³ typed as 3 or ^3, × as x")
    parser.add_argument("--list", action="store_true", help="print the workloads' names")
    parser.add_argument("--only", choices=["table", "beside"], help="the table's workloads, or the others")
    parser.add_argument("--peers", default=",".join(n for n in PEERS if n != OURS), help="names with commas between them; default: %(default)s")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the peers; default: this one")
    parser.add_argument("--threads", type=int, default=available, help="of every peer; default: the CPUs that this process may use (%(default)s)")
    parser.add_argument("--rounds", type=int, default=15, help="default: %(default)s")
    parser.add_argument("--least", type=float, default=0.02, help="seconds of calls in one round; default: %(default)s")
    parser.add_argument("--budget", type=float, default=20, help="seconds of all rounds of one peer and workload; default: %(default)s")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one request, compilation too; default: %(default)s")
    parser.add_argument("--keep-memory", action="store_true", help="peers' results reuse memory instead of faulting pages in anew (glibc)")
    parser.add_argument("--scale", choices=["full", "small"], default="full", help="small: sizes for tests")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "compare", help="folder for compare.json and compare.svg; default: build/compare")
    options = parser.parse_args(arguments)
    options.peers = [name for name in options.peers.split(",") if name and name != OURS]
    for name in options.peers:
        if name not in PEERS:
            parser.error(f"no peer is named '{name}'; there are: {', '.join(PEERS)}")
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: there is at least one")
    if not 1 <= options.threads <= available:
        parser.error(f"--threads {options.threads}: this process may use {available} CPUs")
    known = workloads(small if options.scale == "small" else same)
    for text in options.workloads:
        if not any(w.is_meant_by(text) for w in known):
            parser.error(f"no workload has '{text}' in its name; there are: {'; '.join(w.name for w in known)}")
    chosen = [w for w in known if (not options.workloads or any(w.is_meant_by(text) for text in options.workloads))
              and (options.only is None or w.listed == (options.only == "table"))]
    return chosen, options


def main(arguments: Sequence[str] | None = None) -> None:
    chosen, options = parse(arguments)
    if options.list:
        print("\n".join(w.name for w in chosen))
    else:
        run(chosen, options)


if __name__ == "__main__":
    main()
