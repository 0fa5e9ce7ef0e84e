// RUN: morok-opt %s --morok-load-collapse --split-input-file | filecheck %s

// Indexing with an integer tensor, written as a sum over all places, is a load where the index is inside.
// CHECK-LABEL: @gather
// CHECK-NOT: morok.reduce
// CHECK: %[[AT:.*]] = "morok.cast"({{.*}}) : (i32) -> index
// CHECK: %[[P:.*]] = "morok.index"(%arg0, %[[AT]])
// CHECK: %[[GATE:.*]] = "morok.and"
// CHECK: "morok.load"(%[[P]], %[[GATE]],
func.func @gather(%a: memref<8xf32>, %at: memref<5xi32>) -> memref<5xf32> {
  %five = "morok.const"() {value = 5 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %zero = "morok.const"() {value = 0.0 : f32} : () -> f32
  %i = "morok.range"(%five) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %q = "morok.index"(%at, %i) : (memref<5xi32>, index) -> !morok.ptr<i32, "global">
  %e = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %c = "morok.cast"(%r) : (index) -> i32
  %hit = "morok.cmpeq"(%c, %e) : (i32, i32) -> i1
  %p = "morok.index"(%a, %r) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.where"(%hit, %v, %zero) : (i1, f32, f32) -> f32
  %s = "morok.reduce"(%w, %r) {op = "add"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<5xf32>
  return %b : memref<5xf32>
}

// -----
// An arange made of a sum of ones is the counter.
// CHECK-LABEL: @arange
// CHECK-NOT: morok.reduce
// CHECK: %[[I:.*]] = "morok.range"
// CHECK: %[[NEXT:.*]] = "morok.add"(%[[I]]
// CHECK: %[[V:.*]] = "morok.cast"(%[[NEXT]])
// CHECK: "morok.bufferize"(%[[V]], %[[I]])
func.func @arange() -> memref<5xi32> {
  %five = "morok.const"() {value = 5 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %zero = "morok.const"() {value = 0 : i32} : () -> i32
  %one = "morok.const"() {value = 1 : i32} : () -> i32
  %i = "morok.range"(%five) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %below = "morok.cmple"(%r, %i) : (index, index) -> i1
  %w = "morok.where"(%below, %one, %zero) : (i1, i32, i32) -> i32
  %s = "morok.reduce"(%w, %r) {op = "add"} : (i32, index) -> i32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (i32, index) -> memref<5xi32>
  return %b : memref<5xi32>
}

// -----
// Equal terms are multiplied; the greatest of equal values is the value.
// CHECK-LABEL: @same_in_each_iteration
// CHECK-NOT: morok.reduce
// CHECK: %[[V:.*]] = "morok.load"
// CHECK: %[[EIGHT:.*]] = "morok.const"() {value = 8.000000e+00 : f32}
// CHECK: "morok.mul"(%[[V]], %[[EIGHT]])
func.func @same_in_each_iteration(%a: memref<5xf32>) -> (memref<5xf32>, memref<5xf32>) {
  %five = "morok.const"() {value = 5 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%five) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<5xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %r) {op = "add"} : (f32, index) -> f32
  %m = "morok.reduce"(%v, %r) {op = "max"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<5xf32>
  %c = "morok.bufferize"(%m, %i) {id = 1 : i64, space = "global"} : (f32, index) -> memref<5xf32>
  return %b, %c : memref<5xf32>, memref<5xf32>
}

// -----
// A one-hot product of floats stays: 0 times NaN is NaN.
// CHECK-LABEL: @one_hot_product
// CHECK: morok.reduce
func.func @one_hot_product(%a: memref<8xf32>, %at: memref<5xi32>) -> memref<5xf32> {
  %five = "morok.const"() {value = 5 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%five) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %q = "morok.index"(%at, %i) : (memref<5xi32>, index) -> !morok.ptr<i32, "global">
  %e = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %c = "morok.cast"(%r) : (index) -> i32
  %hit = "morok.cmpeq"(%c, %e) : (i32, i32) -> i1
  %h = "morok.cast"(%hit) : (i1) -> f32
  %p = "morok.index"(%a, %r) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.mul"(%h, %v) : (f32, f32) -> f32
  %s = "morok.reduce"(%w, %r) {op = "add"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<5xf32>
  return %b : memref<5xf32>
}

// -----
// Over no iteration, the identity.
// CHECK-LABEL: @no_iteration
// CHECK-NOT: morok.reduce
// CHECK: %[[LEAST:.*]] = "morok.const"() {value = 0xFF800000 : f32}
// CHECK: "morok.bufferize"(%[[LEAST]]
func.func @no_iteration(%a: memref<4xf32>) -> memref<4xf32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %zero = "morok.const"() {value = 0 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%zero) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.reduce"(%v, %r) {op = "max"} : (f32, index) -> f32
  %b = "morok.bufferize"(%m, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}

// -----
// Selected in no iteration: not selected in any, which is decided without a loop.
// CHECK-LABEL: @none_is_selected
// CHECK-NOT: morok.reduce
// CHECK: "morok.bufferize"
func.func @none_is_selected(%a: memref<4xi32>) -> memref<4xi1> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xi32>, index) -> !morok.ptr<i32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %k = "morok.cast"(%r) : (index) -> i32
  %q = "morok.cmpeq"(%k, %v) : (i32, i32) -> i1
  %e = "morok.cmplt"(%i, %r) : (index, index) -> i1
  %c = "morok.and"(%q, %e) : (i1, i1) -> i1
  %d = "morok.not"(%c) : (i1) -> i1
  %m = "morok.reduce"(%d, %r) {op = "and"} : (i1, index) -> i1
  %b = "morok.bufferize"(%m, %i) {id = 0 : i64, space = "global"} : (i1, index) -> memref<4xi1>
  return %b : memref<4xi1>
}

// -----
// A factor of integers that the loop does not change is multiplied once, after it.
// CHECK-LABEL: @common_factor
// CHECK: %[[S:.*]] = "morok.reduce"(%{{.*}}, %{{.*}}) {op = "add"} : (i32, index) -> i32
// CHECK: "morok.mul"(%[[S]], %{{.*}})
func.func @common_factor(%a: memref<4xi32>, %b: memref<8xi32>) -> memref<4xi32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xi32>, index) -> !morok.ptr<i32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %q = "morok.index"(%b, %r) : (memref<8xi32>, index) -> !morok.ptr<i32, "global">
  %y = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %xy = "morok.mul"(%x, %y) : (i32, i32) -> i32
  %s = "morok.reduce"(%xy, %r) {op = "add"} : (i32, index) -> i32
  %c = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (i32, index) -> memref<4xi32>
  return %c : memref<4xi32>
}

