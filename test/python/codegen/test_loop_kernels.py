"""Kernels with reductions, stages, gates, threads and symbolic sizes, against NumPy."""
import numpy as np
import pytest
from kernel_runner import RENDERER, Builder, after, reduce

from morok.codegen.llvm import LLVMRenderer
from morok.codegen.target import Target
from morok.dialect import types as T
from morok.errors import InternalError
from morok.graph.uop import UOp, const, index_const

RNG = np.random.default_rng(1)


def uniform(*shape: int) -> np.ndarray:
    return RNG.random(shape, np.float32)


def zeros(*shape: int, dtype=np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def assert_close(actual, expected, rtol=2e-6):
    np.testing.assert_allclose(actual.astype(np.float64), np.asarray(expected).astype(np.float64), rtol=rtol, atol=1e-30)


# Reductions

OPS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def row_reduction(op: str, dtype: str, rows: int, columns: int, unroll: int, out: str | None = None):
    k = Builder((out or dtype, rows), (dtype, rows, columns))
    i = k.range(rows)
    if unroll:
        j, lane = k.range(columns // unroll, "reduce"), k.range(unroll, "unroll")
        place, closed = j * unroll + lane, (j, lane)
    else:
        place = k.range(columns, "reduce")
        closed = (place,)
    k.store(0, (i,), reduce(op, k.load(1, i, place), *closed), i)
    return k


@pytest.mark.parametrize("unroll", [0, 64, 16, 7])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "int64", "float16", "bfloat16"])
@pytest.mark.parametrize("op", OPS)
def test_reductions_of_rows(op, dtype, unroll):
    np_dtype = T.dtype_named(dtype).np
    columns = 7 * 64
    x = RNG.integers(1, 3, (5, columns)).astype(np_dtype) if op == "mul" else RNG.integers(0, 9, (5, columns)).astype(np_dtype)
    if op == "mul" and T.dtype_named(dtype).is_float:
        x = np.where(RNG.random((5, columns)) < 0.02, x, 1).astype(np_dtype)
    actual = row_reduction(op, dtype, 5, columns, unroll).compile()(zeros(5, dtype=np_dtype), x)[0]
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64) if T.dtype_named(dtype).is_float else x
        expected = OPS[op].reduce(wide, axis=1, **({"dtype": x.dtype} if wide is x and op in ("add", "mul") else {})).astype(np_dtype)
    assert_close(actual, expected, rtol=1e-6 if np_dtype.itemsize > 2 else 1e-2)


@pytest.mark.parametrize("unroll", [0, 64, 7])
@pytest.mark.parametrize(
    "op, reference", [("and", np.all), ("or", np.any), ("max", np.any), ("min", np.all), ("add", np.any), ("mul", np.all)]
)
def test_reductions_of_bools(op, reference, unroll):
    x = RNG.random((6, 448)) < 0.5
    x[0], x[1], x[2], x[3] = True, False, False, True
    x[2, 447] = True
    x[3, 0] = False
    assert (row_reduction(op, "bool", 6, 448, unroll).compile()(zeros(6, dtype=bool), x)[0] == reference(x, axis=1)).all()


@pytest.mark.parametrize("unroll", [0, 64])
@pytest.mark.parametrize("op", ["and", "or"])
def test_bitwise_reductions(op, unroll):
    x = RNG.integers(0, 1 << 32, (4, 128), np.uint32) | np.uint32(5 if op == "and" else 0)
    expected = (np.bitwise_and if op == "and" else np.bitwise_or).reduce(x, axis=1)
    assert (row_reduction(op, "uint32", 4, 128, unroll).compile()(zeros(4, dtype=np.uint32), x)[0] == expected).all()


@pytest.mark.parametrize("unroll", [0, 64, 7])
@pytest.mark.parametrize("where", [0, 5, 200, 447])
@pytest.mark.parametrize("op", ["max", "min"])
def test_a_nan_anywhere_is_the_maximum(op, where, unroll):
    x = uniform(3, 448)
    x[1, where] = np.nan
    actual = row_reduction(op, "float32", 3, 448, unroll).compile()(zeros(3), x)[0]
    np.testing.assert_array_equal(actual, OPS[op].reduce(x, axis=1))


