"""What people see: repr, HTML, pictures of the graph, help. None of it computes anything."""

import inspect
import pydoc
import sys
import tracemalloc

import ml_dtypes
import numpy as np
import pytest

import morok
from morok import Tensor, Variable
from morok.errors import MissingPackageError, OptionError
from morok.tensor import realize

ARRAYS = {
    "0-d": np.float32(3.5), "empty": np.zeros((0, 3)), "bool": np.array([[True], [False]]), "nan": np.array([np.nan, np.inf, -0.0]),
    "bfloat16": np.ones((2, 2), ml_dtypes.bfloat16), "4-d": np.arange(16).reshape(2, 2, 2, 2), "long": np.arange(5000, dtype=np.uint8), "int8": np.int8([-1]),
}
VIEWS = {
    "transposed": lambda t: t.T, "row": lambda t: t[1], "column": lambda t: t[:, 2], "strided": lambda t: t[::2, 1::3], "backwards": lambda t: t.flip(0),
    "window of a window": lambda t: t[1:, 1:][0], "repeated": lambda t: t.expand(2, 3, 4), "new axis": lambda t: t[:, None],
    "padded": lambda t: t.pad(((1, 1), (0, 2))), "none": lambda t: t[3:], "detached": lambda t: t.detach(), "diagonal": lambda t: t.diagonal(),
}


@pytest.fixture
def nothing_is_computed(monkeypatch):
    def refuse(*_):
        raise AssertionError("this computes")
    monkeypatch.setattr(realize, "realize", refuse)


@pytest.mark.parametrize("name", ARRAYS)
def test_values_in_memory_are_shown(name, nothing_is_computed):
    array = np.asarray(ARRAYS[name])
    text = repr(Tensor(array))
    values = np.array2string(array, separator=", ", prefix="Tensor(", threshold=1000)
    dtype = "bfloat16" if name == "bfloat16" else array.dtype
    assert text == f"Tensor({values}, shape={array.shape}, dtype={dtype}, device='CPU')" and len(text) < 600


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_memory_are_shown(name, nothing_is_computed):
    array = np.arange(12.0).reshape(3, 4)
    t = Tensor(array)
    if name == "padded":
        expected = np.pad(array, ((1, 1), (0, 2)))
    elif name == "repeated":
        expected = np.broadcast_to(array, (2, 3, 4))
    else:
        expected = np.flip(array, 0) if name == "backwards" else array if name == "detached" else VIEWS[name](array)
    assert repr(VIEWS[name](t)) == repr(Tensor(expected.copy()))


def test_constants_are_known(nothing_is_computed):
    assert repr(Tensor.zeros(2, dtype="int32")) == "Tensor([0, 0], shape=(2,), dtype=int32, device='CPU')"
    assert repr(Tensor(True)) == "Tensor(True, shape=(), dtype=bool, device='CPU')"


def test_what_is_not_computed_says_so(nothing_is_computed):
    x = Tensor([1.0, 2.0], requires_grad=True)
    assert repr(x) == "Tensor([1., 2.], shape=(2,), dtype=float32, device='CPU', requires_grad=True)"
    assert repr((x + 1)[0]) == "Tensor(shape=(), dtype=float32, device='CPU', requires_grad=True, not computed yet)"
    assert str(x * 2) == f"{x * 2}" == repr(x * 2)


def test_written_views_are_shown_as_they_are():
    x = Tensor(np.arange(6).reshape(2, 3))
    view = x[:, 1:]
    x += 1
    assert "not computed yet" in repr(view)
    x.realize()
    assert repr(view) == repr(Tensor(np.array([[2, 3], [5, 6]]))) and f"{Tensor(3.14159):.2f}" == "3.14"


def test_sizes_known_later():
    n = Variable("n", 1, 8)
    x = Tensor(np.arange(8.0))[: n.bind(3)]
    assert repr(x) == "Tensor([0., 1., 2.], shape=(n=3,), dtype=float64, device='CPU')"
    assert repr(x * 2) == "Tensor(shape=(n=3,), dtype=float64, device='CPU', not computed yet)"
    assert "? float64" in (x * 2).visualize().dot


def test_great_arrays_are_not_copied():
    x = Tensor(np.zeros((2000, 1000)))
    y = x.T
    tracemalloc.start()
    assert "..." in repr(x) and "..." in repr(y) and "..." in x._repr_html_()
    assert "not computed yet" in repr(x.pad(((1, 0), (0, 0))))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_within_a_captured_function():
    seen = []
    outer = Tensor([1.0])

    def f(x):
        seen.extend((repr(x), repr(outer + x), outer._repr_html_(), (x * 2).visualize().dot))
        return x + outer
    morok.jit(f)(Tensor([2.0]))
    assert all("not computed yet" in text for text in seen[:3]) and "mul" in seen[3]


