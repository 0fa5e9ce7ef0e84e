"""Range form, one function at a time, against NumPy: loops as values, gates, scratch memory, versions of memory, vectors; errors."""
# ruff: noqa: E501  (MLIR text and its messages)

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morok.dialect import types as T
from morok.errors import BoundsError, IRError
from morok.graph.body import Body, Program
from morok.graph.uop import UOp, argument, const, index_const
from morok.interpret import interpret

X = np.arange(6, dtype=np.float32).reshape(2, 3)

# The gate of a load that has none must be told by the segments.
PLAIN = "{operandSegmentSizes = array<i32: 1, 0, 0>}"
GATED = "{operandSegmentSizes = array<i32: 1, 1, 1>}"


def test_transpose(run):
    [got] = run("""func.func @main(%a: memref<2x3xf32>) -> memref<3x2xf32> {
      %i = "morok.range"(#3) {id = 0, kind = "loop"} : (index) -> index
      %j = "morok.range"(#2) {id = 1, kind = "loop"} : (index) -> index
      %p = "morok.index"(%a, %j, %i) : (memref<2x3xf32>, index, index) -> ptr
      %x = "morok.load"(%p) """ + PLAIN + """ : (ptr) -> f32
      %b = "morok.bufferize"(%x, %i, %j) {id = 0, space = "global"} : (f32, index, index) -> memref<3x2xf32>
      return %b : memref<3x2xf32>
    }""", X)
    assert np.array_equal(got, X.T)


MATMUL = """func.func @main(%a: memref<MxKxf32>, %b: memref<KxNxf32>) -> memref<MxNxf32> {
  %i = "morok.range"(#M) {id = 0, kind = "loop"} : (index) -> index
  %j = "morok.range"(#N) {id = 1, kind = "loop"} : (index) -> index
  %k = "morok.range"(#K) {id = 2, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %k) : (memref<MxKxf32>, index, index) -> ptr
  %q = "morok.index"(%b, %k, %j) : (memref<KxNxf32>, index, index) -> ptr
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (ptr) -> f32
  %y = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (ptr) -> f32
  %z = "morok.mul"(%x, %y) : (f32, f32) -> f32
  %s = "morok.reduce"(%z, %k) {op = "add"} : (f32, index) -> f32
  %r = "morok.bufferize"(%s, %i, %j) {id = 0, space = "global"} : (f32, index, index) -> memref<MxNxf32>
  return %r : memref<MxNxf32>
}"""


@pytest.mark.parametrize("m, k, n", [(2, 3, 4), (1, 1, 1), (5, 7, 3), (0, 3, 2), (2, 0, 3), (2, 3, 0)])
def test_matmul(run, m, k, n):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
    text = MATMUL
    for letter, size in (("M", m), ("K", k), ("N", n)):
        text = text.replace(f"#{letter}", f"#{size}").replace(f"{letter}x", f"{size}x")
    [got] = run(text, a, b)
    np.testing.assert_allclose(got, a @ b, rtol=1e-5, atol=1e-6)


PAD = """func.func @main(%a: memref<4xf32>) -> memref<7xf32> {
  %i = "morok.range"(#7) {id = 0, kind = "loop"} : (index) -> index
  %m = "morok.const"() {value = -2 : index} : () -> index
  %j = "morok.add"(%i, %m) : (index, index) -> index
  %l = "morok.cmple"(#0, %j) : (index, index) -> i1
  %h = "morok.cmplt"(%j, #4) : (index, index) -> i1
  %g = "morok.and"(%l, %h) : (i1, i1) -> i1
  %o = "morok.const"() {value = -1.0 : f32} : () -> f32
  %p = "morok.index"(%a, %j) : (memref<4xf32>, index) -> ptr
  %x = "morok.load"(LOAD
  %b = "morok.bufferize"(%x, %i) {id = 0, space = "global"} : (f32, index) -> memref<7xf32>
  return %b : memref<7xf32>
}"""


def test_gated_load_is_padding(run):
    [got] = run(PAD.replace("LOAD", f"%p, %g, %o) {GATED} : (ptr, i1, f32) -> f32"), np.arange(4, dtype=np.float32))
    assert got.tolist() == [-1, -1, 0, 1, 2, 3, -1]


