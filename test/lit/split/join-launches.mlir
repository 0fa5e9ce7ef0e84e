// RUN: morok-opt %s --morok-join-launches='least=2' --split-input-file | filecheck %s
// RUN: morok-opt %s --morok-join-launches='least=2' --morok-verify-form='form=kernel' --split-input-file | filecheck %s
// RUN: morok-opt %s --morok-join-launches --split-input-file | filecheck %s --check-prefix=FEW

// Elementwise updates in place of different shapes: one launch on two rows, the longer first, of a kernel that is told how many elements there are.
// CHECK-LABEL: @main(%arg0: memref<9xf32>, %arg1: memref<4x5xf32>)
// CHECK: "morok.param"(%arg1) {slot = 0 : i64}
// CHECK: "morok.param"(%arg0) {slot = 1 : i64}
// CHECK: %[[K:.*]] = "morok.kernel"({{.*}}) {callee = @k0, values = array<i64: 20, 9>}
// CHECK-NOT: "morok.kernel"
// CHECK: "morok.after"(%arg0, %[[K]])
// CHECK: "morok.after"(%arg1, %[[K]])
// CHECK-LABEL: @k0(%arg0: memref<64xf32>) attributes {morok.kernel}
// CHECK: "morok.define_var"() {max = 64 : i64, min = 0 : i64, name = "morok_size"}
// CHECK: "morok.floordiv"
// CHECK: "morok.mod"
// CHECK-NOT: @k1
// FEW-LABEL: @main(%arg0: memref<9xf32>, %arg1: memref<4x5xf32>)
// FEW: {callee = @k0}
// FEW: {callee = @k1}
func.func @main(%a: memref<9xf32>, %b: memref<4x5xf32>) -> (memref<9xf32>, memref<4x5xf32>) {
  %p0 = "morok.param"(%a) {slot = 0 : i64} : (memref<9xf32>) -> !morok.argument
  %k0 = "morok.kernel"(%p0) {callee = @k0} : (!morok.argument) -> !morok.token
  %a1 = "morok.after"(%a, %k0) : (memref<9xf32>, !morok.token) -> memref<9xf32>
  %p1 = "morok.param"(%b) {slot = 0 : i64} : (memref<4x5xf32>) -> !morok.argument
  %k1 = "morok.kernel"(%p1) {callee = @k1} : (!morok.argument) -> !morok.token
  %b1 = "morok.after"(%b, %k1) : (memref<4x5xf32>, !morok.token) -> memref<4x5xf32>
  return %a1, %b1 : memref<9xf32>, memref<4x5xf32>
}
func.func @k0(%a: memref<9xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 9 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<9xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
func.func @k1(%a: memref<4x5xf32>) attributes {morok.kernel} {
  %m = "morok.const"() {value = 4 : index} : () -> index
  %n = "morok.const"() {value = 5 : index} : () -> index
  %i = "morok.range"(%m) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n) {id = 1 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i, %j) : (memref<4x5xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----

// A launch that needs another's result stays a launch of its own, though the kernels are equal.
// CHECK-LABEL: @main(%arg0: memref<9xf32>)
// CHECK: "morok.kernel"({{.*}}) {callee = @k0} : (!morok.argument)
// CHECK: "morok.kernel"({{.*}}) {callee = @k0} : (!morok.argument)
// FEW-LABEL: @main(%arg0: memref<9xf32>)
func.func @main(%a: memref<9xf32>) -> memref<9xf32> {
  %p0 = "morok.param"(%a) {slot = 0 : i64} : (memref<9xf32>) -> !morok.argument
  %k0 = "morok.kernel"(%p0) {callee = @k0} : (!morok.argument) -> !morok.token
  %a1 = "morok.after"(%a, %k0) : (memref<9xf32>, !morok.token) -> memref<9xf32>
  %p1 = "morok.param"(%a1) {slot = 0 : i64} : (memref<9xf32>) -> !morok.argument
  %k1 = "morok.kernel"(%p1) {callee = @k0} : (!morok.argument) -> !morok.token
  %a2 = "morok.after"(%a1, %k1) : (memref<9xf32>, !morok.token) -> memref<9xf32>
  return %a2 : memref<9xf32>
}
func.func @k0(%a: memref<9xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 9 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<9xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}

// -----

// Sums are joined where they are equal only: one launch on two rows, without values, and one of the sum of another length.
// CHECK-LABEL: @main(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<6xf32>)
// CHECK: "morok.kernel"({{.*}}) {callee = @k0} : (!morok.argument, !morok.argument, !morok.argument, !morok.argument)
// CHECK: "morok.kernel"({{.*}}) {callee = @k2} : (!morok.argument, !morok.argument)
// FEW-LABEL: @main(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<6xf32>)
func.func @main(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<6xf32>) -> (memref<f32>, memref<f32>, memref<f32>) {
  %d0 = "morok.define_global"() {id = 0 : i64} : () -> memref<f32>
  %p0 = "morok.param"(%d0) {slot = 0 : i64} : (memref<f32>) -> !morok.argument
  %q0 = "morok.param"(%a) {slot = 1 : i64} : (memref<4xf32>) -> !morok.argument
  %k0 = "morok.kernel"(%p0, %q0) {callee = @k0} : (!morok.argument, !morok.argument) -> !morok.token
  %r0 = "morok.after"(%d0, %k0) : (memref<f32>, !morok.token) -> memref<f32>
  %d1 = "morok.define_global"() {id = 1 : i64} : () -> memref<f32>
  %p1 = "morok.param"(%d1) {slot = 0 : i64} : (memref<f32>) -> !morok.argument
  %q1 = "morok.param"(%b) {slot = 1 : i64} : (memref<4xf32>) -> !morok.argument
  %k1 = "morok.kernel"(%p1, %q1) {callee = @k0} : (!morok.argument, !morok.argument) -> !morok.token
  %r1 = "morok.after"(%d1, %k1) : (memref<f32>, !morok.token) -> memref<f32>
  %d2 = "morok.define_global"() {id = 2 : i64} : () -> memref<f32>
  %p2 = "morok.param"(%d2) {slot = 0 : i64} : (memref<f32>) -> !morok.argument
  %q2 = "morok.param"(%c) {slot = 1 : i64} : (memref<6xf32>) -> !morok.argument
  %k2 = "morok.kernel"(%p2, %q2) {callee = @k2} : (!morok.argument, !morok.argument) -> !morok.token
  %r2 = "morok.after"(%d2, %k2) : (memref<f32>, !morok.token) -> memref<f32>
  return %r0, %r1, %r2 : memref<f32>, memref<f32>, memref<f32>
}
func.func @k0(%o: memref<f32>, %a: memref<4xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.reduce"(%v, %i) {op = "add"} : (f32, index) -> f32
  %q = "morok.index"(%o) : (memref<f32>) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%q, %w) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%s) : (!morok.token) -> ()
  return
}
func.func @k2(%o: memref<f32>, %a: memref<6xf32>) attributes {morok.kernel} {
  %n = "morok.const"() {value = 6 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "reduce"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<6xf32>, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.reduce"(%v, %i) {op = "add"} : (f32, index) -> f32
  %q = "morok.index"(%o) : (memref<f32>) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%q, %w) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  "morok.sink"(%s) : (!morok.token) -> ()
  return
}
