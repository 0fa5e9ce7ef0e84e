// C = A @ B, 4 x 4: the worked example of docs/pipeline.md.
func.func @main(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "morok.reshape"(%A) {shape = array<i64: 4, 1, 4>} : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
  %1 = "morok.expand"(%0) {shape = array<i64: 4, 4, 4>} : (tensor<4x1x4xf32>) -> tensor<4x4x4xf32>
  %2 = "morok.permute"(%B) {order = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = "morok.reshape"(%2) {shape = array<i64: 1, 4, 4>} : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
  %4 = "morok.expand"(%3) {shape = array<i64: 4, 4, 4>} : (tensor<1x4x4xf32>) -> tensor<4x4x4xf32>
  %5 = "morok.mul"(%1, %4) : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %6 = "morok.reduce_axis"(%5) {op = "add", axes = array<i64: 2>} : (tensor<4x4x4xf32>) -> tensor<4x4xf32>
  return %6 : tensor<4x4xf32>
}
