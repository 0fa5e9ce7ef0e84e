// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="OVERLAP(0,4)"' 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="OVERLAP(0,5)"' 2>&1 | filecheck %s --check-prefix=NOREST
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="OVERLAP(0,12)"' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="OVERLAP(0,0)"' 2>&1 | filecheck %s --check-prefix=ZERO

// Ten elements by four: three rounds, the last from 6 to 10, so that elements 6 and 7 are done twice.
// CHECK-LABEL: @k0
// CHECK-SAME: morok.opts = "OVERLAP(0,4)"
// CHECK: %[[THREE:.*]] = "morok.const"() {value = 3 : index}
// CHECK: %[[ROUND:.*]] = "morok.range"(%[[THREE]]) {id = 0 : i64, kind = "loop"}
// CHECK: %[[FOUR:.*]] = "morok.const"() {value = 4 : index}
// CHECK: %[[START:.*]] = "morok.mul"(%[[ROUND]], %[[FOUR]])
// CHECK: %[[LAST:.*]] = "morok.const"() {value = 6 : index}
// CHECK: %[[FROM:.*]] = "morok.min"(%[[START]], %[[LAST]])
// CHECK: %[[STEP:.*]] = "morok.range"(%[[FOUR]]) {id = 1 : i64, kind = "loop"}
// CHECK: %[[I:.*]] = "morok.add"(%[[FROM]], %[[STEP]])
// CHECK: "morok.index"(%arg0, %[[I]])
// CHECK: "morok.index"(%arg1, %[[I]])
// CHECK: "morok.end"(%{{.*}}, %[[ROUND]], %[[STEP]])

// NOREST: OVERLAP(0,5): 5 must be less than the extent 10 and leave a rest
// LARGE: OVERLAP(0,12): 12 must be less than the extent 10 and leave a rest
// ZERO: OVERLAP(0,0): 0 must be less than the extent 10 and leave a rest
func.func @k0(%c: memref<10xf32>, %a: memref<10xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 10 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%c, %i) : (memref<10xf32>, index) -> !morok.ptr<f32, "global">
  %q = "morok.index"(%a, %i) : (memref<10xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// An iteration that reads its own result cannot be done twice.
// ERROR: OVERLAP(0,4): the kernel reads what it writes; an iteration done twice would read its own result
func.func @in_place(%c: memref<10xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 10 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%c, %i) : (memref<10xf32>, index) -> !morok.ptr<f32, "global">
  %q = "morok.index"(%c, %i) : (memref<10xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// Where a loop of symbolic extent ends is not known.
// ERROR: OVERLAP(0,4): the loop's extent is symbolic; only a constant one can be divided
func.func @symbolic(%c: memref<10xf32>, %a: memref<10xf32>) attributes {morok.kernel} {
  %n = "morok.define_var"() {name = "n", min = 1, max = 10} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%c, %i) : (memref<10xf32>, index) -> !morok.ptr<f32, "global">
  %q = "morok.index"(%a, %i) : (memref<10xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// The terms of a sum would be added twice.
// ERROR: OVERLAP(0,4): axis 0 is of kind reduce; only a parallel loop can do iterations twice
func.func @sum(%c: memref<1xf32>, %a: memref<10xf32>) attributes {morok.kernel} {
  %zero = "morok.const"() {value = 0 : index} : () -> index
  %n = "morok.const"() {value = 10 : index} : () -> index
  %k = "morok.range"(%n) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %q = "morok.index"(%a, %k) : (memref<10xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %r = "morok.reduce"(%v, %k) {op = "add"} : (f32, index) -> f32
  %p = "morok.index"(%c, %zero) : (memref<1xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%p, %r) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%s) : (!morok.token) -> ()
  return
}
