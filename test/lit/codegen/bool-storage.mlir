// RUN: morok-opt %s --morok-bool-storage | filecheck %s

// Bytes in memory, bools in registers.
// CHECK-LABEL: @bytes(
// CHECK-SAME: %arg0: memref<4xui8>, %arg1: memref<4xui8>
// CHECK: %[[BYTE:.*]] = "morok.load"{{.*}} -> ui8
// CHECK: %[[BOOL:.*]] = "morok.cast"(%[[BYTE]]) : (ui8) -> i1
// CHECK: %[[NOT:.*]] = "morok.not"(%[[BOOL]])
// CHECK: %[[OUT:.*]] = "morok.cast"(%[[NOT]]) : (i1) -> ui8
// CHECK: "morok.store"(%{{.*}}, %[[OUT]])
func.func @bytes(%arg0: memref<4xi1>, %arg1: memref<4xi1>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xi1>, index) -> !morok.ptr<i1, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<4xi1>, index) -> !morok.ptr<i1, "global">
  %4 = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i1, "global">) -> i1
  %5 = "morok.not"(%4) : (i1) -> i1
  %6 = "morok.store"(%2, %5) : (!morok.ptr<i1, "global">, i1) -> !morok.token
  %7 = "morok.end"(%6, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%7) : (!morok.token) -> ()
  return
}

// A gated load's other value is a byte too.
// CHECK-LABEL: @gated(
// CHECK: %[[OTHER:.*]] = "morok.cast"(%{{.*}}) : (i1) -> ui8
// CHECK: %[[BYTE:.*]] = "morok.load"(%{{.*}}, %{{.*}}, %[[OTHER]]) {{.*}} -> ui8
// CHECK: "morok.cast"(%[[BYTE]]) : (ui8) -> i1
func.func @gated(%arg0: memref<4xi1>, %arg1: memref<3xi1>, %arg2: memref<4xi32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.index"(%arg0, %1) : (memref<4xi1>, index) -> !morok.ptr<i1, "global">
  %3 = "morok.index"(%arg1, %1) : (memref<3xi1>, index) -> !morok.ptr<i1, "global">
  %4 = "morok.index"(%arg2, %1) : (memref<4xi32>, index) -> !morok.ptr<i32, "global">
  %5 = "morok.load"(%4) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %6 = "morok.const"() {value = 0 : i32} : () -> i32
  %other = "morok.cmplt"(%6, %5) : (i32, i32) -> i1
  %7 = "morok.const"() {value = 3 : index} : () -> index
  %gate = "morok.cmplt"(%1, %7) : (index, index) -> i1
  %8 = "morok.load"(%3, %gate, %other) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!morok.ptr<i1, "global">, i1, i1) -> i1
  %9 = "morok.store"(%2, %8) : (!morok.ptr<i1, "global">, i1) -> !morok.token
  %10 = "morok.end"(%9, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%10) : (!morok.token) -> ()
  return
}
