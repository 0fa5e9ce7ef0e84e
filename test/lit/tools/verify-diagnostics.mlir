// Diagnostics are compared with the comments that expect them: none missing, none over.

// RUN: morok-opt %s --split-input-file --verify-diagnostics
// RUN: sed 's/expected-error/expected-warning/' %s | not morok-opt --split-input-file --verify-diagnostics 2>&1 | filecheck %s --check-prefix=KIND
// RUN: sed 's/undeclared/well declared/' %s | not morok-opt --split-input-file --verify-diagnostics 2>&1 | filecheck %s --check-prefix=TEXT

// KIND: <stdin>:12:8: error: unexpected error: 'morok.neg' op result has type
// KIND: error: expected warning "must be equal" was not produced
// TEXT: error: expected error "use of well declared SSA value name" was not produced
func.func @same_line(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@below {{must be equal}}
  %0 = "morok.neg"(%a) : (tensor<4xf32>) -> tensor<5xf32>
  return %a : tensor<4xf32>
}

// -----
func.func @above(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "morok.neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@above {{use of undeclared SSA value name}}
  return %0 : tensor<4xf32>
}

// -----
// expected-note@+1 {{see existing symbol definition here}}
func.func private @twice()
// expected-error-re@+1 {{redefinition of {{.*}}'twice'}}
func.func private @twice()
