// RUN: morok-opt %s --morok-apply-opts='opts="UPCAST(1,4) SWAP(0,1) THREAD(0)"' | filecheck %s --check-prefix=OPTS
// RUN: morok-opt %s --morok-apply-opts='opts="TILE(0,2) UPCAST(2,8)"' | filecheck %s --check-prefix=TILE
// RUN: morok-opt %s --morok-apply-opts='opts="PEEL(1,6)"' | filecheck %s --check-prefix=PEEL
// RUN: morok-opt %s --morok-apply-opts='vector-bits=128' | filecheck %s --check-prefix=DEFAULT
// RUN: not morok-opt %s --morok-apply-opts='opts="UPCAST(1,3)"' 2>&1 | filecheck %s --check-prefix=INDIVISIBLE
// RUN: not morok-opt %s --morok-apply-opts='opts="THREAD(1)"' 2>&1 | filecheck %s --check-prefix=INNER
// RUN: not morok-opt %s --morok-apply-opts='opts="UNROLL(0,2)"' 2>&1 | filecheck %s --check-prefix=NOREDUCE
// RUN: not morok-opt %s --morok-apply-opts='opts="UNROLL(7,2)"' 2>&1 | filecheck %s --check-prefix=NOAXIS
// RUN: not morok-opt %s --morok-apply-opts='opts="FROB(1)"' 2>&1 | filecheck %s --check-prefix=NOOPT

// Eight columns as two times four lanes; the loop over the two goes outside of the rows, and the threads take it.
// OPTS: morok.opts = "UPCAST(1,4) SWAP(0,1) THREAD(0)"
// OPTS: "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
// OPTS: "morok.range"(%{{.*}}) {id = 0 : i64, kind = "thread"}
// OPTS: "morok.range"(%{{.*}}) {id = 2 : i64, kind = "upcast"}

// Six rows as three tiles of two.
// TILE: "morok.range"(%{{.*}}) {id = 0 : i64, kind = "loop"}
// TILE: "morok.range"(%{{.*}}) {id = 1 : i64, kind = "loop"}
// TILE: "morok.range"(%{{.*}}) {id = 2 : i64, kind = "upcast"}

// Six columns, and the two that are left, inside of one loop over the rows.
// PEEL: "morok.end"(%{{.*}}, %[[ROWS:.*]], %{{.*}})
// PEEL: "morok.end"(%{{.*}}, %[[ROWS]], %{{.*}})
// PEEL: "morok.sink"(%{{.*}}, %{{.*}})

// Left to itself the heuristic takes the unit-stride axis for lanes.
// DEFAULT: morok.opts = "UPCAST(1,4)"

// INDIVISIBLE: morok-opt: error: {{.*}}UPCAST(1,3): 3 does not divide the extent 8; PEEL(1,3) first
// INNER: morok-opt: error: {{.*}}THREAD(1): axis 1 is not the outermost loop of a store
// NOREDUCE: morok-opt: error: {{.*}}UNROLL(0,2): axis 0 is of kind loop; only a reduction can be unrolled
// NOAXIS: morok-opt: error: {{.*}}UNROLL(7,2): the kernel k0 has 2 loops, numbered from 0
// NOOPT: morok-opt: error: {{.*}}'FROB(1)' is no opt
func.func @k0(%c: memref<6x8xf32>, %a: memref<6x8xf32>) attributes {morok.kernel} {
  %n6 = "morok.const"() {value = 6 : index} : () -> index
  %n8 = "morok.const"() {value = 8 : index} : () -> index
  %i = "morok.range"(%n6) {id = 0 : i64, kind = "loop"} : (index) -> index
  %j = "morok.range"(%n8) {id = 1 : i64, kind = "loop"} : (index) -> index
  %p = "morok.index"(%c, %i, %j) : (memref<6x8xf32>, index, index) -> !morok.ptr<f32, "global">
  %q = "morok.index"(%a, %i, %j) : (memref<6x8xf32>, index, index) -> !morok.ptr<f32, "global">
  %v = "morok.load"(%q) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!morok.ptr<f32, "global">) -> f32
  %w = "morok.neg"(%v) : (f32) -> f32
  %s = "morok.store"(%p, %w) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> !morok.token
  %e = "morok.end"(%s, %i, %j) : (!morok.token, index, index) -> !morok.token
  "morok.sink"(%e) : (!morok.token) -> ()
  return
}
