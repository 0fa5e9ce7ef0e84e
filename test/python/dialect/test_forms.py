"""The rules of each form: a good program of the form passes, and each way to break it has its message."""
# ruff: noqa: E501  (MLIR text and its messages)

import re

import numpy as np
import pytest
from mlir import ir

from morok.dialect.context import shared_context
from morok.dialect.verify import VerifyError
from morok.errors import IRError, OptionError
from morok.graph.body import Program
from morok.passes.registry import make_pass
from morok.passes.verify.forms import FORMS, verify_form

DYNAMIC = "-9223372036854775808"
LOAD = '"morok.load"({}) {{operandSegmentSizes = array<i32: 1, 0, 0>}} : (!morok.ptr<f32, "global">) -> f32'


def program(text):
    dialect = shared_context()
    return Program(dialect, ir.Module.parse(expand(text), dialect.context))


def expand(text):
    """`#3` is an index constant; `load %p` and `index %a, %i` are loads and indices of f32 buffers of the global space."""
    text = re.sub(r"(?<!\.)load (%\w+)", lambda m: LOAD.format(m[1]), text)
    text = re.sub(r"(\w+)\[(%[\w, %]*)\] of (memref<[^>]*>)",
                  lambda m: f'"morok.index"(%{m[1]}, {m[2]}) : ({m[3]}, {", ".join("index" for _ in m[2].split(","))}) -> !morok.ptr<f32, "global">', text)
    return re.sub(r"#(\d+)", r'"morok.const"() {value = \1 : index} : () -> index', text)


def problems(text, form):
    return [str(d) for d in verify_form(program(text), form)]


def breaks(good, form, *changes):
    """The messages after replacing parts of a good program."""
    for old, new in changes:
        assert old in good, old
        good = good.replace(old, new)
    return problems(good, form)


# Tensor

TENSOR = f"""func.func @main(%a: tensor<12xf32>, %b: tensor<3xf32>) -> (tensor<?xf32>, tensor<12xf32>) {{
  %n = "morok.define_var"() {{name = "n", min = 0, max = 12}} : () -> index
  %0 = "morok.shrink"(%a, %n) {{begin = array<i64: 0>, size = array<i64: {DYNAMIC}>}} : (tensor<12xf32>, index) -> tensor<?xf32>
  %1 = "morok.exp"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %v = "morok.shrink"(%a) {{begin = array<i64: 2>, size = array<i64: 3>}} : (tensor<12xf32>) -> tensor<3xf32>
  %w = "morok.flip"(%v) {{axes = array<i64: 0>}} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = "morok.assign"(%a, %w, %b) : (tensor<12xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<12xf32>
  return %1, %2 : tensor<?xf32>, tensor<12xf32>
}}"""


def test_tensor_form():
    assert problems(TENSOR, "tensor") == []


def test_tensor_form_has_no_loops():
    text = 'func.func @main() -> index {\n  %n = #3\n  %i = "morok.range"(%n) {id = 0, kind = "loop"} : (index) -> index\n  return %i : index\n}'
    assert problems(text, "tensor") == ["-:3:1: error: 'morok.range' op does not belong in tensor form"]


def test_tensor_form_has_no_buffers():
    [found] = problems("func.func @main(%a: memref<3xf32>) -> memref<3xf32> {\n  return %a : memref<3xf32>\n}", "tensor")
    assert found == "error: argument 0 of @main has type memref<3xf32>; values here are tensors and index"


def test_buffers_have_static_shapes():
    [found] = problems("func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}", "tensor")
    assert "argument 0 of @main has type tensor<?xf32>; a buffer has a static shape" in found


def test_view_of_an_assign():
    [found] = breaks(TENSOR, "tensor", ('"morok.flip"(%v) {axes = array<i64: 0>}', '"morok.neg"(%v)'))
    assert found == "-:7:1: error: 'morok.assign' op writes a view that is not made of movement ops over its target; 'morok.neg' is in the way"