def test_load_out_of_bounds_names_op_place_and_iteration(run):
    message = r"morok.load touches element \(-2\) of a memref<4xf32>; index -2 of axis 0 is outside \[0, 4\) at range 0 = 0, and no gate forbids it"
    with pytest.raises(BoundsError, match=message):
        run(PAD.replace("LOAD", f"%p) {PLAIN} : (ptr) -> f32"), np.arange(4, dtype=np.float32))


def test_gated_load_from_an_empty_buffer(run):
    [got] = run("""func.func @main(%a: memref<0xf32>) -> memref<2xf32> {
      %i = "morok.range"(#2) {id = 0, kind = "loop"} : (index) -> index
      %g = "morok.cmplt"(%i, #0) : (index, index) -> i1
      %o = "morok.const"() {value = 3.0 : f32} : () -> f32
      %p = "morok.index"(%a, %i) : (memref<0xf32>, index) -> ptr
      %x = "morok.load"(%p, %g, %o) """ + GATED + """ : (ptr, i1, f32) -> f32
      %b = "morok.bufferize"(%x, %i) {id = 0, space = "global"} : (f32, index) -> memref<2xf32>
      return %b : memref<2xf32>
    }""", np.zeros(0, np.float32))
    assert got.tolist() == [3, 3]


@pytest.mark.parametrize("n", [0, 1, 5])
def test_symbolic_extent(run, n):
    """The sum of the first n elements, and how many pairs there are below n."""
    total, pairs = run("""func.func @main(%a: memref<5xf32>) -> (memref<f32>, memref<i32>) {
      %n = "morok.define_var"() {name = "n", min = 0, max = 5} : () -> index
      %i = "morok.range"(%n) {id = 0, kind = "reduce"} : (index) -> index
      %j = "morok.range"(%n) {id = 1, kind = "reduce"} : (index) -> index
      %p = "morok.index"(%a, %i) : (memref<5xf32>, index) -> ptr
      %x = "morok.load"(%p) """ + PLAIN + """ : (ptr) -> f32
      %s = "morok.reduce"(%x, %i) {op = "add"} : (f32, index) -> f32
      %1 = "morok.const"() {value = 1 : i32} : () -> i32
      %c = "morok.reduce"(%1, %i, %j) {op = "add"} : (i32, index, index) -> i32
      %b = "morok.bufferize"(%s) {id = 0, space = "global"} : (f32) -> memref<f32>
      %d = "morok.bufferize"(%c) {id = 1, space = "global"} : (i32) -> memref<i32>
      return %b, %d : memref<f32>, memref<i32>
    }""", np.arange(5, dtype=np.float32), n=n)
    assert total == sum(range(n)) and pairs == n * n and total.shape == ()


def test_softmax_with_local_stages(run):
    """The row maximum and sum, each from its own loop, and the exponentials kept in scratch inside the row loop."""
    x = np.random.default_rng(1).standard_normal((4, 6), np.float32)
    [got] = run("""func.func @main(%a: memref<4x6xf32>) -> memref<4x6xf32> {
      %i = "morok.range"(#4) {id = 0, kind = "loop"} : (index) -> index
      %j = "morok.range"(#6) {id = 1, kind = "reduce"} : (index) -> index
      %k = "morok.range"(#6) {id = 2, kind = "loop"} : (index) -> index
      %m = "morok.range"(#6) {id = 3, kind = "reduce"} : (index) -> index
      %n = "morok.range"(#6) {id = 4, kind = "loop"} : (index) -> index
      %p0 = "morok.index"(%a, %i, %j) : (memref<4x6xf32>, index, index) -> ptr
      %x0 = "morok.load"(%p0) SEG : (ptr) -> f32
      %max = "morok.reduce"(%x0, %j) {op = "max"} : (f32, index) -> f32
      %p1 = "morok.index"(%a, %i, %k) : (memref<4x6xf32>, index, index) -> ptr
      %x1 = "morok.load"(%p1) SEG : (ptr) -> f32
      %d = "morok.sub"(%x1, %max) : (f32, f32) -> f32
      %e = "morok.exp"(%d) : (f32) -> f32
      %t = "morok.bufferize"(%e, %k) {id = 0, space = "local"} : (f32, index) -> memref<6xf32, "local">
      %p2 = "morok.index"(%t, %m) : (memref<6xf32, "local">, index) -> local
      %x2 = "morok.load"(%p2) SEG : (local) -> f32
      %sum = "morok.reduce"(%x2, %m) {op = "add"} : (f32, index) -> f32
      %p3 = "morok.index"(%t, %n) : (memref<6xf32, "local">, index) -> local
      %x3 = "morok.load"(%p3) SEG : (local) -> f32
      %y = "morok.div"(%x3, %sum) : (f32, f32) -> f32
      %b = "morok.bufferize"(%y, %i, %n) {id = 1, space = "global"} : (f32, index, index) -> memref<4x6xf32>
      return %b : memref<4x6xf32>
    }""".replace("SEG", PLAIN), x)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(got, e / e.sum(1, keepdims=True), rtol=1e-6)


