// RUN: morok-opt %s --morok-range-assignment --split-input-file | filecheck %s

// Reshape, expand and sum: an expanded axis does not reach the buffer's index.
// CHECK-LABEL: @broadcast_sum
// CHECK-SAME: (%arg0: memref<2x3xf32>) -> memref<2x3xf32>
// CHECK: %[[I:.*]] = "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// CHECK: %[[J:.*]] = "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
// CHECK: %[[P:.*]] = "morok.index"(%arg0, %[[I]], %[[J]])
// CHECK: %[[V:.*]] = "morok.load"(%[[P]])
// CHECK: %[[K:.*]] = "morok.range"(%{{.*}}) {id = 2 : i64, kind = "reduce"}
// CHECK: %[[S:.*]] = "morok.reduce"(%[[V]], %[[K]]) {op = "add"}
// CHECK: "morok.bufferize"(%[[S]], %[[I]], %[[J]]) {id = 0 : i64, space = "global"}
func.func @broadcast_sum(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "morok.reshape"(%a) {shape = array<i64: 1, 2, 3>} : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  %1 = "morok.expand"(%0) {shape = array<i64: 4, 2, 3>} : (tensor<1x2x3xf32>) -> tensor<4x2x3xf32>
  %2 = "morok.reduce_axis"(%1) {op = "add", axes = array<i64: 0>} : (tensor<4x2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----
// A pad is a select, and the load under it is gated.
// CHECK-LABEL: @pad
// CHECK: %[[G:.*]] = "morok.and"
// CHECK: "morok.load"(%{{.*}}, %[[G]], %{{.*}}) {operandSegmentSizes = array<i32: 1, 1, 1>}
// CHECK: "morok.where"
func.func @pad(%a: tensor<4xf32>) -> tensor<7xf32> {
  %0 = "morok.pad"(%a) {low = array<i64: 1>, high = array<i64: 2>, value = 1.0 : f32} : (tensor<4xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----
// Flip and shrink are arithmetic on the index.
// CHECK-LABEL: @flip_shrink
// CHECK-DAG: "morok.mul"(%[[I:.*]], %{{.*}})
// CHECK: "morok.index"(%arg0, %{{.*}})
// CHECK-NOT: morok.flip
// CHECK-NOT: morok.shrink
func.func @flip_shrink(%a: tensor<8xf32>) -> tensor<3xf32> {
  %0 = "morok.shrink"(%a) {begin = array<i64: 2>, size = array<i64: 3>} : (tensor<8xf32>) -> tensor<3xf32>
  %1 = "morok.flip"(%0) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----
// Softmax: the exponentials of a row are stored once, in scratch inside the row loop.
// CHECK-LABEL: @softmax
// CHECK: "morok.bufferize"(%{{.*}}, %{{.*}}) {id = {{.*}}, space = "local"} : (f32, index) -> memref<32xf32, "local">
// CHECK: "morok.bufferize"(%{{.*}}, %{{.*}}, %{{.*}}) {id = {{.*}}, space = "global"}
// CHECK-NOT: morok.bufferize
func.func @softmax(%a: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %m = "morok.reduce_axis"(%a) {op = "max", axes = array<i64: 1>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %mr = "morok.reshape"(%m) {shape = array<i64: 8, 1>} : (tensor<8xf32>) -> tensor<8x1xf32>
  %me = "morok.expand"(%mr) {shape = array<i64: 8, 32>} : (tensor<8x1xf32>) -> tensor<8x32xf32>
  %d = "morok.sub"(%a, %me) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %e = "morok.exp"(%d) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %s = "morok.reduce_axis"(%e) {op = "add", axes = array<i64: 1>} : (tensor<8x32xf32>) -> tensor<8xf32>
  %sr = "morok.reshape"(%s) {shape = array<i64: 8, 1>} : (tensor<8xf32>) -> tensor<8x1xf32>
  %se = "morok.expand"(%sr) {shape = array<i64: 8, 32>} : (tensor<8x1xf32>) -> tensor<8x32xf32>
  %o = "morok.div"(%e, %se) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %o : tensor<8x32xf32>
}

// -----
// A reduction that another one would compute again for each of its rows gets a buffer.
// CHECK-LABEL: @chain
// CHECK-COUNT-2: space = "global"
func.func @chain(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %s = "morok.reduce_axis"(%a) {op = "add", axes = array<i64: 0>} : (tensor<16x16xf32>) -> tensor<16xf32>
  %r = "morok.reshape"(%s) {shape = array<i64: 1, 16>} : (tensor<16xf32>) -> tensor<1x16xf32>
  %e = "morok.expand"(%r) {shape = array<i64: 16, 16>} : (tensor<1x16xf32>) -> tensor<16x16xf32>
  %o = "morok.add"(%a, %e) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}

// -----
// An assign in place stores through its view.
// CHECK-LABEL: @assign
// CHECK: %[[S:.*]] = "morok.store"(
// CHECK: %[[E:.*]] = "morok.end"(%[[S]]
// CHECK: %[[A:.*]] = "morok.after"(%arg0, %[[E]])
// CHECK: return %[[A]]
func.func @assign(%a: tensor<5xf32> {morok.in_place}, %b: tensor<2xf32>) -> tensor<5xf32> {
  %v = "morok.shrink"(%a) {begin = array<i64: 1>, size = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
  %x = "morok.assign"(%a, %v, %b) : (tensor<5xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<5xf32>
  return %x : tensor<5xf32>
}
