// RUN: morok-opt %s --morok-split-ranges --split-input-file | filecheck %s

// A modulo that divides the extent splits the range; what closed it closes both.
// CHECK-LABEL: @transposed
// CHECK-DAG: %[[O:.*]] = "morok.range"({{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK-DAG: %[[R:.*]] = "morok.range"({{.*}}) {id = 1 : i64, kind = "loop"}
// CHECK-NOT: morok.mod
// CHECK: "morok.index"(%arg0, %[[R]], %[[O]])
// CHECK: %[[PLACE:.*]] = "morok.add"
// CHECK: "morok.bufferize"({{.*}}, %[[PLACE]])
func.func @transposed(%a: memref<4x3xf32>) -> memref<12xf32> {
  %twelve = "morok.const"() {value = 12 : index} : () -> index
  %four = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%twelve) {id = 0 : i64, kind = "loop"} : (index) -> index
  %o = "morok.floordiv"(%i, %four) : (index, index) -> index
  %r = "morok.mod"(%i, %four) : (index, index) -> index
  %p = "morok.index"(%a, %r, %o) : (memref<4x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %b = "morok.bufferize"(%v, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<12xf32>
  return %b : memref<12xf32>
}

// -----
// A reduction over the range reduces over both; later ids move up.
// CHECK-LABEL: @reduction
// CHECK-DAG: %[[I:.*]] = "morok.range"{{.*}} {id = 0 : i64, kind = "loop"}
// CHECK-DAG: %[[O:.*]] = "morok.range"{{.*}} {id = 1 : i64, kind = "reduce"}
// CHECK-DAG: %[[R:.*]] = "morok.range"{{.*}} {id = 2 : i64, kind = "reduce"}
// CHECK: "morok.reduce"({{.*}}, %[[O]], %[[R]]) {op = "add"}
func.func @reduction(%a: memref<5x4x3xf32>) -> memref<5xf32> {
  %five = "morok.const"() {value = 5 : index} : () -> index
  %twelve = "morok.const"() {value = 12 : index} : () -> index
  %four = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%five) {id = 0 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%twelve) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %o = "morok.floordiv"(%k, %four) : (index, index) -> index
  %r = "morok.mod"(%k, %four) : (index, index) -> index
  %p = "morok.index"(%a, %i, %r, %o) : (memref<5x4x3xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %k) {op = "add"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<5xf32>
  return %b : memref<5xf32>
}

// -----
// The place in memory is element %i: flat, no modulo is left, and nothing is gained by a split.
// CHECK-LABEL: @contiguous
// CHECK-COUNT-1: "morok.range"
// CHECK-NOT: "morok.range"
func.func @contiguous(%a: memref<3x4xf32>) -> memref<12xf32> {
  %twelve = "morok.const"() {value = 12 : index} : () -> index
  %four = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%twelve) {id = 0 : i64, kind = "loop"} : (index) -> index
  %o = "morok.floordiv"(%i, %four) : (index, index) -> index
  %r = "morok.mod"(%i, %four) : (index, index) -> index
  %p = "morok.index"(%a, %o, %r) : (memref<3x4xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %b = "morok.bufferize"(%v, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<12xf32>
  return %b : memref<12xf32>
}

// -----
// A factor that does not divide the extent leaves the range alone.
// CHECK-LABEL: @does_not_divide
// CHECK-COUNT-1: "morok.range"
// CHECK-NOT: "morok.range"
// CHECK: morok.mod
// CHECK-NOT: "morok.range"
func.func @does_not_divide(%a: memref<5xf32>) -> memref<12xf32> {
  %twelve = "morok.const"() {value = 12 : index} : () -> index
  %five = "morok.const"() {value = 5 : index} : () -> index
  %i = "morok.range"(%twelve) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.mod"(%i, %five) : (index, index) -> index
  %p = "morok.index"(%a, %r) : (memref<5xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %b = "morok.bufferize"(%v, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<12xf32>
  return %b : memref<12xf32>
}

// -----
// Split at 4, the place (%i + 1) mod 4 would still be a division: nothing is gained.
// CHECK-LABEL: @nothing_gained
// CHECK-COUNT-1: "morok.range"
// CHECK-NOT: "morok.range"
// CHECK: morok.mod
// CHECK-NOT: "morok.{{mod|range}}"
func.func @nothing_gained(%a: memref<4xf32>) -> memref<12xf32> {
  %n = "morok.const"() {value = 12 : index} : () -> index
  %one = "morok.const"() {value = 1 : index} : () -> index
  %four = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %next = "morok.add"(%i, %one) : (index, index) -> index
  %m = "morok.mod"(%next, %four) : (index, index) -> index
  %p = "morok.index"(%a, %m) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %b = "morok.bufferize"(%v, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<12xf32>
  return %b : memref<12xf32>
}