def test_size_that_depends_on_a_tensor():
    text = f"""func.func @main(%a: tensor<12xf32>, %b: tensor<i64>) -> tensor<?xf32> {{
      %n = "morok.cast"(%b) : (tensor<i64>) -> tensor<index>
      %0 = "morok.shrink"(%a, %n) {{begin = array<i64: 0>, size = array<i64: {DYNAMIC}>}} : (tensor<12xf32>, index) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }}"""
    with pytest.raises(ir.MLIRError):  # IRDL sees it
        problems(text, "tensor")


# Range

RANGE = """func.func @main(%a: memref<4x6xf32>) -> memref<4x6xf32> {
  %4 = #4
  %6 = #6
  %i = "morok.range"(%4) {id = 0, kind = "loop"} : (index) -> index
  %r = "morok.range"(%6) {id = 1, kind = "reduce"} : (index) -> index
  %p = a[%i, %r] of memref<4x6xf32>
  %x = load %p
  %m = "morok.reduce"(%x, %r) {op = "max"} : (f32, index) -> f32
  %s = "morok.range"(%6) {id = 2, kind = "loop"} : (index) -> index
  %q = a[%i, %s] of memref<4x6xf32>
  %y = load %q
  %d = "morok.sub"(%y, %m) : (f32, f32) -> f32
  %b = "morok.bufferize"(%d, %i, %s) {id = 0, space = "global"} : (f32, index, index) -> memref<4x6xf32>
  return %b : memref<4x6xf32>
}"""


def test_range_form():
    assert problems(RANGE, "range") == []


def test_range_form_has_no_movement():
    assert "error: argument 0 of @main has type tensor<12xf32>; values here are scalars, pointers and buffers" in problems(TENSOR, "range")
    assert "-:3:1: error: 'morok.shrink' op does not belong in range form" in problems(TENSOR, "range")


def test_one_loop_cannot_need_its_own_result():
    [found] = breaks(RANGE, "range", ("a[%i, %s]", "a[%i, %r]"), ("(%d, %i, %s)", "(%d, %i, %r)"))
    assert found == ("-:12:1: error: 'morok.sub' op stands in the loop of range 1 and needs what this loop computes; a second loop is a second "
                     "range")


def test_two_reductions_may_share_a_loop():
    text = RANGE.replace('"morok.bufferize"(%d', '"morok.bufferize"(%t').replace("%s = ",
                                                                                 '%n = "morok.reduce"(%x, %r) {op = "add"} : (f32, index) -> f32\n%s = ')
    assert problems(text.replace("%b = ", '%t = "morok.add"(%d, %n) : (f32, f32) -> f32\n%b = '), "range") == []


def test_global_buffer_with_an_open_range():
    found = breaks(RANGE, "range", ("(%d, %i, %s)", "(%d, %s)"), ("(f32, index, index) -> memref<4x6xf32>",
                                                                  "(f32, index) -> memref<6xf32>"),
                   ("return %b : memref<4x6xf32>", "return %b : memref<6xf32>"), ("-> memref<4x6xf32> {", "-> memref<6xf32> {"))
    assert found == ["-:13:1: error: 'morok.bufferize' op leaves range 0 open; close it by reduce, bufferize or end"]


def test_open_range_of_a_result():
    found = breaks(RANGE, "range", ('"morok.bufferize"(%d, %i, %s) {id = 0, space = "global"} : (f32, index, index) -> memref<4x6xf32>',
                                    '"morok.cast"(%d) : (f32) -> f64'), ("-> memref<4x6xf32> {", "-> f64 {"),
                                    ("return %b : memref<4x6xf32>", "return %b : f64"))
    assert found == ["-:13:1: error: 'morok.cast' op leaves range 0 open; close it by reduce, bufferize or end"]


def test_range_ids_differ():
    [found] = breaks(RANGE, "range", ("id = 2", "id = 1"))
    assert found.endswith("error: 'morok.range' op has id 1, as another range has")


