// RUN: morok-opt %s --morok-pre-expand | filecheck %s
// RUN: morok-opt %s -p 'morok-pre-expand{accumulators=1}' | filecheck %s --check-prefix=FEW

// 16 unit-stride iterations on a target of 256 bits: two copies of eight lanes.
// CHECK-LABEL: @lanes
// CHECK: %[[I:.*]] = "morok.range"
// CHECK: %[[L:.*]] = "morok.unroll"() : () -> vector<8xindex>
// CHECK: %[[A:.*]] = "morok.load"{{.*}} -> vector<8xf32>
// CHECK: "morok.end"(%{{.*}}, %[[I]])
// CHECK: %[[B:.*]] = "morok.load"{{.*}} -> vector<8xf32>
// CHECK: "morok.end"(%{{.*}}, %[[I]])
// CHECK-NOT: upcast
func.func @lanes(%arg0: memref<64xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.const"() {value = 16 : index} : () -> index
  %3 = "morok.mul"(%1, %2) : (index, index) -> index
  %4 = "morok.range"(%2) {id = 1 : i64, kind = "upcast"} : (index) -> index
  %5 = "morok.add"(%3, %4) : (index, index) -> index
  %6 = "morok.index"(%arg0, %5) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %7 = "morok.index"(%arg1, %5) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %8 = "morok.load"(%7) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %9 = "morok.store"(%6, %8) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %10 = "morok.end"(%9, %1, %4) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%10) : (!morok.token) -> ()
  return
}

// Rows are copies: the range is each number of its extent.
// CHECK-LABEL: @copies
// CHECK: %[[J:.*]] = "morok.range"{{.*}}id = 1
// CHECK: "morok.index"(%arg0, %[[J]])
// CHECK: "morok.end"(%{{.*}}, %[[J]])
// CHECK: %[[PLACE:.*]] = "morok.add"(%[[J]], %{{.*}})
// CHECK: "morok.index"(%arg0, %[[PLACE]])
// CHECK: "morok.end"(%{{.*}}, %[[J]])
func.func @copies(%arg0: memref<16xf32>, %arg1: memref<2xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 2 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "upcast"} : (index) -> index
  %2 = "morok.const"() {value = 8 : index} : () -> index
  %3 = "morok.mul"(%1, %2) : (index, index) -> index
  %4 = "morok.range"(%2) {id = 1 : i64, kind = "loop"} : (index) -> index
  %5 = "morok.add"(%3, %4) : (index, index) -> index
  %6 = "morok.index"(%arg0, %5) : (memref<16xf32>, index) -> !morok.ptr<f32, "global">
  %7 = "morok.index"(%arg1, %1) : (memref<2xf32>, index) -> !morok.ptr<f32, "global">
  %8 = "morok.load"(%7) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %9 = "morok.store"(%6, %8) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %10 = "morok.end"(%9, %1, %4) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%10) : (!morok.token) -> ()
  return
}

// Lanes that are themselves reduced: vector accumulators, combined after the loop, then contracted.
// CHECK-LABEL: @reduced_lanes
// CHECK: %[[A:.*]] = "morok.reduce"{{.*}} : (vector<8xf32>, index) -> vector<8xf32>
// CHECK: %[[B:.*]] = "morok.reduce"{{.*}} : (vector<8xf32>, index) -> vector<8xf32>
// CHECK: %[[S:.*]] = "morok.add"(%[[A]], %[[B]])
// CHECK: "morok.contract"(%[[S]]) {op = "add"}
func.func @reduced_lanes(%arg0: memref<1xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %2 = "morok.const"() {value = 4 : index} : () -> index
  %3 = "morok.range"(%2) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %4 = "morok.const"() {value = 16 : index} : () -> index
  %5 = "morok.mul"(%3, %4) : (index, index) -> index
  %6 = "morok.range"(%4) {id = 1 : i64, kind = "unroll"} : (index) -> index
  %7 = "morok.add"(%5, %6) : (index, index) -> index
  %8 = "morok.index"(%arg1, %7) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %9 = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %10 = "morok.reduce"(%9, %3, %6) {op = "add"} : (f32, index, index) -> f32
  %11 = "morok.store"(%1, %10) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%11) : (!morok.token) -> ()
  return
}

// Copies that are reduced: an accumulator for each.
// CHECK-LABEL: @accumulators
// CHECK: %[[A:.*]] = "morok.reduce"(%{{.*}}, %{{.*}}) {op = "max"} : (f32, index) -> f32
// CHECK: %[[B:.*]] = "morok.reduce"(%{{.*}}, %{{.*}}) {op = "max"} : (f32, index) -> f32
// CHECK: "morok.max"(%[[A]], %[[B]])
// With no register left for a second accumulator, the copies stay a loop.
// FEW-LABEL: @accumulators
// FEW: %[[U:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "reduce"}
// FEW: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "reduce"}
// FEW: "morok.reduce"(%{{.*}}, %[[K]], %[[U]]) {op = "max"}
// FEW-NOT: morok.max
func.func @accumulators(%arg0: memref<1xf32>, %arg1: memref<8xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %2 = "morok.const"() {value = 2 : index} : () -> index
  %3 = "morok.range"(%2) {id = 1 : i64, kind = "unroll"} : (index) -> index
  %4 = "morok.const"() {value = 4 : index} : () -> index
  %5 = "morok.mul"(%3, %4) : (index, index) -> index
  %6 = "morok.range"(%4) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %7 = "morok.add"(%5, %6) : (index, index) -> index
  %8 = "morok.index"(%arg1, %7) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %9 = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %10 = "morok.reduce"(%9, %6, %3) {op = "max"} : (f32, index, index) -> f32
  %11 = "morok.store"(%1, %10) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%11) : (!morok.token) -> ()
  return
}

// Scratch inside an expanded loop has room for each of its iterations.
// CHECK-LABEL: @scratch
// CHECK: %[[L:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<6xf32, "local">
// CHECK-COUNT-2: "morok.index"(%[[L]]
func.func @scratch(%arg0: memref<6xf32>, %arg1: memref<6xf32>) attributes {morok.kernel} {
  %two = "morok.const"() {value = 2 : index} : () -> index
  %three = "morok.const"() {value = 3 : index} : () -> index
  %i = "morok.range"(%two) {id = 0 : i64, kind = "upcast"} : (index) -> index
  %j = "morok.range"(%three) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%three) {id = 2 : i64, kind = "loop"} : (index) -> index
  %row = "morok.mul"(%i, %three) : (index, index) -> index
  %from = "morok.add"(%row, %j) : (index, index) -> index
  %p = "morok.index"(%arg1, %from) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %l = "morok.define_local"() {id = 0 : i64} : () -> memref<3xf32, "local">
  %q = "morok.index"(%l, %j) : (memref<3xf32, "local">, index) -> !morok.ptr<f32, "local">
  %s = "morok.store"(%q, %v) : (!morok.ptr<f32, "local">, f32) -> !morok.token
  %e = "morok.end"(%s, %j) : (!morok.token, index) -> !morok.token
  %m = "morok.after"(%l, %e) : (memref<3xf32, "local">, !morok.token) -> memref<3xf32, "local">
  %o = "morok.index"(%m, %k) : (memref<3xf32, "local">, index) -> !morok.ptr<f32, "local">
  %w = "morok.load"(%o) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %to = "morok.add"(%row, %k) : (index, index) -> index
  %d = "morok.index"(%arg0, %to) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %t = "morok.store"(%d, %w) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %f = "morok.end"(%t, %k, %i) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%f) : (!morok.token) -> ()
  return
}
