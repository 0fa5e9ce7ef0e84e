// RUN: morok-opt %s --morok-early-movement-ops --split-input-file | filecheck %s

// Only the last of two reshapes counts.
// CHECK-LABEL: @reshapes
// CHECK-NEXT: %0 = "morok.reshape"(%arg0) {shape = array<i64: 12>}
// CHECK-NEXT: return %0
func.func @reshapes(%a: tensor<3x4xf32>) -> tensor<12xf32> {
  %0 = "morok.reshape"(%a) {shape = array<i64: 2, 6>} : (tensor<3x4xf32>) -> tensor<2x6xf32>
  %1 = "morok.reshape"(%0) {shape = array<i64: 12>} : (tensor<2x6xf32>) -> tensor<12xf32>
  return %1 : tensor<12xf32>
}

// -----
// Two transpositions cancel, as do two flips of one axis.
// CHECK-LABEL: @cancel
// CHECK-NEXT: return %arg0, %arg0
func.func @cancel(%a: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = "morok.permute"(%a) {order = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %1 = "morok.permute"(%0) {order = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %2 = "morok.flip"(%a) {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = "morok.flip"(%2) {axes = array<i64: 1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %1, %3 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----
// Windows of windows, and a window that the padding does not reach.
// CHECK-LABEL: @windows
// CHECK-DAG: "morok.shrink"(%arg0) {begin = array<i64: 3>, size = array<i64: 2>}
// CHECK-DAG: "morok.shrink"(%arg0) {begin = array<i64: 1>, size = array<i64: 4>}
// CHECK-NOT: morok.pad
func.func @windows(%a: tensor<8xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  %0 = "morok.shrink"(%a) {begin = array<i64: 2>, size = array<i64: 5>} : (tensor<8xf32>) -> tensor<5xf32>
  %1 = "morok.shrink"(%0) {begin = array<i64: 1>, size = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
  %2 = "morok.pad"(%a) {low = array<i64: 1>, high = array<i64: 2>, value = 0.0 : f32} : (tensor<8xf32>) -> tensor<11xf32>
  %3 = "morok.shrink"(%2) {begin = array<i64: 2>, size = array<i64: 4>} : (tensor<11xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<2xf32>, tensor<4xf32>
}

// -----
// Paddings with different values stay apart.
// CHECK-LABEL: @two_values
// CHECK: morok.pad
// CHECK: morok.pad
func.func @two_values(%a: tensor<2xf32>) -> tensor<6xf32> {
  %0 = "morok.pad"(%a) {low = array<i64: 1>, high = array<i64: 1>, value = 0.0 : f32} : (tensor<2xf32>) -> tensor<4xf32>
  %1 = "morok.pad"(%0) {low = array<i64: 1>, high = array<i64: 1>, value = 1.0 : f32} : (tensor<4xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----
// Only the last of two expands counts.
// CHECK-LABEL: @expands
// CHECK-NEXT: %0 = "morok.expand"(%arg0) {shape = array<i64: 5, 3, 4>}
// CHECK-NEXT: return %0
func.func @expands(%a: tensor<1x1x4xf32>) -> tensor<5x3x4xf32> {
  %b = "morok.expand"(%a) {shape = array<i64: 1, 3, 4>} : (tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  %c = "morok.expand"(%b) {shape = array<i64: 5, 3, 4>} : (tensor<1x3x4xf32>) -> tensor<5x3x4xf32>
  return %c : tensor<5x3x4xf32>
}

// -----
// Asked twice to be contiguous is asked once.
// CHECK-LABEL: @contiguous_twice
// CHECK-COUNT-1: morok.contiguous
// CHECK-NOT: morok.contiguous
func.func @contiguous_twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = "morok.contiguous"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = "morok.contiguous"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----
// Paddings with one value add up.
// CHECK-LABEL: @paddings
// CHECK-COUNT-1: "morok.pad"(%arg0) {high = array<i64: 1>, low = array<i64: 3>,
// CHECK-NOT: morok.pad
func.func @paddings(%a: tensor<2xf32>) -> tensor<6xf32> {
  %b = "morok.pad"(%a) {low = array<i64: 1>, high = array<i64: 1>, value = 1.0 : f32} : (tensor<2xf32>) -> tensor<4xf32>
  %c = "morok.pad"(%b) {low = array<i64: 2>, high = array<i64: 0>, value = 1.0 : f32} : (tensor<4xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// -----
// The view of an assign is one of its target: flipping the target again does not give the argument.
// CHECK-LABEL: @flipped_target
// CHECK: %[[F:.*]] = "morok.flip"(%arg0)
// CHECK: %[[T:.*]] = "morok.contiguous"(%[[F]])
// CHECK: %[[V:.*]] = "morok.flip"(%[[T]])
// CHECK: "morok.assign"(%[[T]], %[[V]], %arg1)
func.func @flipped_target(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %t = "morok.flip"(%a) {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %v = "morok.flip"(%t) {axes = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %c = "morok.assign"(%t, %v, %b) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