def test_extent_that_depends_on_a_range():
    [found] = breaks(RANGE, "range", ('%s = "morok.range"(%6)', '%s = "morok.range"(%i)'))
    assert found == "-:9:1: error: 'morok.range' op has an extent that depends on range 0"


def test_range_form_has_no_expanded_kinds():
    [found] = breaks(RANGE, "range", ('{id = 2, kind = "loop"}', '{id = 2, kind = "upcast"}'))
    assert found == "-:9:1: error: 'morok.range' op has kind upcast; ranges here are of kind loop, reduce, ordered"


# Kernel

KERNEL = """func.func @main(%a: memref<4xf32>) -> memref<4xf32> {
  %g = "morok.define_global"() {id = 0} : () -> memref<4xf32>
  %0 = "morok.param"(%g) {slot = 0} : (memref<4xf32>) -> !morok.argument
  %1 = "morok.param"(%a) {slot = 1} : (memref<4xf32>) -> !morok.argument
  %k = "morok.kernel"(%0, %1) {callee = @k0} : (!morok.argument, !morok.argument) -> !morok.token
  %r = "morok.after"(%g, %k) : (memref<4xf32>, !morok.token) -> memref<4xf32>
  return %r : memref<4xf32>
}
func.func @k0(%o: memref<4xf32>, %x: memref<4xf32>) attributes {morok.kernel} {
  %4 = #4
  %i = "morok.range"(%4) {id = 0, kind = "loop"} : (index) -> index
  %p = x[%i] of memref<4xf32>
  %v = load %p
  %q = o[%i] of memref<4xf32>
  %s = "morok.store"(%q, %v) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}"""


def test_kernel_form():
    assert problems(KERNEL, "kernel") == [] and problems(KERNEL, "optimised") == []


@pytest.mark.parametrize("changes, message", [
    ([("callee = @k0", "callee = @main")], "-:5:1: error: 'morok.kernel' op launches @main, which is not a kernel of the module"),
    ([("{slot = 1}", "{slot = 0}")], "-:5:1: error: 'morok.kernel' op binds slots [0, 0] of @k0, which has 2 buffers"),
    ([("(%0, %1) {callee = @k0} : (!morok.argument, !morok.argument)", "(%0) {callee = @k0} : (!morok.argument)")],
     "-:5:1: error: 'morok.kernel' op binds slots [0] of @k0, which has 2 buffers"),
    ([("%a: memref<4xf32>)", "%a: memref<2x2xf32>)"), ("(%a) {slot = 1} : (memref<4xf32>)", "(%a) {slot = 1} : (memref<2x2xf32>)")],
     "-:5:1: error: 'morok.kernel' op binds slot 1 of @k0 to a memref<2x2xf32>, but it takes a memref<4xf32>"),
    ([("%r = ", '%c = #9\n%z = "morok.range"(%c) {id = 0, kind = "loop"} : (index) -> index\n%r = '), ("return %r :", "return %z :"),
      (") -> memref<4xf32> {", ") -> index {"), ("return %z : memref<4xf32>", "return %z : index")],
     "-:6:1: error: 'morok.const' op does not belong in a function that launches kernels"),
    ([('"morok.sink"(%e) : (!morok.token) -> ()', "")], "error: kernel @k0 must end in one sink, not 0"),
    ([('"morok.sink"(%e)', '"morok.sink"(%s)')], "-:17:1: error: 'morok.sink' op leaves range 0 open; close it by reduce, bufferize or end"),
    ([('kind = "loop"', 'kind = "thread"')], "-:11:1: error: 'morok.range' op has kind thread; ranges here are of kind loop, reduce, ordered"),
    ([('%s = "morok.store"(%q, %v) : (!morok.ptr<f32, "global">, f32) -> !morok.token', '%s = "morok.barrier"() : () -> !morok.token'),
      ("(%e)", "(%b)"),
      ('"morok.sink"', '%b = "morok.kernel"() {callee = @k0} : () -> !morok.token\n"morok.sink"')],
     "-:17:1: error: 'morok.kernel' op does not belong in range form"),
])
def test_broken_kernel_form(changes, message):
    assert message in breaks(KERNEL, "kernel", *changes)


