"""The comparison with other libraries, on small sizes; NumPy and morok alone need to be installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from comparison import geometric_mean, ratio
from peers import as_tuple, vocabulary
from remote_peer import environment
from workloads import exactly, same, small, workloads

BENCH = Path(__file__).resolve().parents[3] / "bench"
SMALL = workloads(small)
NUMPY, MOROK = vocabulary("numpy", 1), vocabulary("morok", 1)


def record(name="w", listed=True, **seconds):
    """What was measured, in times of each peer."""
    return {"name": name, "listed": listed, "peers": {peer: {"wrong": False, "seconds": times} for peer, times in seconds.items()}}


def compare(folder, *arguments, **variables):
    return subprocess.run([sys.executable, str(BENCH / "compare.py"), "--scale", "small", "--rounds", "2", "--least", "0.0001", "--threads", "1",
                           "--output", str(folder), *arguments], capture_output=True, text=True, env=os.environ | variables)


@pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.name)
def test_workload_means_the_same_to_numpy_and_morok(workload):
    arrays = workload.arrays()
    exact = as_tuple(workload.compute(NUMPY, *map(exactly, arrays)))
    computed = MOROK.numpy(MOROK.ready(workload.compute, [MOROK.array(a, i.dtype) for a, i in zip(arrays, workload.inputs)])())
    assert [r.shape for r in computed] == [np.shape(e) for e in exact]
    for result, wanted in zip(computed, exact):
        assert np.abs(result - wanted).max() <= workload.tolerance * np.abs(wanted).max()


def test_every_workload_has_a_name_of_its_own_and_twenty_are_the_tables():
    names = [w.name for w in workloads(same)]
    assert len(set(names)) == len(names)
    assert sum(w.listed for w in SMALL) == 20
    assert len(names) >= 40


def test_missing_peers_are_named_and_the_others_compared(tmp_path):
    for module in ("torch", "jax"):
        (tmp_path / f"{module}.py").write_text("raise ImportError('not installed here')")
    path = os.pathsep.join([str(tmp_path), str(BENCH.parent)])
    done = compare(tmp_path, "softmax", "16-element", "conv 1x1", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    assert all(f"{peer} is skipped: not installed here" in done.stderr for peer in ("torch", "torch-compile", "jax"))
    assert done.stderr.count("bench/requirements.txt installs the peers; --python names the interpreter") == 1
    assert f"every sample: {tmp_path / 'compare.json'}" in done.stderr
    results = json.loads((tmp_path / "compare.json").read_text())
    assert set(results["versions"]) == {"morok", "numpy"}
    assert len(results["workloads"]) == 5
    for workload in results["workloads"]:
        assert all(len(found["seconds"]) == 2 and not found["wrong"] for found in workload["peers"].values())


def test_unknown_workload_is_refused(tmp_path):
    done = compare(tmp_path, "matmull")
    assert done.returncode == 2 and "no workload has 'matmull' in its name" in done.stderr


def test_ratio_is_to_the_best_peer():
    assert ratio(record(morok=[2.0, 3.0], numpy=[9.0, 8.0], jax=[6.0, 5.0]), min) == 2.5


def test_wrong_peer_is_not_the_best():
    measured = record(morok=[2.0], numpy=[1.0], jax=[4.0])
    measured["peers"]["numpy"]["wrong"] = True
    assert ratio(measured, min) == 2.0


def test_mean_leaves_out_the_last_row_and_what_is_beside_the_table():
    rows = [record(morok=[1.0], numpy=[2.0]), record(morok=[1.0], numpy=[8.0]), record("16-element add", morok=[1.0], numpy=[0.1]),
            record(listed=False, morok=[1.0], numpy=[0.1])]
    assert geometric_mean(rows, min) == pytest.approx(4.0)


def test_numpy_chooses_its_own_kernels(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    assert "OPENBLAS_CORETYPE" not in environment(2, keep_memory=False)
    assert environment(2, keep_memory=False)["OPENBLAS_NUM_THREADS"] == "2"
