// Parts of an input stand alone: one that is malformed does not keep the others from being processed, and lines are counted in the file.

// RUN: not morok-opt %s --split-input-file --canonicalize 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: morok-opt %s --split-input-file --verify-diagnostics

// CHECK: func.func @first
// CHECK: // -----
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @third
// CHECK-NOT: arith.constant
func.func @first() { return }

// -----
func.func @second() {
  // ERROR: split-input-file.mlir:18:3: error: custom op 'nonsense' is unknown
  // expected-error@+1 {{custom op 'nonsense' is unknown}}
  nonsense
}

// -----
func.func @third() {
  %0 = arith.constant 1 : i32
  return
}
