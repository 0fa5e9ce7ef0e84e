// RUN: morok-opt %s --morok-index-lowering | filecheck %s

// Row-major strides; the argument becomes one-dimensional.
// CHECK-LABEL: @row_major(
// CHECK-SAME: %arg0: memref<24xf32>
// CHECK: %[[I:.*]] = "morok.range"{{.*}}id = 0
// CHECK: %[[SIX:.*]] = "morok.const"() {value = 6 : index}
// CHECK: %[[ROW:.*]] = "morok.mul"(%[[I]], %[[SIX]])
// CHECK: %[[J:.*]] = "morok.range"{{.*}}id = 1
// CHECK: %[[PLACE:.*]] = "morok.add"(%[[ROW]], %[[J]])
// CHECK: "morok.index"(%arg0, %[[PLACE]])
func.func @row_major(%arg0: memref<4x6xf32>, %arg1: memref<6xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.const"() {value = 6 : index} : () -> index
  %3 = "morok.range"(%2) {id = 1 : i64, kind = "loop"} : (index) -> index
  %4 = "morok.index"(%arg0, %1, %3) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %5 = "morok.index"(%arg1, %3) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %6 = "morok.load"(%5) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %7 = "morok.store"(%4, %6) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %8 = "morok.end"(%7, %1, %3) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%8) : (!morok.token) -> ()
  return
}

// Scratch too, and the arithmetic is simplified: (i / 3) * 3 + i % 3 is i.
// CHECK-LABEL: @scratch
// CHECK: %[[I:.*]] = "morok.range"{{.*}}id = 0
// CHECK: "morok.define_local"() {{.*}} -> memref<6xf32, "local">
// CHECK: %[[AFTER:.*]] = "morok.after"
// CHECK: "morok.index"(%[[AFTER]], %[[I]])
// CHECK-NOT: morok.floordiv
func.func @scratch(%arg0: memref<6xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 6 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.define_local"() {id = 0 : i64} : () -> memref<2x3xf32, "local">
  %4 = "morok.const"() {value = 2 : index} : () -> index
  %5 = "morok.range"(%4) {id = 1 : i64, kind = "loop"} : (index) -> index
  %6 = "morok.const"() {value = 3 : index} : () -> index
  %7 = "morok.range"(%6) {id = 2 : i64, kind = "loop"} : (index) -> index
  %8 = "morok.index"(%3, %5, %7) : (memref<2x3xf32, "local">, index, index) -> !morok.ptr<f32, "local">
  %9 = "morok.const"() {value = 1.000000e+00 : f32} : () -> f32
  %10 = "morok.store"(%8, %9) : (!morok.ptr<f32, "local">, f32) -> !morok.token
  %11 = "morok.end"(%10, %5, %7) : (!morok.token, index, index) -> !morok.token
  %12 = "morok.after"(%3, %11) : (memref<2x3xf32, "local">, !morok.token) -> memref<2x3xf32, "local">
  %13 = "morok.floordiv"(%1, %6) : (index, index) -> index
  %14 = "morok.mod"(%1, %6) : (index, index) -> index
  %15 = "morok.index"(%12, %13, %14) : (memref<2x3xf32, "local">, index, index) -> !morok.ptr<f32, "local">
  %16 = "morok.load"(%15) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %17 = "morok.store"(%2, %16) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %18 = "morok.end"(%17, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%18) : (!morok.token) -> ()
  return
}