// -----
// A gathered value that is counted: elsewhere than under the count, its place may be outside of the buffer, so the load has a gate of its own.
// CHECK-LABEL: @counted_gather
// CHECK-NOT: morok.reduce
// CHECK: %[[P:.*]] = "morok.index"(%arg1,
// CHECK: %[[X:.*]] = "morok.load"(%[[P]], %[[GATE:.*]], %{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1>}
// CHECK: "morok.where"(%[[GATE]],
func.func @counted_gather(%a: memref<4xi32>, %b: memref<8xf32>) -> memref<4xf32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %three = "morok.const"() {value = 3 : index} : () -> index
  %zero = "morok.const"() {value = 0.0 : f32} : () -> f32
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %r = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %s = "morok.range"(%n) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xi32>, index) -> !morok.ptr<i32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %k = "morok.cast"(%r) : (index) -> i32
  %q = "morok.cmpeq"(%k, %v) : (i32, i32) -> i1
  %is = "morok.add"(%i, %s) : (index, index) -> index
  %e = "morok.cmplt"(%is, %three) : (index, index) -> i1
  %c = "morok.and"(%q, %e) : (i1, i1) -> i1
  %t = "morok.index"(%b, %r) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%t) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.where"(%c, %x, %zero) : (i1, f32, f32) -> f32
  %m = "morok.reduce"(%w, %r, %s) {op = "add"} : (f32, index, index) -> f32
  %o = "morok.bufferize"(%m, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %o : memref<4xf32>
}
