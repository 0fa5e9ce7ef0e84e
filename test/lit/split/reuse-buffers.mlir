// RUN: morok-opt %s --morok-rangeify --morok-bufferize-to-store --morok-split-store --morok-fix-assigns --morok-reuse-buffers --split-input-file | filecheck %s

// Exponentials are stored, because two sums along different axes need them; the product after it is the last to read them and writes in their place.
// CHECK-LABEL: func.func @main
// CHECK: "morok.define_global"() {{.*}} -> memref<64x32xf32>
// CHECK-NOT: "morok.define_global"() {{.*}} -> memref<64x32xf32>
// CHECK: return
func.func @main(%a: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = "morok.exp"(%a) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = "morok.reduce_axis"(%e) {axes = array<i64: 0>, op = "add"} : (tensor<64x32xf32>) -> tensor<32xf32>
  %r = "morok.reshape"(%s) {shape = array<i64: 1, 32>} : (tensor<32xf32>) -> tensor<1x32xf32>
  %x = "morok.expand"(%r) {shape = array<i64: 64, 32>} : (tensor<1x32xf32>) -> tensor<64x32xf32>
  %y = "morok.mul"(%e, %x) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}

// -----

// What is read backwards is not the element that is written: two buffers.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: "morok.define_global"() {{.*}} -> memref<64x32xf32>
func.func @main(%a: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %e = "morok.exp"(%a) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %s = "morok.reduce_axis"(%e) {axes = array<i64: 0>, op = "add"} : (tensor<64x32xf32>) -> tensor<32xf32>
  %r = "morok.reshape"(%s) {shape = array<i64: 1, 32>} : (tensor<32xf32>) -> tensor<1x32xf32>
  %x = "morok.expand"(%r) {shape = array<i64: 64, 32>} : (tensor<1x32xf32>) -> tensor<64x32xf32>
  %f = "morok.flip"(%e) {axes = array<i64: 0>} : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = "morok.mul"(%f, %x) : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
