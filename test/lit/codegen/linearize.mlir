// RUN: morok-opt %s --morok-reduce-to-iter-args --morok-linearize | filecheck %s
// RUN: morok-opt %s --morok-reduce-to-iter-args --morok-linearize='affine=true' | filecheck %s --check-prefix=AFFINE

// The reduction is an iter_arg of its loop, inside the loop of its row.
// CHECK-LABEL: @row_sums(
// CHECK-SAME: %arg0: memref<4xf32> {llvm.align = 64 : i64, llvm.noalias}, %arg1: memref<24xf32> {llvm.noalias}
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c6
// CHECK: %[[S:.*]] = scf.for %[[J:.*]] = %c0 to %c6 step %c1 iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32) {
// CHECK: %[[PLACE:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK: %[[V:.*]] = memref.load %arg1[%[[PLACE]]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[ACC]], %[[V]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: memref.store %[[S]], %arg0[%[[I]]]
// AFFINE-LABEL: @row_sums
// AFFINE: affine.for %[[I:.*]] = 0 to 4 {
// AFFINE: affine.for %[[J:.*]] = 0 to 6 iter_args
// AFFINE: affine.load %arg1[%[[I]] * 6 + %[[J]]]
// AFFINE: affine.store %{{.*}}, %arg0[%[[I]]]
func.func @row_sums(%arg0: memref<4xf32>, %arg1: memref<24xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.const"() {value = 6 : index} : () -> index
  %4 = "morok.mul"(%1, %3) : (index, index) -> index
  %5 = "morok.range"(%3) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %6 = "morok.add"(%4, %5) : (index, index) -> index
  %7 = "morok.index"(%arg1, %6) : (memref<24xf32>, index) -> !morok.ptr<f32, "global">
  %8 = "morok.load"(%7) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %9 = "morok.reduce"(%8, %5) {op = "add"} : (f32, index) -> f32
  %10 = "morok.store"(%2, %9) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %11 = "morok.end"(%10, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%11) : (!morok.token) -> ()
  return
}

// After the buffers come the variables, then thread id and thread count.
// CHECK-LABEL: @divided_among_threads(
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32, %[[ID:[a-z0-9]*]]: i32, %[[COUNT:[a-z0-9]*]]: i32)
// CHECK: %[[SHARE:.*]] = arith.divui
// CHECK: %[[LOW:.*]] = arith.minsi
// CHECK: %[[HIGH:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]]
func.func @divided_among_threads(%arg0: memref<32xf32>) attributes {morok.kernel} {
  %0 = "morok.define_var"() {max = 32 : i64, min = 1 : i64, name = "n"} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "thread"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<32xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.const"() {value = 1.000000e+00 : f32} : () -> f32
  %4 = "morok.store"(%2, %3) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %5 = "morok.end"(%4, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%5) : (!morok.token) -> ()
  return
}

// A scalar store under a gate is a branch.
// CHECK-LABEL: @gated_store
// CHECK: %[[G:.*]] = arith.cmpi slt
// CHECK: scf.if %[[G]] {
// CHECK-NEXT: memref.store
func.func @gated_store(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %5 = "morok.const"() {value = 3 : index} : () -> index
  %6 = "morok.cmplt"(%1, %5) : (index, index) -> i1
  %7 = "morok.store"(%2, %4, %6) : (!morok.ptr<f32, "global">, f32, i1) -> !morok.token
  %8 = "morok.end"(%7, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%8) : (!morok.token) -> ()
  return
}

// A vector store under a gate for each lane is masked.
// CHECK-LABEL: @masked
// CHECK: %[[G:.*]] = arith.cmpi slt
// CHECK: vector.maskedstore %arg0[%c0], %[[G]]
func.func @masked(%arg0: memref<8xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<8xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %2 = "morok.const"() {value = 1.000000e+00 : f32} : () -> vector<8xf32>
  %3 = "morok.unroll"() : () -> vector<8xindex>
  %4 = "morok.const"() {value = 5 : index} : () -> vector<8xindex>
  %5 = "morok.cmplt"(%3, %4) : (vector<8xindex>, vector<8xindex>) -> vector<8xi1>
  %6 = "morok.store"(%1, %2, %5) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>, vector<8xi1>) -> !morok.token
  "morok.sink"(%6) : (!morok.token) -> ()
  return
}
