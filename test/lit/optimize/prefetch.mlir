// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="PREFETCH(0,1)"' 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="PREFETCH(0,3)"' 2>&1 | filecheck %s --check-prefix=LEVEL

// Each row is read twice: for its greatest element, and to take that off. Where it is last read, the next row's element is asked for.
// CHECK-LABEL: @k0
// CHECK-SAME: morok.opts = "PREFETCH(0,1)"
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
// CHECK: %[[HERE:.*]] = "morok.index"(%arg1, %[[I]], %[[J]])
// CHECK: %[[X:.*]] = "morok.load"(%[[HERE]])
// CHECK: %[[NEXT:.*]] = "morok.add"(%[[I]],
// CHECK: %[[THERE:.*]] = "morok.index"(%arg1, %[[NEXT]], %[[J]])
// CHECK: %[[Y:.*]] = "morok.prefetch"(%[[X]], %[[THERE]]) {level = 1 : i64}
// CHECK: "morok.reduce"
// CHECK: "morok.sub"(%[[Y]],
// CHECK-NOT: morok.prefetch

// LEVEL: PREFETCH(0,3): there are prefetches into cache 1 and 2, not 3
func.func @k0(%c: memref<4x6xf32>, %a: memref<4x6xf32>) attributes {morok.kernel} {
  %n4 = "morok.const"() {value = 4 : index} : () -> index
  %n6 = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%n4) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n6) {id = 1 : i64, kind = "loop"} : (index) -> index
  %k = "morok.range"(%n6) {id = 2 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i, %j) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %q = "morok.index"(%a, %i, %k) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %m = "morok.reduce"(%y, %k) {op = "max"} : (f32, index) -> f32
  %d = "morok.sub"(%x, %m) : (f32, f32) -> f32
  %o = "morok.index"(%c, %i, %j) : (memref<4x6xf32>, index, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%o, %d) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// Memory that is read once: hardware sees that by itself.
// ERROR: PREFETCH(0,1): no buffer that moves with the loop is read in two nests inside of it
func.func @k1(%c: memref<4xf32>, %a: memref<4xf32>) attributes {morok.kernel} {
  %n4 = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%n4) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %o = "morok.index"(%c, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%o, %x) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
