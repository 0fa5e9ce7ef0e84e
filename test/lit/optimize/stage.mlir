// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="STAGE(0,1)"' 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="UPCAST(1,3) STAGE(0,1)"' 2>/dev/null | filecheck %s --check-prefix=LANES
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="STAGE(0,2)"' 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="STAGE(2,1)"' 2>&1 | filecheck %s --check-prefix=INSIDE

// The second factor, b[k, j], is copied into a panel inside of the rows' loop, and the sum reads the panel.
// CHECK-LABEL: @k0
// CHECK-SAME: morok.opts = "STAGE(0,1)"
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
// CHECK: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 2 : i64, kind = "reduce"}
// CHECK: %[[PANEL:.*]] = "morok.define_local"() {id = 0 : i64} : () -> memref<15xf32, "local">
// CHECK: %[[PJ:.*]] = "morok.range"(%{{.*}}) {id = 3 : i64, kind = "loop"}
// CHECK: %[[PK:.*]] = "morok.range"(%{{.*}}) {id = 4 : i64, kind = "loop"}
// CHECK: %[[TO:.*]] = "morok.index"(%[[PANEL]],
// CHECK: %[[FROM:.*]] = "morok.index"(%arg2, %[[PK]], %[[PJ]])
// CHECK: %[[B:.*]] = "morok.load"(%[[FROM]])
// CHECK: %[[COPY:.*]] = "morok.store"(%[[TO]], %[[B]])
// CHECK: %[[COPIED:.*]] = "morok.end"(%[[COPY]], %[[PJ]], %[[PK]])
// CHECK: %[[FILLED:.*]] = "morok.after"(%[[PANEL]], %[[COPIED]])
// CHECK: %[[ROW:.*]] = "morok.mul"(%[[J]],
// CHECK: %[[AT:.*]] = "morok.add"(%[[ROW]], %[[K]])
// CHECK: %[[ELEMENT:.*]] = "morok.index"(%[[FILLED]], %[[AT]])
// CHECK: %[[STAGED:.*]] = "morok.load"(%[[ELEMENT]])
// CHECK: %[[PRODUCT:.*]] = "morok.mul"(%{{.*}}, %[[STAGED]])
// CHECK: "morok.reduce"(%[[PRODUCT]], %[[K]])

// What becomes lanes is the panel's last axis, and its copy is made in lanes too.
// LANES: morok.opts = "UPCAST(1,3) STAGE(0,1)"
// LANES: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 2 : i64, kind = "reduce"}
// LANES: "morok.range"(%{{.*}}) {id = 3 : i64, kind = "loop"}
// LANES: "morok.range"(%{{.*}}) {id = 4 : i64, kind = "upcast"}
// LANES: %[[FILLED:.*]] = "morok.after"
// LANES: %[[ROW:.*]] = "morok.mul"(%[[K]],
// LANES: %[[AT:.*]] = "morok.add"(%{{.*}}, %[[ROW]])
// LANES: "morok.index"(%[[FILLED]], %[[AT]])

// NUMBER: STAGE(0,2): the kernel k0 has 2 factors that can be staged, numbered from 0
// INSIDE: STAGE(2,1): the factor does not change inside of axis 2; there is nothing to stage
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
// A panel has a constant size.
// ERROR: STAGE(0,1): a loop of the factor has a symbolic extent; a panel has a constant size
func.func @symbolic(%c: memref<2x3xf32>, %a: memref<2x5xf32>, %b: memref<5x3xf32>) attributes {morok.kernel} {
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n5 = "morok.define_var"() {name = "n", min = 1, max = 5} : () -> index
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
// A panel lies on the stack.
// ERROR: STAGE(0,1): the panel would take 2400000 bytes; at most 2097152 are allowed
func.func @large(%c: memref<2x3xf32>, %a: memref<2x200000xf32>, %b: memref<200000x3xf32>) attributes {morok.kernel} {
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n5 = "morok.const"() {value = 200000 : index} : () -> index
  %i = "morok.range"(%n2) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n3) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n5) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %pa = "morok.index"(%a, %i, %k) : (memref<2x200000xf32>, index, index) -> !morok.ptr<f32, "global">
  %pb = "morok.index"(%b, %k, %j) : (memref<200000x3xf32>, index, index) -> !morok.ptr<f32, "global">
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
// What the kernel writes may be read later than the panel is filled.
// ERROR: STAGE(0,1): the factor reads memory that the kernel writes
func.func @written(%c: memref<5x3xf32>, %a: memref<2x5xf32>) attributes {morok.kernel} {
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n5 = "morok.const"() {value = 5 : index} : () -> index
  %i = "morok.range"(%n2) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n3) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n5) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %pa = "morok.index"(%a, %i, %k) : (memref<2x5xf32>, index, index) -> !morok.ptr<f32, "global">
  %pb = "morok.index"(%c, %k, %j) : (memref<5x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %vb = "morok.load"(%pb) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.mul"(%va, %vb) : (f32, f32) -> f32
  %r = "morok.reduce"(%m, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i, %j) : (memref<5x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// A factor that is a sum itself has loops of its own.
// ERROR: STAGE(0,1): the factor holds a reduction of its own
func.func @nested(%c: memref<2xf32>, %a: memref<2x5xf32>, %b: memref<5x3xf32>) attributes {morok.kernel} {
  %n2 = "morok.const"() {value = 2 : index} : () -> index
  %n3 = "morok.const"() {value = 3 : index} : () -> index
  %n5 = "morok.const"() {value = 5 : index} : () -> index
  %i = "morok.range"(%n2) {id = 0 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n5) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %l = "morok.range"(%n3) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %pa = "morok.index"(%a, %i, %k) : (memref<2x5xf32>, index, index) -> !morok.ptr<f32, "global">
  %va = "morok.load"(%pa) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %pb = "morok.index"(%b, %k, %l) : (memref<5x3xf32>, index, index) -> !morok.ptr<f32, "global">
  %vb = "morok.load"(%pb) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %greatest = "morok.reduce"(%vb, %l) {op = "max"} : (f32, index) -> f32
  %m = "morok.mul"(%greatest, %va) : (f32, f32) -> f32
  %r = "morok.reduce"(%m, %k) {op = "add"} : (f32, index) -> f32
  %pc = "morok.index"(%c, %i) : (memref<2xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%pc, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
