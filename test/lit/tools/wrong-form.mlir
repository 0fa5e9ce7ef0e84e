// A pass that finds no function of the form that it takes says so, once for the pass that the user named; the exit code stays 0.

// RUN: morok-opt %s --morok-split 2>&1 | filecheck %s --check-prefix=SPLIT
// RUN: morok-opt %s --morok-linearize 2>&1 | filecheck %s --check-prefix=LINEARIZE
// RUN: morok-opt %s -p morok-rangeify,morok-split,morok-range-assignment 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: morok-opt %s -p morok-rangeify,morok-split,morok-apply-opts,canonicalize 2>&1 | filecheck %s --check-prefix=QUIET

// SPLIT: wrong-form.mlir:15:{{[0-9]+}}: remark: morok-split: no function here is in range form, which the pass takes; it changed nothing
// SPLIT-NOT: remark
// LINEARIZE: remark: morok-linearize: no function here is in vector form
// AGAIN-NOT: morok-split:
// AGAIN: remark: morok-range-assignment: no function here is in tensor form, which the pass takes; it changed nothing
// QUIET-NOT: remark
// QUIET: morok.kernel
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "morok.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
