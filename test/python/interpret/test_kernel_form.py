"""Kernel form: launches on real memory, in the order that `after` gives; and the hazards that have no order."""
# ruff: noqa: E501  (MLIR text and its messages)

import numpy as np
import pytest

from morok.errors import BoundsError, IRError, ShapeError

X = np.arange(6, dtype=np.float32).reshape(2, 3)

SEG = "{operandSegmentSizes = array<i32: 1, 0, 0>}"


def elementwise(name, op, operands=1, size=4):
    """A kernel: slot 0 gets op(slot 1, ...) of memref<SIZExf32>s."""
    slots = range(1, operands + 1)
    arguments = ", ".join(f"%a{s}: memref<{size}xf32>" for s in (0, *slots))
    loads = "".join(f'%p{s} = "morok.index"(%a{s}, %i) : (memref<{size}xf32>, index) -> ptr\n%x{s} = "morok.load"(%p{s}) {SEG} : (ptr) -> f32\n' for s in slots)
    types = ", ".join("f32" for _ in slots)
    return f"""func.func @{name}({arguments}) attributes {{morok.kernel}} {{
      %i = "morok.range"(#{size}) {{id = 0, kind = "loop"}} : (index) -> index
      {loads}
      %y = "morok.{op}"({", ".join(f"%x{s}" for s in slots)}) : ({types}) -> f32
      %q = "morok.index"(%a0, %i) : (memref<{size}xf32>, index) -> ptr
      %s = "morok.store"(%q, %y) : (ptr, f32) -> !morok.token
      %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
      "morok.sink"(%e) : (!morok.token) -> ()
      return
    }}
    """


def launch(result, callee, *buffers, size=4):
    """Lines that launch @callee on the buffers and name the token."""
    params = [f'%{result}_{slot} = "morok.param"({b}) {{slot = {slot}}} : (memref<{size}xf32>) -> !morok.argument' for slot,
              b in enumerate(buffers)]
    names, types = ", ".join(f"%{result}_{slot}" for slot in range(len(buffers))), ", ".join("!morok.argument" for _ in buffers)
    return "\n".join([*params, f'%{result} = "morok.kernel"({names}) {{callee = @{callee}}} : ({types}) -> !morok.token\n'])


def after(result, buffer, token, size=4):
    return f'%{result} = "morok.after"({buffer}, %{token}) : (memref<{size}xf32>, !morok.token) -> memref<{size}xf32>\n'


def allocate(result, id, size=4):
    return f'%{result} = "morok.define_global"() {{id = {id}}} : () -> memref<{size}xf32>\n'


def main(body, *results, arguments="%a: memref<4xf32>, %b: memref<4xf32>"):
    types = ", ".join("memref<4xf32>" for _ in results)
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}return {', '.join(results)} : {types}\n}}\n"


A, B = np.array([1, 2, 3, 4], np.float32), np.array([10, 20, 30, 40], np.float32)


def test_two_kernels_in_a_row(run):
    body = allocate("t", 0) + allocate("r", 1) + launch("k0", "sum", "%t", "%a", "%b") + after("t1", "%t", "k0") + launch("k1", "neg",
                                                                                                                          "%r",
                                                                                                                          "%t1") + after("r1", "%r", "k1")
    [got] = run(main(body, "%r1") + elementwise("sum", "add", 2) + elementwise("neg", "neg"), A, B)
    assert got.tolist() == [-11, -22, -33, -44]


def test_kernel_by_itself(run):
    out, x = run(elementwise("neg", "neg"), np.zeros(4, np.float32), A, function="neg")
    assert out.tolist() == [-1, -2, -3, -4] and np.array_equal(x, A)


def test_slots_may_come_in_any_order(run):
    body = allocate("r", 0) + """%p1 = "morok.param"(%a) {slot = 1} : (memref<4xf32>) -> !morok.argument
      %p0 = "morok.param"(%r) {slot = 0} : (memref<4xf32>) -> !morok.argument
      %k = "morok.kernel"(%p1, %p0) {callee = @neg} : (!morok.argument, !morok.argument) -> !morok.token
    """ + after("r1", "%r", "k")
    assert run(main(body, "%r1") + elementwise("neg", "neg"), A, B)[0].tolist() == [-1, -2, -3, -4]


