// Whatever is wrong is one line, `file:line:column: error:` or `morok-opt: error:`, and exit code 1.

// RUN: not morok-opt %s 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not morok-opt 2>&1 < %s | filecheck %s --check-prefix=STDIN
// RUN: not morok-opt %s 2>&1 | %python -c "import sys; assert len(sys.stdin.readlines()) == 1"
// RUN: not morok-opt %S/no-such-file.mlir 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not morok-opt %s --no-such-pass 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not morok-opt %s --canonicalise 2>&1 | filecheck %s --check-prefix=MEANT
// RUN: not morok-opt %s -p 'cse,no-such-pass' 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not morok-opt %s -p 'cse,canonicalize{colour=red}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not morok-opt %s --morok-apply-opts='colour=red' 2>&1 | filecheck %s --check-prefix=OWN-OPTION
// RUN: not morok-opt %s -p 'cse(' 2>&1 | filecheck %s --check-prefix=SYNTAX
// RUN: not morok-opt %s -o %S/no-such-folder/x 2>&1 | filecheck %s --check-prefix=OUTPUT

// FILE: errors.mlir:27:8: error: 'morok.shrink' op window [2, 9) of axis 0 exceeds its size 8
// STDIN: <stdin>:27:8: error: 'morok.shrink' op window
// MISSING: morok-opt: error: cannot open input file '{{.*}}no-such-file.mlir': No such file or directory
// FLAG: morok-opt: error: unknown flag or pass '--no-such-pass'; see --list-passes
// MEANT: morok-opt: error: unknown flag or pass '--canonicalise'; did you mean 'canonicalize'?
// PASS: morok-opt: error: -p: column 5: unknown pass 'no-such-pass'; see --list-passes
// OPTION: morok-opt: error: -p: column 5: pass 'canonicalize' has no option 'colour'
// OWN-OPTION: morok-opt: error: --morok-apply-opts: morok-apply-opts has no option 'colour'; it takes opts,
// SYNTAX: morok-opt: error: -p: column 4: this '(' is never closed
// OUTPUT: errors.mlir
func.func @main(%a: tensor<8xf32>) -> tensor<7xf32> {
  %0 = "morok.neg"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "morok.shrink"(%0) {begin = array<i64: 2>, size = array<i64: 7>} : (tensor<8xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}
