// RUN: morok-opt %s --morok-split --split-input-file | filecheck %s

// Two values that are stored are two kernels; main allocates, launches and orders them.
// CHECK-LABEL: func.func @main(%arg0: memref<4xf32>) -> memref<4xf32>
// CHECK-DAG: %[[D:.*]] = "morok.define_global"() {id = 0 : i64}
// CHECK-DAG: %[[K0:.*]] = "morok.kernel"({{.*}}) {callee = @k0}
// CHECK: %[[A:.*]] = "morok.after"(%[[D]], %[[K0]])
// CHECK: %[[P:.*]] = "morok.param"(%[[A]]) {slot = 1 : i64}
// CHECK: %[[K1:.*]] = "morok.kernel"({{.*}}, %[[P]]) {callee = @k1}
// CHECK: %[[R:.*]] = "morok.after"(%{{.*}}, %[[K1]])
// CHECK: return %[[R]]
// CHECK-LABEL: func.func @k0
// CHECK-SAME: attributes {morok.kernel}
// CHECK: "morok.exp"
// CHECK: "morok.sink"
// CHECK-LABEL: func.func @k1
// CHECK-NOT: "morok.exp"
// CHECK: "morok.sink"
// CHECK-NOT: "morok.bufferize"
func.func @main(%a: memref<4xf32>) -> memref<4xf32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %three = "morok.const"() {value = 3 : index} : () -> index
  %minus = "morok.const"() {value = -1 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %e = "morok.exp"(%x) : (f32) -> f32
  %b = "morok.bufferize"(%e, %i) {id = 0 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  %j = "morok.range"(%n) {id = 1 : i64, kind = "loop"} : (index) -> index
  %m = "morok.mul"(%j, %minus) : (index, index) -> index
  %r = "morok.add"(%m, %three) : (index, index) -> index
  %q = "morok.index"(%b, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %c = "morok.bufferize"(%y, %j) {id = 1 : i64, space = "global"} : (f32, index) -> memref<4xf32>
  return %c : memref<4xf32>
}

// -----
// A kernel that overwrites what it reads elsewhere reads a copy, which a kernel of its own makes first.
// CHECK-LABEL: func.func @main
// CHECK: %[[C:.*]] = "morok.kernel"({{.*}}) {callee = @copy0}
// CHECK: "morok.after"(%arg0, %[[C]])
// CHECK: "morok.kernel"({{.*}}) {callee = @k0}
func.func @main(%a: memref<4xf32>) -> memref<4xf32> {
  %n = "morok.const"() {value = 4 : index} : () -> index
  %three = "morok.const"() {value = 3 : index} : () -> index
  %minus = "morok.const"() {value = -1 : index} : () -> index
  %i = "morok.range"(%n) {id = 0 : i64, kind = "loop"} : (index) -> index
  %m = "morok.mul"(%i, %minus) : (index, index) -> index
  %r = "morok.add"(%m, %three) : (index, index) -> index
  %q = "morok.index"(%a, %r) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %y = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %p = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %s = "morok.store"(%p, %y) : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i) : (!morok.token, index) -> !morok.token
  %b = "morok.after"(%a, %e) : (memref<4xf32>, !morok.token) -> memref<4xf32>
  return %b : memref<4xf32>
}
