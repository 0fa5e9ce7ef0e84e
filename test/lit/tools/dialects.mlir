// Dialects that nobody knows are refused unless asked for.

// RUN: morok-opt %s --allow-unregistered-dialect --morok-verify | filecheck %s
// RUN: not morok-opt %s 2>&1 | filecheck %s --check-prefix=REFUSED
// REFUSED: dialects.mlir:9:21: error: operation being parsed with an unregistered dialect

// CHECK: "flops.count"(%arg0)
func.func @f(%a: f32) -> f32 {
  %0 = "flops.count"(%a) : (f32) -> f32
  return %0 : f32
}
