// RUN: morok-opt %s --morok-merge-sibling-ends | filecheck %s

// Two stores over equal loops share the loop, and the load.
// CHECK-LABEL: @merged
// CHECK: %[[I:.*]] = "morok.range"
// CHECK: "morok.load"
// CHECK-NOT: "morok.load"
// CHECK-NOT: "morok.range"
// CHECK: "morok.end"(%{{.*}}, %[[I]])
func.func @merged(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg2, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.store"(%2, %4) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %6 = "morok.end"(%5, %1) : (!morok.token, index) -> !morok.token
  %7 = "morok.range"(%0) {id = 1 : i64, kind = "loop"} : (index) -> index
  %8 = "morok.index"(%arg1, %7) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %9 = "morok.index"(%arg2, %7) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %10 = "morok.load"(%9) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %11 = "morok.const"() {value = 1.000000e+00 : f32} : () -> f32
  %12 = "morok.add"(%10, %11) : (f32, f32) -> f32
  %13 = "morok.store"(%8, %12) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %14 = "morok.end"(%13, %7) : (!morok.token, index) -> !morok.token
  "morok.sink"(%6, %14) : (!morok.token, !morok.token) -> ()
  return
}

// The second loop reads what the first one writes: they stay apart.
// CHECK-LABEL: @reads_what_is_written
// CHECK: "morok.range"{{.*}}id = 0
// CHECK: "morok.range"{{.*}}id = 1
func.func @reads_what_is_written(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.const"() {value = 1.000000e+00 : f32} : () -> f32
  %4 = "morok.store"(%2, %3) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %5 = "morok.end"(%4, %1) : (!morok.token, index) -> !morok.token
  %6 = "morok.range"(%0) {id = 1 : i64, kind = "loop"} : (index) -> index
  %7 = "morok.index"(%arg1, %6) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %8 = "morok.index"(%arg0, %6) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %9 = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %10 = "morok.store"(%7, %9) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %11 = "morok.end"(%10, %6) : (!morok.token, index) -> !morok.token
  "morok.sink"(%5, %11) : (!morok.token, !morok.token) -> ()
  return
}
