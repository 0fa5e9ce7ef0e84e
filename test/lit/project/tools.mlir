// The tools that tests name are found: stock MLIR and LLVM, filecheck, not, Python.

// RUN: mlir-opt %s --canonicalize | filecheck %s
// RUN: mlir-opt %s --convert-func-to-llvm --reconcile-unrealized-casts | mlir-translate --mlir-to-llvmir | llc -o /dev/null
// RUN: not mlir-opt %s --no-such-pass
// RUN: not mlir-opt %S/no-such-file.mlir 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: %python -c "import morok"

// CHECK-LABEL: func.func @identity
// CHECK-NEXT: return %arg0 : i32
// MISSING: cannot open input file
func.func @identity(%x: i32) -> i32 {
  return %x : i32
}