@pytest.mark.parametrize(
    "op, dtype, expected",
    [
        ("add", "float32", 0),
        ("mul", "int32", 1),
        ("max", "float32", -np.inf),
        ("min", "uint8", 255),
        ("max", "int8", -128),
        ("and", "bool", True),
        ("or", "bool", False),
    ],
)
def test_reductions_over_nothing_are_the_identity(op, dtype, expected):
    k = Builder((dtype, 3), (dtype, 3, 8))
    i, n = k.range(3), UOp.make("define_var", (), ("n", 0, 8))
    j = k.range(n, "reduce")
    k.store(0, (i,), reduce(op, k.load(1, i, j), j), i)
    assert (k.compile()(zeros(3, dtype=T.dtype_named(dtype).np), zeros(3, 8, dtype=T.dtype_named(dtype).np), n=0)[0] == expected).all()


@pytest.mark.parametrize("width", [0, 32])
def test_sum_over_both_axes_in_nested_loops(width):
    k = Builder(("float32", 1), ("float32", 12, 64))
    a = k.range(12, "reduce")
    b, c = k.range(64 // (width or 1), "reduce"), k.range(width or 1, "unroll")
    k.store(0, (0,), reduce("add", k.load(1, a, b * (width or 1) + c), a, b, c))
    x = uniform(12, 64)
    assert_close(k.compile()(zeros(1), x)[0], [x.sum(dtype=np.float64)])


def test_columns_are_summed_in_lanes():
    k = Builder(("float32", 64), ("float32", 37, 64))
    j, lane, i = k.range(2), k.range(32, "upcast"), k.range(37, "reduce")
    k.store(0, (j * 32 + lane,), reduce("add", k.load(1, i, j * 32 + lane), i), j, lane)
    x = uniform(37, 64)
    assert_close(k.compile()(zeros(64), x)[0], x.sum(0, dtype=np.float64))


def test_a_value_that_its_reduction_does_not_reach_counts_each_time():
    k = Builder(("float32", 4), ("float32", 4))
    i, j, lane = k.range(4), k.range(3, "reduce"), k.range(16, "unroll")
    k.store(0, (i,), reduce("add", k.load(1, i), j, lane), i)
    assert (k.compile()(zeros(4), np.arange(4, dtype=np.float32))[0] == 48 * np.arange(4)).all()


def test_more_copies_than_registers_share_accumulators():
    k = Builder(("float32", 16, 48), ("float32", 16, 32), ("float32", 32, 48))
    r, c, kk, u = k.range(16, "upcast"), k.range(48, "upcast"), k.range(8, "reduce"), k.range(4, "unroll")
    k.store(0, (r, c), reduce("add", k.load(1, r, kk * 4 + u) * k.load(2, kk * 4 + u, c), kk, u), r, c)
    a, b = uniform(16, 32), uniform(32, 48)
    kernel = k.compile()
    assert kernel.rendered.source.count("phi <16 x float>") == 48 * 2  # in the loop over kk and in that over u
    assert_close(kernel(zeros(16, 48), a, b)[0], a.astype(np.float64) @ b)


# Matrix multiplication

@pytest.mark.parametrize("rows, columns", [(1, 1), (8, 48), (4, 16), (3, 6), (6, 1)])
def test_matmul_with_register_tiles(rows, columns):
    m, n, depth = 24, 96, 37
    k = Builder(("float32", m, n), ("float32", m, depth), ("float32", depth, n))
    i, j = k.range(m // rows), k.range(n // columns)
    r, c, kk = k.range(rows, "upcast"), k.range(columns, "upcast"), k.range(depth, "reduce")
    k.store(0, (i * rows + r, j * columns + c), reduce("add", k.load(1, i * rows + r, kk) * k.load(2, kk, j * columns + c), kk), i, j, r, c)
    a, b = uniform(m, depth), uniform(depth, n)
    assert_close(k.compile()(zeros(m, n), a, b)[0], a.astype(np.float64) @ b)


def test_matrix_times_vector_contracts_after_the_loop():
    k = Builder(("float32", 12), ("float32", 12, 256), ("float32", 256))
    i, r, j, lane = k.range(3), k.range(4, "upcast"), k.range(4, "reduce"), k.range(64, "unroll")
    k.store(0, (i * 4 + r,), reduce("add", k.load(1, i * 4 + r, j * 64 + lane) * k.load(2, j * 64 + lane), j, lane), i, r)
    a, b = uniform(12, 256), uniform(256)
    assert_close(k.compile()(zeros(12), a, b)[0], a.astype(np.float64) @ b)


def test_bfloat16_products_accumulate_in_float32():
    import ml_dtypes
    k = Builder(("bfloat16", 4, 32), ("bfloat16", 4, 64), ("bfloat16", 64, 32))
    i, c, kk = k.range(4), k.range(32, "upcast"), k.range(64, "reduce")
    k.store(0, (i, c), reduce("add", k.load(1, i, kk) * k.load(2, kk, c), kk), i, c)
    a, b = uniform(4, 64).astype(ml_dtypes.bfloat16), uniform(64, 32).astype(ml_dtypes.bfloat16)
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(ml_dtypes.bfloat16)
    assert_close(k.compile()(zeros(4, 32, dtype=ml_dtypes.bfloat16), a, b)[0], exact, rtol=1 / 128)


# Stages in one kernel

def softmax(rows: int, columns: int, width: int, kind: str = "loop", rows_in_tile: int = 1):
    k = Builder(("float32", rows, columns), ("float32", rows, columns))
    i = k.range(rows // rows_in_tile, kind)
    if rows_in_tile > 1:
        tile = k.range(rows_in_tile, "upcast")
        row, outer = i * rows_in_tile + tile, (i, tile)
    else:
        row, outer = i, (i,)

    def column(outside: str, inside: str):
        if width == 1:
            j = k.range(columns, outside)
            return j, (j,)
        j, lane = k.range(columns // width, outside), k.range(width, inside)
        return j * width + lane, (j, lane)
    j, closed = column("reduce", "unroll")
    greatest = reduce("max", k.load(1, row, j), *closed)
    scratch = k.local(columns)
    j, closed = column("loop", "upcast")
    filled = after(scratch, k.write(scratch, (j,), k.load(1, row, j).alu("sub", greatest).alu("exp"), *closed))
    j, closed = column("reduce", "unroll")
    total = reduce("add", k.load(filled, j), *closed)
    j, closed = column("loop", "upcast")
    k.store(0, (row, j), k.load(filled, j).alu("div", total), *outer, *closed)
    return k


@pytest.mark.parametrize("columns, width", [(37, 1), (64, 16), (128, 64), (30, 6)])
@pytest.mark.parametrize("tile", [1, 3])
def test_softmax_is_one_loop_over_rows(columns, width, tile):
    x = uniform(6, columns) * 10
    actual = softmax(6, columns, width, rows_in_tile=tile).compile()(zeros(6, columns), x)[0]
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    assert_close(actual, e / e.sum(1, keepdims=True), rtol=1e-5)
    assert_close(actual.sum(1, dtype=np.float64), np.ones(6), rtol=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 7, 16])
def test_threads_share_the_rows(threads):
    x = uniform(6, 32)
    kernel = softmax(6, 32, 16, "thread").compile()
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    assert_close(kernel(zeros(6, 32), x, threads=threads)[0], e / e.sum(1, keepdims=True), rtol=1e-5)
    assert [p.kind for p in kernel.rendered.parameters] == ["buffer", "buffer", "thread_id", "thread_count"]


def test_scratch_of_lanes_is_private_to_each():
    """Columns are normalised in lanes: each lane has its own scratch column."""
    k = Builder(("float32", 9, 32), ("float32", 9, 32))
    c, a, b = k.range(32, "upcast"), k.range(9), k.range(9)
    scratch = k.local(9)
    filled = after(scratch, k.write(scratch, (a,), k.load(1, a, c) * 2.0, a))
    k.store(0, (b, c), k.load(filled, index_const(8) - b), b, c)
    x = uniform(9, 32)
    np.testing.assert_array_equal(k.compile()(zeros(9, 32), x)[0], x[::-1] * 2)


def test_two_outputs_of_one_loop():
    k = Builder(("float32", 5), ("float32", 5), ("float32", 5, 48))
    i, j, lane = k.range(5), k.range(3, "reduce"), k.range(16, "unroll")
    x = k.load(2, i, j * 16 + lane)
    k.store(0, (i,), reduce("add", x, j, lane), i)
    k.store(1, (i,), reduce("max", x, j, lane), i)
    data = uniform(5, 48)
    kernel = k.compile()
    sums, greatest, _ = kernel(zeros(5), zeros(5), data)
    assert_close(sums, data.sum(1, dtype=np.float64))
    np.testing.assert_array_equal(greatest, data.max(1))


def test_equal_loops_of_separate_stores_are_merged():
    k = Builder(("float32", 64), ("float32", 64), ("float32", 64))
    for slot in (0, 1):
        i, lane = k.range(4), k.range(16, "upcast")
        k.store(slot, (i * 16 + lane,), k.load(2, i * 16 + lane) * (slot + 2.0), i, lane)
    kernel = k.compile()
    assert kernel.rendered.source.count("phi") == 1
    x = uniform(64)
    a, b, _ = kernel(zeros(64), zeros(64), x)
    np.testing.assert_array_equal(a, x * 2)
    np.testing.assert_array_equal(b, x * 3)


def test_a_store_is_not_merged_with_what_reads_it():
    k = Builder(("float32", 8), ("float32", 8))
    i, j = k.range(8), k.range(8)
    first = k.write(0, (i,), k.load(1, i) + 1.0, i)
    k.store(1, (j,), k.load(after(k.arguments[0], first), index_const(7) - j), j)
    k.effects.insert(0, first)
    x = uniform(8)
    a, b = k.compile()(zeros(8), x)
    np.testing.assert_array_equal(a, x + 1)
    np.testing.assert_array_equal(b, (x + 1)[::-1])


def test_loads_of_the_old_value_come_before_the_store():
    k = Builder(("float32", 8), ("float32", 1))
    i, j = k.range(8), k.range(8, "reduce")
    k.store(0, (i,), const(7.0, T.float32), i)
    k.store(1, (0,), reduce("add", k.load(0, j), j))
    x = uniform(8)
    a, total = k.compile()(x, zeros(1))
    assert (a == 7).all()
    assert_close(total, [x.sum(dtype=np.float64)])


def test_in_place_update():
    k = Builder(("float32", 64))
    i, lane = k.range(2), k.range(32, "upcast")
    k.store(0, (i * 32 + lane,), k.load(0, i * 32 + lane) * 10.0, i, lane)
    x = uniform(64)
    np.testing.assert_array_equal(k.compile()(x)[0], x * np.float32(10))


# Gates

def padded(n: int, low: int, size: int, width: int, dtype: str = "float32", other=0):
    k = Builder((dtype, size), (dtype, n))
    if width:
        i, lane = k.range(size // width), k.range(width, "upcast")
        place, ranges = i * width + lane, (i, lane)
    else:
        place = k.range(size)
        ranges = (place,)
    source = place - low
    gate = source.ge(0) & source.lt(n)
    k.store(0, (place,), k.load(1, source, gate=gate, other=other), *ranges)
    return k


@pytest.mark.parametrize("width", [0, 16, 64, 8, 5])
@pytest.mark.parametrize("dtype", ["float32", "bool", "int8", "float64", "bfloat16", "float16"])
def test_padding_reads_nothing_outside(width, dtype):
    np_dtype = T.dtype_named(dtype).np
    size = 320
    x = (RNG.integers(0, 2, 100) if dtype == "bool" else RNG.integers(-9, 9, 100)).astype(np_dtype)
    other = True if dtype == "bool" else -1
    kernel = padded(100, 13, size, width, dtype, other).compile()
    expected = np.full(size, other, np_dtype)
    expected[13:113] = x
    assert (kernel(np.zeros(size, np_dtype), x)[0] == expected).all()


@pytest.mark.parametrize("size, width", [(0, 16), (3, 16), (1, 0), (0, 0)])
def test_padding_of_buffers_shorter_than_a_vector(size, width):
    x = np.arange(size, dtype=np.float32) + 1
    kernel = padded(size, 2, 32, width, "float32", 7).compile()
    expected = np.full(32, 7, np.float32)
    expected[2:2 + size] = x
    assert (kernel(zeros(32), x)[0] == expected).all()


def test_a_gate_that_all_lanes_share_is_no_mask():
    k = Builder(("float32", 6, 32), ("float32", 4, 32))
    i, lane = k.range(6), k.range(32, "upcast")
    k.store(0, (i, lane), k.load(1, i - 1, lane, gate=(i - 1).ge(0) & (i - 1).lt(4)), i, lane)
    x = uniform(4, 32)
    kernel = k.compile()
    assert "masked" not in kernel.rendered.source
    np.testing.assert_array_equal(kernel(zeros(6, 32), x)[0], np.pad(x, ((1, 1), (0, 0))))


def test_gated_loads_take_no_branch():
    for width in (0, 16):
        source = padded(100, 13, 320, width).compile().rendered.source
        assert source.count("br i1") == 1


@pytest.mark.parametrize("width", [0, 16, 5])
def test_gated_stores_write_nothing_outside(width):
    k = Builder(("float32", 37), ("float32", 40))
    if width:
        i, lane = k.range(40 // (width if width == 5 else 8)), k.range(width if width == 5 else 8, "upcast")
        place, ranges = i * (width if width == 5 else 8) + lane, (i, lane)
    else:
        place = k.range(40)
        ranges = (place,)
    k.store(0, (place,), k.load(1, place) + 1.0, *ranges, gate=place.lt(37))
    x = uniform(40)
    memory = zeros(48)
    out = k.compile()(memory, x)[0]
    np.testing.assert_array_equal(out[:37], x[:37] + 1)
    assert (out[37:] == 0).all()


# Strides

@pytest.mark.parametrize("width", [0, 16])
def test_flip_transpose_and_stride(width):
    def kernel(place_of, n=64):
        k = Builder(("float32", 64), ("float32", 256))
        if width:
            i, lane = k.range(64 // width), k.range(width, "upcast")
            place, ranges = i * width + lane, (i, lane)
        else:
            place = k.range(64)
            ranges = (place,)
        k.store(0, (place,), k.load(1, place_of(place)), *ranges)
        return k.compile()
    x = uniform(256)
    np.testing.assert_array_equal(kernel(lambda p: index_const(63) - p)(zeros(64), x)[0], x[63::-1])
    np.testing.assert_array_equal(kernel(lambda p: p * 3 + 1)(zeros(64), x)[0], x[1:193:3])
    np.testing.assert_array_equal(kernel(lambda p: p // 8 + p % 8 * 8)(zeros(64), x)[0], x[:64].reshape(8, 8).T.ravel())
    np.testing.assert_array_equal(kernel(lambda p: p // 16)(zeros(64), x)[0], x[:4].repeat(16))
    np.testing.assert_array_equal(kernel(lambda p: index_const(5))(zeros(64), x)[0], x[5].repeat(64))


def test_gather_by_an_index_buffer():
    k = Builder(("float32", 64, 16), ("float32", 10, 16), ("int64", 64))
    i, lane = k.range(64), k.range(16, "upcast")
    k.store(0, (i, lane), k.load(1, k.load(2, i).cast(T.index), lane), i, lane)
    x, places = uniform(10, 16), RNG.integers(0, 10, 64)
    kernel = k.compile()
    assert "<16 x float>" in kernel.rendered.source
    np.testing.assert_array_equal(kernel(zeros(64, 16), x, places)[0], x[places])
    k = Builder(("float32", 64), ("float32", 10), ("int64", 64))
    i = k.range(64, "upcast")
    k.store(0, (i,), k.load(1, k.load(2, i).cast(T.index)), i)
    np.testing.assert_array_equal(k.compile()(zeros(64), x[:, 0], places)[0], x[places, 0])


@pytest.mark.parametrize("backwards", [False, True])
def test_scattering_stores(backwards):
    k = Builder(("float32", 64), ("float32", 64))
    i, lane = k.range(4), k.range(16, "upcast")
    place = i * 16 + lane
    k.store(0, (index_const(63) - place if backwards else lane * 4 + i,), k.load(1, place), i, lane)
    x = uniform(64)
    np.testing.assert_array_equal(k.compile()(zeros(64), x)[0], x[::-1] if backwards else x.reshape(4, 16).T.ravel())


# Symbolic sizes

def test_symbolic_extents_are_parameters_in_the_order_of_names():
    k = Builder(("float32", 100), ("float32", 100))
    n, b = UOp.make("define_var", (), ("n", 1, 10)), UOp.make("define_var", (), ("b", 1, 10))
    i, j = k.range(n), k.range(b)
    k.store(0, (i * b + j,), k.load(1, j * n + i), i, j)
    kernel = k.compile()
    assert kernel.rendered.variables == ("b", "n")
    x = uniform(100)
    for rows, columns in ((3, 4), (10, 10), (1, 7)):
        out = kernel(zeros(100), x, n=rows, b=columns)[0]
        np.testing.assert_array_equal(out[:rows * columns], x[:rows * columns].reshape(columns, rows).T.ravel())


@pytest.mark.parametrize("threads", [1, 3])
def test_a_symbolic_thread_range(threads):
    k = Builder(("float32", 50))
    n = UOp.make("define_var", (), ("n", 0, 50))
    i = k.range(n, "thread")
    k.store(0, (i,), i.cast(T.float32) + 1.0, i)
    for size in (0, 1, 7, 50):
        out = k.compile()(zeros(50), n=size, threads=threads)[0]
        assert (out == np.where(np.arange(50) < size, np.arange(50) + 1, 0)).all()


# Legality, targets

def test_a_loop_that_needs_its_own_result_is_refused():
    k = Builder(("float32", 1), ("float32", 8))
    j = k.range(8, "reduce")
    total = reduce("add", k.load(1, j), j)
    k.store(0, (0,), reduce("add", k.load(1, j) * total, j))
    with pytest.raises(InternalError, match="morok.carry.* is needed inside the loop of range 0"):
        k.compile()


def test_a_range_that_nothing_closes_is_refused():
    k = Builder(("float32", 8))
    k.store(0, (k.range(8),), const(1.0, T.float32))
    with pytest.raises(InternalError, match="nothing closes range 0"):
        k.compile()


def test_too_much_scratch_is_refused():
    k = Builder(("float32", 8))
    i, scratch = k.range(8), k.local(1 << 20)
    filled = after(scratch, k.write(scratch, (0,), const(1.0, T.float32)))
    k.store(0, (i,), k.load(filled, 0), i)
    with pytest.raises(InternalError, match="scratch memory"):
        k.compile()


def test_affine_loops_compute_the_same():
    affine = LLVMRenderer(affine=True)
    x = uniform(6, 64) * 10
    for make in (lambda: softmax(6, 64, 16), lambda: softmax(6, 64, 16, "thread"), lambda: softmax(6, 64, 1, rows_in_tile=3)):
        plain, polyhedral = make().compile()(zeros(6, 64), x)[0], make().compile(affine)(zeros(6, 64), x)[0]
        np.testing.assert_array_equal(plain, polyhedral)


@pytest.mark.parametrize("bits", [128, 256])
def test_narrower_targets_give_the_same_values(bits):
    host = Target.host()
    narrow = LLVMRenderer(Target(host.triple, host.cpu, host.features, bits, 16, host.cache_bytes))
    x = uniform(6, 64) * 10
    wide_result, narrow_result = (softmax(6, 64, 32).compile(r)(zeros(6, 64), x)[0] for r in (RENDERER, narrow))
    assert_close(narrow_result, wide_result)
    mask = RNG.random((6, 448)) < 0.01
    assert (row_reduction("or", "bool", 6, 448, 64).compile(narrow)(zeros(6, dtype=bool), mask)[0] == mask.any(1)).all()
    assert "x i1> [ zeroinitializer" not in row_reduction("or", "bool", 6, 448, 64).compile(narrow).rendered.source