def test_launches_without_order():
    body = """  %2 = "morok.param"(%a) {slot = 0} : (memref<4xf32>) -> !morok.argument
  %3 = "morok.define_global"() {id = 1} : () -> memref<4xf32>
  %5 = "morok.param"(%3) {slot = 1} : (memref<4xf32>) -> !morok.argument
  %j = "morok.kernel"(%2, %5) {callee = @k0} : (!morok.argument, !morok.argument) -> !morok.token
  %r = "morok.after"(%g, %k, %j) : (memref<4xf32>, !morok.token, !morok.token) -> memref<4xf32>"""
    [found] = breaks(KERNEL, "kernel", ('  %r = "morok.after"(%g, %k) : (memref<4xf32>, !morok.token) -> memref<4xf32>', body))
    assert "'morok.kernel' op of @k0 and that of @k0 both touch argument 0, one writes it, and no `after` orders them" in found


def test_optimised_form():
    assert breaks(KERNEL, "optimised", ('kind = "loop"', 'kind = "upcast"')) == []
    changes = [("%4 = #4", '%4 = "morok.define_var"() {name = "n", min = 1, max = 4} : () -> index')]
    assert breaks(KERNEL, "optimised", *changes) == []
    assert breaks(KERNEL, "optimised", *changes, ('kind = "loop"', 'kind = "unroll"')) == [
        "-:11:1: error: 'morok.range' op of kind unroll must have a constant extent"]


# Vector

def test_vector_form():
    assert problems(KERNEL, "vector") == []
    flattened = [("func.func @main(%a: memref<4xf32>)", "func.func @main(%a: memref<2x2xf32>)"),
                 ("(%a) {slot = 1} : (memref<4xf32>)", "(%a) {slot = 1} : (memref<2x2xf32>)")]
    assert breaks(KERNEL, "vector", *flattened) == []
    lanes = [('%i = "morok.range"(%4) {id = 0, kind = "loop"} : (index) -> index', '%i = "morok.unroll"() : () -> vector<4xindex>'),
             ("x[%i] of memref<4xf32>", '"morok.index"(%x, %i) : (memref<4xf32>, vector<4xindex>) -> !morok.ptr<vector<4xf32>, "global">'),
             ("load %p", '"morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<4xf32>, "global">) -> vector<4xf32>'),
             ("o[%i] of memref<4xf32>", '"morok.index"(%o, %i) : (memref<4xf32>, vector<4xindex>) -> !morok.ptr<vector<4xf32>, "global">'),
             ('(!morok.ptr<f32, "global">, f32)', '(!morok.ptr<vector<4xf32>, "global">, vector<4xf32>)'),
             ('%e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token', ""), ("(%e)", "(%s)")]
    assert breaks(KERNEL, "vector", *lanes) == []
    assert "-:11:1: error: 'morok.unroll' op does not belong in range form" in breaks(KERNEL, "kernel", *lanes)


@pytest.mark.parametrize("kind", ["upcast", "unroll"])
def test_vector_form_has_no_ranges_to_expand(kind):
    [found] = breaks(KERNEL, "vector", ('kind = "loop"', f'kind = "{kind}"'))
    assert found == f"-:11:1: error: 'morok.range' op has kind {kind}; ranges here are of kind loop, reduce, ordered, thread"


def test_vector_form_has_flat_byte_buffers():
    text = """func.func @k(%o: memref<2x2xf32>, %b: memref<4xi1>) attributes {morok.kernel} {
      %l = "morok.define_local"() {id = 0} : () -> memref<2x2xf32, "local">
      %c = #0
      %f = "morok.const"() {value = 0.0 : f32} : () -> f32
      %p = "morok.index"(%l, %c, %c) : (memref<2x2xf32, "local">, index, index) -> !morok.ptr<f32, "local">
      %s = "morok.store"(%p, %f) : (!morok.ptr<f32, "local">, f32) -> !morok.token
      "morok.sink"(%s) : (!morok.token) -> ()
      return
    }"""
    assert problems(text, "vector") == [
        "error: argument 0 of @k has type memref<2x2xf32>; buffers here have one dimension",
        "-:2:1: error: 'morok.define_local' op has type memref<2x2xf32, \"local\">; buffers here have one dimension",
        "error: argument 1 of @k has type memref<4xi1>; a bool in memory is a ui8"]


