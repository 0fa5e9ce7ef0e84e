// RUN: morok-opt %s --morok-range-assignment --morok-bufferize-to-store --morok-split-store --morok-fix-assigns --split-input-file | filecheck %s

// A swap: one kernel waits for the other, which would make a cycle, so one value is copied first.
// CHECK-LABEL: @main
// CHECK: callee = @copy0
// CHECK: callee = @k{{[01]}}
// CHECK: callee = @k{{[01]}}
func.func @main(%a: tensor<5xf32> {morok.in_place}, %b: tensor<5xf32> {morok.in_place}) -> (tensor<5xf32>, tensor<5xf32>) {
  %x = "morok.assign"(%a, %a, %b) : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %y = "morok.assign"(%b, %b, %a) : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %x, %y : tensor<5xf32>, tensor<5xf32>
}

// -----
// A shift reads elements that earlier iterations overwrite: it reads a copy.
// CHECK-LABEL: @main
// CHECK: callee = @copy0
// CHECK: callee = @k0
func.func @main(%a: tensor<5xf32> {morok.in_place}) -> tensor<5xf32> {
  %v = "morok.shrink"(%a) {begin = array<i64: 1>, size = array<i64: 4>} : (tensor<5xf32>) -> tensor<4xf32>
  %w = "morok.shrink"(%a) {begin = array<i64: 0>, size = array<i64: 4>} : (tensor<5xf32>) -> tensor<4xf32>
  %x = "morok.assign"(%a, %v, %w) : (tensor<5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return %x : tensor<5xf32>
}

// -----
// An update of each element from itself needs no copy; another reader of the old value comes before it.
// CHECK-LABEL: @main
// CHECK-NOT: callee = @copy
// CHECK: %[[K:.*]] = "morok.kernel"(%{{.*}}, %{{.*}}) {callee = @k{{[01]}}}
// CHECK: "morok.after"(%arg0, %[[K]])
// CHECK: "morok.kernel"(%{{.*}}) {callee = @k{{[01]}}}
func.func @main(%a: tensor<5xf32> {morok.in_place}) -> (tensor<5xf32>, tensor<5xf32>) {
  %s = "morok.add"(%a, %a) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %x = "morok.assign"(%a, %a, %s) : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %y = "morok.neg"(%a) : (tensor<5xf32>) -> tensor<5xf32>
  return %x, %y : tensor<5xf32>, tensor<5xf32>
}
