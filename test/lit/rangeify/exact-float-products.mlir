// RUN: morok-opt %s --morok-exact-float-products --split-input-file | filecheck %s

// 1,023 terms of at most 128 * 128: every partial sum is a float32 value.
// CHECK-LABEL: @exact
// CHECK-DAG: %[[X:.*]] = "morok.cast"(%arg0) : (tensor<2x1023xi8>) -> tensor<2x1023xf32>
// CHECK-DAG: %[[Y:.*]] = "morok.cast"(%arg1) : (tensor<1023xi8>) -> tensor<1023xf32>
// CHECK-DAG: %[[R:.*]] = "morok.reshape"(%[[Y]]) {shape = array<i64: 1, 1023>}
// CHECK-DAG: %[[E:.*]] = "morok.expand"(%[[R]]) {shape = array<i64: 2, 1023>}
// CHECK: %[[P:.*]] = "morok.mul"(%[[X]], %[[E]]) : (tensor<2x1023xf32>, tensor<2x1023xf32>) -> tensor<2x1023xf32>
// CHECK: %[[S:.*]] = "morok.reduce_axis"(%[[P]]) {axes = array<i64: 1>, op = "add"} : (tensor<2x1023xf32>) -> tensor<2xf32>
// CHECK: %[[I:.*]] = "morok.cast"(%[[S]]) : (tensor<2xf32>) -> tensor<2xi32>
// CHECK: return %[[I]]
func.func @exact(%a: tensor<2x1023xi8>, %b: tensor<1023xi8>) -> tensor<2xi32> {
  %x = "morok.cast"(%a) : (tensor<2x1023xi8>) -> tensor<2x1023xi32>
  %c = "morok.cast"(%b) : (tensor<1023xi8>) -> tensor<1023xi32>
  %r = "morok.reshape"(%c) {shape = array<i64: 1, 1023>} : (tensor<1023xi32>) -> tensor<1x1023xi32>
  %y = "morok.expand"(%r) {shape = array<i64: 2, 1023>} : (tensor<1x1023xi32>) -> tensor<2x1023xi32>
  %p = "morok.mul"(%x, %y) : (tensor<2x1023xi32>, tensor<2x1023xi32>) -> tensor<2x1023xi32>
  %s = "morok.reduce_axis"(%p) {op = "add", axes = array<i64: 1>} : (tensor<2x1023xi32>) -> tensor<2xi32>
  return %s : tensor<2xi32>
}

// -----
// One term more could reach 2**24; 16-bit integers could earlier.
// CHECK-LABEL: @not_exact
// CHECK-NOT: f32
// CHECK: return
func.func @not_exact(%a: tensor<1024xi8>, %b: tensor<4xi16>) -> (tensor<i32>, tensor<i32>) {
  %x = "morok.cast"(%a) : (tensor<1024xi8>) -> tensor<1024xi32>
  %p = "morok.mul"(%x, %x) : (tensor<1024xi32>, tensor<1024xi32>) -> tensor<1024xi32>
  %s = "morok.reduce_axis"(%p) {op = "add", axes = array<i64: 0>} : (tensor<1024xi32>) -> tensor<i32>
  %y = "morok.cast"(%b) : (tensor<4xi16>) -> tensor<4xi32>
  %q = "morok.mul"(%y, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %t = "morok.reduce_axis"(%q) {op = "add", axes = array<i64: 0>} : (tensor<4xi32>) -> tensor<i32>
  return %s, %t : tensor<i32>, tensor<i32>
}
