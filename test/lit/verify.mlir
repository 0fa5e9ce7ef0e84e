// morok-verify: op rules that IRDL cannot express, at the place of the op. One diagnostic for each malformed op.

// RUN: morok-opt %s --morok-verify --split-input-file --verify-diagnostics

// A good module passes through.
func.func @good(%a: tensor<4x6xf32>) -> tensor<6xf32> {
  %0 = "morok.reduce_axis"(%a) {op = "add", axes = array<i64: 0>} : (tensor<4x6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// -----
// The window of a shrink lies within its source.
func.func @window(%a: tensor<4x8xf32>) -> tensor<4x7xf32> {
  // expected-error @below {{'morok.shrink' op window [2, 9) of axis 1 exceeds its size 8}}
  %0 = "morok.shrink"(%a) {begin = array<i64: 0, 2>, size = array<i64: 4, 7>} : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// -----
// A reshape keeps the number of elements.
func.func @elements(%a: tensor<4x6xf32>) -> tensor<5x5xf32> {
  // expected-error @below {{'morok.reshape' op cannot reshape (4, 6) (24 elements) to (5, 5) (25 elements)}}
  %0 = "morok.reshape"(%a) {shape = array<i64: 5, 5>} : (tensor<4x6xf32>) -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// -----
// Attributes have kinds.
func.func @attribute(%a: vector<4xf32>) -> f32 {
  // expected-error @below {{'morok.gep' op attribute lane must be an integer of 64 bits, given "first"}}
  %0 = "morok.gep"(%a) {lane = "first"} : (vector<4xf32>) -> f32
  return %0 : f32
}

// -----
// Results follow operands.
func.func @result(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{'morok.permute' op result type is tensor<4x6xf32>, expected tensor<6x4xf32>}}
  %0 = "morok.permute"(%a) {order = array<i64: 1, 0>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----
// What MLIR itself refuses is told in the op's words too.
func.func @operand(%a: f32) -> index {
  // expected-error @below {{'morok.range' op extent must be an index, not f32}}
  %0 = "morok.range"(%a) {id = 0, kind = "loop"} : (f32) -> index
  return %0 : index
}

// -----
// Types whose layout would be lost are no types of the dialect.
// expected-error @below {{'func.func' op has argument 0 of a type that the dialect lacks: morok takes a memref in row-major order}}
func.func @layout(%a: memref<4x6xf32, strided<[1, 4]>>) {
  return
}

// -----
// A loop's values keep their types.
func.func @carries(%a: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  %n = "morok.unique"() {id = 0 : i64} : () -> !morok.token
  %c = "morok.carried"(%n) : (!morok.token) -> tensor<8xf32>
  // expected-error @below {{'morok.carries' op next has type tensor<4xf32>, but carried has type tensor<8xf32>; they must be equal}}
  %v = "morok.carries"(%c, %a, %b) : (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>) -> !morok.token
  %l = "morok.repeat"(%v) {count = 10 : i64} : (!morok.token) -> !morok.token
  %r = "morok.repeated"(%l) {number = 0 : i64} : (!morok.token) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
