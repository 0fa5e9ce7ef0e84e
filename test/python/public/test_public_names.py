"""Each public name is documented with shapes and an example that runs, and is compared with NumPy or PyTorch; docs/api.md has its entry."""

import ast
import inspect
import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from comparisons import CALLS, tables

import morok
from morok import Tensor, nn, optim
from morok.tools.api_reference import api_text, dtypes_of, pytorch_names, signature, standards
from morok.tools.docstrings import parts
from morok.tools.dtype_rules import rule, sentence
from morok.tools.public_names import functions, methods, sections

TESTS = Path(__file__).resolve().parents[1]
NAMES = {name.path: name for names in sections().values() for name in names}
OF_SHAPES = re.compile(r"shape|element|ax[ei]s|broadcast|\(.*, .*\)|\bsizes?\b|scalar|0-d|number|matri[xc]|vector|dimension|window|channels|(?<!\w)\d-D")
SHAPELESS = set("""
    morok.finfo morok.iinfo morok.get_num_threads morok.num_threads morok.is_grad_enabled morok.no_grad morok.enable_grad morok.manual_seed
    morok.from_dlpack morok.load morok.value_and_grad morok.random.default_generator morok.random.get_rng_state morok.random.set_rng_state
    morok.random.initial_seed morok.random.seed morok.random.manual_seed morok.nn.init.calculate_gain
    Tensor.base_uop Tensor.device Tensor.is_leaf Tensor.is_realized Tensor.requires_grad Tensor.retains_grad Tensor.stored_uop Tensor.to_device Tensor.uop
""".split())
"""What has to do with no shape: limits, modes, seeds, states, files, devices."""
NOT_OF_VALUES = set("""
    morok.Generator morok.Variable morok.can_cast morok.finfo morok.iinfo morok.isdtype morok.result_type
    morok.nn.Module morok.optim.Optimizer morok.optim.LRScheduler morok.save morok.load_metadata
    morok.get_num_threads morok.set_num_threads morok.num_threads morok.is_grad_enabled morok.no_grad morok.enable_grad morok.jit
    Tensor.backward Tensor.grad Tensor.is_leaf Tensor.requires_grad Tensor.requires_grad_ Tensor.retain_grad Tensor.retains_grad Tensor.register_hook
    Tensor.prepare Tensor.prepare_batch
    Tensor.base_uop Tensor.device Tensor.is_realized Tensor.stored_uop Tensor.uop Tensor.visualize morok.visualize
""".split())
"""What gives no values to compare; what it does is the subject of tests of its own."""
ABSENT = {"morok.linalg.eig", "morok.linalg.eigvals"}
"""What says by its error that it is not there."""
ILLUSTRATIONS = re.compile(
    r"safetensors|numbers\.bin|\.npy|class \w+|\.prepare\(|model|numpy_array|optimi[sz]er|\bloader|weights\b|interpret\(|params|self\b|array\)")
"""Examples that need a file, a model or another library's array: the tests of their subject run them."""


@pytest.mark.parametrize("path", [p for p in NAMES if p not in ABSENT])
def test_it_has_a_docstring_of_shapes_with_an_example(path):
    name = NAMES[path]
    assert name.docstring, "no docstring"
    assert parts(name.docstring).summary.endswith((".", ":")), name.docstring
    assert path in SHAPELESS or OF_SHAPES.search(name.docstring), "says nothing of shapes"
    assert parts(name.docstring).examples, "no example"


def _examples():
    """Of all but Tensor's methods and layers, which test_examples.py and test_examples_of_layers.py run."""
    for path, name in NAMES.items():
        if name.place not in ("Tensor", "morok.nn", "morok.nn.functional"):
            for number, example in enumerate(parts(name.docstring).examples):
                if not ILLUSTRATIONS.search(example):
                    yield pytest.param(example, id=f"{path}-{number}")


@pytest.mark.parametrize("program", list(_examples()))
def test_its_example_runs(program):
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    w = Tensor([1.0, 2.0, 3.0]).requires_grad_()
    (w * w).sum().backward()
    names = {"morok": morok, "Tensor": Tensor, "nn": nn, "optim": optim, "np": np, "x": x, "y": x * 2, "w": w, "Variable": morok.Variable,
             "dtypes": morok.dtypes, "math": math, "Generator": morok.Generator, "f": lambda t: (t * t).sum(), "probabilities": Tensor([0.25, 0.75]),
             "generator": morok.Generator(7), "dx": x}
    threads = morok.get_num_threads()
    lines = program.splitlines()
    try:
        for statement in ast.parse(program).body:
            comment = lines[statement.end_lineno - 1][statement.end_col_offset:].partition("#")[2].strip()
            code = ast.get_source_segment(program, statement)
            if not isinstance(statement, ast.Expr):
                exec(compile(ast.Module([statement], []), "<example>", "exec"), names)
                continue
            result = eval(code, names)
            if comment.startswith(("[", "(")) or re.fullmatch(r"-?\d[\d.e-]*|True|False", comment):
                given = result.tolist() if isinstance(result, Tensor) else result
                np.testing.assert_allclose(given, eval(comment, {"inf": math.inf, "nan": math.nan}), rtol=1e-5)
    finally:
        morok.set_num_threads(threads)


