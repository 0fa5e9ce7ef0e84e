"""The back ends: the same programs on each against NumPy; the renderer's interface; the C compiler that is there, absent or wrong."""
import ctypes
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from kernel_runner import Builder, aligned, parse_kernel

from morok import Tensor, Variable, dtypes
from morok.codegen import c_compiler as compilers
from morok.codegen.backends import BACKENDS, renderer
from morok.codegen.c import CRenderer
from morok.codegen.c_self_test import SOURCE, passes
from morok.codegen.llvm import LLVMRenderer
from morok.dialect import types as T
from morok.errors import BackendError, InternalError, OptionError
from morok.graph.uop import UOp, const
from morok.passes.pattern import PatternSet
from morok.runtime.config import Config, configured


def missing_compiler() -> str | None:
    try:
        compilers.c_compiler()
    except BackendError as error:
        return str(error)
    return None


MISSING = missing_compiler()
needs_c = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
EACH = [pytest.param(name, marks=[needs_c] if name == "c" else []) for name in BACKENDS]
RNG = np.random.default_rng(7)

NUMBERS = {"int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32,
           "uint64": np.uint64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64}
SMALL = RNG.integers(1, 9, (5, 19))
X, Y = RNG.standard_normal((6, 35)).astype(np.float32), RNG.standard_normal((35, 9)).astype(np.float32)
INTS = np.array([[-7, -6, -1, 0, 1, 6, 7, -2**31, 2**31 - 1]] * 7, np.int32)
DIVISORS = np.array([[-3], [-1], [1], [2], [3], [5], [-2**31]], np.int32)
NANS = np.array([1.0, np.nan, -np.inf, np.inf, -0.0, 3.5], np.float32)


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).astype(x.dtype)


def halves() -> np.ndarray:
    """Every float16."""
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


