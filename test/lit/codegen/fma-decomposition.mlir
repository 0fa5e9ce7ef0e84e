// RUN: morok-opt %s --morok-fma-decomposition | filecheck %s

// A product that only a sum uses.
// CHECK-LABEL: @fused
// CHECK-NOT: morok.mul"
// CHECK: "morok.mulacc"
func.func @fused(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>, %arg3: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.index"(%arg2, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %6 = "morok.load"(%5) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %7 = "morok.mul"(%4, %6) : (f32, f32) -> f32
  %8 = "morok.index"(%arg3, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %9 = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %10 = "morok.add"(%7, %9) : (f32, f32) -> f32
  %11 = "morok.store"(%2, %10) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %12 = "morok.end"(%11, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%12) : (!morok.token) -> ()
  return
}

// A product that is stored as well stays.
// CHECK-LABEL: @used_twice
// CHECK-NOT: morok.mulacc
// CHECK: "morok.mul"
// CHECK-NOT: morok.mulacc
// CHECK: return
func.func @used_twice(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>, %arg3: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.index"(%arg2, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %6 = "morok.load"(%5) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %7 = "morok.mul"(%4, %6) : (f32, f32) -> f32
  %8 = "morok.index"(%arg3, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %9 = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %10 = "morok.add"(%7, %9) : (f32, f32) -> f32
  %11 = "morok.store"(%2, %10) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %12 = "morok.end"(%11, %1) : (!morok.token, index) -> !morok.token
  %13 = "morok.store"(%8, %7) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %14 = "morok.end"(%13, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%12, %14) : (!morok.token, !morok.token) -> ()
  return
}

// x * y - z = x * y + (-z)
// CHECK-LABEL: @minus
// CHECK: %[[X:.*]] = "morok.load"
// CHECK: %[[Y:.*]] = "morok.load"
// CHECK: %[[Z:.*]] = "morok.load"
// CHECK: %[[NEG:.*]] = "morok.neg"(%[[Z]])
// CHECK: "morok.mulacc"(%[[X]], %[[Y]], %[[NEG]])
func.func @minus(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>, %arg3: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.index"(%arg2, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%5) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %xy = "morok.mul"(%x, %y) : (f32, f32) -> f32
  %8 = "morok.index"(%arg3, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %z = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %10 = "morok.sub"(%xy, %z) : (f32, f32) -> f32
  %11 = "morok.store"(%2, %10) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %12 = "morok.end"(%11, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%12) : (!morok.token) -> ()
  return
}

// z - x * y = (-x) * y + z
// CHECK-LABEL: @from
// CHECK: %[[NEG:.*]] = "morok.neg"(%{{.*}})
// CHECK: "morok.mulacc"(%[[NEG]], %{{.*}}, %{{.*}})
// CHECK-NOT: morok.sub
func.func @from(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>, %arg3: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.index"(%arg2, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%5) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %xy = "morok.mul"(%x, %y) : (f32, f32) -> f32
  %8 = "morok.index"(%arg3, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %z = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %10 = "morok.sub"(%z, %xy) : (f32, f32) -> f32
  %11 = "morok.store"(%2, %10) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %12 = "morok.end"(%11, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%12) : (!morok.token) -> ()
  return
}
