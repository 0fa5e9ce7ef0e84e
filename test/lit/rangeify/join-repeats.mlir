// RUN: morok-opt %s --morok-join-repeats --split-input-file | filecheck %s

// The second repeat carries what the first does, and rows beside: one repeat has both.
// CHECK-LABEL: @main
// CHECK: "morok.carries"
// CHECK: "morok.carries"
// CHECK: "morok.repeat"
// CHECK-SAME: count = 10
// CHECK-NOT: "morok.repeat"(
// CHECK: "morok.repeated"(%{{.*}}) {number = 0 : i64}
// CHECK: "morok.repeated"(%{{.*}}) {number = 1 : i64}
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = "morok.unique"() {id = 0 : i64} : () -> !morok.token
  %m = "morok.unique"() {id = 1 : i64} : () -> !morok.token
  %c = "morok.carried"(%n) : (!morok.token) -> tensor<8xf32>
  %d = "morok.carried"(%m) : (!morok.token) -> tensor<8xf32>
  %y = "morok.sin"(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %z = "morok.add"(%d, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %v = "morok.carries"(%c, %a, %y) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> !morok.token
  %w = "morok.carries"(%d, %a, %z) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> !morok.token
  %k = "morok.repeat"(%v) {count = 10 : i64} : (!morok.token) -> !morok.token
  %l = "morok.repeat"(%v, %w) {count = 10 : i64} : (!morok.token, !morok.token) -> !morok.token
  %r = "morok.repeated"(%k) {number = 0 : i64} : (!morok.token) -> tensor<8xf32>
  %s = "morok.repeated"(%l) {number = 1 : i64} : (!morok.token) -> tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// -----
// One that begins with what the other leaves comes after it.
// CHECK-LABEL: @main
// CHECK: "morok.repeat"
// CHECK: "morok.repeated"
// CHECK: "morok.repeat"
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %n = "morok.unique"() {id = 0 : i64} : () -> !morok.token
  %m = "morok.unique"() {id = 1 : i64} : () -> !morok.token
  %c = "morok.carried"(%n) : (!morok.token) -> tensor<8xf32>
  %d = "morok.carried"(%m) : (!morok.token) -> tensor<8xf32>
  %y = "morok.sin"(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %z = "morok.add"(%d, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %v = "morok.carries"(%c, %a, %y) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> !morok.token
  %k = "morok.repeat"(%v) {count = 10 : i64} : (!morok.token) -> !morok.token
  %r = "morok.repeated"(%k) {number = 0 : i64} : (!morok.token) -> tensor<8xf32>
  %w = "morok.carries"(%d, %r, %z) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> !morok.token
  %l = "morok.repeat"(%v, %w) {count = 10 : i64} : (!morok.token, !morok.token) -> !morok.token
  %s = "morok.repeated"(%l) {number = 1 : i64} : (!morok.token) -> tensor<8xf32>
  return %s : tensor<8xf32>
}
