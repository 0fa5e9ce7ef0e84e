"""The disk cache: entries that are right or absent, whatever happens to the directory; known kernels and plans without LLVM or passes."""

import errno
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from morok import Tensor, Variable, dtypes
from morok.codegen import llvm
from morok.graph.registries import KERNELS
from morok.runtime import compiler, configured, current_config, host, kernels, stored_code
from morok.runtime.config import Config
from morok.runtime.disk_cache import MAGIC, DiskCache, disk_cache
from morok.runtime.encoding import decode, encode, type_spelled
from morok.runtime.host import HOSTS
from morok.runtime.realize import RUNTIME
from morok.runtime.stored_code import STORED_KERNELS


@pytest.fixture
def cache(tmp_path):
    return DiskCache(tmp_path / "cache", 1 << 20)


def file_of(cache, key="key"):
    return cache.directory / key


def test_an_entry_comes_back(cache):
    assert cache.get("key") is None
    cache.put("key", b"content")
    assert cache.get("key") == b"content" and cache.get("other") is None
    cache.put("key", b"")
    assert cache.get("key") == b"" and DiskCache(cache.directory, 1 << 20).get("key") == b""
    assert os.stat(cache.directory).st_mode & 0o777 == 0o700 and os.stat(file_of(cache)).st_mode & 0o777 == 0o600
    assert cache.hits == 2 and cache.misses == 2
    assert [p.name for p in cache.directory.iterdir()] == ["key"]
    cache.clear()
    assert cache.get("key") is None


def test_damage_is_no_entry(cache):
    content = bytes(range(40))
    cache.put("key", content)
    whole = file_of(cache).read_bytes()
    for i in range(len(whole)):
        file_of(cache).write_bytes(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1:])
        assert cache.get("key") is None
        file_of(cache).write_bytes(whole[:i])
        assert cache.get("key") is None
    for wrong in (whole + b"x", b"", MAGIC, b"\x7fELF" + whole):
        file_of(cache).write_bytes(wrong)
        assert cache.get("key") is None
    file_of(cache).write_bytes(whole)
    assert cache.get("key") == content


def test_an_entry_of_another_key_is_none(cache):
    cache.put("key", b"content")
    os.rename(file_of(cache), file_of(cache, "other"))
    assert cache.get("other") is None


def test_what_others_could_have_written_is_no_entry(cache):
    cache.put("key", b"content")
    os.chmod(file_of(cache), 0o666)
    assert cache.get("key") is None
    os.chmod(file_of(cache), 0o600)
    assert cache.get("key") == b"content"
    os.rename(file_of(cache), file_of(cache, "elsewhere"))
    os.symlink(file_of(cache, "elsewhere"), file_of(cache))
    assert cache.get("key") is None
    os.unlink(file_of(cache))
    os.mkdir(file_of(cache))
    assert cache.get("key") is None
    os.rmdir(file_of(cache))
    os.mkfifo(file_of(cache))
    assert cache.get("key") is None


def test_a_directory_of_others_is_not_used(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chmod(shared, 0o777)
    cache = DiskCache(shared, 1 << 20)
    cache.put("key", b"content")
    assert not cache.usable and cache.get("key") is None and not list(shared.iterdir())


def test_a_directory_that_cannot_be_is_not_used(tmp_path):
    (tmp_path / "file").write_text("")
    for where in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "nul\0"):
        cache = DiskCache(where, 1 << 20)
        cache.put("key", b"content")
        assert not cache.usable and cache.get("key") is None


@pytest.mark.parametrize("step", ["replace", "fdopen"])
def test_a_full_disk_turns_it_off(cache, monkeypatch, step):
    def full(*_):
        raise OSError(errno.ENOSPC, "no space left on device")
    monkeypatch.setattr(os, step, full)
    cache.put("key", b"content")
    assert not cache.usable and cache.get("key") is None and not list(cache.directory.iterdir())


def test_a_directory_that_vanishes(cache):
    cache.put("key", b"content")
    cache.clear()
    os.rmdir(cache.directory)
    assert cache.get("key") is None
    cache.put("key", b"content")
    assert not cache.usable


def test_the_least_recently_used_go_first(tmp_path):
    cache = DiskCache(tmp_path / "cache", 10_000)
    for i in range(9):
        cache.put(f"k{i}", bytes(1000))
        os.utime(file_of(cache, f"k{i}"), (i, i))
    assert cache.get("k0") is not None  # used now
    cache.put("last", bytes(1000))
    left = {p.name for p in cache.directory.iterdir()}
    assert {"k0", "last"} <= left and "k1" not in left and sum(p.stat().st_size for p in cache.directory.iterdir()) <= 7500
    cache.put("huge", bytes(20_000))
    assert cache.get("huge") is None


# Kernels and plans

@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A disk cache of one's own, and a function that makes the process forget all that is not on disk."""
    monkeypatch.setattr("morok.runtime.disk_cache.is_settled", lambda: True)
    with configured(cache=True, cache_dir=str(tmp_path / "cache")):
        yield forget
    forget()