@cache
def _compared_in_tests():
    """Names that appear in the files of tests which compare values with NumPy's, with recorded ones of PyTorch, or distributions with their law."""
    words: set[str] = set()
    for file in TESTS.rglob("*.py"):
        text = file.read_text()
        compares = re.search(r"import numpy|from cases|PyTorch", text) and re.search(
            r"assert_allclose|assert_array_equal|\bcheck\(|reference|\bFUNCTIONS\b", text)
        if file.parent.name != "public" and (compares or file.stem.startswith("cases")):
            words |= set(re.findall(r"\w+", text))
            words |= {f"{stem}{n}d" for stem in re.findall(r"\w+(?=\{\w+\}d\b)|(?<=\")\w+Pad(?=\")", text) for n in (1, 2, 3)}
    return words


@cache
def _in_tables():
    return {n for table in tables() for n in table} | {key.split()[0] for key in CALLS}


@pytest.mark.parametrize("path", [p for p in NAMES if p not in NOT_OF_VALUES | ABSENT])
def test_it_is_compared(path):
    name = NAMES[path]
    plain = name.name.removesuffix("_") if name.place == "Tensor" else name.name  # in place what the method without the underscore is
    if name.place in ("morok", "Tensor", "morok.linalg"):
        assert plain in _in_tables() or plain in _compared_in_tests(), "add a line to comparisons.py"
    elif name.kind == "class" or name.place != "morok.random":
        assert name.name in _compared_in_tests() or _function_of(name) in _compared_in_tests(), "no test compares its values"


def _function_of(name):
    """The function that a layer calls, or the method: comparing that is comparing the layer."""
    found = re.search(r"`(?:functional|Tensor)\.(\w+)`", name.docstring)
    return found[1] if found else None


def test_lists_of_exceptions_name_what_is_there():
    assert not (SHAPELESS | NOT_OF_VALUES) - {*NAMES}


# The parts of docs/api.md


def test_each_name_has_its_entry():
    text = api_text()
    assert not [path for path in NAMES if f"### {path}" not in text]


def test_dtypes_are_those_of_results():
    found = {name.name: dtypes_of(name, parts(name.docstring)) for name in methods()}
    assert found["exp"] == "bool and integers give float32; floats stay"
    assert found["eq"] == "bool" and found["argmax"] == "int64" and found["add"] == "the operand's" or "stay" in found["add"]
    assert found["bitwise_and"].endswith("floats raise DTypeError")
    of_sum = rule("morok.sum([1.0, 2.0], 0)")
    assert (of_sum[morok.uint8], of_sum[morok.int8], of_sum[morok.float16]) == ("uint64", "int64", "float16")
    assert sentence(rule("Tensor([1.0, 2.0]).take(Tensor([0]))")) == "the operand's"  # the index keeps its dtype


def test_standards():
    found = {name.path: standards(name) for name in functions()}
    assert found["morok.exp"] == ["array API", "NumPy", "PyTorch"]
    assert found["morok.celu"] == ["PyTorch"]
    assert {"torch", "torch.nn"} <= set(pytorch_names())


def test_signatures_have_defaults_and_no_annotations():
    assert signature(NAMES["morok.sum"]) == "(x, axis=None, keepdim=False, dtype=None)"
    assert not [path for path, name in NAMES.items() if re.search(r"0x[0-9a-f]{6}", signature(name))]


def test_a_docstring_taken_apart():
    doc = parts("A sum, e.g. of two. Shapes broadcast. ShapeError where they do not.\n\nErrors are those of Tensor.add.\n\n    add(1, 2)  # 3")
    assert (doc.summary, doc.description, doc.errors) == ("A sum, e.g. of two.", ["Shapes broadcast."], ["ShapeError where they do not."])
    assert doc.examples == ["add(1, 2)  # 3"] and doc.errors_of == "Tensor.add"


def test_every_tensor_function_of_one_operand_is_documented_as_such():
    assert not [n.path for n in functions() if "x" in inspect.signature(n.thing).parameters and not re.search("[tT]ensor|vector|array", n.docstring)]


OTHER_NAMES = {"axis": "dim", "dim": "axis", "keepdim": "keepdims", "correction": "ddof"}


def test_arguments_have_numpys_and_pytorchs_names():
    without = []
    for name in [*functions(), *methods()]:
        if name.kind in ("function", "method"):
            parameters = inspect.signature(name.thing).parameters
            for here, there in OTHER_NAMES.items():
                if here in parameters and there not in parameters:
                    try:
                        name.thing(Tensor([[1.0, 2.0]]), **{there: object()})
                    except Exception as error:
                        without += [f"{name.path}: {there}"] if "unexpected keyword" in str(error) else []
    assert not without
