// RUN: morok-opt %s --morok-initial-symbolic --split-input-file | filecheck %s

// Quotient and remainder of one division are the dividend again.
// CHECK-LABEL: @recombined
// CHECK: %[[I:.*]] = "morok.range"
// CHECK-NEXT: "morok.index"(%arg0, %[[I]])
func.func @recombined(%a: memref<24xf32>) -> memref<24xf32> {
  %n = "morok.const"() {value = 24 : index} : () -> index
  %six = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %q = "morok.floordiv"(%i, %six) : (index, index) -> index
  %m = "morok.mod"(%i, %six) : (index, index) -> index
  %s = "morok.mul"(%q, %six) : (index, index) -> index
  %place = "morok.add"(%s, %m) : (index, index) -> index
  %p = "morok.index"(%a, %place) : (memref<24xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %b = "morok.bufferize"(%v, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<24xf32>
  return %b : memref<24xf32>
}

// -----
// A gate that bounds decide goes; one that they do not stays.
// CHECK-LABEL: @gates
// CHECK: "morok.load"(%{{[^,]*}}) {operandSegmentSizes = array<i32: 1, 0, 0>}
// CHECK: "morok.load"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) {operandSegmentSizes = array<i32: 1, 1, 1>}
func.func @gates(%a: memref<8xf32>, %c: memref<4xf32>) -> memref<8xf32> {
  %n = "morok.const"() {value = 8 : index} : () -> index
  %four = "morok.const"() {value = 4 : index} : () -> index
  %zero = "morok.const"() {value = 0.0 : f32} : () -> f32
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %all = "morok.cmplt"(%i, %n) : (index, index) -> i1
  %some = "morok.cmplt"(%i, %four) : (index, index) -> i1
  %p = "morok.index"(%a, %i) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p, %all, %zero) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!morok.ptr<f32, "global">, i1, f32) -> f32
  %q = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q, %some, %zero) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!morok.ptr<f32, "global">, i1, f32) -> f32
  %s = "morok.add"(%v, %w) : (f32, f32) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<8xf32>
  return %b : memref<8xf32>
}

// -----
// Constants fold; a product of floats with 0 does not, for the other factor may be NaN.
// CHECK-LABEL: @floats
// CHECK: %[[ZERO:.*]] = "morok.const"() {value = 0.000000e+00 : f32}
// CHECK: %[[NOTHING:.*]] = "morok.mul"(%{{.*}}, %[[ZERO]])
// CHECK: %[[SIX:.*]] = "morok.const"() {value = 6.000000e+00 : f32}
// CHECK: "morok.add"(%[[NOTHING]], %[[SIX]])
func.func @floats(%a: memref<8xf32>) -> memref<8xf32> {
  %n = "morok.const"() {value = 8 : index} : () -> index
  %zero = "morok.const"() {value = 0.0 : f32} : () -> f32
  %two = "morok.const"() {value = 2.0 : f32} : () -> f32
  %four = "morok.const"() {value = 4.0 : f32} : () -> f32
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %x = "morok.mul"(%v, %zero) : (f32, f32) -> f32
  %y = "morok.add"(%two, %four) : (f32, f32) -> f32
  %z = "morok.add"(%x, %y) : (f32, f32) -> f32
  %b = "morok.bufferize"(%z, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<8xf32>
  return %b : memref<8xf32>
}
