// RUN: morok-opt %s --morok-fuse-outputs --split-input-file | filecheck %s

// The sum of each row, and the sum of the squares less it: one loop over the rows, in which the sum is a value, not a load. It is stored all the same.
// CHECK-LABEL: func.func @rows
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: %[[S:.*]] = "morok.reduce"(%{{.*}}) {op = "add"}
// CHECK: %[[B:.*]] = "morok.bufferize"(%[[S]], %[[I]])
// CHECK-NOT: "morok.index"(%[[B]]
// CHECK: "morok.sub"(%{{.*}}, %[[S]])
// CHECK: %[[C:.*]] = "morok.bufferize"(%{{.*}}, %[[I]])
// CHECK: return %[[B]], %[[C]]
func.func @rows(%a: memref<64x32xf32>) -> (memref<64xf32>, memref<64xf32>) {
  %m = "morok.const"() {value = 64 : index} : () -> index
  %n = "morok.const"() {value = 32 : index} : () -> index
  %i = "morok.range"(%m) {id = 0 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %k) : (memref<64x32xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %k) {op = "add"} : (f32, index) -> f32
  %b = "morok.bufferize"(%s, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<64xf32>
  %j = "morok.range"(%m) {id = 2 : i64, kind = "loop"} : (index) -> index
  %l = "morok.range"(%n) {id = 3 : i64, kind = "reduce"} : (index) -> index
  %q = "morok.index"(%a, %j, %l) : (memref<64x32xf32>, index, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %square = "morok.mul"(%w, %w) : (f32, f32) -> f32
  %t = "morok.reduce"(%square, %l) {op = "add"} : (f32, index) -> f32
  %o = "morok.index"(%b, %j) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%o) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %d = "morok.sub"(%t, %x) : (f32, f32) -> f32
  %c = "morok.bufferize"(%d, %j) {id = 1 : i64, space = "global"} : (f32, index) -> memref<64xf32>
  return %b, %c : memref<64xf32>, memref<64xf32>
}

// -----

// A row of exponentials that is also summed: within the shared loop it is scratch, filled once; what is stored is loaded from there.
// CHECK-LABEL: func.func @exponentials
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: "morok.exp"
// CHECK: %[[SCRATCH:.*]] = "morok.bufferize"({{.*}}space = "local"{{.*}} -> memref<32xf32, "local">
// CHECK: "morok.index"(%[[SCRATCH]]
// CHECK: "morok.bufferize"(%{{.*}}, %[[I]], %{{.*}}) {{.*}}space = "global"
// CHECK: "morok.index"(%[[SCRATCH]]
// CHECK: "morok.bufferize"(%{{.*}}, %[[I]]) {{.*}}space = "global"
// CHECK-NOT: "morok.exp"
func.func @exponentials(%a: memref<64x32xf32>) -> (memref<64x32xf32>, memref<64xf32>) {
  %m = "morok.const"() {value = 64 : index} : () -> index
  %n = "morok.const"() {value = 32 : index} : () -> index
  %i = "morok.range"(%m) {id = 0 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n) {id = 1 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i, %k) : (memref<64x32xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %e = "morok.exp"(%v) : (f32) -> f32
  %b = "morok.bufferize"(%e, %i, %k) {id = 0 : i64, space = "global"} : (f32, index, index) -> memref<64x32xf32>
  %j = "morok.range"(%m) {id = 2 : i64, kind = "loop"} : (index) -> index
  %l = "morok.range"(%n) {id = 3 : i64, kind = "reduce"} : (index) -> index
  %q = "morok.index"(%b, %j, %l) : (memref<64x32xf32>, index, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%w, %l) {op = "add"} : (f32, index) -> f32
  %c = "morok.bufferize"(%s, %j) {id = 1 : i64, space = "global"} : (f32, index) -> memref<64xf32>
  return %b, %c : memref<64x32xf32>, memref<64xf32>
}

// -----

// Two assigns in place, each of which reads what the other overwrites, at the same element: one loop, in which both are loaded before either is stored.
// CHECK-LABEL: func.func @swap
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK-NOT: "morok.range"
// CHECK: "morok.end"(%{{.*}}, %[[I]])
// CHECK: "morok.end"(%{{.*}}, %[[I]])
func.func @swap(%a: memref<64xf32>, %b: memref<64xf32>) -> (memref<64xf32>, memref<64xf32>) {
  %n = "morok.const"() {value = 64 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n) {id = 1 : i64, kind = "loop"} : (index) -> index
  %ai = "morok.index"(%a, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %bi = "morok.index"(%b, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%bi) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.store"(%ai, %x) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  %c = "morok.after"(%a, %e) : (memref<64xf32>, !morok.token) -> memref<64xf32>
  %aj = "morok.index"(%a, %j) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %bj = "morok.index"(%b, %j) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%aj) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %t = "morok.store"(%bj, %y) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %f = "morok.end"(%t, %j) : (!morok.token, index) -> !morok.token
  %d = "morok.after"(%b, %f) : (memref<64xf32>, !morok.token) -> memref<64xf32>
  return %c, %d : memref<64xf32>, memref<64xf32>
}

// -----

// One that reads backwards what the other overwrites stays apart.
// CHECK-LABEL: func.func @flipped
// CHECK: "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
func.func @flipped(%a: memref<64xf32>, %b: memref<64xf32>) -> (memref<64xf32>, memref<64xf32>) {
  %n = "morok.const"() {value = 64 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %ai = "morok.index"(%a, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %bi = "morok.index"(%b, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%bi) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.store"(%ai, %x) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  %c = "morok.after"(%a, %e) : (memref<64xf32>, !morok.token) -> memref<64xf32>
  %j = "morok.range"(%n) {id = 1 : i64, kind = "loop"} : (index) -> index
  %minus = "morok.const"() {value = -1 : index} : () -> index
  %last = "morok.const"() {value = 63 : index} : () -> index
  %negated = "morok.mul"(%j, %minus) : (index, index) -> index
  %back = "morok.add"(%negated, %last) : (index, index) -> index
  %aj = "morok.index"(%a, %back) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %bj = "morok.index"(%b, %j) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%aj) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %z = "morok.load"(%bj) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %sum = "morok.add"(%y, %z) : (f32, f32) -> f32
  %d = "morok.bufferize"(%sum, %j) {id = 0 : i64, space = "global"} : (f32, index) -> memref<64xf32>
  return %c, %d : memref<64xf32>, memref<64xf32>
}

// -----

// Stores that have no memory in common stay apart, whatever their loops.
// CHECK-LABEL: func.func @nothing_in_common
// CHECK: "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
func.func @nothing_in_common(%a: memref<64xf32>, %b: memref<64xf32>) -> (memref<64xf32>, memref<64xf32>) {
  %n = "morok.const"() {value = 64 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %x = "morok.exp"(%v) : (f32) -> f32
  %c = "morok.bufferize"(%x, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<64xf32>
  %j = "morok.range"(%n) {id = 1 : i64, kind = "loop"} : (index) -> index
  %q = "morok.index"(%b, %j) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %y = "morok.exp"(%w) : (f32) -> f32
  %d = "morok.bufferize"(%y, %j) {id = 1 : i64, space = "global"} : (f32, index) -> memref<64xf32>
  return %c, %d : memref<64xf32>, memref<64xf32>
}

// -----

// The sum of each channel, and every element less it: the loop over channels, the second of the two round each element, moves outwards and is shared.
// CHECK-LABEL: func.func @channels
// CHECK-DAG: %[[C:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK-DAG: %[[N:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
// CHECK: %[[S:.*]] = "morok.reduce"
// CHECK: "morok.sub"(%{{.*}}, %[[S]])
// CHECK: "morok.bufferize"(%{{.*}}, %[[N]], %[[C]], %{{.*}})
// CHECK-NOT: "morok.bufferize"
func.func @channels(%a: memref<4x8x256xf32>) -> memref<4x8x256xf32> {
  %four = "morok.const"() {value = 4 : index} : () -> index
  %eight = "morok.const"() {value = 8 : index} : () -> index
  %many = "morok.const"() {value = 256 : index} : () -> index
  %c = "morok.range"(%eight) {id = 0 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%four) {id = 1 : i64, kind = "reduce"} : (index) -> index
  %l = "morok.range"(%many) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %k, %c, %l) : (memref<4x8x256xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %s = "morok.reduce"(%v, %k, %l) {op = "add"} : (f32, index, index) -> f32
  %b = "morok.bufferize"(%s, %c) {id = 0 : i64, space = "global"} : (f32, index) -> memref<8xf32>
  %n = "morok.range"(%four) {id = 3 : i64, kind = "loop"} : (index) -> index
  %d = "morok.range"(%eight) {id = 4 : i64, kind = "loop"} : (index) -> index
  %e = "morok.range"(%many) {id = 5 : i64, kind = "loop"} : (index) -> index
  %q = "morok.index"(%a, %n, %d, %e) : (memref<4x8x256xf32>, index, index, index) -> !morok.ptr<f32, "global">
  %w = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %r = "morok.index"(%b, %d) : (memref<8xf32>, index) -> !morok.ptr<f32, "global">
  %t = "morok.load"(%r) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %y = "morok.sub"(%w, %t) : (f32, f32) -> f32
  %o = "morok.bufferize"(%y, %n, %d, %e) {id = 1 : i64, space = "global"} : (f32, index, index, index) -> memref<4x8x256xf32>
  return %o : memref<4x8x256xf32>
}
