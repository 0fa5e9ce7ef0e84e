// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="DISTRIBUTE(0)"' 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="DISTRIBUTE(1)"' 2>&1 | filecheck %s --check-prefix=NOSTAGE
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="DISTRIBUTE(2)"' 2>&1 | filecheck %s --check-prefix=REDUCE

// Four rows, each of which fills six elements of scratch and sums them: a loop fills four times six elements, and another sums them.
// CHECK-LABEL: @k0
// CHECK-SAME: morok.opts = "DISTRIBUTE(0)"
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: %[[SCRATCH:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<24xf32, "local">
// CHECK: %[[OWN:.*]] = "morok.range"(%{{.*}}) {id = 2 : i64, kind = "loop"}
// CHECK: %[[OWNROW:.*]] = "morok.mul"(%[[OWN]],
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 3 : i64, kind = "loop"}
// CHECK: %[[AT:.*]] = "morok.add"(%[[OWNROW]], %[[J]])
// CHECK: "morok.index"(%[[SCRATCH]], %[[AT]])
// CHECK: "morok.index"(%arg1, %[[OWN]], %[[J]])
// CHECK: %[[ENDED:.*]] = "morok.end"(%{{.*}}, %[[OWN]], %[[J]])
// CHECK: %[[FILLED:.*]] = "morok.after"(%[[SCRATCH]], %[[ENDED]])
// CHECK: %[[ROW:.*]] = "morok.mul"(%[[I]],
// CHECK: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "reduce"}
// CHECK: %[[PLACE:.*]] = "morok.add"(%[[ROW]], %[[K]])
// CHECK: "morok.index"(%[[FILLED]], %[[PLACE]])
// CHECK: "morok.end"(%{{.*}}, %[[I]])

// NOSTAGE: DISTRIBUTE(1): no scratch is filled inside of the loop; there is nothing to distribute it over
// REDUCE: DISTRIBUTE(2): axis 2 is of kind reduce; only a parallel loop can be distributed
func.func @k0(%c: memref<4xf32>, %a: memref<4x6xf32>) attributes {morok.kernel} {
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
// Scratch of two axes: the flat place has both, after the iteration.
// CHECK-LABEL: @two_axes
// CHECK: %[[SCRATCH:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<24xf32, "local">
// CHECK: %[[OWN:.*]] = "morok.range"(%{{.*}}) {id = 3 : i64, kind = "loop"}
// CHECK: %[[SIX:.*]] = "morok.const"() {value = 6 : index}
// CHECK: %[[OWNROW:.*]] = "morok.mul"(%[[OWN]], %[[SIX]])
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 4 : i64, kind = "loop"}
// CHECK: %[[JROW:.*]] = "morok.mul"(%[[J]],
// CHECK: %[[SUM:.*]] = "morok.add"(%[[OWNROW]], %[[JROW]])
// CHECK: %[[L:.*]] = "morok.range"(%{{.*}}) {id = 5 : i64, kind = "loop"}
// CHECK: %[[AT:.*]] = "morok.add"(%[[SUM]], %[[L]])
// CHECK: "morok.index"(%[[SCRATCH]], %[[AT]])
func.func @two_axes(%c: memref<4xf32>, %a: memref<4x2x3xf32>) attributes {morok.kernel} {
  %n4 = "morok.const"() {value = 4 : index} : () -> index
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %i = "morok.range"(%n4) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n2) {id = 1 : i64, kind = "loop"} : (index) -> index
  %l = "morok.range"(%n3) {id = 2 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n2) {id = 3 : i64, kind = "reduce"} : (index) -> index
  %m = "morok.range"(%n3) {id = 4 : i64, kind = "reduce"} : (index) -> index
  %t = "morok.define_local"() {id = 0 : i64} : () -> memref<2x3xf32, "local">
  %pa = "morok.index"(%a, %i, %j, %l) : (memref<4x2x3xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %x = "morok.neg"(%va) : (f32) -> f32
  %pt = "morok.index"(%t, %j, %l) : (memref<2x3xf32, "local">, index, index) -> !morok.ptr<f32, "local">
  %st = "morok.store"(%pt, %x) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "local">, f32) -> !morok.token
  %et = "morok.end"(%st, %j, %l) : (!morok.token, index, index) -> !morok.token
  %f = "morok.after"(%t, %et) : (memref<2x3xf32, "local">, !morok.token) -> memref<2x3xf32, "local">
  %pf = "morok.index"(%f, %k, %m) : (memref<2x3xf32, "local">, index, index) -> !morok.ptr<f32, "local">
  %vf = "morok.load"(%pf) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %r = "morok.reduce"(%vf, %k, %m) {op = "add"} : (f32, index, index) -> f32
  %pc = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// Scratch for an unknown number of iterations has no size.
// ERROR: DISTRIBUTE(0): the loop's extent is symbolic; only a constant one can be divided
func.func @symbolic(%c: memref<4xf32>, %a: memref<4x6xf32>) attributes {morok.kernel} {
  %n4 = "morok.define_var"() {name = "n", min = 1, max = 4} : () -> index
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
// Scratch for all iterations stays in a core's cache.
// ERROR: DISTRIBUTE(0): scratch for all 200000 iterations would take more than 2097152 bytes
func.func @large(%c: memref<200000xf32>, %a: memref<200000x6xf32>) attributes {morok.kernel} {
  %n4 = "morok.const"() {value = 200000 : index} : () -> index
  %n6 = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%n4) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n6) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n6) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %t = "morok.define_local"() {id = 0 : i64} : () -> memref<6xf32, "local">
  %pa = "morok.index"(%a, %i, %j) : (memref<200000x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %x = "morok.neg"(%va) : (f32) -> f32
  %pt = "morok.index"(%t, %j) : (memref<6xf32, "local">, index) -> !morok.ptr<f32, "local">
  %st = "morok.store"(%pt, %x) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "local">, f32) -> !morok.token
  %et = "morok.end"(%st, %j) : (!morok.token, index) -> !morok.token
  %f = "morok.after"(%t, %et) : (memref<6xf32, "local">, !morok.token) -> memref<6xf32, "local">
  %pf = "morok.index"(%f, %k) : (memref<6xf32, "local">, index) -> !morok.ptr<f32, "local">
  %vf = "morok.load"(%pf) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %r = "morok.reduce"(%vf, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i) : (memref<200000xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// A second version of the same scratch would need to be told from the first.
// ERROR: DISTRIBUTE(0): scratch is filled in several steps
func.func @several(%c: memref<4xf32>, %a: memref<4x6xf32>) attributes {morok.kernel} {
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
  %l = "morok.range"(%n6) {id = 3 : i64, kind = "loop"} : (index) -> index
  %pg = "morok.index"(%f, %l) : (memref<6xf32, "local">, index) -> !morok.ptr<f32, "local">
  %vg = "morok.load"(%pg) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %y = "morok.exp"(%vg) : (f32) -> f32
  %sg = "morok.store"(%pg, %y) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "local">, f32) -> !morok.token
  %eg = "morok.end"(%sg, %l) : (!morok.token, index) -> !morok.token
  %g = "morok.after"(%f, %eg) : (memref<6xf32, "local">, !morok.token) -> memref<6xf32, "local">
  %pf = "morok.index"(%g, %k) : (memref<6xf32, "local">, index) -> !morok.ptr<f32, "local">
  %vf = "morok.load"(%pf) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %r = "morok.reduce"(%vf, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
