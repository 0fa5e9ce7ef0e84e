// RUN: morok-opt %s --morok-bool-devectorize | filecheck %s
// RUN: morok-opt %s -p 'morok-bool-devectorize{vector-bits=512}' | filecheck %s --check-prefix=MASKS

// Without mask registers, bools are accumulated as integers as wide as the lanes.
// CHECK-LABEL: @accumulated
// CHECK: %[[W:.*]] = "morok.where"{{.*}} -> vector<8xi32>
// CHECK: %[[R:.*]] = "morok.reduce"(%[[W]], %{{.*}}) {op = "or"} : (vector<8xi32>, index) -> vector<8xi32>
// CHECK: "morok.cmpne"(%[[R]], %{{.*}})
// With mask registers they stay bools.
// MASKS-LABEL: @accumulated
// MASKS: "morok.reduce"{{.*}} {op = "or"} : (vector<8xi1>, index) -> vector<8xi1>
func.func @accumulated(%arg0: memref<8xi32>, %arg1: memref<32xi32>) attributes {morok.kernel} {
  %0 = "morok.const"() {value = 0 : index} : () -> index
  %1 = "morok.index"(%arg0, %0) : (memref<8xi32>, index) -> !morok.ptr<vector<8xi32>, "global">
  %2 = "morok.const"() {value = 4 : index} : () -> index
  %3 = "morok.range"(%2) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %4 = "morok.const"() {value = 8 : index} : () -> index
  %5 = "morok.mul"(%3, %4) : (index, index) -> index
  %6 = "morok.index"(%arg1, %5) : (memref<32xi32>, index) -> !morok.ptr<vector<8xi32>, "global">
  %7 = "morok.load"(%6) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<vector<8xi32>, "global">) -> vector<8xi32>
  %8 = "morok.const"() {value = 0 : i32} : () -> vector<8xi32>
  %9 = "morok.cmpne"(%7, %8) : (vector<8xi32>, vector<8xi32>) -> vector<8xi1>
  %10 = "morok.reduce"(%9, %3) {op = "or"} : (vector<8xi1>, index) -> vector<8xi1>
  %11 = "morok.cast"(%10) : (vector<8xi1>) -> vector<8xi32>
  %12 = "morok.store"(%1, %11) : (!morok.ptr<vector<8xi32>, "global">, vector<8xi32>) -> !morok.token
  "morok.sink"(%12) : (!morok.token) -> ()
  return
}