def test_bufferize_at_index_expressions(run):
    """Outer and inner counter of a split axis index one buffer axis."""
    [got] = run("""func.func @main() -> memref<6xi32> {
      %o = "morok.range"(#2) {id = 0, kind = "loop"} : (index) -> index
      %i = "morok.range"(#3) {id = 1, kind = "unroll"} : (index) -> index
      %m = "morok.mul"(%o, #3) : (index, index) -> index
      %j = "morok.add"(%m, %i) : (index, index) -> index
      %v = "morok.cast"(%j) : (index) -> i32
      %b = "morok.bufferize"(%v, %j) {id = 0, space = "global"} : (i32, index) -> memref<6xi32>
      return %b : memref<6xi32>
    }""")
    assert got.tolist() == [0, 1, 2, 3, 4, 5]


def test_after_is_a_new_version_of_memory(run):
    """The argument overwritten in reverse: loads from the argument itself see what it was."""
    x = np.arange(4, dtype=np.float32)
    new, twice = run("""func.func @main(%a: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
      %i = "morok.range"(#4) {id = 0, kind = "loop"} : (index) -> index
      %m = "morok.const"() {value = -1 : index} : () -> index
      %n = "morok.mul"(%i, %m) : (index, index) -> index
      %j = "morok.add"(%n, #3) : (index, index) -> index
      %p = "morok.index"(%a, %j) : (memref<4xf32>, index) -> ptr
      %x = "morok.load"(%p) SEG : (ptr) -> f32
      %q = "morok.index"(%a, %i) : (memref<4xf32>, index) -> ptr
      %s = "morok.store"(%q, %x) : (ptr, f32) -> !morok.token
      %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
      %new = "morok.after"(%a, %e) : (memref<4xf32>, !morok.token) -> memref<4xf32>
      %k = "morok.range"(#4) {id = 1, kind = "loop"} : (index) -> index
      %r = "morok.index"(%new, %k) : (memref<4xf32>, index) -> ptr
      %y = "morok.load"(%r) SEG : (ptr) -> f32
      %o = "morok.index"(%a, %k) : (memref<4xf32>, index) -> ptr
      %w = "morok.load"(%o) SEG : (ptr) -> f32
      %z = "morok.sub"(%y, %w) : (f32, f32) -> f32
      %b = "morok.bufferize"(%z, %k) {id = 0, space = "global"} : (f32, index) -> memref<4xf32>
      return %new, %b : memref<4xf32>, memref<4xf32>
    }""".replace("SEG", PLAIN), x)
    assert new.tolist() == [3, 2, 1, 0] and twice.tolist() == [3, 1, -1, -3]
    assert x.tolist() == [0, 1, 2, 3]


STORE = """func.func @main(%a: memref<4xi32>) -> memref<4xi32> {
  %i = "morok.range"(#6) {id = 0, kind = "loop"} : (index) -> index
  %h = "morok.floordiv"(%i, #2) : (index, index) -> index
  %v = "morok.cast"(VALUE) : (index) -> i32
  %g = "morok.cmplt"(%i, #4) : (index, index) -> i1
  %p = "morok.index"(%a, PLACE) : (memref<4xi32>, index) -> !morok.ptr<i32, "global">
  %s = "morok.store"(%p, %v GATE
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  %r = "morok.after"(%a, %e) : (memref<4xi32>, !morok.token) -> memref<4xi32>
  return %r : memref<4xi32>
}"""
UNGATED = ') : (!morok.ptr<i32, "global">, i32) -> !morok.token'


