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
// Two memories are overwritten in one loop: the target at the place that the key's counter says, the counter by the next place.
// CHECK-LABEL: @counted_scatter
// CHECK-COUNT-2: "morok.store"
// CHECK: "morok.after"(%{{.*}}, %{{.*}}, %{{.*}})
func.func @counted_scatter(%t: tensor<1x18x1xf32>, %k: tensor<1x2x9xi32>, %s: tensor<1x2x4xi32>, %v: tensor<1x2x9x1xf32>) -> tensor<1x18x1xf32> {
  %r = "morok.counted_scatter"(%t, %k, %s, %v) : (tensor<1x18x1xf32>, tensor<1x2x9xi32>, tensor<1x2x4xi32>, tensor<1x2x9x1xf32>) -> tensor<1x18x1xf32>
  return %r : tensor<1x18x1xf32>
}

// -----
// What is scattered into memory that may be written needs none of its own.
// CHECK-LABEL: @written_in_place
// CHECK-NOT: "morok.bufferize"
// CHECK: %[[K:.*]] = "morok.range"({{.*}}) {id = {{.*}}, kind = "ordered"}
// CHECK: "morok.index"(%arg0, %{{.*}}, %{{.*}})
// CHECK: "morok.store"
// CHECK-NOT: "morok.bufferize"
func.func @written_in_place(%t: tensor<5x3xf32> {morok.in_place}, %p: tensor<1x7xi64>, %v: tensor<1x7x3xf32>) -> tensor<5x3xf32> {
  %r = "morok.reshape"(%t) {shape = array<i64: 1, 5, 3>} : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
  %s = "morok.scatter"(%r, %p, %v) {op = "set"} : (tensor<1x5x3xf32>, tensor<1x7xi64>, tensor<1x7x3xf32>) -> tensor<1x5x3xf32>
  %b = "morok.reshape"(%s) {shape = array<i64: 5, 3>} : (tensor<1x5x3xf32>) -> tensor<5x3xf32>
  %a = "morok.assign"(%t, %t, %b) : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %a : tensor<5x3xf32>
}