# Upstream forms

LAUNCHER = KERNEL.partition("func.func @k0")[0]
LOOPS = LAUNCHER + """func.func @k0(%o: memref<4xf32>, %x: memref<4xf32>) attributes {morok.kernel} {
  affine.for %i = 0 to 4 {
    %v = affine.load %x[%i] : memref<4xf32>
    affine.store %v, %o[%i] : memref<4xf32>
  }
  return
}"""
LLVM = LAUNCHER + """llvm.func @k0(%o: !llvm.ptr) attributes {morok.kernel} {
  %v = llvm.mlir.constant(1.0 : f32) : f32
  llvm.store %v, %o : f32, !llvm.ptr
  llvm.return
}"""


def test_loops_form():
    assert problems(LOOPS, "loops") == []
    assert problems(KERNEL, "loops")[0] == "-:10:8: error: 'morok.const' op does not belong in loops form, which has upstream dialects only"


def test_llvm_form():
    assert problems(LLVM, "llvm") == []
    assert problems(LOOPS, "llvm")[:2] == ["-:9:1: error: 'func.func' op does not belong in llvm form",
                                           "-:10:3: error: 'affine.for' op does not belong in llvm form"]


# The passes

def test_pass_raises_with_all_diagnostics():
    with pytest.raises(VerifyError) as error:
        make_pass("morok-verify-form", {"form": "range"}).run(program(TENSOR))
    assert isinstance(error.value, IRError) and len(error.value.diagnostics) > 3
    assert str(error.value).splitlines()[0] == str(error.value.diagnostics[0])


def test_pass_accepts():
    make_pass("morok-verify-form", {"form": "range"}).run(program(RANGE))
    make_pass("morok-verify").run(program(RANGE))


def test_op_rules_come_first():
    text = TENSOR.replace("size = array<i64: 3>}", "size = array<i64: 13>}").replace("(tensor<12xf32>) -> tensor<3xf32>",
                                                                                     "(tensor<12xf32>) -> tensor<13xf32>")
    text = text.replace("(%v) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>",
                        "(%v) {axes = array<i64: 0>} : (tensor<13xf32>) -> tensor<13xf32>")
    text = text.replace("%b: tensor<3xf32>", "%b: tensor<13xf32>").replace("(tensor<12xf32>, tensor<3xf32>, tensor<3xf32>)",
                                                                           "(tensor<12xf32>, tensor<13xf32>, tensor<13xf32>)")
    with pytest.raises(VerifyError, match=r"-:5:1: error: 'morok.shrink' op window \[2, 15\) of axis 0 exceeds its size 12"):
        make_pass("morok-verify-form", {"form": "range"}).run(program(text))


def test_unknown_form():
    with pytest.raises(OptionError, match="there is no form 'ranges'; forms are tensor, range, kernel, optimised, vector, loops, llvm"):
        make_pass("morok-verify-form", {"form": "ranges"}).run(program(RANGE))
    assert FORMS == ("tensor", "range", "kernel", "optimised", "vector", "loops", "llvm")


def test_forms_that_the_interpreter_runs():
    """The good programs above mean what they should."""
    from morok.interpret import interpret
    x = np.random.default_rng(0).standard_normal((4, 6), np.float32)
    assert np.array_equal(interpret(program(RANGE), "main", [x])[0], x - x.max(1, keepdims=True))
    assert np.array_equal(interpret(program(KERNEL), "main", [x[:, 0].copy()])[0], x[:, 0])
