// RUN: morok-opt %s --morok-devectorize | filecheck %s

// Consecutive places: one vector access at a scalar place.
// CHECK-LABEL: @consecutive
// CHECK: %[[P:.*]] = "morok.index"(%arg1, %{{.*}}) : (memref<64xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
// CHECK: "morok.load"(%[[P]]){{.*}} -> vector<8xf32>
func.func @consecutive(%arg0: memref<32xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.vectorize"(%1) : (index) -> vector<8xindex>
  %3 = "morok.const"() {value = 8 : index} : () -> vector<8xindex>
  %4 = "morok.mul"(%2, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %5 = "morok.unroll"() : () -> vector<8xindex>
  %6 = "morok.add"(%4, %5) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %7 = "morok.index"(%arg0, %6) : (memref<32xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %8 = "morok.index"(%arg1, %6) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %9 = "morok.load"(%8) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %10 = "morok.store"(%7, %9) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
  %11 = "morok.end"(%10, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%11) : (!morok.token) -> ()
  return
}

// The same place in all lanes, since no lane crosses a multiple of 8: one scalar load.
// CHECK-LABEL: @same_place
// CHECK: %[[V:.*]] = "morok.load"{{.*}} -> f32
// CHECK: "morok.vectorize"(%[[V]]) : (f32) -> vector<8xf32>
func.func @same_place(%arg0: memref<32xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.vectorize"(%1) : (index) -> vector<8xindex>
  %3 = "morok.const"() {value = 8 : index} : () -> vector<8xindex>
  %4 = "morok.mul"(%2, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %5 = "morok.unroll"() : () -> vector<8xindex>
  %6 = "morok.add"(%4, %5) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %7 = "morok.index"(%arg0, %6) : (memref<32xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %8 = "morok.floordiv"(%6, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %9 = "morok.index"(%arg1, %8) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %10 = "morok.load"(%9) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %11 = "morok.store"(%7, %10) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
  %12 = "morok.end"(%11, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%12) : (!morok.token) -> ()
  return
}

// Any other stride: a load for each lane.
// CHECK-LABEL: @strided
// CHECK-COUNT-8: "morok.load"{{.*}} -> f32
// CHECK: "morok.vectorize"
func.func @strided(%arg0: memref<32xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.vectorize"(%1) : (index) -> vector<8xindex>
  %3 = "morok.const"() {value = 8 : index} : () -> vector<8xindex>
  %4 = "morok.mul"(%2, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %5 = "morok.unroll"() : () -> vector<8xindex>
  %6 = "morok.add"(%4, %5) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %7 = "morok.index"(%arg0, %6) : (memref<32xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %8 = "morok.mul"(%5, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %9 = "morok.add"(%2, %8) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %10 = "morok.index"(%arg1, %9) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %11 = "morok.load"(%10) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %12 = "morok.store"(%7, %11) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
  %13 = "morok.end"(%12, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%13) : (!morok.token) -> ()
  return
}

// Backwards: a vector load whose lanes are reversed.
// CHECK-LABEL: @backwards
// CHECK: %[[V:.*]] = "morok.load"{{.*}} -> vector<8xf32>
// CHECK: "morok.gep"(%[[V]]) {lane = 7 : i64}
// CHECK: "morok.gep"(%[[V]]) {lane = 0 : i64}
// CHECK: "morok.vectorize"
func.func @backwards(%arg0: memref<32xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.vectorize"(%1) : (index) -> vector<8xindex>
  %3 = "morok.const"() {value = 8 : index} : () -> vector<8xindex>
  %4 = "morok.mul"(%2, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %5 = "morok.unroll"() : () -> vector<8xindex>
  %6 = "morok.add"(%4, %5) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %7 = "morok.index"(%arg0, %6) : (memref<32xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %8 = "morok.const"() {value = 31 : index} : () -> vector<8xindex>
  %9 = "morok.sub"(%8, %6) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %10 = "morok.index"(%arg1, %9) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %11 = "morok.load"(%10) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %12 = "morok.store"(%7, %11) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
  %13 = "morok.end"(%12, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%13) : (!morok.token) -> ()
  return
}

// A gate that all lanes share becomes a scalar.
// CHECK-LABEL: @one_gate_for_all
// CHECK: %[[G:.*]] = "morok.cmplt"{{.*}} -> i1
// CHECK: "morok.load"(%{{.*}}, %[[G]], %{{.*}}) {{.*}}, i1, vector<8xf32>)
func.func @one_gate_for_all(%arg0: memref<32xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.vectorize"(%1) : (index) -> vector<8xindex>
  %3 = "morok.const"() {value = 8 : index} : () -> vector<8xindex>
  %4 = "morok.mul"(%2, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %5 = "morok.unroll"() : () -> vector<8xindex>
  %6 = "morok.add"(%4, %5) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %7 = "morok.index"(%arg0, %6) : (memref<32xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %8 = "morok.index"(%arg1, %6) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %9 = "morok.const"() {value = 3 : index} : () -> index
  %10 = "morok.cmplt"(%1, %9) : (index, index) -> i1
  %11 = "morok.vectorize"(%10) : (i1) -> vector<8xi1>
  %12 = "morok.const"() {value = 0.000000e+00 : f32} : () -> vector<8xf32>
  %13 = "morok.load"(%8, %11, %12) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!morok.ptr<vector<8xf32>, "global">, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %14 = "morok.store"(%7, %13) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
  %15 = "morok.end"(%14, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%15) : (!morok.token) -> ()
  return
}

// A vector stored backwards: its lanes are reversed, and stored at once.
// CHECK-LABEL: @stored_backwards
// CHECK: %[[R:.*]] = "morok.vectorize"(
// CHECK-COUNT-1: "morok.store"(%{{.*}}, %[[R]])
// CHECK-NOT: "morok.store"
// CHECK: return
func.func @stored_backwards(%arg0: memref<32xf32>, %arg1: memref<64xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 4 : index} : () -> index
  %1 = "morok.range"(%0) {id = 0 : i64, kind = "loop"} : (index) -> index
  %2 = "morok.vectorize"(%1) : (index) -> vector<8xindex>
  %3 = "morok.const"() {value = 8 : index} : () -> vector<8xindex>
  %4 = "morok.mul"(%2, %3) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %5 = "morok.unroll"() : () -> vector<8xindex>
  %6 = "morok.add"(%4, %5) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %8 = "morok.const"() {value = 31 : index} : () -> vector<8xindex>
  %9 = "morok.sub"(%8, %6) : (vector<8xindex>, vector<8xindex>) -> vector<8xindex>
  %7 = "morok.index"(%arg0, %9) : (memref<32xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %10 = "morok.index"(%arg1, %6) : (memref<64xf32>, vector<8xindex>) -> !morok.ptr<vector<8xf32>, "global">
  %11 = "morok.load"(%10) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %12 = "morok.store"(%7, %11) : (!morok.ptr<vector<8xf32>, "global">, vector<8xf32>) -> !morok.token
  %13 = "morok.end"(%12, %1) : (!morok.token, index) -> !morok.token
  "morok.sink"(%13) : (!morok.token) -> ()
  return
}
