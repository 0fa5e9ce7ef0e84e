// RUN: morok-opt %s --morok-range-assignment --split-input-file | filecheck %s

// A scan overwrites a copy of what the caller keeps; each iteration reads what the one before it wrote.
// CHECK-LABEL: @scan
// CHECK: %[[COPY:.*]] = "morok.bufferize"
// CHECK: %[[I:.*]] = "morok.range"({{.*}}) {id = {{.*}}, kind = "ordered"}
// CHECK: %[[NOW:.*]] = "morok.current"(%[[COPY]], %[[I]])
// CHECK: "morok.index"(%[[NOW]], %[[I]])
// CHECK: "morok.end"({{.*}}, %[[I]])
func.func @scan(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = "morok.scan"(%a) {op = "add", axis = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----
// A position that is data is looked at before memory is touched.
// CHECK-LABEL: @scatter
// CHECK: "morok.range"({{.*}}) {id = {{.*}}, kind = "ordered"}
// CHECK: %[[GATE:.*]] = "morok.and"
// CHECK: "morok.load"({{.*}}, %[[GATE]], {{.*}})
// CHECK: "morok.store"({{.*}}, {{.*}}, %[[GATE]])
func.func @scatter(%t: tensor<1x5x3xf32>, %p: tensor<1x7xi64>, %v: tensor<1x7x3xf32>) -> tensor<1x5x3xf32> {
  %s = "morok.scatter"(%t, %p, %v) {op = "add"} : (tensor<1x5x3xf32>, tensor<1x7xi64>, tensor<1x7x3xf32>) -> tensor<1x5x3xf32>
  return %s : tensor<1x5x3xf32>
}

// -----
// Two memories are overwritten in one loop: the keys by their places, the starts by the next ones.
// CHECK-LABEL: @places
// CHECK-COUNT-2: "morok.store"
// CHECK: "morok.after"(%{{.*}}, %{{.*}}, %{{.*}})
func.func @places(%k: tensor<2x9xi32>, %s: tensor<2x4xi32>) -> tensor<2x9xi32> {
  %r = "morok.places"(%k, %s) : (tensor<2x9xi32>, tensor<2x4xi32>) -> tensor<2x9xi32>
  return %r : tensor<2x9xi32>
}
