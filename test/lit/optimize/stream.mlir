// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="UPCAST(0,16) STREAM(0)"' 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="STREAM(1)"' 2>&1 | filecheck %s --check-prefix=READ
// RUN: not morok-opt %s --split-input-file --morok-apply-opts='opts="STREAM(2)"' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: morok-opt %s --split-input-file --morok-apply-opts='opts="UPCAST(0,16)"' | filecheck %s --check-prefix=WITHOUT

// Stores to buffer 0 go past the caches.
// CHECK-LABEL: @k0
// CHECK-SAME: morok.opts = "UPCAST(0,16) STREAM(0)"
// CHECK: %[[PLACE:.*]] = "morok.index"(%arg0
// CHECK: "morok.store"(%[[PLACE]], %{{.*}}) {hint = "streaming"
// WITHOUT: "morok.store"
// WITHOUT-NOT: streaming

// READ: STREAM(1): the kernel does not write buffer 1
// NONE: STREAM(2): the kernel k0 has 2 buffers, numbered from 0
func.func @k0(%c: memref<64xf32>, %a: memref<64xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 64 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%c, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %q = "morok.index"(%a, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----
// What the kernel reads is in the caches anyway.
// ERROR: STREAM(0): the kernel reads buffer 0 too, so that its lines are in the caches anyway
func.func @updates(%c: memref<64xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 64 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%c, %i) : (memref<64xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
