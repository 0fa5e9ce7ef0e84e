// RUN: morok-opt %s --morok-reduce-devectorize | filecheck %s

// The loop accumulates vectors; lanes are combined once, after it.
// CHECK-LABEL: @after_the_loop
// CHECK: %[[V:.*]] = "morok.reduce"{{.*}} -> vector<8xf32>
// CHECK: "morok.contract"(%[[V]])
func.func @after_the_loop(%arg0: memref<1xf32>, %arg1: memref<32xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %2 = "morok.const"() {value = 4 : index} : () -> index
  %3 = "morok.range"(%2) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %4 = "morok.const"() {value = 8 : index} : () -> index
  %5 = "morok.mul"(%3, %4) : (index, index) -> index
  %6 = "morok.index"(%arg1, %5) : (memref<32xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %7 = "morok.load"(%6) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %8 = "morok.contract"(%7) {op = "add"} : (vector<8xf32>) -> f32
  %9 = "morok.reduce"(%8, %3) {op = "add"} : (f32, index) -> f32
  %10 = "morok.store"(%1, %9) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%10) : (!morok.token) -> ()
  return
}

// Two contractions with the op that combines them: lanes are combined once, for both.
// CHECK-LABEL: @together
// CHECK: %[[M:.*]] = "morok.max"(%{{.*}}, %{{.*}}) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK: "morok.contract"(%[[M]]) {op = "max"}
// CHECK-NOT: morok.contract
func.func @together(%arg0: memref<1xf32>, %arg1: memref<32xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %2 = "morok.const"() {value = 8 : index} : () -> index
  %3 = "morok.index"(%arg1, %0) : (memref<32xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %v = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %4 = "morok.index"(%arg1, %2) : (memref<32xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %w = "morok.load"(%4) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %x = "morok.contract"(%v) {op = "max"} : (vector<8xf32>) -> f32
  %y = "morok.contract"(%w) {op = "max"} : (vector<8xf32>) -> f32
  %r = "morok.max"(%x, %y) : (f32, f32) -> f32
  %s = "morok.store"(%1, %r) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%s) : (!morok.token) -> ()
  return
}

// Combined by another op they stay apart.
// CHECK-LABEL: @another_op
// CHECK-COUNT-2: morok.contract
func.func @another_op(%arg0: memref<1xf32>, %arg1: memref<32xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %2 = "morok.const"() {value = 8 : index} : () -> index
  %3 = "morok.index"(%arg1, %0) : (memref<32xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %v = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %4 = "morok.index"(%arg1, %2) : (memref<32xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %w = "morok.load"(%4) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %x = "morok.contract"(%v) {op = "max"} : (vector<8xf32>) -> f32
  %y = "morok.contract"(%w) {op = "max"} : (vector<8xf32>) -> f32
  %r = "morok.add"(%x, %y) : (f32, f32) -> f32
  %s = "morok.store"(%1, %r) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%s) : (!morok.token) -> ()
  return
}

// A vector of two native ones: these are combined first, lane by lane.
// CHECK-LABEL: @two_native_vectors
// CHECK-NOT: morok.cat
// CHECK: %[[S:.*]] = "morok.add"(%{{.*}}, %{{.*}}) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK: "morok.contract"(%[[S]]) {op = "add"}
func.func @two_native_vectors(%arg0: memref<1xf32>, %arg1: memref<32xf32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %2 = "morok.const"() {value = 8 : index} : () -> index
  %3 = "morok.index"(%arg1, %0) : (memref<32xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %v = "morok.load"(%3) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %4 = "morok.index"(%arg1, %2) : (memref<32xf32>, index) -> !morok.ptr<vector<8xf32>, "global">
  %w = "morok.load"(%4) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xf32>, "global">) -> vector<8xf32>
  %c = "morok.cat"(%v, %w) : (vector<8xf32>, vector<8xf32>) -> vector<16xf32>
  %r = "morok.contract"(%c) {op = "add"} : (vector<16xf32>) -> f32
  %s = "morok.store"(%1, %r) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%s) : (!morok.token) -> ()
  return
}
