// The dialect in stock mlir-opt: `morok.irdl.mlir`, derived from the op table, is all that it needs.

// RUN: %python -m morok.dialect.irdl -o %t.irdl.mlir
// RUN: mlir-opt %s --irdl-file=%t.irdl.mlir | filecheck %s
// RUN: mlir-opt %s --irdl-file=%t.irdl.mlir | mlir-opt --irdl-file=%t.irdl.mlir --mlir-print-op-generic | morok-opt --verify-roundtrip | filecheck %s
// RUN: morok-opt %s | filecheck %s
// RUN: morok-opt %s --emit-bytecode | morok-opt | filecheck %s

// CHECK-LABEL: func.func @tensor_form(
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>) -> tensor<?xf32>
// CHECK: %[[N:.*]] = "morok.define_var"() {max = 3 : i64, min = 1 : i64, name = "n"} : () -> index
// CHECK: %[[R:.*]] = "morok.reduce_axis"(%[[A]]) {axes = array<i64: 0>, op = "add"} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK: "morok.shrink"(%[[R]], %[[N]]) {begin = array<i64: 0>, size = array<i64: -9223372036854775808>} : (tensor<3xf32>, index) -> tensor<?xf32>
func.func @tensor_form(%a: tensor<2x3xf32>) -> tensor<?xf32> {
  %n = "morok.define_var"() {name = "n", min = 1, max = 3} : () -> index
  %0 = "morok.reduce_axis"(%a) {op = "add", axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  %1 = "morok.shrink"(%0, %n) {begin = array<i64: 0>, size = array<i64: -9223372036854775808>} : (tensor<3xf32>, index) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME: %[[O:.*]]: memref<4xf32>, %[[X:.*]]: memref<4xf32>) attributes {morok.kernel}
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "thread"} : (index) -> index
// CHECK: %[[P:.*]] = "morok.index"(%[[X]], %[[I]]) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
// CHECK: %[[V:.*]] = "morok.load"(%[[P]]) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
// CHECK: %[[S:.*]] = "morok.store"(%{{.*}}, %[[V]]) : (!morok.ptr<f32, "global">, f32) -> !morok.token
// CHECK: %[[E:.*]] = "morok.end"(%[[S]], %[[I]]) : (!morok.token, index) -> !morok.token
// CHECK: "morok.sink"(%[[E]]) : (!morok.token) -> ()
func.func @kernel(%o: memref<4xf32>, %x: memref<4xf32>) attributes {morok.kernel} {
  %4 = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%4) {id = 0, kind = "thread"} : (index) -> index
  %p = "morok.index"(%x, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %q = "morok.index"(%o, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%q, %v) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
