// Dumps between passes go to standard error; a composite pass is shown through those that it is made of.

// RUN: morok-opt %s --morok-split --cse --mlir-print-ir-after-all 2>&1 | filecheck %s --check-prefix=AFTER-ALL
// RUN: morok-opt %s --morok-split --cse --mlir-print-ir-before-all 2>&1 | filecheck %s --check-prefix=BEFORE-ALL
// RUN: morok-opt %s --morok-split --mlir-print-ir-before=morok-split-store --mlir-print-ir-after=morok-split 2>&1 | filecheck %s --check-prefix=NAMED
// RUN: morok-opt %s --cse --morok-bufferize-to-store --canonicalize --mlir-print-ir-after-change 2>&1 | filecheck %s --check-prefix=CHANGE
// RUN: not morok-opt %s --morok-split --morok-apply-opts='opts=UPCAST(9,4)' --mlir-print-ir-after-failure 2>&1 | filecheck %s --check-prefix=FAILURE
// RUN: rm -rf %t && morok-opt %s --morok-split --cse --mlir-print-ir-tree-dir=%t && ls %t/builtin_module_no-symbol-name | filecheck %s --check-prefix=TREE

// AFTER-ALL: IR Dump After BufferizeToStore (morok-bufferize-to-store) //----- //
// AFTER-ALL-NEXT: module {
// AFTER-ALL: IR Dump After SplitStore (morok-split-store) //----- //
// AFTER-ALL: IR Dump After FixAssigns (morok-fix-assigns) //----- //
// AFTER-ALL-NOT: (morok-split)
// AFTER-ALL: IR Dump After Cse (cse) //----- //

// BEFORE-ALL: IR Dump Before BufferizeToStore (morok-bufferize-to-store)
// BEFORE-ALL: "morok.bufferize"
// BEFORE-ALL: IR Dump Before Cse (cse)

// NAMED-NOT: morok-bufferize-to-store
// NAMED: IR Dump Before SplitStore (morok-split-store)
// NAMED: IR Dump After Split (morok-split)

// CHANGE-NOT: (cse)
// CHANGE: IR Dump After BufferizeToStore
// CHANGE-NOT: (canonicalize)

// FAILURE-NOT: (morok-split-store)
// FAILURE: IR Dump After ApplyOpts (morok-apply-opts) Failed

// TREE: 0_0_morok-bufferize-to-store.mlir
// TREE-NEXT: 0_1_morok-split-store.mlir
// TREE-NEXT: 0_2_morok-fix-assigns.mlir
// TREE-NEXT: 0_3_morok-reuse-buffers.mlir
// TREE-NEXT: 0_4_morok-join-launches.mlir
// TREE-NEXT: 0_morok-split.mlir
// TREE-NEXT: 1_cse.mlir
func.func @main(%a: memref<4xf32>) -> memref<4xf32> {
  %4 = "morok.const"() {value = 4 : index} : () -> index
  %i = "morok.range"(%4) {id = 0, kind = "loop"} : (index) -> index
  %p = "morok.index"(%a, %i) : (memref<4xf32>, index) -> !morok.ptr<f32, "global">
  %x = "morok.load"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %y = "morok.neg"(%x) : (f32) -> f32
  %b = "morok.bufferize"(%y, %i) {id = 0, space = "global"} : (f32, index) -> memref<4xf32>
  return %b : memref<4xf32>
}
