"""Stock mlir-opt, given `morok.irdl.mlir`, reads modules of every form, and refuses what IRDL can tell is wrong."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from morok.dialect.context import shared_context
from morok.dialect.irdl import dialect_text
from morok.dialect.opdef import TABLE
from morok.dialect.reference import example, module_of

MLIR_OPT = next((Path(place) / "bin" / "mlir-opt" for place in find_spec("mlir").submodule_search_locations), Path())
LOAD = "{operandSegmentSizes = array<i32: 1, 0, 0>}"

FORMS = {
    "tensor": """func.func @main(%a: tensor<2x3xf32> {morok.in_place}) -> tensor<?xf32> {
      %n = "morok.define_var"() {name = "n", min = 1, max = 3} : () -> index
      %0 = "morok.reduce_axis"(%a) {op = "add", axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
      %1 = "morok.shrink"(%0, %n) {begin = array<i64: 0>, size = array<i64: -9223372036854775808>} : (tensor<3xf32>, index) -> tensor<?xf32>
      return %1 : tensor<?xf32>
    }""",
    "range": """func.func @main(%a: memref<2x3xf32>) -> memref<2xf32> {
      %2 = "morok.const"() {value = 2 : index} : () -> index
      %i = "morok.range"(%2) {id = 0, kind = "loop"} : (index) -> index
      %j = "morok.range"(%2) {id = 1, kind = "reduce"} : (index) -> index
      %p = "morok.index"(%a, %i, %j) : (memref<2x3xf32>, index, index) -> !morok.ptr<f32, "global">
      %x = "morok.load"(%p) LOAD : (!morok.ptr<f32, "global">) -> f32
      %s = "morok.reduce"(%x, %j) {op = "add"} : (f32, index) -> f32
      %b = "morok.bufferize"(%s, %i) {id = 0, space = "global"} : (f32, index) -> memref<2xf32>
      return %b : memref<2xf32>
    }""",
    "kernel": """func.func @main(%a: memref<2xf32>) -> memref<2xf32> {
      %g = "morok.define_global"() {id = 0} : () -> memref<2xf32>
      %0 = "morok.param"(%g) {slot = 0} : (memref<2xf32>) -> !morok.argument
      %1 = "morok.param"(%a) {slot = 1} : (memref<2xf32>) -> !morok.argument
      %k = "morok.kernel"(%0, %1) {callee = @k0} : (!morok.argument, !morok.argument) -> !morok.token
      %r = "morok.after"(%g, %k) : (memref<2xf32>, !morok.token) -> memref<2xf32>
      return %r : memref<2xf32>
    }
    func.func @k0(%o: memref<2xf32>, %a: memref<2xf32>) attributes {morok.kernel} {
      %2 = "morok.const"() {value = 2 : index} : () -> index
      %i = "morok.range"(%2) {id = 0, kind = "thread"} : (index) -> index
      %p = "morok.index"(%a, %i) : (memref<2xf32>, index) -> !morok.ptr<f32, "global">
      %x = "morok.load"(%p) LOAD : (!morok.ptr<f32, "global">) -> f32
      %q = "morok.index"(%o, %i) : (memref<2xf32>, index) -> !morok.ptr<f32, "global">
      %s = "morok.store"(%q, %x) : (!morok.ptr<f32, "global">, f32) -> !morok.token
      %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
      "morok.sink"(%e) : (!morok.token) -> ()
      return
    }""",
    "vector": """func.func @k0(%o: memref<8xf32>, %a: memref<8xf32>) attributes {morok.kernel, morok.opts = "UPCAST:0:4"} {
      %0 = "morok.const"() {value = 0 : index} : () -> index
      %p = "morok.index"(%a, %0) : (memref<8xf32>, index) -> !morok.ptr<vector<4xf32>, "global">
      %x = "morok.load"(%p) LOAD : (!morok.ptr<vector<4xf32>, "global">) -> vector<4xf32>
      %y = "morok.gep"(%x) {lane = 3} : (vector<4xf32>) -> f32
      %z = "morok.vectorize"(%y) : (f32) -> vector<8xf32>
      %q = "morok.index"(%o, %0) : (memref<8xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
      %s = "morok.store"(%q, %z) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
      "morok.sink"(%s) : (!morok.token) -> ()
      return
    }""",
}


@pytest.fixture(scope="module")
def irdl(tmp_path_factory):
    path = tmp_path_factory.mktemp("irdl") / "morok.irdl.mlir"
    path.write_text(dialect_text())
    return path


def mlir_opt(irdl, text):
    return subprocess.run([MLIR_OPT, f"--irdl-file={irdl}"], input=text, capture_output=True, text=True)


@pytest.mark.parametrize("form", FORMS)
def test_stock_mlir_opt_reads_the_form(irdl, form):
    result = mlir_opt(irdl, FORMS[form].replace("LOAD", LOAD))
    assert result.returncode == 0, result.stderr
    again = mlir_opt(irdl, result.stdout)
    assert again.stdout == result.stdout


def test_stock_mlir_opt_reads_every_op(irdl):
    text = str(module_of([example(definition) for definition in TABLE.values()], shared_context()))
    result = mlir_opt(irdl, text)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == text.strip()


@pytest.mark.parametrize("op, message", [
    ('%0 = "morok.add"(%x) : (f32) -> f32', "expects exactly 2 operands"), ('%0 = "morok.add"(%x, %x) : (f32, f32) -> f64',
                                                                            "expected 'f32' but got 'f64'"),
    ('%0 = "morok.gep"(%v) : (vector<4xf32>) -> f32', 'attribute "lane" is expected but not provided'),
    ('"morok.nope"() : () -> ()', "unregistered operation 'morok.nope'")])
def test_stock_mlir_opt_refuses(irdl, op, message):
    result = mlir_opt(irdl, f"func.func @f(%x: f32, %v: vector<4xf32>) {{\n  {op}\n  return\n}}")
    assert result.returncode == 1 and message in result.stderr


def test_command_line(tmp_path):
    path = tmp_path / "out.mlir"
    subprocess.run([sys.executable, "-m", "morok.dialect.irdl", "-o", path], check=True, cwd=Path(__file__).resolve().parents[3])
    assert path.read_text() == dialect_text()
