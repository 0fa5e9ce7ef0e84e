// RUN: morok-opt %s --morok-float-decomposition | filecheck %s

// bfloat16 is computed in float32 and rounded.
// CHECK-LABEL: @half
// CHECK: %[[SUM:.*]] = "morok.add"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// CHECK: "morok.cast"(%[[SUM]]) : (f32) -> bf16
func.func @half(%arg0: memref<4xbf16>, %arg1: memref<4xbf16>, %arg2: memref<4xbf16>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xbf16>, index) -> !morok.ptr<bf16, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xbf16>, index) -> !morok.ptr<bf16, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<bf16, "global">) -> bf16
  %5 = "morok.index"(%arg2, %1) : (memref<4xbf16>, index) -> !morok.ptr<bf16, "global">
  %6 = "morok.load"(%5) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<bf16, "global">) -> bf16
  %7 = "morok.add"(%4, %6) : (bf16, bf16) -> bf16
  %8 = "morok.store"(%2, %7) : (!morok.ptr<bf16, "global">, bf16) -> !morok.token
  %9 = "morok.end"(%8, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%9) : (!morok.token) -> ()
  return
}

// Products that go straight into a sum are not rounded on the way.
// CHECK-LABEL: @products_in_a_sum
// CHECK: %[[P:.*]] = "morok.mul"{{.*}} -> f32
// CHECK: %[[S:.*]] = "morok.reduce"(%[[P]]
// CHECK: "morok.cast"(%[[S]]) : (f32) -> bf16
func.func @products_in_a_sum(%arg0: memref<1xbf16>, %arg1: memref<4xbf16>, %arg2: memref<4xbf16>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<1xbf16>, index) -> !morok.ptr<bf16, "global">
  %2 = "morok.const"() {value = 4 : index} : () -> index
  %3 = "morok.range"(%2) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %4 = "morok.index"(%arg1, %3) : (memref<4xbf16>, index) -> !morok.ptr<bf16, "global">
  %5 = "morok.load"(%4) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<bf16, "global">) -> bf16
  %6 = "morok.index"(%arg2, %3) : (memref<4xbf16>, index) -> !morok.ptr<bf16, "global">
  %7 = "morok.load"(%6) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<bf16, "global">) -> bf16
  %8 = "morok.mul"(%5, %7) : (bf16, bf16) -> bf16
  %9 = "morok.reduce"(%8, %3) {op = "add"} : (bf16, index) -> bf16
  %10 = "morok.store"(%1, %9) : (!morok.ptr<bf16, "global">, bf16) -> !morok.token
  "morok.sink"(%10) : (!morok.token) -> ()
  return
}

// A transcendental becomes arithmetic.
// CHECK-LABEL: @transcendental
// CHECK-NOT: morok.exp2
// CHECK: morok.mulacc
// CHECK: morok.shl
// CHECK-NOT: morok.exp2
// CHECK: morok.store
func.func @transcendental(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.exp2"(%4) : (f32) -> f32
  %6 = "morok.store"(%2, %5) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %7 = "morok.end"(%6, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%7) : (!morok.token) -> ()
  return
}

// Comparisons of 16-bit floats compare in float32.
// CHECK-LABEL: @comparison
// CHECK: "morok.cmplt"(%{{.*}}, %{{.*}}) : (f32, f32) -> i1
func.func @comparison(%arg0: memref<4xi1>, %arg1: memref<4xf16>, %arg2: memref<4xf16>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xi1>, index) -> !morok.ptr<i1, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf16>, index) -> !morok.ptr<f16, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f16, "global">) -> f16
  %5 = "morok.index"(%arg2, %1) : (memref<4xf16>, index) -> !morok.ptr<f16, "global">
  %6 = "morok.load"(%5) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f16, "global">) -> f16
  %7 = "morok.cmplt"(%4, %6) : (f16, f16) -> i1
  %8 = "morok.store"(%2, %7) : (!morok.ptr<i1, "global">, i1) -> !morok.token
  %9 = "morok.end"(%8, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%9) : (!morok.token) -> ()
  return
}

// 1 + tanh x is 2 / (1 + e**(-2 x)).
// CHECK-LABEL: @one_and_tanh
// CHECK: %[[TWO:.*]] = "morok.const"() {value = 2.000000e+00 : f32}
// CHECK: %[[MINUS_TWO:.*]] = "morok.const"() {value = -2.000000e+00 : f32}
// CHECK: "morok.mul"(%{{.*}}, %[[MINUS_TWO]])
// CHECK: %[[ONE:.*]] = "morok.const"() {value = 1.000000e+00 : f32}
// CHECK: %[[SUM:.*]] = "morok.add"(%{{.*}}, %[[ONE]])
// CHECK: %[[QUOTIENT:.*]] = "morok.div"(%[[TWO]], %[[SUM]])
// CHECK: "morok.store"(%{{.*}}, %[[QUOTIENT]])
func.func @one_and_tanh(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.tanh"(%4) : (f32) -> f32
  %6 = "morok.const"() {value = 1.0 : f32} : () -> f32
  %7 = "morok.add"(%5, %6) : (f32, f32) -> f32
  %8 = "morok.store"(%2, %7) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %9 = "morok.end"(%8, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%9) : (!morok.token) -> ()
  return
}

// 1 - tanh x has the other sign.
// CHECK-LABEL: @one_less_tanh
// CHECK: %[[TWO:.*]] = "morok.const"() {value = 2.000000e+00 : f32}
// CHECK: "morok.mul"(%{{.*}}, %[[TWO]])
// CHECK: %[[QUOTIENT:.*]] = "morok.div"(%[[TWO]], %{{.*}})
// CHECK: "morok.store"(%{{.*}}, %[[QUOTIENT]])
func.func @one_less_tanh(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.tanh"(%4) : (f32) -> f32
  %6 = "morok.const"() {value = 1.0 : f32} : () -> f32
  %7 = "morok.sub"(%6, %5) : (f32, f32) -> f32
  %8 = "morok.store"(%2, %7) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %9 = "morok.end"(%8, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%9) : (!morok.token) -> ()
  return
}

// A tanh that something else needs too is computed once, and tanh x - 1 stays.
// CHECK-LABEL: @tanh_less_one
// CHECK: "morok.abs"
// CHECK: "morok.store"
func.func @tanh_less_one(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.tanh"(%4) : (f32) -> f32
  %6 = "morok.const"() {value = 1.0 : f32} : () -> f32
  %7 = "morok.sub"(%5, %6) : (f32, f32) -> f32
  %8 = "morok.store"(%2, %7) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %9 = "morok.end"(%8, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%9) : (!morok.token) -> ()
  return
}

// CHECK-LABEL: @shared_tanh
// CHECK: "morok.abs"
// CHECK: "morok.store"
func.func @shared_tanh(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.tanh"(%4) : (f32) -> f32
  %6 = "morok.const"() {value = 1.0 : f32} : () -> f32
  %7 = "morok.add"(%5, %6) : (f32, f32) -> f32
  %10 = "morok.mul"(%7, %5) : (f32, f32) -> f32
  %8 = "morok.store"(%2, %10) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %9 = "morok.end"(%8, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%9) : (!morok.token) -> ()
  return
}
