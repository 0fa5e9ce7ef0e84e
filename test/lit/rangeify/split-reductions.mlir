// RUN: morok-opt %s --morok-split-reductions --split-input-file | filecheck %s

// A large sum to one result: 64 parts, each summed on its own, and a sum of the parts.
// CHECK-LABEL: func.func @sum
// CHECK: %[[PARTS:.*]] = "morok.const"() {value = 64 : index}
// CHECK: "morok.range"(%[[PARTS]]) {id = {{.*}}, kind = "loop"}
// CHECK: "morok.reduce"
// CHECK: "morok.bufferize"(%{{.*}}) {{.*}}space = "global"{{.*}} -> memref<64xf32>
// CHECK: "morok.range"(%[[PARTS]]) {id = {{.*}}, kind = "reduce"}
// CHECK: "morok.reduce"
func.func @sum(%a: memref<1048576xf32>) -> memref<f32> {
  %n = "morok.const"() {value = 1048576 : index} : () -> index
  %r = "morok.range"(%n) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %r) : (memref<1048576xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %r) {op = "add"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s) {id = 0 : i64, space = "global"} : (f32) -> memref<f32>
  return %b : memref<f32>
}

// -----

// A thousand rows are enough work for all threads: nothing changes.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-1: "morok.reduce"
// CHECK-NOT: "morok.reduce"
func.func @rows(%a: memref<1000x8192xf32>) -> memref<1000xf32> {
  %m = "morok.const"() {value = 1000 : index} : () -> index
  %n = "morok.const"() {value = 8192 : index} : () -> index
  %i = "morok.range"(%m) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%n) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %r) : (memref<1000x8192xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %r) {op = "add"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<1000xf32>
  return %b : memref<1000xf32>
}
