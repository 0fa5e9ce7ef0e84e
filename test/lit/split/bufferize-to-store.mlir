// RUN: morok-opt %s --morok-bufferize-to-store | filecheck %s

// A buffer, the store that fills it, the end of its loops; readers use the buffer after them.
// CHECK-LABEL: @global
// CHECK: %[[D:.*]] = "morok.define_global"() {id = 0 : i64} : () -> memref<4xf32>
// CHECK: %[[P:.*]] = "morok.index"(%[[D]], %[[R:.*]]) :
// CHECK: %[[S:.*]] = "morok.store"(%[[P]], %{{.*}})
// CHECK: %[[E:.*]] = "morok.end"(%[[S]], %[[R]])
// CHECK: %[[A:.*]] = "morok.after"(%[[D]], %[[E]])
// CHECK: return %[[A]]
func.func @global(%a: memref<4xf32>) -> memref<4xf32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %r = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %b = "morok.bufferize"(%v, %r) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}

// Buffers are numbered in the order met.
// CHECK-LABEL: @numbers
// CHECK: "morok.define_global"() {id = 0 : i64} : () -> memref<4xf32>
// CHECK: "morok.define_global"() {id = 1 : i64} : () -> memref<4xf32>
func.func @numbers(%a: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %r = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %b = "morok.bufferize"(%v, %r) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %c = "morok.bufferize"(%w, %r) {id = 1 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b, %c : memref<4xf32>, memref<4xf32>
}

// Scratch: the loop round it stays open, that of its own index is closed.
// CHECK-LABEL: @local
// CHECK: "morok.define_global"() {id = 0 : i64} : () -> memref<4x8xf32>
// CHECK: %[[L:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<8xf32, "local">
// CHECK: %[[P:.*]] = "morok.index"(%[[L]], %[[J:.*]]) : (memref<8xf32, "local">, index)
// CHECK: %[[S:.*]] = "morok.store"(%[[P]]
// CHECK: %[[E:.*]] = "morok.end"(%[[S]], %[[J]])
// CHECK: "morok.after"(%[[L]], %[[E]])
func.func @local(%a: memref<4x8xf32>) -> memref<4x8xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%eight) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%eight) {id = 2 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i, %j) : (memref<4x8xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %e = "morok.exp"(%v) : (f32) -> f32
  %b = "morok.bufferize"(%e, %j) {id = 0 : i64, space = "local"} : (f32, index) -> memref<8xf32, "local">
  %q = "morok.index"(%b, %k) : (memref<8xf32, "local">, index) -> !morok.ptr<f32, "local">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %c = "morok.bufferize"(%w, %i, %k) {id = 1 : i64, space = "global"} : (f32, index, index) -> memref<4x8xf32>
  return %c : memref<4x8xf32>
}
