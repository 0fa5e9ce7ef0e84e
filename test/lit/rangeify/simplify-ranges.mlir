// RUN: morok-opt %s --morok-simplify-ranges --split-input-file | filecheck %s

// An elementwise function of a contiguous array is one loop.
// CHECK-LABEL: @elementwise
// CHECK: %[[N:.*]] = "morok.const"() {value = 24 : index}
// CHECK: %[[M:.*]] = "morok.range"(%[[N]]) {id = 0 : i64, kind = "loop"}
// CHECK-NOT: "morok.range"
// CHECK: "morok.floordiv"(%[[M]]
// CHECK: "morok.mod"(%[[M]]
func.func @elementwise(%a: memref<4x6xf32>) -> memref<4x6xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %six = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%six) {id = 1 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i, %j) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %e = "morok.exp"(%v) : (f32) -> f32
  %b = "morok.bufferize"(%e, %i, %j) {id = 0 : i64, space = "global"} : (f32, index, index) -> memref<4x6xf32>
  return %b : memref<4x6xf32>
}

// -----
// A transposition would need divisions: its loops stay.
// CHECK-LABEL: @transposition
// CHECK-COUNT-2: "morok.range"
// CHECK-NOT: morok.floordiv
func.func @transposition(%a: memref<6x4xf32>) -> memref<4x6xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %six = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%six) {id = 1 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %j, %i) : (memref<6x4xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %b = "morok.bufferize"(%v, %i, %j) {id = 0 : i64, space = "global"} : (f32, index, index) -> memref<4x6xf32>
  return %b : memref<4x6xf32>
}

// -----
// Merged loops would compute the row's sum in every column.
// CHECK-LABEL: @row_sum_inside
// CHECK-COUNT-3: "morok.range"
func.func @row_sum_inside(%a: memref<4x6xf32>) -> memref<4x6xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %six = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%six) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%six) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %j) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %q = "morok.index"(%a, %i, %k) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%w, %k) {op = "add"} : (f32, index) -> f32
  %d = "morok.div"(%v, %s) : (f32, f32) -> f32
  %b = "morok.bufferize"(%d, %i, %j) {id = 0 : i64, space = "global"} : (f32, index, index) -> memref<4x6xf32>
  return %b : memref<4x6xf32>
}

// -----
// Both loops of a sum over two axes become one; the outer loop stays apart.
// CHECK-LABEL: @two_axes
// CHECK-DAG: %[[N:.*]] = "morok.const"() {value = 42 : index}
// CHECK-DAG: %[[M:.*]] = "morok.range"(%[[N]]) {id = 1 : i64, kind = "reduce"}
// CHECK: "morok.reduce"({{[^,]*}}, %[[M]])
func.func @two_axes(%a: memref<4x6x7xf32>) -> memref<4xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %six = "morok.const"() {value = 6 : index} : () -> index
  %seven = "morok.const"() {value = 7 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%six) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %k = "morok.range"(%seven) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %j, %k) : (memref<4x6x7xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %j, %k) {op = "add"} : (f32, index, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}

// -----
// A loop of one iteration goes, and with it a reduction over nothing else.
// CHECK-LABEL: @single_iteration
// CHECK-NOT: morok.reduce
// CHECK: %[[ZERO:.*]] = "morok.const"() {value = 0 : index}
// CHECK: "morok.index"(%arg0, %{{.*}}, %[[ZERO]])
// CHECK-NOT: morok.reduce
func.func @single_iteration(%a: memref<4x1xf32>) -> memref<4xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %one = "morok.const"() {value = 1 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%one) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %k) : (memref<4x1xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %k) {op = "add"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}

// -----
// No place would take a division here, but merged loops would compute the row's sum in every column.
// CHECK-LABEL: @sum_of_the_outer_loop
// CHECK-COUNT-3: "morok.range"
func.func @sum_of_the_outer_loop(%a: memref<7xi32>) -> memref<4x6xi32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %six = "morok.const"() {value = 6 : index} : () -> index
  %seven = "morok.const"() {value = 7 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%six) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%seven) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %k) : (memref<7xi32>, index) -> !morok.ptr<i32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %row = "morok.cast"(%i) : (index) -> i32
  %x = "morok.max"(%v, %row) : (i32, i32) -> i32
  %s = "morok.reduce"(%x, %k) {op = "add"} : (i32, index) -> i32
  %b = "morok.bufferize"(%s, %i, %j) {id = 0 : i64, space = "global"} : (i32, index, index) -> memref<4x6xi32>
  return %b : memref<4x6xi32>
}
