"""Every pass over functions of every kind: it works on the function, leaves it alone, or says in one line what is wrong with it."""

import pytest
from tool_samples import is_one_error_line

from morok.passes.registry import PASSES, load_passes

load_passes()
NAMES = sorted(name for name in PASSES if name.startswith("morok-"))
FUNCTIONS = {
    "nothing": "",
    "a declaration": "func.func private @f(%x: i32) -> i32",
    "a scalar": "func.func @f(%x: i32) -> i32 { return %x : i32 }",
    "a scalar op": 'func.func @f(%x: f32) -> f32 { %0 = "morok.exp"(%x) : (f32) -> f32 return %0 : f32 }',
    "a vector op": 'func.func @f(%x: vector<4xf32>) -> vector<4xf32> { %0 = "morok.neg"(%x) : (vector<4xf32>) -> vector<4xf32> return %0 : vector<4xf32> }',
    "a tensor op": 'func.func @f(%x: tensor<2xf16>) -> tensor<2xf16> { %0 = "morok.exp"(%x) : (tensor<2xf16>) -> tensor<2xf16> return %0 : tensor<2xf16> }',
    "a tensor of constants": '''func.func @f() -> tensor<2xf32> {
        %c = "morok.const"() {value = 1.0 : f32} : () -> tensor<f32>
        %d = "morok.reshape"(%c) {shape = array<i64: 1>} : (tensor<f32>) -> tensor<1xf32>
        %e = "morok.expand"(%d) {shape = array<i64: 2>} : (tensor<1xf32>) -> tensor<2xf32>
        %f = "morok.exp"(%e) : (tensor<2xf32>) -> tensor<2xf32>
        return %f : tensor<2xf32> }''',
    "a tensor and a buffer": '''func.func @f(%x: tensor<2xf32>, %m: memref<3xf32>) -> (tensor<2xf32>, memref<3xf32>) {
        return %x, %m : tensor<2xf32>, memref<3xf32> }''',
    "a buffer of unknown size": "func.func @f(%x: memref<?xf32>) -> memref<?xf32> { return %x : memref<?xf32> }",
    "an upstream op": "func.func @f(%x: f32) -> f32 { %0 = arith.addf %x, %x : f32 return %0 : f32 }",
    "an empty kernel": "func.func @f(%x: memref<2xf32>) attributes {morok.kernel} { return }",
    "a kernel of scalars": 'func.func @f(%x: f32) -> f32 attributes {morok.kernel} { %0 = "morok.exp"(%x) : (f32) -> f32 return %0 : f32 }',
    "a kernel of tensors": "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {morok.kernel} { return %x : tensor<2xf32> }",
    "a kernel whose reduction is not lowered": '''func.func @f(%to: memref<1xf32>, %from: memref<4xf32>) attributes {morok.kernel} {
        %zero = "morok.const"() {value = 0 : index} : () -> index
        %n = "morok.const"() {value = 4 : index} : () -> index
        %p = "morok.index"(%to, %zero) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
        %k = "morok.range"(%n) {id = 0 : i64, kind = "reduce"} : (index) -> index
        %q = "morok.index"(%from, %k) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
        %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
        %r = "morok.reduce"(%v, %k) {op = "add"} : (f32, index) -> f32
        %s = "morok.store"(%p, %r) : (!morok.ptr<f32, "global">, f32) -> !morok.token
        "morok.sink"(%s) : (!morok.token) -> ()
        return }''',
    "a kernel with a place for each lane": '''func.func @f(%to: memref<64xf32>, %from: memref<64xf32>) attributes {morok.kernel} {
        %l = "morok.unroll"() : () -> vector<8xindex>
        %p = "morok.index"(%to, %l) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
        %q = "morok.index"(%from, %l) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
        %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
        %s = "morok.store"(%p, %v) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
        "morok.sink"(%s) : (!morok.token) -> ()
        return }''',
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_no_pass_fails_inside(opt, kind):
    for name in NAMES:
        done = opt(f"--{name}", stdin=FUNCTIONS[kind].encode())
        assert " failed: " not in done.err and "Traceback" not in done.err, (name, done.err)
        assert done.code == 0 and ": error: " not in done.err or done.code == 1 and is_one_error_line(done.err), (name, done.code, done.err)
