// RUN: morok-opt %s --morok-gated-loads | filecheck %s

// The place is always inside; the choice decides.
// CHECK-LABEL: @clamped
// CHECK: %[[G:.*]] = "morok.and"
// CHECK: %[[PLACE:.*]] = "morok.where"(%[[G]], %{{.*}}, %{{.*}}) : (i1, index, index)
// CHECK: %[[P:.*]] = "morok.index"(%arg1, %[[PLACE]])
// CHECK: %[[V:.*]] = "morok.load"(%[[P]]) {operandSegmentSizes = array<i32: 1, 0, 0>}
// CHECK: "morok.where"(%[[G]], %[[V]], %{{.*}})
func.func @clamped(%arg0: memref<8xf32>, %arg1: memref<6xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 8 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.const"() {value = -1 : index} : () -> index
  %4 = "morok.add"(%1, %3) : (index, index) -> index
  %5 = "morok.index"(%arg1, %4) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %6 = "morok.const"() {value = 0 : index} : () -> index
  %7 = "morok.cmple"(%6, %4) : (index, index) -> i1
  %8 = "morok.const"() {value = 6 : index} : () -> index
  %9 = "morok.cmplt"(%4, %8) : (index, index) -> i1
  %10 = "morok.and"(%7, %9) : (i1, i1) -> i1
  %11 = "morok.const"() {value = 0.000000e+00 : f32} : () -> f32
  %12 = "morok.load"(%5, %10, %11) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!morok.ptr<f32, "global">, i1, f32) -> f32
  %13 = "morok.store"(%2, %12) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %14 = "morok.end"(%13, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%14) : (!morok.token) -> ()
  return
}

// Nothing is loaded from an empty buffer.
// CHECK-LABEL: @empty
// CHECK-NOT: morok.load
// CHECK: %[[TWO:.*]] = "morok.const"() {value = 2.000000e+00 : f32}
// CHECK: "morok.store"(%{{.*}}, %[[TWO]])
func.func @empty(%arg0: memref<8xf32>, %arg1: memref<0xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 8 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<0xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.const"() {value = 0 : index} : () -> index
  %5 = "morok.cmplt"(%1, %4) : (index, index) -> i1
  %6 = "morok.const"() {value = 2.000000e+00 : f32} : () -> f32
  %7 = "morok.load"(%3, %5, %6) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!morok.ptr<f32, "global">, i1, f32) -> f32
  %8 = "morok.store"(%2, %7) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %9 = "morok.end"(%8, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%9) : (!morok.token) -> ()
  return
}
