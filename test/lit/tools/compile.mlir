// morok-compile takes a module of any form to LLVM IR and machine code, and can stop on the way.

// RUN: morok-compile %s | filecheck %s --check-prefix=LLVM
// RUN: morok-compile %s --emit=mlir | filecheck %s --check-prefix=DIALECT
// RUN: morok-compile %s --emit=mlir --form=range | filecheck %s --check-prefix=RANGE
// RUN: morok-compile %s --emit=mlir --form=kernel | morok-compile - --emit=mlir --form=loops | filecheck %s --check-prefix=LOOPS
// RUN: morok-compile %s --emit=mlir --form=optimised | morok-opt --morok-verify-form=form=optimised | filecheck %s --check-prefix=OPTIMISED
// RUN: morok-compile %s --emit=asm | filecheck %s --check-prefix=ASSEMBLY
// RUN: morok-compile %s --emit=obj -o %t.o && llvm-nm %t.o | filecheck %s --check-prefix=OBJECT
// RUN: morok-compile %s | llc -o /dev/null
// RUN: not morok-compile %s --emit=exe 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not morok-compile %s --mcpu=abacus 2>&1 | filecheck %s --check-prefix=CPU

// LLVM: define void @k0(ptr noalias align 64 %0, ptr noalias %1)
// DIALECT: llvm.func @k0
// RANGE: "morok.bufferize"
// LOOPS: func.func @k0({{.*}}memref<4xf32>
// LOOPS-NOT: func.func @k0{{.*}}morok
// OPTIMISED: morok.opts =
// ASSEMBLY: k0:
// OBJECT: {{T _?k0}}
// KIND: morok-compile: error: --emit: takes mlir, llvm, asm, obj, not 'exe'
// CPU: morok-compile: error: --mcpu: LLVM knows no CPU 'abacus'
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "morok.neg"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
