// Ops of the dialect have no assembly form of their own; MLIR refuses one without a word, so the tools say where it is and what is read.

// RUN: not morok-opt %s 2>&1 | filecheck %s
// RUN: not morok-compile %s 2>&1 | filecheck %s
// RUN: not morok-opt %s 2>&1 | %python -c "import sys; assert len(sys.stdin.readlines()) == 1"

// CHECK: custom-form.mlir:[[# @LINE + 4]]:8: error: 'morok.neg' is read in generic form only: "morok.neg"(operands) {attributes} : (operand types) -> result types
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> attributes {morok.kernel} {
  %0 = "morok.exp"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  // %1 = morok.sin %0
  %1 = morok.neg %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
