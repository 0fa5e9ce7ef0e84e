// C = A @ B, 48 x 64 by 64 x 96: an example of docs/performance.md.
module {
  func.func @main(%arg0: tensor<48x64xf32>, %arg1: tensor<64x96xf32>) -> tensor<48x96xf32> {
    %0 = "morok.reshape"(%arg0) {shape = array<i64: 48, 1, 64>} : (tensor<48x64xf32>) -> tensor<48x1x64xf32>
    %1 = "morok.expand"(%0) {shape = array<i64: 48, 96, 64>} : (tensor<48x1x64xf32>) -> tensor<48x96x64xf32>
    %2 = "morok.permute"(%arg1) {order = array<i64: 1, 0>} : (tensor<64x96xf32>) -> tensor<96x64xf32>
    %3 = "morok.reshape"(%2) {shape = array<i64: 1, 96, 64>} : (tensor<96x64xf32>) -> tensor<1x96x64xf32>
    %4 = "morok.expand"(%3) {shape = array<i64: 48, 96, 64>} : (tensor<1x96x64xf32>) -> tensor<48x96x64xf32>
    %5 = "morok.mul"(%1, %4) : (tensor<48x96x64xf32>, tensor<48x96x64xf32>) -> tensor<48x96x64xf32>
    %6 = "morok.reduce_axis"(%5) {axes = array<i64: 2>, op = "add"} : (tensor<48x96x64xf32>) -> tensor<48x96xf32>
    return %6 : tensor<48x96xf32>
  }
}
