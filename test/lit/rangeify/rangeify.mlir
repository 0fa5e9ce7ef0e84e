// RUN: morok-opt %s --morok-rangeify --split-input-file | filecheck %s
// RUN: morok-opt %s --morok-rangeify --morok-verify-form=form=range --split-input-file -o /dev/null

// Movement ops become index arithmetic, the sum a reduction over a range of its own, the result a buffer.
// CHECK-LABEL: @flip_sum
// CHECK-SAME: (%arg0: memref<2x3xf32>) -> memref<3xf32>
// CHECK-NOT: tensor<
// CHECK: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "reduce"}
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: "morok.index"(%arg0, %[[K]], %[[J]])
// CHECK: %[[S:.*]] = "morok.reduce"(%{{.*}}, %[[K]]) {op = "add"}
// CHECK: %[[B:.*]] = "morok.bufferize"(%[[S]], %[[J]]) {id = 0 : i64, space = "global"}
// CHECK: return %[[B]]
func.func @flip_sum(%a: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = "morok.flip"(%a) {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "morok.mul"(%a, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "morok.reduce_axis"(%1) {op = "add", axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----
// The passes work together: a sum of equal elements needs no loop, and two axes that are used as one are one range.
// CHECK-LABEL: @sum_of_equal_elements
// CHECK: %[[N:.*]] = "morok.const"() {value = 6 : index}
// CHECK: %[[R:.*]] = "morok.range"(%[[N]]) {id = 0 : i64, kind = "loop"}
// CHECK-NOT: "morok.range"
// CHECK-NOT: "morok.reduce"
// CHECK: %[[EIGHT:.*]] = "morok.const"() {value = 8.000000e+00 : f32}
// CHECK: "morok.mul"(%{{.*}}, %[[EIGHT]])
// CHECK-NOT: "morok.reduce"
func.func @sum_of_equal_elements(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "morok.reshape"(%a) {shape = array<i64: 2, 3, 1>} : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  %1 = "morok.expand"(%0) {shape = array<i64: 2, 3, 8>} : (tensor<2x3x1xf32>) -> tensor<2x3x8xf32>
  %2 = "morok.reduce_axis"(%1) {op = "add", axes = array<i64: 2>} : (tensor<2x3x8xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----
// A function without tensors is left alone.
// CHECK-LABEL: @no_tensors
// CHECK-NEXT: return %arg0 : memref<4xf32>
func.func @no_tensors(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}
