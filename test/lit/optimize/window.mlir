// RUN: morok-opt %s --morok-apply-opts='opts="WINDOW(0,0)"' | filecheck %s

// A convolution reads x[2 * j + k] with j below 4 and k below 3: nine elements, which the panel holds once each, in the order of memory.
// CHECK: morok.opts = "WINDOW(0,0)"
// CHECK: %[[PANEL:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<9xf32, "local">
// CHECK: %[[N:.*]] = "morok.const"() {value = 9 : index}
// CHECK: %[[E:.*]] = "morok.range"(%[[N]]) {id = {{[0-9]+}} : i64, kind = "loop"}
// CHECK: "morok.index"(%[[PANEL]], %[[E]])
// CHECK: "morok.index"(%arg1, %[[E]])
func.func @k0(%c: memref<2x4xf32>, %x: memref<9xf32>, %w: memref<2x3xf32>) attributes {morok.kernel} {
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n4 = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%n2) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n4) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n3) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %j2 = "morok.mul"(%j, %n2) : (index, index) -> index
  %at = "morok.add"(%j2, %k) : (index, index) -> index
  %px = "morok.index"(%x, %at) : (memref<9xf32>, index) -> !morok.ptr<f32, "global">
  %pw = "morok.index"(%w, %i, %k) : (memref<2x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %vx = "morok.load"(%px) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %vw = "morok.load"(%pw) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.mul"(%vx, %vw) : (f32, f32) -> f32
  %r = "morok.reduce"(%m, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i, %j) : (memref<2x4xf32>, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
