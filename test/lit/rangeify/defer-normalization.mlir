// RUN: morok-opt %s --morok-defer-normalization --split-input-file | filecheck %s

// Softmax weights times values: the sum is divided.
// CHECK-LABEL: @attention
// CHECK: %[[E:.*]] = "morok.exp"(%arg0)
// CHECK: %[[W:.*]] = "morok.expand"(%{{.*}}) {shape = array<i64: 4, 3, 8>}
// CHECK: %[[P:.*]] = "morok.mul"(%[[W]], %arg1)
// CHECK: %[[S:.*]] = "morok.reduce_axis"(%[[P]]) {axes = array<i64: 2>, op = "add"} : (tensor<4x3x8xf32>) -> tensor<4x3xf32>
// CHECK: %[[T:.*]] = "morok.reduce_axis"(%[[E]]) {axes = array<i64: 1>, op = "add"} : (tensor<4x8xf32>) -> tensor<4xf32>
// CHECK: "morok.div"(%[[S]], %{{.*}}) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
func.func @attention(%x: tensor<4x8xf32>, %v: tensor<4x3x8xf32>) -> tensor<4x3xf32> {
  %e = "morok.exp"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = "morok.reduce_axis"(%e) {axes = array<i64: 1>, op = "add"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %u = "morok.reshape"(%t) {shape = array<i64: 4, 1>} : (tensor<4xf32>) -> tensor<4x1xf32>
  %d = "morok.expand"(%u) {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %q = "morok.div"(%e, %d) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = "morok.reshape"(%q) {shape = array<i64: 4, 1, 8>} : (tensor<4x8xf32>) -> tensor<4x1x8xf32>
  %w = "morok.expand"(%r) {shape = array<i64: 4, 3, 8>} : (tensor<4x1x8xf32>) -> tensor<4x3x8xf32>
  %p = "morok.mul"(%w, %v) : (tensor<4x3x8xf32>, tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
  %y = "morok.reduce_axis"(%p) {axes = array<i64: 2>, op = "add"} : (tensor<4x3x8xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----
// Weights that are wanted themselves stay, as do weights that are summed along the axis that their divisor lies along.
// CHECK-LABEL: @kept
// CHECK: %[[Q:.*]] = "morok.div"(%{{.*}}) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: "morok.mul"(%[[Q]], %arg1)
// CHECK: "morok.mul"(%{{.*}}, %arg1)
// CHECK-NOT: (tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: (tensor<8xf32>, tensor<8xf32>)
// CHECK: return
func.func @kept(%x: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>, tensor<8xf32>) {
  %e = "morok.exp"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = "morok.reduce_axis"(%e) {axes = array<i64: 1>, op = "add"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %u = "morok.reshape"(%t) {shape = array<i64: 4, 1>} : (tensor<4xf32>) -> tensor<4x1xf32>
  %d = "morok.expand"(%u) {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %q = "morok.div"(%e, %d) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = "morok.mul"(%q, %v) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = "morok.reduce_axis"(%p) {axes = array<i64: 1>, op = "add"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %f = "morok.exp"(%v) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = "morok.reduce_axis"(%f) {axes = array<i64: 1>, op = "add"} : (tensor<4x8xf32>) -> tensor<4xf32>
  %m = "morok.reshape"(%s) {shape = array<i64: 4, 1>} : (tensor<4xf32>) -> tensor<4x1xf32>
  %n = "morok.expand"(%m) {shape = array<i64: 4, 8>} : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %o = "morok.div"(%f, %n) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %k = "morok.mul"(%o, %v) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %z = "morok.reduce_axis"(%k) {axes = array<i64: 0>, op = "add"} : (tensor<4x8xf32>) -> tensor<8xf32>
  return %y, %q, %z : tensor<4xf32>, tensor<4x8xf32>, tensor<8xf32>
}