def store(value, place, gate=UNGATED):
    return STORE.replace("VALUE", value).replace("PLACE", place).replace("GATE", gate)


def test_gated_store_leaves_the_rest(run):
    [got] = run(store("%i", "%i", ', %g) : (!morok.ptr<i32, "global">, i32, i1) -> !morok.token'), np.full(4, 9, np.int32))
    assert got.tolist() == [0, 1, 2, 3]


def test_store_out_of_bounds(run):
    with pytest.raises(BoundsError, match=r"morok.store touches element \(4\) of a memref<4xi32>.* at range 0 = 4"):
        run(store("%i", "%i"), np.zeros(4, np.int32))


def test_store_in_a_loop_without_iterations(run):
    """The store does not depend on the loop that its end closes; it is in it all the same."""
    text = store("#0", "#1").replace("(%s, %i) : (!morok.token, index)", "(%s, %z) : (!morok.token, index)")
    for extent, want in ((0, [9, 9, 9, 9]), (2, [9, 0, 9, 9])):
        z = f'%z = "morok.range"(#{extent}) {{id = 1, kind = "loop"}} : (index) -> index\n  %e ='
        assert run(text.replace("%e =", z), np.full(4, 9, np.int32))[0].tolist() == want


def test_equal_values_may_be_stored_twice(run):
    assert run(store("%h", "%h"), np.full(4, 9, np.int32))[0].tolist() == [0, 1, 2, 9]


def test_different_values_may_not(run):
    with pytest.raises(IRError, match="morok.store writes one element twice with different values, 0 and 1"):
        run(store("%i", "%h"), np.zeros(4, np.int32))


def test_open_range_of_a_global_buffer(run):
    with pytest.raises(IRError, match="morok.bufferize of space global must close range 1, on which its value depends"):
        run("""func.func @main() -> memref<2xindex> {
          %i = "morok.range"(#2) {id = 0, kind = "loop"} : (index) -> index
          %j = "morok.range"(#2) {id = 1, kind = "loop"} : (index) -> index
          %v = "morok.add"(%i, %j) : (index, index) -> index
          %b = "morok.bufferize"(%v, %i) {id = 0, space = "global"} : (index, index) -> memref<2xindex>
          return %b : memref<2xindex>
        }""")


def test_extent_that_depends_on_a_range(run):
    with pytest.raises(IRError, match="morok.range has an extent that depends on other ranges"):
        run("""func.func @main() -> memref<2xindex> {
          %i = "morok.range"(#2) {id = 0, kind = "loop"} : (index) -> index
          %j = "morok.range"(%i) {id = 1, kind = "reduce"} : (index) -> index
          %v = "morok.reduce"(%j, %j) {op = "add"} : (index, index) -> index
          %b = "morok.bufferize"(%v, %i) {id = 0, space = "global"} : (index, index) -> memref<2xindex>
          return %b : memref<2xindex>
        }""")


def test_error_names_the_source_line(parse):
    program = parse("""func.func @main(%a: memref<1xf32>) -> memref<2xf32> {
      %i = "morok.range"(#2) {id = 0, kind = "loop"} : (index) -> index
      %p = "morok.index"(%a, %i) : (memref<1xf32>, index) -> ptr
      %x = "morok.load"(%p) SEG : (ptr) -> f32 loc("model.py":12:3)
      %b = "morok.bufferize"(%x, %i) {id = 0, space = "global"} : (f32, index) -> memref<2xf32>
      return %b : memref<2xf32>
    }""".replace("SEG", PLAIN))
    with pytest.raises(BoundsError, match="^model.py:12: morok.load touches"):
        interpret(program, "main", [np.zeros(1, np.float32)])


# Vectors

