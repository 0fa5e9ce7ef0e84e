// RUN: morok-opt %s --morok-merge-sibling-ends | filecheck %s

// Two stores over equal loops share the loop, and the load.
// CHECK-LABEL: @merged
// CHECK: %[[I:.*]] = "morok.range"
// CHECK-COUNT-1: "morok.load"
// CHECK-NOT: "morok.load"
// CHECK-NOT: "morok.range"
// CHECK: %[[A:.*]] = "morok.end"(%{{.*}}, %[[I]])
// CHECK-NOT: "morok.load"
// CHECK-NOT: "morok.range"
// CHECK: %[[B:.*]] = "morok.end"(%{{.*}}, %[[I]])
// CHECK: "morok.sink"(%[[A]], %[[B]])
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

// The second loop's range is closed by a third end too, whose stores would be left without a loop: it stays a range of its own.
// CHECK-LABEL: @closed_elsewhere
// CHECK: "morok.range"{{.*}}id = 0
// CHECK: %[[J:.*]] = "morok.range"{{.*}}id = 1
// CHECK: "morok.end"(%{{.*}}, %[[J]])
// CHECK: "morok.end"(%{{.*}}, %[[J]], %{{.*}})
func.func @closed_elsewhere(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4x4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %one = "morok.const"() {value = 1.000000e+00 : f32} : () -> f32
  %p = "morok.index"(%arg0, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%p, %one) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  %j = "morok.range"(%0) {id = 1 : i64, kind = "loop"} : (index) -> index
  %q = "morok.index"(%arg1, %j) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %t = "morok.store"(%q, %one) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %f = "morok.end"(%t, %j) : (!morok.token, index) -> !morok.token
  %k = "morok.range"(%0) {id = 2 : i64, kind = "loop"} : (index) -> index
  %r = "morok.index"(%arg2, %j, %k) : (memref<4x4xf32>, index, index) -> !morok.ptr<f32, "global">
  %u = "morok.store"(%r, %one) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %g = "morok.end"(%u, %j, %k) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e, %f, %g) : (!morok.token, !morok.token, !morok.token) -> ()
  return
}
