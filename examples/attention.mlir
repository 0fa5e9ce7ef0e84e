// Attention of 2 heads, 64 queries, 96 keys: an example of docs/performance.md.
module {
  func.func @main(%arg0: tensor<2x64x16xf32>, %arg1: tensor<2x96x16xf32>, %arg2: tensor<2x96x32xf32>) -> tensor<2x64x32xf32> {
    %0 = "morok.reshape"(%arg0) {shape = array<i64: 2, 64, 1, 16>} : (tensor<2x64x16xf32>) -> tensor<2x64x1x16xf32>
    %1 = "morok.expand"(%0) {shape = array<i64: 2, 64, 96, 16>} : (tensor<2x64x1x16xf32>) -> tensor<2x64x96x16xf32>
    %2 = "morok.permute"(%arg1) {order = array<i64: 0, 2, 1>} : (tensor<2x96x16xf32>) -> tensor<2x16x96xf32>
    %3 = "morok.permute"(%2) {order = array<i64: 0, 2, 1>} : (tensor<2x16x96xf32>) -> tensor<2x96x16xf32>
    %4 = "morok.reshape"(%3) {shape = array<i64: 2, 1, 96, 16>} : (tensor<2x96x16xf32>) -> tensor<2x1x96x16xf32>
    %5 = "morok.expand"(%4) {shape = array<i64: 2, 64, 96, 16>} : (tensor<2x1x96x16xf32>) -> tensor<2x64x96x16xf32>
    %6 = "morok.mul"(%1, %5) : (tensor<2x64x96x16xf32>, tensor<2x64x96x16xf32>) -> tensor<2x64x96x16xf32>
    %7 = "morok.reduce_axis"(%6) {axes = array<i64: 3>, op = "add"} : (tensor<2x64x96x16xf32>) -> tensor<2x64x96xf32>
    %8 = "morok.const"() {value = 2.500000e-01 : f32} : () -> tensor<f32>
    %9 = "morok.reshape"(%8) {shape = array<i64: 1, 1, 1>} : (tensor<f32>) -> tensor<1x1x1xf32>
    %10 = "morok.expand"(%9) {shape = array<i64: 2, 64, 96>} : (tensor<1x1x1xf32>) -> tensor<2x64x96xf32>
    %11 = "morok.mul"(%7, %10) : (tensor<2x64x96xf32>, tensor<2x64x96xf32>) -> tensor<2x64x96xf32>
    %12 = "morok.reduce_axis"(%11) {axes = array<i64: 2>, op = "max"} : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
    %13 = "morok.reshape"(%12) {shape = array<i64: 2, 64, 1>} : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %14 = "morok.expand"(%13) {shape = array<i64: 2, 64, 96>} : (tensor<2x64x1xf32>) -> tensor<2x64x96xf32>
    %15 = "morok.sub"(%11, %14) : (tensor<2x64x96xf32>, tensor<2x64x96xf32>) -> tensor<2x64x96xf32>
    %16 = "morok.exp"(%15) : (tensor<2x64x96xf32>) -> tensor<2x64x96xf32>
    %17 = "morok.const"() {value = 1.000000e+00 : f32} : () -> tensor<f32>
    %18 = "morok.reshape"(%17) {shape = array<i64: 1, 1, 1>} : (tensor<f32>) -> tensor<1x1x1xf32>
    %19 = "morok.expand"(%18) {shape = array<i64: 2, 64, 1>} : (tensor<1x1x1xf32>) -> tensor<2x64x1xf32>
    %20 = "morok.reduce_axis"(%16) {axes = array<i64: 2>, op = "add"} : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
    %21 = "morok.reshape"(%20) {shape = array<i64: 2, 64, 1>} : (tensor<2x64xf32>) -> tensor<2x64x1xf32>
    %22 = "morok.div"(%19, %21) : (tensor<2x64x1xf32>, tensor<2x64x1xf32>) -> tensor<2x64x1xf32>
    %23 = "morok.expand"(%22) {shape = array<i64: 2, 64, 96>} : (tensor<2x64x1xf32>) -> tensor<2x64x96xf32>
    %24 = "morok.mul"(%16, %23) : (tensor<2x64x96xf32>, tensor<2x64x96xf32>) -> tensor<2x64x96xf32>
    %25 = "morok.reshape"(%24) {shape = array<i64: 2, 64, 1, 96>} : (tensor<2x64x96xf32>) -> tensor<2x64x1x96xf32>
    %26 = "morok.expand"(%25) {shape = array<i64: 2, 64, 32, 96>} : (tensor<2x64x1x96xf32>) -> tensor<2x64x32x96xf32>
    %27 = "morok.permute"(%arg2) {order = array<i64: 0, 2, 1>} : (tensor<2x96x32xf32>) -> tensor<2x32x96xf32>
    %28 = "morok.reshape"(%27) {shape = array<i64: 2, 1, 32, 96>} : (tensor<2x32x96xf32>) -> tensor<2x1x32x96xf32>
    %29 = "morok.expand"(%28) {shape = array<i64: 2, 64, 32, 96>} : (tensor<2x1x32x96xf32>) -> tensor<2x64x32x96xf32>
    %30 = "morok.mul"(%26, %29) : (tensor<2x64x32x96xf32>, tensor<2x64x32x96xf32>) -> tensor<2x64x32x96xf32>
    %31 = "morok.reduce_axis"(%30) {axes = array<i64: 3>, op = "add"} : (tensor<2x64x32x96xf32>) -> tensor<2x64x32xf32>
    return %31 : tensor<2x64x32xf32>
  }
}
