// RUN: morok-opt %s --morok-apply-opts='vector-bits=512 registers=32 threads=2' | filecheck %s
// RUN: morok-opt %s --morok-apply-opts='vector-bits=128 registers=32 threads=2' | filecheck %s --check-prefix=NARROW

// Each channel's window by weights of its own: rows of 14 are padded to a vector, and the sums of seven rows stand in registers, for which each weight is loaded once.
// CHECK: morok.opts = "PADTO(2,16) UPCAST(2,16) UPCAST(1,7)
// CHECK: %[[ROW:.*]] = "morok.range"(%{{.*}}) {id = 2 : i64, kind = "upcast"}
// CHECK: %[[LANE:.*]] = "morok.range"(%{{.*}}) {id = 3 : i64, kind = "upcast"}
// CHECK: "morok.reduce"
// CHECK: "morok.end"(%{{.*}}, %[[ROW]], %[[LANE]])

// NARROW: morok.opts = "OVERLAP(2,4) UPCAST(3,4) UPCAST(1,7)
func.func @k0(%c: memref<3x14x14xf32>, %x: memref<3x16x16xf32>, %w: memref<3x3x3xf32>) attributes {morok.kernel} {
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n14 = "morok.const"() {value = 14 : index} : () -> index
  %ch = "morok.range"(%n3) {id = 0 : i64, kind = "loop"} : (index) -> index
  %i = "morok.range"(%n14) {id = 1 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n14) {id = 2 : i64, kind = "loop"} : (index) -> index
  %a = "morok.range"(%n3) {id = 3 : i64, kind = "reduce"} : (index) -> index
  %b = "morok.range"(%n3) {id = 4 : i64, kind = "reduce"} : (index) -> index
  %y = "morok.add"(%i, %a) : (index, index) -> index
  %z = "morok.add"(%j, %b) : (index, index) -> index
  %px = "morok.index"(%x, %ch, %y, %z) : (memref<3x16x16xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %pw = "morok.index"(%w, %ch, %a, %b) : (memref<3x3x3xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %vx = "morok.load"(%px) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %vw = "morok.load"(%pw) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.mul"(%vx, %vw) : (f32, f32) -> f32
  %r = "morok.reduce"(%m, %a, %b) {op = "add"} : (f32, index, index) -> f32
  %pc = "morok.index"(%c, %ch, %i, %j) : (memref<3x14x14xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %ch, %i, %j) : (!morok.token, index, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
