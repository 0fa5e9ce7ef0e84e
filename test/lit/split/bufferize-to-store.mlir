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
