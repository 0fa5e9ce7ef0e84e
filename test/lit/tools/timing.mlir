// The time of each pass, those inside composites indented.

// RUN: morok-opt %s --morok-rangeify --cse --mlir-timing 2>&1 >/dev/null | filecheck %s

// CHECK: ... Execution time report ...
// CHECK: ----Wall Time----  ----Name----
// CHECK-NEXT: {{%\)  }}Parser
// CHECK-NEXT: {{%\)  }}Rangeify (morok-rangeify)
// CHECK-NEXT: {{%\)    }}EarlyMovementOps (morok-early-movement-ops)
// CHECK: {{%\)  }}Cse (cse)
// CHECK-NEXT: {{%\)  }}Output
// CHECK-NEXT: 100.0%)  Total
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "morok.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
