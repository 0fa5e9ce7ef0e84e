// A failing pass leaves a file that replays it, in the format of stock mlir-opt; and one of mlir-opt's runs here.

// RUN: not morok-opt %s -p 'cse,morok-split,morok-apply-opts{opts="UPCAST(9,4)"}' --mlir-pass-pipeline-crash-reproducer=%t 2>&1 | filecheck %s
// RUN: filecheck %s --check-prefix=FILE --input-file=%t
// RUN: not morok-opt --run-reproducer %t 2>&1 | filecheck %s
// RUN: morok-opt %t -p cse | filecheck %s --check-prefix=MODULE
// RUN: mlir-opt %S/Inputs/upstream.mlir -canonicalize --mlir-generate-reproducer=%t.stock -o /dev/null && morok-opt --run-reproducer %t.stock | filecheck %s --check-prefix=STOCK

// A pass that only checks leaves one too.
// RUN: not morok-opt %s -p 'morok-split,morok-verify-form{form=range}' --mlir-pass-pipeline-crash-reproducer=%t.check 2>&1 | filecheck %s --check-prefix=VERIFY
// RUN: not morok-opt --run-reproducer %t.check 2>&1 | filecheck %s --check-prefix=VERIFY

// CHECK: morok-opt: error: morok-apply-opts: UPCAST(9,4):
// VERIFY: {{.*}}: error: 'morok.define_global' op does not belong in range form
// FILE: func.func @main
// FILE: {-#
// FILE: mlir_reproducer: {
// FILE-NEXT: pipeline: "builtin.module(cse,morok-split,morok-apply-opts{opts=\"UPCAST(9,4)\"})"
// MODULE-NOT: mlir_reproducer
// MODULE: func.func @main
// STOCK: func.func @f
// STOCK-NEXT: return
func.func @main(%a: memref<4xf32>) -> memref<4xf32> {
  %4 = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%4) {id = 0, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %y = "morok.neg"(%x) : (f32) -> f32
  %b = "morok.bufferize"(%y, %i) {id = 0, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}
