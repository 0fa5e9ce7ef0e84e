// RUN: morok-opt %s --morok-reduce-to-iter-args | filecheck %s
// RUN: morok-opt %s --morok-reduce-to-iter-args --morok-linearize | filecheck %s --check-prefix=LOOPS
// RUN: not morok-opt %s --morok-linearize 2>&1 | filecheck %s --check-prefix=FIRST

// A maximum starts from the least value; the loop carries it, and no memory holds it.
// CHECK-LABEL: @greatest(
// CHECK: %[[K:.*]] = "morok.range"
// CHECK: %[[X:.*]] = "morok.load"
// CHECK: %[[Z:.*]] = "morok.const"() {value = 0xFF800000 : f32}
// CHECK: "morok.carry"(%[[X]], %[[Z]], %[[K]]) {op = "max"}
// CHECK-NOT: morok.reduce
// LOOPS-LABEL: @greatest(
// LOOPS-NOT: memref.alloca
// LOOPS: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32) {
// LOOPS: arith.maximumf %{{.*}}, %[[ACC]]
// FIRST: morok-reduce-to-iter-args comes first
func.func @greatest(%arg0: memref<1xf32>, %arg1: memref<6xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.const"() {value = 6 : index} : () -> index
  %2 = "morok.index"(%arg0, %0) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.range"(%1) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %4 = "morok.index"(%arg1, %3) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %5 = "morok.load"(%4) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %6 = "morok.reduce"(%5, %3) {op = "max"} : (f32, index) -> f32
  %7 = "morok.store"(%2, %6) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%7) : (!morok.token) -> ()
  return
}
