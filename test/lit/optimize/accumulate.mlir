// RUN: morok-opt %s --split-input-file --morok-apply-opts='opts="TILE(2,3) ACCUMULATE(2,0)"' | filecheck %s
// RUN: not morok-opt %s --morok-apply-opts='opts="ACCUMULATE(1,0)"' 2>&1 | filecheck %s --check-prefix=PARALLEL
// RUN: not morok-opt %s --morok-apply-opts='opts="ACCUMULATE(2,1)"' 2>&1 | filecheck %s --check-prefix=NOTHING
// RUN: not morok-opt %s --morok-apply-opts='opts="TILE(2,3) ACCUMULATE(2,0) ACCUMULATE(4,0)"' 2>&1 | filecheck %s --check-prefix=SCRATCH
// RUN: not morok-opt %s --morok-apply-opts='opts="TILE(2,3) ACCUMULATE(2,0) OVERLAP(3,3)"' 2>&1 | filecheck %s --check-prefix=TWICE

// A product of 5 x 6 and 6 x 4, whose sum goes in two blocks of three: the four sums of a row are in scratch between them, and are read in a loop of their own.
// CHECK-LABEL: @k0
// CHECK-SAME: morok.opts = "TILE(2,3) ACCUMULATE(2,0)"
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: %[[OUT:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
// CHECK: "morok.index"(%arg0, %[[I]], %[[OUT]])
// CHECK: %[[SUMS:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<4xf32, "local">
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 3 : i64, kind = "loop"}
// CHECK: %[[PLACE:.*]] = "morok.index"(%[[SUMS]], %[[J]])
// CHECK: %[[BLOCK:.*]] = "morok.range"(%{{.*}}) {id = 2 : i64, kind = "ordered"}
// CHECK: %[[NOW:.*]] = "morok.current"(%[[SUMS]], %[[BLOCK]])
// CHECK: %[[READ:.*]] = "morok.index"(%[[NOW]], %[[J]])
// CHECK: %[[LATER:.*]] = "morok.cmplt"(%{{.*}}, %[[BLOCK]])
// CHECK: %[[SOFAR:.*]] = "morok.load"(%[[READ]], %[[LATER]], %{{.*}})
// CHECK: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 4 : i64, kind = "reduce"}
// CHECK: %[[PART:.*]] = "morok.reduce"(%{{.*}}, %[[K]]) {op = "add"}
// CHECK: %[[SUM:.*]] = "morok.add"(%[[SOFAR]], %[[PART]])
// CHECK: %[[STORED:.*]] = "morok.store"(%[[PLACE]], %[[SUM]])
// CHECK: %[[ENDED:.*]] = "morok.end"(%[[STORED]], %[[BLOCK]], %[[J]])
// CHECK: %[[DONE:.*]] = "morok.after"(%[[SUMS]], %[[ENDED]])
// CHECK: %[[AT:.*]] = "morok.index"(%[[DONE]], %[[OUT]])
// CHECK: %[[RESULT:.*]] = "morok.load"(%[[AT]])
// CHECK: %[[HALF:.*]] = "morok.mul"(%[[RESULT]],
// CHECK: "morok.store"(%{{.*}}, %[[HALF]])
// CHECK: "morok.end"(%{{.*}}, %[[I]], %[[OUT]])

// PARALLEL: ACCUMULATE(1,0): axis 1 is not the loop of one reduction
// NOTHING: ACCUMULATE(2,1): there is no loop between the two
// SCRATCH: ACCUMULATE(4,0): the kernel fills scratch; ACCUMULATE comes before STAGE
// TWICE: OVERLAP(3,3): the kernel reads what it writes; an iteration done twice would read its own result
func.func @k0(%c: memref<5x4xf32>, %a: memref<5x6xf32>, %b: memref<6x4xf32>) attributes {morok.kernel} {
  %n4 = "morok.const"() {value = 4 : index} : () -> index
  %n5 = "morok.const"() {value = 5 : index} : () -> index
  %n6 = "morok.const"() {value = 6 : index} : () -> index
  %h = "morok.const"() {value = 5.0e-01 : f32} : () -> f32
  %i = "morok.range"(%n5) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n4) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n6) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %pa = "morok.index"(%a, %i, %k) : (memref<5x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %pb = "morok.index"(%b, %k, %j) : (memref<6x4xf32>, index, index) -> !morok.ptr<f32, "global">
  %vb = "morok.load"(%pb) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %x = "morok.mul"(%va, %vb) : (f32, f32) -> f32
  %r = "morok.reduce"(%x, %k) {op = "add"} : (f32, index) -> f32
  %y = "morok.mul"(%r, %h) : (f32, f32) -> f32
  %pc = "morok.index"(%c, %i, %j) : (memref<5x4xf32>, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %y) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
