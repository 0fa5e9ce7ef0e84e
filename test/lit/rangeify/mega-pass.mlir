// RUN: morok-opt %s --morok-mega-pass --split-input-file | filecheck %s

// A buffer of one constant is the constant.
// CHECK-LABEL: @constant
// CHECK-COUNT-1: morok.bufferize
// CHECK-NOT: morok.bufferize
func.func @constant(%a: memref<4xf32>) -> memref<4xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %two = "morok.const"() {value = 2.0 : f32} : () -> f32
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%four) {id = 1 : i64, kind = "loop"} : (index) -> index
  %c = "morok.bufferize"(%two, %j) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %p = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %q = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.mul"(%v, %w) : (f32, f32) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 1 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}

// -----
// A matmul's result read once, element by element, goes straight into what follows it.
// CHECK-LABEL: @epilogue
// CHECK: %[[S:.*]] = "morok.reduce"
// CHECK-NEXT: %[[E:.*]] = "morok.exp"(%[[S]])
// CHECK-NEXT: "morok.bufferize"(%[[E]]
func.func @epilogue(%a: memref<4x8xf32>) -> memref<4xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%four) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%eight) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %j, %k) : (memref<4x8xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %k) {op = "add"} : (f32, index) -> f32
  %c = "morok.bufferize"(%s, %j) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %q = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %e = "morok.exp"(%w) : (f32) -> f32
  %b = "morok.bufferize"(%e, %i) {id = 1 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}

// -----
// Read in another loop as well, the sum would be computed again there.
// CHECK-LABEL: @read_in_every_column
// CHECK-COUNT-2: morok.bufferize
func.func @read_in_every_column(%a: memref<4x8xf32>) -> memref<4x8xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %l = "morok.range"(%eight) {id = 1 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%four) {id = 2 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%eight) {id = 3 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %j, %k) : (memref<4x8xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %k) {op = "add"} : (f32, index) -> f32
  %c = "morok.bufferize"(%s, %j) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %q = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %o = "morok.index"(%a, %i, %l) : (memref<4x8xf32>, index, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%o) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %d = "morok.div"(%x, %w) : (f32, f32) -> f32
  %b = "morok.bufferize"(%d, %i, %l) {id = 1 : i64, space = "global"} : (f32, index, index) -> memref<4x8xf32>
  return %b : memref<4x8xf32>
}

// -----
// A copy of what a store overwrites stays a copy.
// CHECK-LABEL: @snapshot
// CHECK: morok.bufferize
func.func @snapshot(%a: memref<4xf32> {morok.in_place}) -> memref<4xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %three = "morok.const"() {value = 3 : index} : () -> index
  %minus = "morok.const"() {value = -1 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%four) {id = 1 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %j) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %c = "morok.bufferize"(%v, %j) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %m = "morok.mul"(%i, %minus) : (index, index) -> index
  %back = "morok.add"(%m, %three) : (index, index) -> index
  %q = "morok.index"(%c, %back) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %o = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%o, %w) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  %r = "morok.after"(%a, %e) : (memref<4xf32>, !morok.token) -> memref<4xf32>
  return %r : memref<4xf32>
}

// -----
// Scratch is where its loops put it: it stays, whatever it holds.
// CHECK-LABEL: @scratch
// CHECK: "morok.bufferize"{{.*}} space = "local"
func.func @scratch() -> memref<4xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%four) {id = 1 : i64, kind = "loop"} : (index) -> index
  %one = "morok.const"() {value = 1.0 : f32} : () -> f32
  %c = "morok.bufferize"(%one, %j) {id = 0 : i64, space = "local"} : (f32, index) -> memref<4xf32, "local">
  %q = "morok.index"(%c, %i) : (memref<4xf32, "local">, index) -> !morok.ptr<f32, "local">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "local">) -> f32
  %b = "morok.bufferize"(%w, %i) {id = 1 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}

// -----
// Read twice at first; one of the reads is multiplied by 0. Once that has gone, the value goes into its other reader.
// CHECK-LABEL: @read_once_at_last
// CHECK-COUNT-1: morok.bufferize
// CHECK-NOT: morok.bufferize
func.func @read_once_at_last(%a: memref<4x8xi32>) -> memref<4xi32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %zero = "morok.const"() {value = 0 : i32} : () -> i32
  %three = "morok.const"() {value = 3 : index} : () -> index
  %minus = "morok.const"() {value = -1 : index} : () -> index
  %i = "morok.range"(%four) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%four) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%eight) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %j, %k) : (memref<4x8xi32>, index, index) -> !morok.ptr<i32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %s = "morok.reduce"(%v, %k) {op = "add"} : (i32, index) -> i32
  %c = "morok.bufferize"(%s, %j) {id = 0 : i64, space = "global"} : (i32, index) -> memref<4xi32>
  %q = "morok.index"(%c, %i) : (memref<4xi32>, index) -> !morok.ptr<i32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %m = "morok.mul"(%i, %minus) : (index, index) -> index
  %back = "morok.add"(%m, %three) : (index, index) -> index
  %o = "morok.index"(%c, %back) : (memref<4xi32>, index) -> !morok.ptr<i32, "global">
  %x = "morok.load"(%o) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<i32, "global">) -> i32
  %none = "morok.mul"(%x, %zero) : (i32, i32) -> i32
  %y = "morok.add"(%w, %none) : (i32, i32) -> i32
  %b = "morok.bufferize"(%y, %i) {id = 1 : i64, space = "global"} : (i32, index) -> memref<4xi32>
  return %b : memref<4xi32>
}

// -----
// A reduction of a reduction is one over both ranges.
// CHECK-LABEL: @nested
// CHECK-COUNT-1: "morok.reduce"(%{{.*}}, %{{.*}}, %{{.*}}) {op = "max"}
// CHECK-NOT: morok.reduce
func.func @nested(%a: memref<4x8xf32>) -> memref<1xf32> {
  %zero = "morok.const"() {value = 0 : index} : () -> index
  %four = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %j = "morok.range"(%four) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %k = "morok.range"(%eight) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %j, %k) : (memref<4x8xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %k) {op = "max"} : (f32, index) -> f32
  %t = "morok.reduce"(%s, %j) {op = "max"} : (f32, index) -> f32
  %b = "morok.bufferize"(%t, %zero) {id = 0 : i64, space = "global"} : (f32, index) -> memref<1xf32>
  return %b : memref<1xf32>
}
