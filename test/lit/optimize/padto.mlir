// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="PADTO(1,4)"' 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="PADTO(0,4)"' 2>/dev/null | filecheck %s --check-prefix=ROWS
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="PADTO(2,4)"' 2>&1 | filecheck %s --check-prefix=REDUCE
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="PADTO(1,3)"' 2>&1 | filecheck %s --check-prefix=MULTIPLE
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="PADTO(1,0)"' 2>&1 | filecheck %s --check-prefix=ZERO

// Three columns run to four: the store and the load that steps by single elements get gates.
// CHECK-LABEL: @k0
// CHECK-SAME: morok.opts = "PADTO(1,4)"
// CHECK: %[[FOUR:.*]] = "morok.const"() {value = 4 : index}
// CHECK: %[[J:.*]] = "morok.range"(%[[FOUR]]) {id = 1 : i64, kind = "loop"}
// CHECK: %[[C:.*]] = "morok.index"(%arg0, %{{.*}}, %[[J]])
// CHECK: %[[B:.*]] = "morok.index"(%arg2, %{{.*}}, %[[J]])
// CHECK: %[[THREE:.*]] = "morok.const"() {value = 3 : index}
// CHECK: %[[INSIDE:.*]] = "morok.cmplt"(%[[J]], %[[THREE]])
// CHECK: "morok.load"(%[[B]], %[[INSIDE]], %{{.*}})
// CHECK: "morok.store"(%[[C]], %{{.*}}, %[[INSIDE]])

// Two rows run to four: the load that steps far reads the last row again, the store is gated.
// ROWS: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// ROWS: %[[C:.*]] = "morok.index"(%arg0, %[[I]], %{{.*}})
// ROWS: %[[ONE:.*]] = "morok.const"() {value = 1 : index}
// ROWS: %[[LAST:.*]] = "morok.min"(%[[I]], %[[ONE]])
// ROWS: %[[A:.*]] = "morok.index"(%arg1, %[[LAST]], %{{.*}})
// ROWS: "morok.load"(%[[A]])
// ROWS: %[[TWO:.*]] = "morok.const"() {value = 2 : index}
// ROWS: %[[INSIDE:.*]] = "morok.cmplt"(%[[I]], %[[TWO]])
// ROWS: "morok.store"(%[[C]], %{{.*}}, %[[INSIDE]])

// REDUCE: PADTO(2,4): axis 2 is of kind reduce; only a parallel loop can be padded
// MULTIPLE: PADTO(1,3): extent 3 is a multiple of 3 already
// ZERO: PADTO(1,0): the multiple is at least 1
func.func @k0(%c: memref<2x3xf32>, %a: memref<2x5xf32>, %b: memref<5x3xf32>) attributes {morok.kernel} {
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n5 = "morok.const"() {value = 5 : index} : () -> index
  %i = "morok.range"(%n2) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n3) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n5) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %pa = "morok.index"(%a, %i, %k) : (memref<2x5xf32>, index, index) -> !morok.ptr<f32, "global">
  %pb = "morok.index"(%b, %k, %j) : (memref<5x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %vb = "morok.load"(%pb) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.mul"(%va, %vb) : (f32, f32) -> f32
  %r = "morok.reduce"(%m, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i, %j) : (memref<2x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// Scratch has an element for each iteration, and none past the last.
// ERROR: PADTO(1,4): the loop steps through scratch, which has no room for iterations past its end
func.func @scratch(%c: memref<4xf32>, %a: memref<4x6xf32>) attributes {morok.kernel} {
  %n4 = "morok.const"() {value = 4 : index} : () -> index
  %n6 = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%n4) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n6) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n6) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %t = "morok.define_local"() {id = 0 : i64} : () -> memref<6xf32, "local">
  %pa = "morok.index"(%a, %i, %j) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %x = "morok.neg"(%va) : (f32) -> f32
  %pt = "morok.index"(%t, %j) : (memref<6xf32, "local">, index) -> !morok.ptr<f32, "local">
  %st = "morok.store"(%pt, %x) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "local">, f32) -> !morok.token
  %et = "morok.end"(%st, %j) : (!morok.token, index) -> !morok.token
  %f = "morok.after"(%t, %et) : (memref<6xf32, "local">, !morok.token) -> memref<6xf32, "local">
  %pf = "morok.index"(%f, %k) : (memref<6xf32, "local">, index) -> !morok.ptr<f32, "local">
  %vf = "morok.load"(%pf) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %r = "morok.reduce"(%vf, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// A loop of symbolic extent has no known multiple.
// ERROR: PADTO(1,4): the loop's extent is symbolic; only a constant one can be divided
func.func @symbolic(%c: memref<2x3xf32>, %a: memref<2x5xf32>, %b: memref<5x3xf32>) attributes {morok.kernel} {
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.define_var"() {name = "n", min = 1, max = 3} : () -> index
  %n5 = "morok.const"() {value = 5 : index} : () -> index
  %i = "morok.range"(%n2) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n3) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n5) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %pa = "morok.index"(%a, %i, %k) : (memref<2x5xf32>, index, index) -> !morok.ptr<f32, "global">
  %pb = "morok.index"(%b, %k, %j) : (memref<5x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %vb = "morok.load"(%pb) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.mul"(%va, %vb) : (f32, f32) -> f32
  %r = "morok.reduce"(%m, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i, %j) : (memref<2x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