def test_in_place(run):
    """A kernel that reads and writes one element per iteration; the caller's array stays."""
    kernel = """func.func @double(%x: memref<4xf32>) attributes {morok.kernel} {
      %i = "morok.range"(#4) {id = 0, kind = "loop"} : (index) -> index
      %p = "morok.index"(%x, %i) : (memref<4xf32>, index) -> ptr
      %v = "morok.load"(%p) SEG : (ptr) -> f32
      %w = "morok.add"(%v, %v) : (f32, f32) -> f32
      %s = "morok.store"(%p, %w) : (ptr, f32) -> !morok.token
      %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
      "morok.sink"(%e) : (!morok.token) -> ()
      return
    }""".replace("SEG", SEG)
    a = A.copy()
    [got] = run(main(launch("k", "double", "%a") + after("r", "%a", "k"), "%r") + kernel, a, B)
    assert got.tolist() == [2, 4, 6, 8] and np.array_equal(a, A)


def test_variable_inside_a_kernel(run):
    kernel = """func.func @head(%o: memref<f32>, %x: memref<4xf32>) attributes {morok.kernel} {
      %n = "morok.define_var"() {name = "n", min = 0, max = 4} : () -> index
      %i = "morok.range"(%n) {id = 0, kind = "reduce"} : (index) -> index
      %p = "morok.index"(%x, %i) : (memref<4xf32>, index) -> ptr
      %v = "morok.load"(%p) SEG : (ptr) -> f32
      %t = "morok.reduce"(%v, %i) {op = "add"} : (f32, index) -> f32
      %q = "morok.index"(%o) : (memref<f32>) -> ptr
      %s = "morok.store"(%q, %t) : (ptr, f32) -> !morok.token
      "morok.sink"(%s) : (!morok.token) -> ()
      return
    }""".replace("SEG", SEG)
    for n in (0, 3):
        assert run(kernel, np.zeros((), np.float32), A, function="head", n=n)[0] == A[:n].sum()


def test_scratch_ordered_by_after(run):
    """A row of scratch inside the row loop, filled by one loop and summed by the next."""
    kernel = """func.func @rows(%o: memref<2xf32>, %x: memref<2x3xf32>) attributes {morok.kernel} {
      %t = "morok.define_local"() {id = 0} : () -> memref<3xf32, "local">
      %i = "morok.range"(#2) {id = 0, kind = "thread"} : (index) -> index
      %j = "morok.range"(#3) {id = 1, kind = "loop"} : (index) -> index
      %k = "morok.range"(#3) {id = 2, kind = "reduce"} : (index) -> index
      %p = "morok.index"(%x, %i, %j) : (memref<2x3xf32>, index, index) -> ptr
      %v = "morok.load"(%p) SEG : (ptr) -> f32
      %e = "morok.mul"(%v, %v) : (f32, f32) -> f32
      %l = "morok.index"(%t, %j) : (memref<3xf32, "local">, index) -> local
      %s = "morok.store"(%l, %e) : (local, f32) -> !morok.token
      %d = "morok.end"(%s, %j) : (!morok.token, index) -> !morok.token
      %u = "morok.after"(%t, %d) : (memref<3xf32, "local">, !morok.token) -> memref<3xf32, "local">
      %m = "morok.index"(READ, %k) : (memref<3xf32, "local">, index) -> local
      %w = "morok.load"(%m) SEG : (local) -> f32
      %r = "morok.reduce"(%w, %k) {op = "add"} : (f32, index) -> f32
      %q = "morok.index"(%o, %i) : (memref<2xf32>, index) -> ptr
      %z = "morok.store"(%q, %r) : (ptr, f32) -> !morok.token
      %f = "morok.end"(%z, %i) : (!morok.token, index) -> !morok.token
      "morok.sink"(%f) : (!morok.token) -> ()
      return
    }""".replace("SEG", SEG)
    [got, _] = run(kernel.replace("READ", "%u"), np.zeros(2, np.float32), X, function="rows")
    assert got.tolist() == (X * X).sum(1).tolist()
    [got, _] = run(kernel.replace("READ", "%t"), np.zeros(2, np.float32), X, function="rows")
    assert np.isnan(got).all(), "scratch read before anything is written to it"


