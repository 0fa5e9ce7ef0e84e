// Every spelling of a pipeline: flags in their order, -p, --pass-pipeline; passes of ours and of upstream MLIR mixed.

// RUN: morok-opt %s --morok-early-movement-ops --canonicalize | filecheck %s
// RUN: morok-opt %s -morok-early-movement-ops -canonicalize='max-iterations=2' | filecheck %s
// RUN: morok-opt %s -p 'morok-early-movement-ops,canonicalize{max-iterations=2 top-down=false}' | filecheck %s
// RUN: morok-opt %s --pass-pipeline='builtin.module(morok-early-movement-ops,func.func(canonicalize))' | filecheck %s
// RUN: morok-opt %s --pass-pipeline='builtin.module(func.func(morok-early-movement-ops,canonicalize),cse)' | filecheck %s
// RUN: morok-opt - -p 'morok-early-movement-ops' --canonicalize < %s | filecheck %s
// RUN: morok-opt < %s -p canonicalize --morok-early-movement-ops | filecheck %s

// CHECK-LABEL: func.func @ours
// CHECK-NEXT: return %arg0
func.func @ours(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "morok.permute"(%a) {order = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "morok.permute"(%0) {order = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @upstreams
// CHECK-NEXT: return %arg0
func.func @upstreams(%x: i32) -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.addi %x, %0 : i32
  return %1 : i32
}
