func.func @main(%a: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = "morok.flip"(%a) {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "morok.mul"(%a, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "morok.reduce_axis"(%1) {op = "add", axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
