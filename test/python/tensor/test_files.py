"""Saving and loading: round trips, files of other programs, damaged files, full disks."""

import json
import os
import resource
import stat
import struct
import threading
import zipfile

import ml_dtypes
import numpy as np
import pytest
from arrays import ALL, SHAPES, sample

import morok
from morok import Tensor, dtypes, nn
from morok.errors import DeviceError, DTypeError, FormatError, ShapeError

NUMPYS = [d for d in ALL if d is not dtypes.bfloat16]


def is_borrowed(t):
    return t._storage.value.storage.is_borrowed


@pytest.mark.parametrize("end", ["safetensors", "npz"])
def test_round_trips_are_read_in_place(tmp_path, end):
    dts = ALL if end == "safetensors" else NUMPYS
    want = {f"{d}.{i}": np.asarray(sample(s, d)) for d in dts for i, s in enumerate(SHAPES)}
    path = tmp_path / f"a.{end}"
    morok.save({n: Tensor(a) for n, a in want.items()}, path)
    found = morok.load(path)
    assert found.keys() == want.keys()
    for n, t in found.items():
        assert is_borrowed(t) or not t.numel()
        got = t.numpy()
        assert got.dtype == want[n].dtype and got.shape == want[n].shape and got.tobytes() == want[n].tobytes(), n
    assert morok.load(path, device="CPU:1")["float32.1"].device == "CPU:1"
    if end == "npz":
        with np.load(path) as archive:
            assert all(np.array_equal(archive[n], a) for n, a in want.items())


@pytest.mark.parametrize("dtype", NUMPYS, ids=str)
def test_single_arrays(tmp_path, dtype):
    for shape in SHAPES:
        a = np.asarray(sample(shape, dtype))
        morok.save(Tensor(a), tmp_path / "a.npy")
        assert np.array_equal(np.load(tmp_path / "a.npy"), a) and np.array_equal(morok.load(tmp_path / "a.npy").numpy(), a)
        assert morok.load(tmp_path / "a.npy").shape == shape


def test_views_lazy_values_and_arrays(tmp_path):
    t = Tensor(np.arange(12.0).reshape(3, 4))
    given = {"view": t.T[1:], "lazy": t.sum(0) + 1, "array": np.arange(3), "flipped": t.flip(1), "expanded": Tensor(1.0).expand(2, 2)}
    for end in ("safetensors", "npz"):
        morok.save(given, tmp_path / f"a.{end}")
        found = morok.load(tmp_path / f"a.{end}")
        assert all(found[n].tolist() == (v.tolist()) for n, v in given.items())


def test_numpys_own_files(tmp_path):
    a, b = np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3))
    for writer in (np.savez, np.savez_compressed):
        writer(tmp_path / "a.npz", a=a, b=b, c=b.astype("i4"), empty=np.zeros((0, 3)), scalar=np.float32(2))
        found = morok.load(tmp_path / "a.npz")
        assert found["a"].tolist() == a.tolist() and found["b"].tolist() == found["c"].tolist() == b.tolist()
        assert found["empty"].shape == (0, 3) and found["scalar"].tolist() == 2 and found["b"].dtype is dtypes.int32
    np.savez(tmp_path / "none.npz")
    assert morok.load(tmp_path / "none.npz") == {}
    np.save(tmp_path / "f.npy", b.astype("i8"))
    assert morok.load(tmp_path / "f.npy").tolist() == b.tolist()


def test_modules(tmp_path):
    def model():
        return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    first, second = model(), model()
    x = Tensor(sample((5, 3)))
    first(x).realize()
    for end in ("safetensors", "npz"):
        morok.save(first, tmp_path / f"m.{end}")
        second.load_state_dict(morok.load(tmp_path / f"m.{end}"))
        assert second.eval()(x).tolist() == first.eval()(x).tolist()
        (second(x) ** 2).sum().backward()
        assert second[0].weight.grad is not None
    with pytest.raises(ShapeError):
        nn.Linear(3, 5).load_state_dict({"weight": Tensor.zeros(2, 3), "bias": Tensor.zeros(5)})
    with pytest.raises(KeyError, match=r"missing .*unexpected"):
        nn.Linear(3, 4).load_state_dict(morok.load(tmp_path / "m.npz"))


