// Softmax of 64 rows of 1,024 elements: an example of docs/performance.md.
module {
  func.func @main(%arg0: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
    %0 = "morok.reduce_axis"(%arg0) {axes = array<i64: 1>, op = "max"} : (tensor<64x1024xf32>) -> tensor<64xf32>
    %1 = "morok.reshape"(%0) {shape = array<i64: 64, 1>} : (tensor<64xf32>) -> tensor<64x1xf32>
    %2 = "morok.expand"(%1) {shape = array<i64: 64, 1024>} : (tensor<64x1xf32>) -> tensor<64x1024xf32>
    %3 = "morok.sub"(%arg0, %2) : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %4 = "morok.exp"(%3) : (tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %5 = "morok.const"() {value = 1.000000e+00 : f32} : () -> tensor<f32>
    %6 = "morok.reshape"(%5) {shape = array<i64: 1, 1>} : (tensor<f32>) -> tensor<1x1xf32>
    %7 = "morok.expand"(%6) {shape = array<i64: 64, 1>} : (tensor<1x1xf32>) -> tensor<64x1xf32>
    %8 = "morok.reduce_axis"(%4) {axes = array<i64: 1>, op = "add"} : (tensor<64x1024xf32>) -> tensor<64xf32>
    %9 = "morok.reshape"(%8) {shape = array<i64: 64, 1>} : (tensor<64xf32>) -> tensor<64x1xf32>
    %10 = "morok.div"(%7, %9) : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
    %11 = "morok.expand"(%10) {shape = array<i64: 64, 1024>} : (tensor<64x1xf32>) -> tensor<64x1024xf32>
    %12 = "morok.mul"(%4, %11) : (tensor<64x1024xf32>, tensor<64x1024xf32>) -> tensor<64x1024xf32>
    return %12 : tensor<64x1024xf32>
  }
}