def test_vector_accesses(run):
    """Eight elements four by four: contiguous load, lanes apart and together, a lane-wise gate, a strided store."""
    x = np.arange(8, dtype=np.float32)
    [got, total] = run("""func.func @main(%a: memref<8xf32>, %b: memref<16xf32>, %t: memref<2xf32>) -> (memref<16xf32>, memref<2xf32>) {
      %i = "morok.range"(#2) {id = 0, kind = "loop"} : (index) -> index
      %4 = "morok.mul"(%i, #4) : (index, index) -> index
      %p = "morok.index"(%a, %4) : (memref<8xf32>, index) -> !morok.ptr<vector<4xf32>, "global">
      %x = "morok.load"(%p) SEG : (!morok.ptr<vector<4xf32>, "global">) -> vector<4xf32>
      %0 = "morok.gep"(%x) {lane = 0} : (vector<4xf32>) -> f32
      %1 = "morok.gep"(%x) {lane = 1} : (vector<4xf32>) -> f32
      %u = "morok.vectorize"(%1, %0) : (f32, f32) -> vector<2xf32>
      %d = "morok.vectorize"(%0) : (f32) -> vector<2xf32>
      %y = "morok.cat"(%u, %d) : (vector<2xf32>, vector<2xf32>) -> vector<4xf32>
      %lane = "morok.unroll"() : () -> vector<4xindex>
      %iv = "morok.vectorize"(%4) : (index) -> vector<4xindex>
      %place = "morok.add"(%iv, %lane) : (vector<4xindex>, vector<4xindex>) -> vector<4xindex>
      %two = "morok.const"() {value = 2 : index} : () -> vector<4xindex>
      %even = "morok.mul"(%place, %two) : (vector<4xindex>, vector<4xindex>) -> vector<4xindex>
      %gate = "morok.cmplt"(%lane, %three) : (vector<4xindex>, vector<4xindex>) -> vector<4xi1>
      %q = "morok.index"(%b, %even) : (memref<16xf32>, vector<4xindex>) -> !morok.ptr<vector<4xf32>, "global">
      %s = "morok.store"(%q, %y, %gate) : (!morok.ptr<vector<4xf32>, "global">, vector<4xf32>, vector<4xi1>) -> !morok.token
      %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
      %r = "morok.after"(%b, %e) : (memref<16xf32>, !morok.token) -> memref<16xf32>
      %sum = "morok.contract"(%x) {op = "add"} : (vector<4xf32>) -> f32
      %w = "morok.index"(%t, %i) : (memref<2xf32>, index) -> ptr
      %st = "morok.store"(%w, %sum) : (ptr, f32) -> !morok.token
      %se = "morok.end"(%st, %i) : (!morok.token, index) -> !morok.token
      %rt = "morok.after"(%t, %se) : (memref<2xf32>, !morok.token) -> memref<2xf32>
      return %r, %rt : memref<16xf32>, memref<2xf32>
    }""".replace("SEG", PLAIN).replace('%gate =', '%three = "morok.const"() {value = 3 : index} : () -> vector<4xindex>\n%gate ='),
        x, np.zeros(16, np.float32), np.zeros(2, np.float32))
    assert got.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 4, 0, 4, 0, 0, 0] and total.tolist() == [6, 22]


def test_vector_accumulators(run):
    """A reduction over a loop of vectors, then over the lanes; the last load is cut off by its gate."""
    [got] = run("""func.func @main(%a: memref<7xf32>) -> memref<f32> {
      %i = "morok.range"(#2) {id = 0, kind = "reduce"} : (index) -> index
      %4 = "morok.mul"(%i, #4) : (index, index) -> index
      %lane = "morok.unroll"() : () -> vector<4xindex>
      %iv = "morok.vectorize"(%4) : (index) -> vector<4xindex>
      %place = "morok.add"(%iv, %lane) : (vector<4xindex>, vector<4xindex>) -> vector<4xindex>
      %end = "morok.vectorize"(#7) : (index) -> vector<4xindex>
      %gate = "morok.cmplt"(%place, %end) : (vector<4xindex>, vector<4xindex>) -> vector<4xi1>
      %zero = "morok.const"() {value = 0.0 : f32} : () -> vector<4xf32>
      %p = "morok.index"(%a, %4) : (memref<7xf32>, index) -> !morok.ptr<vector<4xf32>, "global">
      %x = "morok.load"(%p, %gate, %zero) """ + GATED + """ : (!morok.ptr<vector<4xf32>, "global">, vector<4xi1>, vector<4xf32>) -> vector<4xf32>
      %r = "morok.reduce"(%x, %i) {op = "add"} : (vector<4xf32>, index) -> vector<4xf32>
      %s = "morok.contract"(%r) {op = "add"} : (vector<4xf32>) -> f32
      %b = "morok.bufferize"(%s) {id = 0, space = "global"} : (f32) -> memref<f32>
      return %b : memref<f32>
    }""", np.arange(7, dtype=np.float32))
    assert got == 21


