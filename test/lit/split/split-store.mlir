// RUN: morok-opt %s --morok-bufferize-to-store --morok-split-store --split-input-file | filecheck %s

// Two materialised values: two kernels, the second after the first. Slots are in the order met, the buffer written first.
// CHECK-LABEL: @main
// CHECK: "morok.kernel"(%{{.*}}, %{{.*}}) {callee = @k0}
// CHECK: "morok.kernel"(%{{.*}}, %{{.*}}) {callee = @k1}
// CHECK: "morok.after"
// CHECK-LABEL: @k0(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {morok.kernel}
// CHECK: "morok.index"(%arg0
// CHECK: "morok.sink"
// CHECK-LABEL: @k1(%arg0: memref<2xf32>, %arg1: memref<4xf32>) attributes {morok.kernel}
func.func @main(%a: memref<4xf32>) -> memref<2xf32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %r = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.exp"(%v) : (f32) -> f32
  %b = "morok.bufferize"(%w, %r) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %two = "morok.const"() {value = 2 : index} : () -> index
  %s = "morok.range"(%two) {id = 1 : i64, kind = "loop"} : (index) -> index
  %q = "morok.index"(%b, %s) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %c = "morok.bufferize"(%x, %s) {id = 1 : i64, space = "global"} : (f32, index) -> memref<2xf32>
  return %c : memref<2xf32>
}

// -----
// Slot 0 is what the kernel writes; what it reads follows in the order met, whatever the order of the function's arguments.
// CHECK-LABEL: @order(
// CHECK: "morok.param"(%{{.*}}) {slot = 0 : i64}
// CHECK: "morok.param"(%arg1) {slot = 1 : i64}
// CHECK: "morok.param"(%arg0) {slot = 2 : i64}
// CHECK: "morok.kernel"
func.func @order(%a: memref<4xf32>, %b: memref<4xf32>) -> memref<4xf32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %r = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%b, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %q = "morok.index"(%a, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %d = "morok.sub"(%v, %w) : (f32, f32) -> f32
  %c = "morok.bufferize"(%d, %r) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %c : memref<4xf32>
}

// -----

// Stores in the loop of one range: one kernel, which writes two buffers. What reads one of them comes after it.
// CHECK-LABEL: @main
// CHECK: %[[K:.*]] = "morok.kernel"(%{{.*}}, %{{.*}}, %{{.*}}) {callee = @k0}
// CHECK: "morok.after"(%{{.*}}, %[[K]])
// CHECK-LABEL: @k0(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>) attributes {morok.kernel}
// CHECK: %[[R:.*]] = "morok.range"
// CHECK: %[[E:.*]] = "morok.end"(%{{.*}}, %[[R]])
// CHECK: %[[F:.*]] = "morok.end"(%{{.*}}, %[[R]])
// CHECK: "morok.sink"(%[[E]], %[[F]])
// CHECK-LABEL: @k1(%arg0: memref<2xf32>, %arg1: memref<4xf32>)
func.func @main(%a: memref<4xf32>) -> (memref<4xf32>, memref<2xf32>) {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %r = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.exp"(%v) : (f32) -> f32
  %b = "morok.bufferize"(%w, %r) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %u = "morok.neg"(%w) : (f32) -> f32
  %c = "morok.bufferize"(%u, %r) {id = 1 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %two = "morok.const"() {value = 2 : index} : () -> index
  %s = "morok.range"(%two) {id = 1 : i64, kind = "loop"} : (index) -> index
  %q = "morok.index"(%c, %s) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %d = "morok.bufferize"(%x, %s) {id = 2 : i64, space = "global"} : (f32, index) -> memref<2xf32>
  return %b, %d : memref<4xf32>, memref<2xf32>
}

// -----

// Where data says which row is added to, the row's elements are each of an iteration of their own: read and overwritten in place.
// CHECK-LABEL: @main
// CHECK: "morok.kernel"(%{{.*}}, %{{.*}}) {callee = @k0}
// CHECK-LABEL: @k0(%arg0: memref<8x4xf32>, %arg1: memref<1xi64>) attributes {morok.kernel}
func.func @main(%a: memref<8x4xf32> {morok.in_place}, %n: memref<1xi64>) -> memref<8x4xf32> {
  %zero = "morok.const"() {value = 0 : index} : () -> index
  %four = "morok.const"() {value = 4 : index} : () -> index
  %r = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%n, %zero) : (memref<1xi64>, index) -> !morok.ptr<i64, "global">
  %i = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i64, "global">) -> i64
  %row = "morok.cast"(%i) : (i64) -> index
  %q = "morok.index"(%a, %row, %r) : (memref<8x4xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.add"(%v, %v) : (f32, f32) -> f32
  %s = "morok.store"(%q, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %r) : (!morok.token, index) -> !morok.token
  %b = "morok.after"(%a, %e) : (memref<8x4xf32>, !morok.token) -> memref<8x4xf32>
  return %b : memref<8x4xf32>
}

// -----

// Two iterations may add to the same element: what they read is the old version, apart.
// CHECK-LABEL: @main
// CHECK: "morok.kernel"(%{{.*}}, %{{.*}}, %{{.*}}) {callee = @k0}
func.func @main(%a: memref<8xf32> {morok.in_place}, %n: memref<4xi64>) -> memref<8xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %r = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%n, %r) : (memref<4xi64>, index) -> !morok.ptr<i64, "global">
  %i = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i64, "global">) -> i64
  %row = "morok.cast"(%i) : (i64) -> index
  %q = "morok.index"(%a, %row) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.add"(%v, %v) : (f32, f32) -> f32
  %s = "morok.store"(%q, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %r) : (!morok.token, index) -> !morok.token
  %b = "morok.after"(%a, %e) : (memref<8xf32>, !morok.token) -> memref<8xf32>
  return %b : memref<8xf32>
}
