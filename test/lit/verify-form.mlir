// morok-verify-form: what may stand in each form.

// RUN: morok-opt %s --morok-verify-form=form=range --split-input-file --verify-diagnostics

// Range form: scalars in loops, each range closed once.
func.func @softmax_shift(%a: memref<4x6xf32>) -> memref<4x6xf32> {
  %4 = "morok.const"() {value = 4 : index} : () -> index
  %6 = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%4) {id = 0, kind = "loop"} : (index) -> index
  %r = "morok.range"(%6) {id = 1, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %r) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.reduce"(%x, %r) {op = "max"} : (f32, index) -> f32
  %s = "morok.range"(%6) {id = 2, kind = "loop"} : (index) -> index
  %q = "morok.index"(%a, %i, %s) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %d = "morok.sub"(%y, %m) : (f32, f32) -> f32
  %b = "morok.bufferize"(%d, %i, %s) {id = 0, space = "global"} : (f32, index, index) -> memref<4x6xf32>
  return %b : memref<4x6xf32>
}

// -----
// One loop cannot need the result that it computes itself.
func.func @needs_itself(%a: memref<6xf32>) -> memref<6xf32> {
  %6 = "morok.const"() {value = 6 : index} : () -> index
  %r = "morok.range"(%6) {id = 1, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %r) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.reduce"(%x, %r) {op = "max"} : (f32, index) -> f32
  // expected-error @below {{'morok.sub' op stands in the loop of range 1 and needs what this loop computes; a second loop is a second range}}
  %d = "morok.sub"(%x, %m) : (f32, f32) -> f32
  %b = "morok.bufferize"(%d, %r) {id = 0, space = "global"} : (f32, index) -> memref<6xf32>
  return %b : memref<6xf32>
}

// -----
// Every range is closed.
func.func @open(%a: memref<6xf32>) -> f32 {
  %6 = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%6) {id = 3, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  // expected-error @below {{'morok.load' op leaves range 3 open; close it by reduce, bufferize or end}}
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  return %x : f32
}

// -----
// Ops of tensor form are gone.
func.func @binds(%a: memref<6xf32>) -> memref<6xindex> {
  %6 = "morok.const"() {value = 6 : index} : () -> index
  %n = "morok.define_var"() {name = "n", min = 1, max = 6} : () -> index
  // expected-error @below {{'morok.bind' op does not belong in range form}}
  %b = "morok.bind"(%n, %6) : (index, index) -> index
  %i = "morok.range"(%6) {id = 0, kind = "loop"} : (index) -> index
  %s = "morok.add"(%i, %b) : (index, index) -> index
  %r = "morok.bufferize"(%s, %i) {id = 0, space = "global"} : (index, index) -> memref<6xindex>
  return %r : memref<6xindex>
}
