// Where and how the module is written.

// RUN: morok-opt %s -o %t && filecheck %s --input-file=%t
// RUN: morok-opt %s --emit-bytecode -o %t.bc && morok-opt %t.bc | filecheck %s
// RUN: morok-opt %s --emit-bytecode | morok-opt | filecheck %s
// RUN: morok-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: morok-opt %s --mlir-print-op-generic | morok-opt | filecheck %s
// RUN: morok-opt %s --mlir-print-debuginfo --mlir-print-local-scope | filecheck %s --check-prefix=LOCATIONS
// RUN: morok-opt %s --mlir-elide-elementsattrs-if-larger=2 | filecheck %s --check-prefix=ELIDED
// RUN: morok-opt %s --verify-roundtrip | filecheck %s

// CHECK: func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32>
// CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK: "morok.add"(%arg0, %[[C]])
// GENERIC: "func.func"() <{
// ELIDED: dense_resource<__elided__>
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  // LOCATIONS: "morok.add"{{.*}} loc("{{.*}}output.mlir":20:8)
  %0 = "morok.add"(%a, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
