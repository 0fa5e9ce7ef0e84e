// RUN: morok-opt %s --morok-rangeify --morok-split --morok-apply-opts | filecheck %s

// Where an ordered loop writes is data: the place that a later iteration's position names is on its way while this one's row is written.
// CHECK: morok.opts = "PREFETCH({{[0-9]}},1)"
// CHECK: %[[I:.*]] = "morok.range"({{.*}}) {id = {{.*}}, kind = "ordered"}
// CHECK: %[[LATER:.*]] = "morok.min"(%{{.*}}, %{{.*}}) : (index, index) -> index
// CHECK: "morok.index"(%{{.*}}, %[[LATER]])
// CHECK: "morok.prefetch"
func.func @main(%t: tensor<1x100000x1xf32>, %p: tensor<1x5000xi64>, %v: tensor<1x5000x1xf32>) -> tensor<1x100000x1xf32> {
  %s = "morok.scatter"(%t, %p, %v) {op = "add"} : (tensor<1x100000x1xf32>, tensor<1x5000xi64>, tensor<1x5000x1xf32>) -> tensor<1x100000x1xf32>
  return %s : tensor<1x100000x1xf32>
}