def test_flattened_parameters_and_bools_as_bytes(run):
    """Vector form's view of memory: one dimension, ui8 for i1."""
    [got] = run("""func.func @main(%a: memref<2x2xi1>) -> memref<2x2xi1> {
      %g = "morok.define_global"() {id = 0} : () -> memref<2x2xi1>
      %p0 = "morok.param"(%g) {slot = 0} : (memref<2x2xi1>) -> !morok.argument
      %p1 = "morok.param"(%a) {slot = 1} : (memref<2x2xi1>) -> !morok.argument
      %k = "morok.kernel"(%p0, %p1) {callee = @k} : (!morok.argument, !morok.argument) -> !morok.token
      %r = "morok.after"(%g, %k) : (memref<2x2xi1>, !morok.token) -> memref<2x2xi1>
      return %r : memref<2x2xi1>
    }
    func.func @k(%o: memref<4xui8>, %x: memref<4xui8>) attributes {morok.kernel} {
      %p = "morok.index"(%x, #0) : (memref<4xui8>, index) -> !morok.ptr<vector<4xui8>, "global">
      %v = "morok.load"(%p) SEG : (!morok.ptr<vector<4xui8>, "global">) -> vector<4xui8>
      %b = "morok.cast"(%v) : (vector<4xui8>) -> vector<4xi1>
      %n = "morok.not"(%b) : (vector<4xi1>) -> vector<4xi1>
      %w = "morok.cast"(%n) : (vector<4xi1>) -> vector<4xui8>
      %q = "morok.index"(%o, #0) : (memref<4xui8>, index) -> !morok.ptr<vector<4xui8>, "global">
      %s = "morok.store"(%q, %w) : (!morok.ptr<vector<4xui8>, "global">, vector<4xui8>) -> !morok.token
      "morok.sink"(%s) : (!morok.token) -> ()
      return
    }""".replace("SEG", SEG), np.array([[True, False], [False, True]]))
    assert got.dtype == np.bool_ and got.tolist() == [[False, True], [True, False]]


# Order of launches

def test_unordered_write_after_read(run):
    """@neg reads %a into a new buffer, @exp overwrites %a; nothing says which is first."""
    body = allocate("t", 0) + launch("k0", "neg", "%t", "%a") + after("t1", "%t", "k0") + launch("k1", "exp", "%a", "%b") + after("a1",
                                                                                                                                  "%a",
                                                                                                                                  "k1")
    with pytest.raises(IRError, match="morok.kernel of @exp and that of @neg both touch argument 0, one writes it, and no `after` orders them"):
        run(main(body, "%t1", "%a1") + elementwise("neg", "neg") + elementwise("exp", "exp"), A, B)


def test_write_after_read_ordered(run):
    body = (allocate("t", 0) + launch("k0", "neg", "%t", "%a") + after("t1", "%t", "k0") + after("a0", "%a", "k0") + launch("k1", "neg",
                                                                                                                            "%a0", "%b")
            + after("a1", "%a0", "k1"))
    t, a = run(main(body, "%t1", "%a1") + elementwise("neg", "neg"), A, B)
    assert t.tolist() == [-1, -2, -3, -4] and a.tolist() == [-10, -20, -30, -40]


def test_result_overwritten_later(run):
    body = launch("k0", "neg", "%a", "%b") + after("a1", "%a", "k0") + launch("k1", "neg", "%a1", "%b") + after("a2", "%a1", "k1")
    with pytest.raises(IRError, match="overwrites argument 0, which is a result as it was before"):
        run(main(body, "%a1", "%a2") + elementwise("neg", "neg"), A, B)


def test_one_buffer_in_two_slots(run):
    with pytest.raises(IRError, match="passes one buffer to @neg twice, and the kernel writes it as slot 0"):
        run(main(launch("k", "neg", "%a", "%a") + after("r", "%a", "k"), "%r") + elementwise("neg", "neg"), A, B)


def test_unwritten_memory_shows(run):
    body = allocate("t", 0) + launch("k", "neg", "%a", "%t") + after("r", "%a", "k")
    assert np.isnan(run(main(body, "%r") + elementwise("neg", "neg"), A, B)[0]).all()


@pytest.mark.parametrize("body, error, message", [
    (launch("k", "absent", "%a", "%b") + after("r", "%a", "k"), IRError, "names @absent, which the module does not have"),
    (launch("k", "neg", "%a") + after("r", "%a", "k"), IRError, r"binds slots \[0\] of @neg, which has 2 buffers"),
    (launch("k", "short", "%a", "%b") + after("r", "%a", "k"), ShapeError,
     r"@short: slot 0 is a memref<3xf32>, given an array of shape \(4,\)"),
])
def test_wrong_launch(run, body, error, message):
    with pytest.raises(error, match=message):
        run(main(body, "%r") + elementwise("neg", "neg") + elementwise("short", "neg", size=3), A, B)


# Order within a kernel

SHIFT = """func.func @shift(%x: memref<5xf32>) attributes {morok.kernel} {
  %i = "morok.range"(#4) {id = 0, kind = "loop"} : (index) -> index
  %j = "morok.add"(%i, #1) : (index, index) -> index
  %p = "morok.index"(%x, FROM) : (memref<5xf32>, index) -> ptr
  %v = "morok.load"(%p) SEG : (ptr) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %q = "morok.index"(%x, TO) : (memref<5xf32>, index) -> ptr
  %s = "morok.store"(%q, %w) : (ptr, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}""".replace("SEG", SEG)


