// RUN: morok-opt %s --morok-outline-repeats --split-input-file | filecheck %s
// RUN: morok-opt %s --morok-outline-repeats --morok-rangeify --morok-split --split-input-file | filecheck %s --check-prefix=KERNEL

// What the body uses and does not change is computed before the loop; the body is a function that reads the carried value and writes the next one.
// CHECK-LABEL: @main.0(%arg0: tensor<8xf32>) -> tensor<8xf32>
// CHECK-SAME: morok.reads = array<i64: 0>, morok.writes = array<i64: 2>
// CHECK: "morok.contiguous"
// CHECK: @main.1()
// CHECK-SAME: morok.copies = array<i64: 0, 3>
// CHECK: @main.2.0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32>
// CHECK-SAME: morok.exchanges = array<i64: 3, 4>
// CHECK-SAME: morok.reads = array<i64: 3, 2>
// CHECK-SAME: morok.repeat = array<i64: 10>
// CHECK-SAME: morok.writes = array<i64: 4>
// CHECK: "morok.mul"(%arg0, %arg1)
// CHECK: @main.3()
// CHECK-SAME: morok.copies = array<i64: 3, 1>
// KERNEL: morok.kernel
// KERNEL: "morok.store"
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = "morok.exp"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %w = "morok.contiguous"(%e) : (tensor<8xf32>) -> tensor<8xf32>
  %n = "morok.unique"() {id = 0 : i64} : () -> !morok.token
  %c = "morok.carried"(%n) : (!morok.token) -> tensor<8xf32>
  %y = "morok.mul"(%c, %w) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %v = "morok.carries"(%c, %a, %y) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> !morok.token
  %l = "morok.repeat"(%v) {count = 10 : i64} : (!morok.token) -> !morok.token
  %r = "morok.repeated"(%l) {number = 0 : i64} : (!morok.token) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----
// A loop as long as a carried bool is true, and what is computed after it.
// CHECK-LABEL: @main.0()
// CHECK: @main.2.0(%arg0: tensor<f32>, %arg1: tensor<i1>) -> (tensor<f32>, tensor<i1>)
// CHECK-SAME: morok.while
// CHECK: "morok.cmplt"
// CHECK: @main.3(%arg0: tensor<f32>) -> tensor<f32>
// CHECK: "morok.neg"(%arg0)
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %true = "morok.const"() {value = true} : () -> tensor<i1>
  %limit = "morok.const"() {value = 1.000000e+02 : f32} : () -> tensor<f32>
  %0 = "morok.unique"() {id = 0 : i64} : () -> !morok.token
  %1 = "morok.unique"() {id = 1 : i64} : () -> !morok.token
  %c = "morok.carried"(%0) : (!morok.token) -> tensor<f32>
  %f = "morok.carried"(%1) : (!morok.token) -> tensor<i1>
  %y = "morok.add"(%c, %c) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = "morok.cmplt"(%y, %limit) : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = "morok.carries"(%c, %a, %y) : (tensor<f32>, tensor<f32>, tensor<f32>) -> !morok.token
  %w = "morok.carries"(%f, %true, %g) : (tensor<i1>, tensor<i1>, tensor<i1>) -> !morok.token
  %l = "morok.repeat"(%v, %w) {count = 50 : i64, while = 1 : i64} : (!morok.token, !morok.token) -> !morok.token
  %r = "morok.repeated"(%l) {number = 0 : i64} : (!morok.token) -> tensor<f32>
  %z = "morok.neg"(%r) : (tensor<f32>) -> tensor<f32>
  return %z : tensor<f32>
}