# Random index expressions, by the builder

@given(st.integers(1, 5), st.integers(1, 5), st.integers(-6, 6), st.integers(-6, 6), st.sampled_from(["floordiv", "mod"]), st.integers(1,
                                                                                                                                       4))
def test_index_arithmetic(rows, columns, scale, offset, op, divisor):
    """A buffer of (i * scale + j + offset) op divisor."""
    i, j = (UOp.make("range", (index_const(n),), (k, "loop"), T.index) for k, n in enumerate((rows, columns)))
    value = (i * scale + j + offset).alu(op, divisor)
    buffer = UOp.make("bufferize", (value, i, j), (0, "global"), T.memref((rows, columns), T.index))
    program = Program(None)
    program.bodies["main"] = Body("main", [], (buffer,))
    [got] = interpret(program)
    a, b = np.ogrid[:rows, :columns]
    want = a * scale + b + offset
    assert np.array_equal(got, want // divisor if op == "floordiv" else want % divisor)


@given(st.data())
def test_gather(data):
    """x[indices], by a load at an index that is loaded."""
    size = data.draw(st.integers(1, 6))
    indices = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=5)), np.int64)
    x = np.arange(size, dtype=np.int32) * 10
    arguments = [argument(0, T.memref(x.shape, T.int32)), argument(1, T.memref(indices.shape, T.int64))]
    i = UOp.make("range", (index_const(len(indices)),), (0, "loop"), T.index)
    place = load(arguments[1], i).cast(T.index)
    result = UOp.make("bufferize", (load(arguments[0], place), i), (0, "global"), T.memref(indices.shape, T.int32))
    program = Program(None)
    program.bodies["main"] = Body("main", arguments, (result,))
    assert np.array_equal(interpret(program, "main", [x, indices])[0], x[indices])


def load(buffer, *indices):
    return UOp.make("load", (UOp.make("index", (buffer, *indices), (), T.ptr(buffer.dtype, "global")),))


def test_constant_of_every_dtype(run):
    for dtype in T.DTYPES.values():
        value = UOp.make("bufferize", (const(1, dtype),), (0, "global"), T.memref((), dtype))
        program = Program(None)
        program.bodies["main"] = Body("main", [], (value,))
        [got] = interpret(program)
        assert got.dtype == dtype.np and got == 1


def test_the_package_is_called_as_its_function(parse):
    import morok
    from morok import interpret as named
    program = parse("""func.func @main(%a: memref<2x3xf32>) -> memref<2x3xf32> {
      return %a : memref<2x3xf32>
    }""")
    for call in (named, morok.interpret, interpret):
        [got] = call(program, "main", [X])
        np.testing.assert_array_equal(got, X)


def test_a_carried_value_starts_from_its_initial_value(run):
    [got] = run("""func.func @main(%a: memref<2x3xf32>) -> memref<2xf32> {
      %i = "morok.range"(#2) {id = 0, kind = "loop"} : (index) -> index
      %j = "morok.range"(#3) {id = 1, kind = "reduce"} : (index) -> index
      %z = "morok.const"() {value = 100.0 : f32} : () -> f32
      %p = "morok.index"(%a, %i, %j) : (memref<2x3xf32>, index, index) -> ptr
      %x = "morok.load"(%p) """ + PLAIN + """ : (ptr) -> f32
      %s = "morok.carry"(%x, %z, %j) {op = "add"} : (f32, f32, index) -> f32
      %b = "morok.bufferize"(%s, %i) {id = 0, space = "global"} : (f32, index) -> memref<2xf32>
      return %b : memref<2xf32>
    }""", X)
    np.testing.assert_array_equal(got, [103, 112])
