// RUN: morok-opt %s --morok-add-loads | filecheck %s

// In text a pointer cannot be used as a value (the verifier asks for a load), so a kernel whose loads are explicit stays as it is.
// Kernels built in Python may leave loads out: test_a_pointer_used_as_a_value_is_loaded.
// CHECK-LABEL: @explicit
// CHECK: %[[TO:.*]] = "morok.index"(%arg0
// CHECK: %[[FROM:.*]] = "morok.index"(%arg1
// CHECK: %[[V:.*]] = "morok.load"(%[[FROM]])
// CHECK: %[[N:.*]] = "morok.neg"(%[[V]]) : (f32) -> f32
// CHECK: "morok.store"(%[[TO]], %[[N]])
func.func @explicit(%arg0: memref<8xf32>, %arg1: memref<8xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %to = "morok.index"(%arg0, %i) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %from = "morok.index"(%arg1, %i) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%from) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%to, %m) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