PROGRAMS = {
    "affine": lambda: (Tensor(X) * 2 + 1, X * 2 + 1),
    "matmul": lambda: (Tensor(X) @ Tensor(Y), X @ Y),
    "int matmul": lambda: (Tensor(SMALL.astype(np.int32)) @ Tensor(SMALL.T.astype(np.int32)), (SMALL @ SMALL.T).astype(np.int32)),
    "softmax": lambda: (Tensor(X).softmax(), softmax(X)),
    "pad": lambda: (Tensor(X).pad(((1, 2), (3, 1))), np.pad(X, ((1, 2), (3, 1)))),
    "padded sum": lambda: (Tensor(SMALL).pad(((2, 2), (0, 3))).sum(1), np.pad(SMALL, ((2, 2), (0, 3))).sum(1)),
    "flip": lambda: (Tensor(X).flip(1) + 1, X[:, ::-1] + 1),
    "sum": lambda: (Tensor(X).sum(), X.sum()),
    "sum of ints": lambda: (Tensor(np.ones(1003, np.int32)).sum(), np.int64(1003)),
    "mean": lambda: (Tensor(X).mean(0), X.mean(0)),
    "max": lambda: (Tensor(X).max(1), X.max(1)),
    "max with NaN": lambda: (Tensor(NANS).max(), NANS.max()),
    "maximum with NaN": lambda: (Tensor(NANS).maximum(Tensor(NANS[::-1].copy())), np.maximum(NANS, NANS[::-1])),
    "any": lambda: ((Tensor(X) > 2.5).any(1), (X > 2.5).any(1)),
    "all": lambda: ((Tensor(X) > -2).all(1), (X > -2).all(1)),
    "logic": lambda: ((Tensor(X) > 0) & (Tensor(X) < 1) | Tensor(X).isnan(), (X > 0) & (X < 1)),
    "where": lambda: (Tensor(X).where(Tensor(X) > 0, 0.5), np.where(X > 0, X, np.float32(0.5))),
    "count": lambda: ((Tensor(X) > 0).cast(dtypes.int64).sum(0), (X > 0).sum(0)),
    "int overflow": lambda: (Tensor(INTS) * Tensor(INTS) + Tensor(INTS), INTS * INTS + INTS),
    "floordiv": lambda: (Tensor(INTS) // Tensor(DIVISORS), floordiv(INTS, DIVISORS)),
    "mod": lambda: (Tensor(INTS) % Tensor(DIVISORS), mod(INTS, DIVISORS)),
    "divisor 0": lambda: (Tensor(INTS) // Tensor(DIVISORS * 0), np.zeros((7, 9), np.int32)),
    "exp": lambda: (Tensor(X).exp(), np.exp(X.astype(np.float64)).astype(np.float32)),
    "log of NaN": lambda: (Tensor(NANS).log(), log(NANS)),
    "sin of huge": lambda: (Tensor(X * 1e7).sin(), np.sin((X * np.float32(1e7)).astype(np.float64)).astype(np.float32)),
    "tanh of float64": lambda: (Tensor(X.astype(np.float64)).tanh(), np.tanh(X.astype(np.float64))),
    "half to float": lambda: (Tensor(halves()).cast(dtypes.float32), halves().astype(np.float32)),
    "float to half": lambda: (Tensor(X * 3e4).cast(dtypes.float16), overflow_quietly(X * 3e4, np.float16)),
    "tiny to half": lambda: (Tensor(X * 1e-7).cast(dtypes.float16), (X * np.float32(1e-7)).astype(np.float16)),
    "float to bfloat16": lambda: (Tensor(X).cast(dtypes.bfloat16), X.astype(ml_dtypes.bfloat16)),
    "float to int": lambda: (Tensor(X * 100).cast(dtypes.int8), (X * 100).astype(np.int64).astype(np.int8)),
    "NaN to int": lambda: (Tensor(NANS[:2]).cast(dtypes.int32), np.array([1, 0], np.int32)),
    "unsigned to float": lambda: (Tensor(np.array([2**32 - 1], np.uint32)).cast(dtypes.float64), np.array([2.0**32 - 1])),
    "bool to float": lambda: ((Tensor(X) > 0).cast(dtypes.float32), (X > 0).astype(np.float32)),
    "reduce and expand": lambda: (Tensor(X) - Tensor(X).mean(1, keepdim=True), X - X.mean(1, keepdims=True)),
    "empty": lambda: (Tensor(np.zeros((0, 3), np.float32)) + 1, np.zeros((0, 3), np.float32)),
    "scalar": lambda: (Tensor(3.0) * 2, np.float32(6)),
}


def floordiv(x, y):
    return np.floor_divide(x.astype(np.int64), y).astype(np.int32)


def mod(x, y):
    return np.mod(x.astype(np.int64), y).astype(np.int32)


def log(x):
    with np.errstate(all="ignore"):
        return np.log(x)


def overflow_quietly(x, dtype):
    with np.errstate(over="ignore"):
        return x.astype(dtype)


def assert_same(actual: np.ndarray, expected, rtol: float = 3e-6) -> None:
    expected = np.asarray(expected)
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(actual, expected)
    else:
        np.testing.assert_allclose(actual.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=1e-6)


@pytest.mark.parametrize("backend", EACH)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_equal_numpy(name, backend):
    with configured(backend=backend):
        tensor, expected = PROGRAMS[name]()
        assert_same(tensor.numpy(), expected)


@pytest.mark.parametrize("backend", EACH)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_arithmetic_of_each_dtype(dtype, backend):
    """One program a dtype: sums, products, shifts of integers, a reduction, storage."""
    x = SMALL.astype(NUMBERS[dtype])
    with configured(backend=backend):
        t = Tensor(x)
        assert_same((t * t - t).numpy(), (x * x - x).astype(x.dtype))
        assert_same(t.maximum(3).max(1).numpy(), np.maximum(x, x.dtype.type(3)).max(1))
        if x.dtype.kind in "iu":
            assert_same(((t << 3) ^ (t >> 1)).numpy(), (x << 3) ^ (x >> 1))
            assert_same((-t).numpy(), -x)
        else:
            assert_same((t / 4).numpy(), x / x.dtype.type(4))


@pytest.mark.parametrize("backend", EACH)
def test_symbolic_sizes(backend):
    n = Variable("n", 1, 35)
    with configured(backend=backend):
        for size in (1, 5, 35):
            assert_same(Tensor(X)[:, :n.bind(size)].sum(1).numpy(), X[:, :size].sum(1))


@pytest.mark.parametrize("backend", EACH)
def test_threads_share_a_kernel(backend):
    x = RNG.random((512, 300), np.float32)
    with configured(backend=backend, num_threads=2):
        assert_same((Tensor(x) @ Tensor(x.T.copy())).numpy(), x @ x.T, rtol=1e-5)


@pytest.mark.parametrize("backend", EACH)
def test_every_stage_is_checked_on_each_back_end(backend):
    with configured(backend=backend, check=True):
        assert_same(Tensor(X).softmax().numpy(), softmax(X))


def test_kernels_of_one_back_end_do_not_serve_another():
    assert len({Config(1, backend=name) for name in BACKENDS}) == 3


def test_unknown_back_ends_are_refused():
    with pytest.raises(OptionError, match="MOROK_BACKEND is 'cuda'; it takes one of llvm, c, mlir"):
        Config.from_environment({"MOROK_BACKEND": "cuda"})
    with pytest.raises(OptionError, match="llvm, c, mlir"), configured(backend="cuda"):
        pass
    assert Config.from_environment({"MOROK_BACKEND": "mlir"}).backend == "mlir"


# The interface

def plus_one(extent: int = 64, kind: str = "loop", dtype: str = "float32") -> Builder:
    k = Builder((dtype, extent), (dtype, extent))
    i = k.range(extent, kind)
    k.store(0, (i,), k.load(1, i) + (1.0 if dtype.startswith("f") else 1), i)
    return k


@pytest.mark.parametrize("backend", EACH)
def test_a_rendered_kernel_has_name_source_and_parameters(backend):
    found = renderer(backend)
    assert found.backend_name == backend and renderer(backend) is found
    rendered = found.render(plus_one(kind="thread").body(), "plus_one")
    assert rendered.name == "plus_one" and "plus_one(" in rendered.source
    assert [p.kind for p in rendered.parameters] == ["buffer", "buffer", "thread_id", "thread_count"]
    assert [(p.is_read, p.is_written) for p in rendered.parameters[:2]] == [(False, True), (True, False)]


@pytest.mark.parametrize("backend", EACH)
def test_compiled_code_has_addresses_until_it_is_closed(backend):
    found = renderer(backend)
    code = found.compile(found.render(plus_one().body(), "plus_one"))
    out, x = aligned(np.zeros(64, np.float32)), aligned(np.arange(64, dtype=np.float32))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address("plus_one"))(out.ctypes.data, x.ctypes.data)
    np.testing.assert_array_equal(out, x + 1)
    assert code.object_size > 100
    with pytest.raises(KeyError):
        code.address("plus_two")
    code.close()
    with pytest.raises(KeyError):
        code.address("plus_one")


THIRDS = PatternSet("thirds")


@THIRDS.rule("div")
def divide_by_three(u: UOp) -> UOp | None:
    """A division by 3 is a product."""
    return u.operands[0].alu("mul", const(1 / 3, u.type)) if u.operands[1].is_const(3.0) else None


@pytest.mark.parametrize("backend, divides", [("llvm", "fdiv"), ("mlir", "arith.divf"), ("c", " / ")])
def test_a_back_end_decomposes_what_it_lacks(backend, divides):
    class WithoutDivision(type(renderer(backend))):
        decompositor = (THIRDS,)

    def third() -> Builder:
        k = Builder(("float32", 64), ("float32", 64))
        i = k.range(64)
        k.store(0, (i,), UOp.make("div", (k.load(1, i), const(3.0, T.float32))), i)
        return k
    assert divides in renderer(backend).render(third().body(), "k").source
    assert divides not in WithoutDivision().render(third().body(), "k").source


@pytest.mark.parametrize("kind", ["loop", "upcast"])
def test_c_and_mlir_say_what_they_print(kind):
    mlir = renderer("mlir").render(plus_one(kind=kind).body(), "k").source
    assert ("vector<" in mlir) == (kind == "upcast") and "llvm." in mlir and "morok." not in mlir
    c = renderer("c").render(plus_one(kind=kind, dtype="int8").body(), "k").source
    assert "void k(int8_t *restrict b0, int8_t *restrict b1) {" in c
    assert "(int8_t)((uint32_t)v" in c and "+ (uint32_t)1);" in c


def test_c_has_no_form_for_vectors():
    vectors = parse_kernel("""
        func.func @k(%a: memref<16xf32>) attributes {morok.kernel} {
          %i = "morok.const"() {value = 0 : index} : () -> index
          %p = "morok.index"(%a, %i) : (memref<16xf32>, index) -> !morok.ptr<vector<4xf32>, "global">
          %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<4xf32>, "global">) -> vector<4xf32>
          %s = "morok.store"(%p, %v) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<vector<4xf32>, "global">, vector<4xf32>) -> !morok.token
          "morok.sink"(%s) : (!morok.token) -> ()
          return
        }""")
    with pytest.raises(InternalError, match="the C back end has no form for .*vector.load"):
        CRenderer().render(vectors, "k")


def test_a_pipeline_without_decompositions_calls_the_c_library():
    pipeline = [step.name for step in LLVMRenderer().passes if step.name != "morok-float-decomposition"]
    k = Builder(("float32", 64), ("float32", 64))
    i = k.range(64)
    k.store(0, (i,), UOp.make("exp", (k.load(1, i),)), i)
    assert "expf(v" in CRenderer(pipeline=pipeline).render(k.body(), "k").source


# The C compiler

def test_the_compiler_is_the_one_of_the_environment(tmp_path):
    for name in ("gcc", "mine"):
        tool = tmp_path / name
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
    assert compilers.find_compiler({"PATH": str(tmp_path), "CC": "mine -m64"}) == ["mine", "-m64"]
    assert compilers.find_compiler({"PATH": str(tmp_path)}) == ["gcc"]


@pytest.mark.parametrize("environment, looked_for", [({}, r"\$CC \(not set\), cc, gcc, clang"), ({"CC": "icc -g"}, r"\$CC, which is 'icc -g'")])
def test_without_a_compiler_the_error_names_what_was_looked_for(tmp_path, environment, looked_for):
    with pytest.raises(BackendError, match=looked_for):
        compilers.find_compiler({"PATH": str(tmp_path), **environment})


def test_a_program_without_a_compiler_says_so():
    code = "from morok import Tensor; (Tensor([1.0]) + 1).numpy()"
    done = subprocess.run([sys.executable, "-c", code], env={"MOROK_BACKEND": "c", "PATH": "/nowhere"}, capture_output=True, text=True)
    assert done.returncode and "BackendError: the C back end needs a C compiler" in done.stderr


@needs_c
def test_the_compiler_passes_the_self_test():
    code = compilers.build(compilers.c_compiler(), SOURCE, ("sum", "gates"))
    assert passes(code)


@needs_c
def test_a_wrong_compiler_fails_the_self_test():
    code = compilers.build(compilers.c_compiler(), SOURCE.replace("i < 5;", "i < 4;"), ("sum", "gates"))
    assert not passes(code)


@needs_c
def test_c_that_does_not_compile_is_an_error_of_morok():
    with pytest.raises(InternalError, match="rejects the C of k"):
        compilers.compile_c("void k(void) { nonsense }", "k")