def test_metadata(tmp_path):
    path = tmp_path / "a.safetensors"
    morok.save({"ä/ö": Tensor([1])}, path, metadata={"epoch": "3"})
    assert morok.load_metadata(path) == {"epoch": "3"} and morok.load(path)["ä/ö"].tolist() == [1]
    morok.save({}, path)
    assert morok.load_metadata(path) == {} and morok.load(path) == {}


def test_a_loaded_tensor_can_be_written_and_the_file_replaced(tmp_path):
    path = tmp_path / "a.safetensors"
    morok.save({"w": Tensor([1.0, 2.0])}, path)
    before = morok.load(path)["w"]
    changed = morok.load(path)["w"]
    changed += 1
    morok.save({"w": changed}, path)
    assert before.tolist() == [1, 2] and morok.load(path)["w"].tolist() == [2, 3]
    (tmp_path / "link.safetensors").symlink_to(path)
    os.chmod(path, 0o640)
    morok.save({"w": before}, tmp_path / "link.safetensors")
    assert (tmp_path / "link.safetensors").is_symlink() and morok.load(path)["w"].tolist() == [1, 2]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 and len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("end", ["safetensors", "npz", "npy"])
def test_a_full_disk_leaves_the_old_file(tmp_path, end):
    path = tmp_path / f"a.{end}"
    def wrapped(t):
        return t if end == "npy" else {"a": t}
    morok.save(wrapped(Tensor([1.0])), path)
    old, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    big = wrapped(Tensor(np.zeros(100_000)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(OSError, match="nothing was written"):
            morok.save(big, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == old and list(tmp_path.iterdir()) == [path]


def test_nobody_finds_half_a_file(tmp_path):
    path, wrong = tmp_path / "a.safetensors", []
    morok.save({"a": Tensor.zeros(10_000)}, path)
    done = threading.Event()

    def reader():
        while not done.is_set():
            a = morok.load(path)["a"].numpy()
            if not (a == a[0]).all():
                wrong.append(a)
    thread = threading.Thread(target=reader)
    thread.start()
    for i in range(20):
        morok.save({"a": Tensor.full((10_000 + i,), float(i))}, path)
    done.set()
    thread.join()
    assert not wrong


# Damaged files

def packed(header, data=b"\0" * 24):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2, 3), place=(0, 24)):
    return {"dtype": dtype, "shape": shape, "data_offsets": place}


DAMAGED = {
    "empty": (b"", FormatError, "empty"), "text": (b"hello, world", FormatError, "neither"), "short": (b"abc", FormatError, "neither"),
    "header too long": (struct.pack("<Q", 1000) + b"{" + b" " * 50, FormatError, "truncated"),
    "no JSON": (packed(b"{abc}   "), FormatError, "no JSON"), "truncated": (packed({"a": entry()}, b"\0" * 20), FormatError, "truncated"),
    "follows": (packed({"a": entry()}, b"\0" * 25), FormatError, "something follows"),
    "gap": (packed({"a": entry(place=(4, 28))}, b"\0" * 28), FormatError, "gaps"),
    "overlap": (packed({"a": entry(), "b": entry()}), FormatError, "gaps"), "size": (packed({"a": entry(shape=(2, 2))}), FormatError, "takes 16 bytes"),
    "dtype": (packed({"a": entry("C64")}), DTypeError, "C64"), "negative": (packed({"a": entry(shape=(-2, -3))}), FormatError, "from 0"),
    "no entry": (packed({"a": 3}), FormatError, "no dtype"), "twice": (packed(b'{"a":1,"a":2}'), FormatError, "twice"),
    "npy": (b"\x93NUMPY\x01\x00v\x00{", FormatError, "truncated"), "npy version": (b"\x93NUMPY\x09\x00" + b" " * 100, FormatError, "version"),
    "zip": (b"PK\x03\x04" + b"\0" * 100, FormatError, "damaged"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files(tmp_path, name):
    content, error, message = DAMAGED[name]
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(error, match=message) as raised:
        morok.load(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("end", ["safetensors", "npz", "npy"])
def test_no_truncated_or_changed_file_is_more_than_an_error(tmp_path, end):
    t = Tensor(np.arange(50.0))
    path = tmp_path / f"a.{end}"
    morok.save(t if end == "npy" else {"a": t, "b": t}, path)
    whole = path.read_bytes()
    for length in range(1, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            morok.load(path)
    rng = np.random.default_rng(0)
    for _ in range(300):
        data = bytearray(whole)
        data[rng.integers(0, min(len(data), 300))] = rng.integers(0, 256)
        path.write_bytes(data)
        try:
            morok.load(path)
        except (FormatError, DTypeError):
            pass


def test_foreign_zips_and_pickles(tmp_path):
    with zipfile.ZipFile(tmp_path / "model.pt", "w") as archive:
        archive.writestr("archive/data.pkl", b"x")
    with pytest.raises(FormatError, match="PyTorch"):
        morok.load(tmp_path / "model.pt")
    np.savez(tmp_path / "o.npz", a=np.array([{}], dtype=object))
    with pytest.raises(DTypeError, match="pickles"):
        morok.load(tmp_path / "o.npz")
    np.save(tmp_path / "c.npy", np.array([1j]))
    with pytest.raises(DTypeError, match="complex"):
        morok.load(tmp_path / "c.npy")


WRONG = {
    "order": (lambda p: morok.save(str(p / "a.npz"), {"a": Tensor([1])}), TypeError, "takes the tensors, then"),
    "order of paths": (lambda p: morok.save("a.npz", "a.npz"), TypeError, "tensors first"),
    "end": (lambda p: morok.save({}, p / "a.pt"), ValueError, "name's end"), "no end": (lambda p: morok.save({}, p / "a"), ValueError, "name's end"),
    "one": (lambda p: morok.save(Tensor([1]), p / "a.npz"), DTypeError, "dict of Tensors"),
    "value": (lambda p: morok.save({"a": 3}, p / "a.npz"), DTypeError, "int"),
    "name": (lambda p: morok.save({3: Tensor([1])}, p / "a.npz"), DTypeError, "by name"),
    "bfloat16": (lambda p: morok.save({"a": Tensor([1.0]).cast("bfloat16")}, p / "a.npz"), DTypeError, "safetensors"),
    "metadata": (lambda p: morok.save({}, p / "a.npz", metadata={"a": "b"}), ValueError, "metadata"),
    "number": (lambda p: morok.save({}, p / "a.safetensors", metadata={"a": 1}), DTypeError, "texts"),
    "folder": (lambda p: morok.save({}, p / "no" / "a.npz"), FileNotFoundError, "does not exist"),
    "missing": (lambda p: morok.load(p / "no"), FileNotFoundError, "no"),
    "is a folder": (lambda p: (p / "b.npz").mkdir() or morok.save({}, p / "b.npz"), OSError, "no file"),
    "device": (lambda p: morok.save({}, p / "a.npz") or morok.save({"a": Tensor([1])}, p / "a.npz") or morok.load(p / "a.npz", "gpu"), DeviceError, "gpu"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(tmp_path, name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call(tmp_path)
    assert not [p for p in tmp_path.iterdir() if p.suffix == ".part"]


def test_bfloat16_of_another_writer(tmp_path):
    """Elements that are not aligned, as a header of odd length places them, are copied."""
    data = np.array([1.5, -2], ml_dtypes.bfloat16).tobytes()
    path = tmp_path / "a.safetensors"
    text = json.dumps({"a": entry("BF16", (2,), (0, 4))}).encode()
    text += b" " * (1 - len(text) % 2)
    path.write_bytes(packed(text, data))
    t = morok.load(path)["a"]
    assert t.tolist() == [1.5, -2] and not is_borrowed(t)
