// RUN: morok-opt %s --morok-apply-opts | filecheck %s --check-prefix=CHOSEN
// RUN: morok-opt %s --morok-apply-opts='opts="UPCAST(1,3) UNROLL(2,16) STAGE(0,1)"' | filecheck %s

// Three columns would leave lanes idle: the lanes are the sum's, and a panel holds the columns.
// CHOSEN: morok.opts = "UPCAST(1,3) OVERLAP(0,{{[0-9]+}}) UPCAST(1,{{[0-9]+}}) {{.*}}UNROLL({{[0-9]+}},8) STAGE(0,1) THREAD(0)"

// A sum's loop that becomes lanes is the panel's last axis: element (k, j, l) is at k * 48 + j * 16 + l.
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "upcast"}
// CHECK: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 2 : i64, kind = "reduce"}
// CHECK: %[[N16:.*]] = "morok.const"() {value = 16 : index}
// CHECK: %[[L:.*]] = "morok.range"(%[[N16]]) {id = 3 : i64, kind = "unroll"}
// CHECK: %[[PANEL:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<1536xf32, "local">
// CHECK: %[[N48:.*]] = "morok.const"() {value = 48 : index}
// CHECK: %[[FILLED:.*]] = "morok.after"(%[[PANEL]],
// CHECK: %[[OF_J:.*]] = "morok.mul"(%[[J]], %[[N16]])
// CHECK: %[[OF_K:.*]] = "morok.mul"(%[[K]], %[[N48]])
// CHECK: %[[OF_BOTH:.*]] = "morok.add"(%[[OF_J]], %[[OF_K]])
// CHECK: %[[PLACE:.*]] = "morok.add"(%[[OF_BOTH]], %[[L]])
// CHECK: "morok.index"(%[[FILLED]], %[[PLACE]])
func.func @k0(%c: memref<64x3xf32>, %a: memref<64x512xf32>, %b: memref<512x3xf32>) attributes {morok.kernel} {
  %n64 = "morok.const"() {value = 64 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n512 = "morok.const"() {value = 512 : index} : () -> index
  %i = "morok.range"(%n64) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n3) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n512) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %pa = "morok.index"(%a, %i, %k) : (memref<64x512xf32>, index, index) -> !morok.ptr<f32, "global">
  %pb = "morok.index"(%b, %k, %j) : (memref<512x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %vb = "morok.load"(%pb) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.mul"(%va, %vb) : (f32, f32) -> f32
  %r = "morok.reduce"(%m, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i, %j) : (memref<64x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