def test_html(nothing_is_computed):
    assert "<pre" in Tensor([1.0, 2.5])._repr_html_() and "2.5" in Tensor([1.0, 2.5])._repr_html_()
    html = (Tensor([1.0]) * 2)._repr_html_()
    assert "not computed yet" in html and "<svg" in html and "&#x27;CPU&#x27;" in html
    long = Tensor([1.0])
    for _ in range(100):
        long = long.sin()
    assert "<svg" not in long._repr_html_()


def test_a_picture_shows_operations_memory_and_shapes(nothing_is_computed, tmp_path):
    x, y = Tensor(np.ones((2, 3))), Tensor(np.ones(3))
    picture = ((x + y) * 2).sum(1).visualize(tmp_path / "graph.svg")
    assert picture.operations == 3 and "3 operations" in repr(picture)
    assert picture.dot.count("memory") == 2 and "sum over 1\\n2 float64" in picture.dot and "mul(·, 2)" in picture.dot and 'label=" 2 × 3"' in picture.dot
    assert picture.dot.count("->") == 4 and "test_display.py:" in picture.dot
    assert picture._repr_svg_().startswith("<svg") and "sum over 1" in picture.svg() and (tmp_path / "graph.svg").read_text().endswith(picture.svg())
    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("dot", b"digraph")):
        picture.save(tmp_path / f"graph.{kind}")
        assert (tmp_path / f"graph.{kind}").read_bytes().startswith(start)


def test_a_picture_of_several_results(nothing_is_computed):
    x = Tensor([1.0, 2.0])
    shared = x.exp()
    picture = morok.visualize(shared + 1, shared.flip(0), shared)
    assert picture.operations == 3 and picture.dot.count("exp\\n") == 1
    assert morok.visualize(Tensor([1.0])).operations == 0 and morok.visualize(Tensor.zeros(2, 2)).svg().startswith("<svg")


def test_a_picture_of_a_large_graph_is_cut(nothing_is_computed):
    x = Tensor([1.0])
    for _ in range(3000):
        x = x + x
    picture = x.visualize(limit=10)
    assert picture.operations == 3000 and picture.dot.count("ellipse") == 10 and "2990 more operations" in picture.dot


def test_without_the_package(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    x = Tensor([1.0]) + 1
    x.visualize(tmp_path / "graph.dot")
    with pytest.raises(MissingPackageError, match=r"morok\[notebook\]"):
        x.visualize(tmp_path / "graph.svg")
    assert not (tmp_path / "graph.svg").exists()
    with pytest.raises(MissingPackageError, match="dot"):
        x.visualize()._repr_svg_()
    assert "not computed yet" in x._repr_html_() and "<svg" not in x._repr_html_()


def test_wrong_calls(tmp_path):
    for call, error, message in [
        (lambda: Tensor([1.0]).visualize("graph.txt"), OptionError, "svg, png, pdf, dot"), (lambda: morok.visualize(), TypeError, "nothing"),
        (lambda: morok.visualize("graph.svg"), TypeError, "file='graph.svg'"), (lambda: Tensor([1.0]).visualize(limit="x"), TypeError, "limit must be an int"),
    ]:
        with pytest.raises(error, match=message):
            call()


def test_help_reads_well():
    """Signatures are the functions' own, not those of what wraps them; each public method says what it is."""
    wrapped = [name for name in dir(Tensor) if not name.startswith("_") and inspect.isfunction(member := getattr(Tensor, name))
               and {"args", "keywords", "kwargs"} & inspect.signature(member).parameters.keys()]
    assert not wrapped
    text = pydoc.render_doc(Tensor.sum, renderer=pydoc.plaintext)
    assert "sum(self, axis" in text and "Sum" in text
    assert "visualize" in pydoc.render_doc(Tensor, renderer=pydoc.plaintext) and "Generator" in pydoc.render_doc(morok, renderer=pydoc.plaintext)


def test_help_of_a_jitted_function_is_the_functions():
    def step(x: Tensor, *, rate: float = 0.1) -> Tensor:
        """One step."""
        return x * rate
    captured = morok.jit(step)
    assert inspect.signature(captured) == inspect.signature(step) and "One step." in pydoc.render_doc(captured, renderer=pydoc.plaintext)