@pytest.mark.parametrize("source, target", [("%j", "%i"), ("%i", "%j")])
def test_load_of_what_another_iteration_stores(run, source, target):
    with pytest.raises(IRError, match=r"morok.store writes element \(\d,\) of argument 0, which .*morok.load reads too, in different iterations"):
        run(SHIFT.replace("FROM", source).replace("TO", target), np.zeros(5, np.float32), function="shift")


def test_load_of_what_the_same_iteration_stores(run):
    [got] = run(SHIFT.replace("FROM", "%j").replace("TO", "%j"), np.arange(5, dtype=np.float32), function="shift")
    assert got.tolist() == [0, -1, -2, -3, -4]


def test_load_before_the_loop_that_stores(run):
    """A load at a constant reaches no range: it stands before the loop and sees what was there."""
    [got] = run(SHIFT.replace("FROM", "#2").replace("TO", "%i"), np.arange(5, dtype=np.float32), function="shift")
    assert got.tolist() == [-2, -2, -2, -2, 4]


def test_normalising_in_place(run):
    """The sum's loop is done before the loop that stores: no race, although both touch all elements."""
    [got] = run("""func.func @k(%x: memref<4xf32>) attributes {morok.kernel} {
      %i = "morok.range"(#4) {id = 0, kind = "reduce"} : (index) -> index
      %p = "morok.index"(%x, %i) : (memref<4xf32>, index) -> ptr
      %v = "morok.load"(%p) SEG : (ptr) -> f32
      %t = "morok.reduce"(%v, %i) {op = "add"} : (f32, index) -> f32
      %j = "morok.range"(#4) {id = 1, kind = "loop"} : (index) -> index
      %q = "morok.index"(%x, %j) : (memref<4xf32>, index) -> ptr
      %u = "morok.load"(%q) SEG : (ptr) -> f32
      %w = "morok.div"(%u, %t) : (f32, f32) -> f32
      %s = "morok.store"(%q, %w) : (ptr, f32) -> !morok.token
      %e = "morok.end"(%s, %j) : (!morok.token, index) -> !morok.token
      "morok.sink"(%e) : (!morok.token) -> ()
      return
    }""".replace("SEG", SEG), A, function="k")
    assert np.allclose(got, A / 10)


TWO_OUTPUTS = """func.func @k(%x: memref<4xf32>, %y: memref<4xf32>, %b: memref<4xf32>) attributes {morok.kernel} {
  %i = "morok.range"(#4) {id = 0, kind = "loop"} : (index) -> index
  %p = "morok.index"(%x, %i) : (memref<4xf32>, index) -> ptr
  %v = "morok.load"(%p) SEG : (ptr) -> f32
  %r = "morok.index"(%y, %i) : (memref<4xf32>, index) -> ptr
  %s = "morok.store"(%r, %v) : (ptr, f32) -> !morok.token
  ORDER
  %o = "morok.index"(%b, %i) : (memref<4xf32>, index) -> ptr
  %n = "morok.load"(%o) SEG : (ptr) -> f32
  %q = "morok.index"(BUFFER, %i) : (memref<4xf32>, index) -> ptr
  %t = "morok.store"(%q, %n) : (ptr, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  %f = "morok.end"(%t, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e, %f) : (!morok.token, !morok.token) -> ()
  return
}""".replace("SEG", SEG)


def test_load_and_store_without_order(run):
    with pytest.raises(IRError, match="which .*morok.load reads too, and neither is ordered after the other"):
        run(TWO_OUTPUTS.replace("ORDER", "").replace("BUFFER", "%x"), A, B, B, function="k")


def test_load_and_store_ordered_by_after(run):
    order = '%x1 = "morok.after"(%x, %s) : (memref<4xf32>, !morok.token) -> memref<4xf32>'
    x, y, _ = run(TWO_OUTPUTS.replace("ORDER", order).replace("BUFFER", "%x1"), A, B, B, function="k")
    assert np.array_equal(x, B) and np.array_equal(y, A)


def test_out_of_bounds_in_a_kernel(run):
    with pytest.raises(BoundsError, match=r"touches element \(4\) of a memref<4xf32>"):
        run(SHIFT.replace("FROM", "%i").replace("TO", "%j").replace("memref<5x", "memref<4x"), A, function="shift")