def forget():
    RUNTIME.plans.clear()
    KERNELS.clear()
    STORED_KERNELS.clear()
    HOSTS.clear()


class Forbidden(Exception):
    pass


def forbid(monkeypatch, *things):
    def refuse(*_, **__):
        raise Forbidden
    for module, name in things:
        monkeypatch.setattr(module, name, refuse)


LLVM = [(stored_code, "object_code"), (llvm, "object_code"), (kernels, "_compile"), (kernels, "optimise"), (host, "llvm_text")]
PASSES = [(compiler, "run_passes"), (kernels, "run_passes")]


def variable_rows():
    n = Variable("n", 1, 9).bind(4)
    return Tensor(np.arange(18, dtype=np.float32).reshape(9, 2))[:n] * 2


GRAPHS = {
    "elementwise": lambda: Tensor(np.arange(5, dtype=np.float32)) * 2 + 1,
    "softmax": lambda: Tensor(np.arange(40, dtype=np.float32).reshape(5, 8)).softmax(-1),
    "matmul": lambda: Tensor(np.arange(64 * 96, dtype=np.float32).reshape(64, 96)) @ Tensor(np.ones((96, 80), np.float32)),
    "threads": lambda: (Tensor(np.ones((700, 700), np.float32)) + 1).sum(0),
    "symbolic": variable_rows,
    "symbolic sum": lambda: variable_rows().sum(0),
    "devices": lambda: (Tensor(np.ones(3, np.float32)) + 1).to("CPU:1") * 2,
    "padding": lambda: Tensor(np.ones((2, 3), np.float64)).pad(((1, 1), (0, 2)), value=float("-inf")),
    "half": lambda: Tensor(np.ones(3, np.float16)).exp() + float("nan"),
    "bools": lambda: Tensor(np.array([True, False])) ^ True,
    "bfloat16": lambda: (Tensor(np.ones(3, np.float32)).cast(dtypes.bfloat16) * 1e-40).cast(dtypes.float32),
    "constant": lambda: Tensor.arange(6).reshape(2, 3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_known_graph_runs_no_passes_and_no_llvm(stored, monkeypatch, name):
    forget()
    expected = GRAPHS[name]().numpy() if "symbolic" != name else GRAPHS[name]().sum().item()
    stored()
    forbid(monkeypatch, *LLVM, *PASSES)
    found = GRAPHS[name]().numpy() if "symbolic" != name else GRAPHS[name]().sum().item()
    np.testing.assert_array_equal(found, expected)


def test_a_known_kernel_in_another_plan_runs_no_llvm(stored, monkeypatch):
    x = Tensor(np.arange(6, dtype=np.float32)).realize()
    expected = (x * 3 + 2).numpy()
    stored()
    forbid(monkeypatch, *LLVM)
    first, second = x * 3 + 2, x * 3 + 2
    Tensor.realize_batch([first])
    stored()
    monkeypatch.setattr("morok.runtime.realize.load_plan", lambda *_: None)
    second = Tensor(x.numpy()) * 3 + 2
    np.testing.assert_array_equal(second.numpy(), expected)


def test_a_known_plan_at_other_values_of_its_variables(stored, monkeypatch):
    def plan():
        n = Variable("n", 1, 9).bind(4)
        return Tensor(np.arange(18, dtype=np.float32).reshape(9, 2))[:n].sum(0).prepare()
    plan()
    stored()
    forbid(monkeypatch, *LLVM, *PASSES)
    again = plan()
    again.execute_with_vars({"n": 7})
    np.testing.assert_array_equal(again.output_buffer_at(0).numpy(), np.arange(18).reshape(9, 2)[:7].sum(0))
    assert "k0" in again.report() and again.num_kernels() == 1


def test_damaged_and_lost_entries_are_made_anew(stored):
    def value():
        return (Tensor(np.arange(6, dtype=np.float32)).softmax() + 1).numpy()
    expected = value()
    directory = disk_cache(current_config()).directory
    names = [p.name for p in directory.iterdir()]
    assert len(names) >= 3
    for name in names:
        for damage in (lambda p: p.unlink(), lambda p: p.write_bytes(p.read_bytes()[:-9]), lambda p: p.write_bytes(b"\0" * 99)):
            stored()
            damage(directory / name)
            np.testing.assert_array_equal(value(), expected)
            assert (directory / name).stat().st_size > 99


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff\xff\xff\xff", b"\x02\0\0\0[]ELF", b"[1,2,3,4,5,6,7,8]", json.dumps([[], [[], []]]).encode()])
def test_entries_of_another_make_are_made_anew(stored, content):
    """Right checksums do not make an entry ours."""
    def value():
        return (Tensor(np.arange(6, dtype=np.float32)) + 1).numpy()
    expected = value()
    found = disk_cache(current_config())
    for name in [p.name for p in found.directory.iterdir()]:
        if found.get(name)[:4] == b"\x7fELF":
            continue  # the host function's object is bare code
        stored()
        found.put(name, content)
        np.testing.assert_array_equal(value(), expected)


def test_options_and_versions_are_part_of_the_key(stored, monkeypatch):
    from morok.runtime import fingerprint
    config = current_config()
    keys = {fingerprint.digest("kernel", c, "text") for c in (config, Config(**{**vars(config), "opt_level": 0}), Config(**{**vars(config), "num_threads": 7}))}
    keys |= {fingerprint.digest("plan", config, "text"), fingerprint.digest("kernel", config, "text2")}
    assert len(keys) == 5
    assert fingerprint.digest("kernel", Config(**{**vars(config), "cache_dir": "/elsewhere"}), "text") in keys
    for name, value in (("__version__", "9.9"), ("_sources", lambda _: iter([("a.py", 1, 2)])), ("_plugins", lambda: iter([("plug", 1, 2, 3)]))):
        with monkeypatch.context() as patch:
            fingerprint._versions.cache_clear()
            fingerprint._environment.cache_clear()
            patch.setattr(fingerprint, name, value)
            assert fingerprint.digest("kernel", config, "text") not in keys
    fingerprint._versions.cache_clear()
    fingerprint._environment.cache_clear()
    assert fingerprint.digest("kernel", config, "text") in keys


def test_other_back_ends_keep_to_themselves(stored):
    with configured(backend="mlir"):
        assert (Tensor(np.ones(3, np.float32)) + 1).numpy()[0] == 2


@pytest.mark.parametrize("options", [dict(cache=False), dict(check=True), dict(debug=1)])
def test_it_can_be_turned_off(tmp_path, options, capsys):
    forget()
    with configured(**{"cache": True, "cache_dir": str(tmp_path / "cache"), **options}):
        (Tensor(np.ones(3, np.float32)) + 1).numpy()
    assert not (tmp_path / "cache").exists()


def test_the_environment_decides():
    assert Config.from_environment({"HOME": "/h"}).cache and Config.from_environment({}).cache_dir == os.path.expanduser("~/.cache/morok")
    config = Config.from_environment({"MOROK_CACHE": "0", "MOROK_CACHE_DIR": "/x", "MOROK_CACHE_LIMIT": "5"})
    assert (config.cache, config.cache_dir, config.cache_limit) == (False, "/x", 5)
    assert Config.from_environment({"XDG_CACHE_HOME": "/y"}).cache_dir == "/y/morok"


PROCESS = """
import sys
from morok import Tensor
from morok.codegen import llvm
from morok.runtime import stored_code
if sys.argv[1] == "second":
    def refuse(*_): raise AssertionError("LLVM ran")
    llvm.object_code = stored_code.object_code = refuse
    import morok.runtime.compiler as compiler, morok.runtime.kernels as kernels
    compiler.run_passes = kernels.run_passes = refuse
x = Tensor([[1.0, 2.0], [3.0, 4.0]])
print((x @ x).softmax(-1).sum().item(), (x + 1).tolist())
"""


def test_another_process_runs_no_llvm(tmp_path):
    env = {**os.environ, "MOROK_CACHE": "1", "MOROK_CACHE_DIR": str(tmp_path / "cache")}
    time.sleep(0.01)

    def run(which):
        return subprocess.run([sys.executable, "-c", PROCESS, which], env=env, capture_output=True, text=True)
    first = run("first")
    assert first.returncode == 0, first.stderr
    if not list((tmp_path / "cache").glob("*")):
        pytest.skip("morok's files were being written")
    second = run("second")
    assert second.returncode == 0, second.stderr
    assert second.stdout == first.stdout


def test_two_processes_at_once(tmp_path):
    env = {**os.environ, "MOROK_CACHE": "1", "MOROK_CACHE_DIR": str(tmp_path / "cache")}
    running = [subprocess.Popen([sys.executable, "-c", PROCESS, "first"], env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    out = [p.communicate()[0] for p in running]
    assert out[0] == out[1] and all(p.returncode == 0 for p in running)


# Encoding

@pytest.mark.parametrize("name", GRAPHS)
def test_encoded_functions_come_back_the_same(name):
    plan = GRAPHS[name]().prepare()
    for stage in plan.compiled.stages:
        bodies = list(stage.program.bodies.values())
        text = json.dumps(encode(bodies))
        again = decode(json.loads(text))
        assert [b.roots for b in again] == [b.roots for b in bodies] and [b.attributes for b in again] == [b.attributes for b in bodies]
        assert [b.arguments for b in again] == [b.arguments for b in bodies] and json.dumps(encode(again)) == text


@pytest.mark.parametrize("text", ["f32", "i1", "index", "tensor<f32>", "tensor<2x?xui8>", "memref<0x3xbf16>", 'memref<4xf64, "local">', "vector<16xf32>",
                                  '!morok.ptr<vector<8xf16>, "global">', '!morok.ptr<f32, "register">', "!morok.token", "!morok.argument"])
def test_types_are_read_back(text):
    from morok.dialect.types import spelling
    assert spelling(type_spelled(text)) == text


@pytest.mark.parametrize("text", ["", "f33", "tensor<2xf33>", "memref<-1xf32>", "vector<?xf32>", "tuple<f32>"])
def test_texts_that_are_no_types(text):
    with pytest.raises((ValueError, KeyError)):
        type_spelled(text)
