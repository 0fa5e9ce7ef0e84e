// RUN: morok-opt %s -p 'morok-stage-epilogues{ops=2}' | filecheck %s
// RUN: morok-opt %s -p 'morok-stage-epilogues' | filecheck %s --check-prefix=FEW

// Two rows of eight columns in registers: what follows the sum runs in a loop over the rows, whose columns are lanes.
// CHECK-LABEL: @tile
// CHECK-DAG: %[[I:.*]] = "morok.range"{{.*}}{id = 0 : i64, kind = "loop"}
// CHECK-DAG: %[[U:.*]] = "morok.range"{{.*}}{id = 4 : i64, kind = "loop"}
// CHECK-DAG: %[[V:.*]] = "morok.range"{{.*}}{id = 5 : i64, kind = "upcast"}
// CHECK-DAG: %[[R:.*]] = "morok.range"{{.*}}{id = 1 : i64, kind = "upcast"}
// CHECK-DAG: %[[C:.*]] = "morok.range"{{.*}}{id = 2 : i64, kind = "upcast"}
// CHECK-DAG: %[[T:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<16xf32, "local">
// CHECK: %[[S:.*]] = "morok.reduce"
// CHECK: %[[W:.*]] = "morok.store"(%{{.*}}, %[[S]])
// CHECK: %[[E:.*]] = "morok.end"(%[[W]], %[[R]], %[[C]])
// CHECK: "morok.after"(%[[T]], %[[E]])
// CHECK: %[[L:.*]] = "morok.load"
// CHECK: "morok.mul"(%[[L]], %[[L]])
// CHECK: "morok.end"(%{{.*}}, %[[I]], %[[U]], %[[V]])
// FEW-LABEL: @tile
// FEW-NOT: morok.define_local
func.func @tile(%arg0: memref<64xf32>, %arg1: memref<128xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.const"() {value = 2 : index} : () -> index
  %3 = "morok.range"(%2) {id = 1 : i64, kind = "upcast"} : (index) -> index
  %4 = "morok.const"() {value = 8 : index} : () -> index
  %5 = "morok.range"(%4) {id = 2 : i64, kind = "upcast"} : (index) -> index
  %6 = "morok.range"(%2) {id = 3 : i64, kind = "reduce"} : (index) -> index
  %7 = "morok.mul"(%1, %2) : (index, index) -> index
  %8 = "morok.add"(%7, %3) : (index, index) -> index
  %9 = "morok.mul"(%8, %4) : (index, index) -> index
  %10 = "morok.add"(%9, %5) : (index, index) -> index
  %11 = "morok.const"() {value = 64 : index} : () -> index
  %12 = "morok.mul"(%6, %11) : (index, index) -> index
  %13 = "morok.add"(%12, %10) : (index, index) -> index
  %14 = "morok.index"(%arg1, %13) : (memref<128xf32>, index) -> !morok.ptr<f32, "global">
  %15 = "morok.load"(%14) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %16 = "morok.reduce"(%15, %6) {op = "add"} : (f32, index) -> f32
  %17 = "morok.mul"(%16, %16) : (f32, f32) -> f32
  %18 = "morok.add"(%17, %16) : (f32, f32) -> f32
  %19 = "morok.index"(%arg0, %10) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %20 = "morok.store"(%19, %18) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %21 = "morok.end"(%20, %1, %3, %5) : (!morok.token, index, index, index) -> !morok.token
  "morok.sink"(%21) : (!morok.token) -> ()
  return
}

// Two stores, each in its loops over the same tile, share the copies.
// CHECK-LABEL: @shared
// CHECK-NOT: morok.define_local
func.func @shared(%arg0: memref<8xf32>, %arg1: memref<8xf32>, %arg2: memref<16xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 8 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "upcast"} : (index) -> index
  %2 = "morok.const"() {value = 2 : index} : () -> index
  %3 = "morok.range"(%2) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %4 = "morok.mul"(%3, %0) : (index, index) -> index
  %5 = "morok.add"(%4, %1) : (index, index) -> index
  %6 = "morok.index"(%arg2, %5) : (memref<16xf32>, index) -> !morok.ptr<f32, "global">
  %7 = "morok.load"(%6) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %8 = "morok.reduce"(%7, %3) {op = "add"} : (f32, index) -> f32
  %9 = "morok.mul"(%8, %8) : (f32, f32) -> f32
  %10 = "morok.mul"(%9, %9) : (f32, f32) -> f32
  %11 = "morok.mul"(%10, %9) : (f32, f32) -> f32
  %12 = "morok.index"(%arg0, %1) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %13 = "morok.store"(%12, %11) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %14 = "morok.end"(%13, %1) : (!morok.token, index) -> !morok.token
  %15 = "morok.index"(%arg1, %1) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %16 = "morok.store"(%15, %8) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %17 = "morok.end"(%16, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%14, %17) : (!morok.token, !morok.token) -> ()
  return
}
