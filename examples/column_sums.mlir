func.func @main(%a: tensor<2x3xf32>) -> tensor<3xf32> {
  %0 = "morok.permute"(%a) {order = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = "morok.reduce_axis"(%0) {op = "add", axes = array<i64: 1>} : (tensor<3x2xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
