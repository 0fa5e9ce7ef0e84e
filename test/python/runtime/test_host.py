"""host.py: the order of kernels, threads, barriers; with kernels written in LLVM IR."""

import ctypes
import itertools

import numpy as np
import pytest

from morok.codegen.jit import compile_ir
from morok.runtime.config import available_cpus
from morok.runtime.host import HOSTS, Call, Phase, phases_of
from morok.runtime.openmp import OPENMP

# Adds 1 to the counter of the thread that runs it: slot[thread] += 1, with room for 64 counters.
COUNT_THREADED = """define void @k(ptr %slot, i32 %thread, i32 %count) {
  %p = getelementptr i64, ptr %slot, i32 %thread
  %v = load i64, ptr %p
  %w = add i64 %v, 1
  store i64 %w, ptr %p
  ret void
}"""
# b = a * 3 + n
STEP = """define void @k(ptr %b, ptr %a, i32 %n) {
  %v = load i64, ptr %a
  %w = mul i64 %v, 3
  %e = sext i32 %n to i64
  %x = add i64 %w, %e
  store i64 %x, ptr %b
  ret void
}"""
# total[0] = sum of parts[0 .. count)
SUM_PARTS = """define void @k(ptr %total, ptr %parts) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%j, %loop]
  %s = phi i64 [0, %entry], [%t, %loop]
  %p = getelementptr i64, ptr %parts, i64 %i
  %v = load i64, ptr %p
  %t = add i64 %s, %v
  %j = add i64 %i, 1
  %c = icmp ult i64 %j, 64
  br i1 %c, label %loop, label %done
done:
  store i64 %t, ptr %total
  ret void
}"""

THREADS = [1, 2, 3] if available_cpus() > 1 else [1]


class Arguments:
    """An argument array under construction."""

    def __init__(self):
        self.values, self.keep = [], []

    def kernel(self, text):
        module = compile_ir(text)
        self.keep.append(module)
        return self.word(module.address("k"))

    def word(self, value):
        self.values.append(value)
        return len(self.values) - 1

    def memory(self, array):
        self.keep.append(array)
        return self.word(array.ctypes.data)

    def run(self, phases, threads, times=1):
        if threads > 1:
            OPENMP.load(200)
        host = HOSTS.get(tuple(phases), parallel=threads > 1)
        array = (ctypes.c_int64 * len(self.values))(*self.values)
        for _ in range(times):
            host(ctypes.byref(array), threads)


def call(function, *buffers, variables=(), threaded=False):
    return Call(function, buffers, variables, threaded)


@pytest.mark.parametrize("threads", THREADS)
def test_a_threaded_kernel_runs_once_on_each_thread(threads):
    a = Arguments()
    counters = np.zeros(64, np.int64)
    k, m = a.kernel(COUNT_THREADED), a.memory(counters)
    a.run(phases_of([[call(k, m, threaded=True)]]), threads, times=50)
    assert counters[:threads].tolist() == [50] * threads and counters.sum() == 50 * threads


@pytest.mark.parametrize("threads", THREADS)
def test_a_barrier_stands_between_groups(threads):
    """What all threads wrote in one group is there for the next, on every one of 500 runs."""
    a = Arguments()
    counters, totals = np.zeros(64, np.int64), np.zeros(8, np.int64)
    count, add = a.kernel(COUNT_THREADED), a.kernel(SUM_PARTS)
    c, places = a.memory(counters), [a.memory(totals[i:]) for i in range(8)]
    phases = phases_of([[x] for p in places for x in (call(count, c, threaded=True), call(add, p, c))])
    for _ in range(500):
        counters[:] = 0
        a.run(phases, threads)
        assert totals.tolist() == [threads * (i + 1) for i in range(8)]


@pytest.mark.parametrize("threads", THREADS)
def test_each_kernel_of_a_group_runs_once(threads):
    a = Arguments()
    step = a.kernel(STEP)
    source, results = np.array([5]), [np.zeros(1, np.int64) for _ in range(7)]
    s, n = a.memory(source), a.word(2)
    a.run(phases_of([[call(step, a.memory(r), s, variables=(n,)) for r in results]]), threads)
    assert [int(r[0]) for r in results] == [17] * 7


@pytest.mark.parametrize("threads", THREADS)
def test_a_chain_keeps_its_order(threads):
    a = Arguments()
    step = a.kernel(STEP)
    values = [np.array([1])] + [np.zeros(1, np.int64) for _ in range(6)]
    places, n = [a.memory(v) for v in values], a.word(1)
    phases = phases_of([[call(step, to, source, variables=(n,))] for source, to in itertools.pairwise(places)])
    assert len(phases) == 1 and len(phases[0].sequence) == 6
    a.run(phases, threads)
    assert [int(v[0]) for v in values] == [1, 4, 13, 40, 121, 364, 1093]


def test_code_is_shared_by_plans_of_one_structure():
    phases = (Phase(divided=(call(0, 2, 3), call(1, 3, 2))),)
    assert HOSTS.get(phases, parallel=False) is HOSTS.get((Phase(divided=(call(0, 2, 3), call(1, 3, 2))),), parallel=False)


def test_groups_become_phases():
    a, b, c = call(0, 3), call(1, 3), call(2, 3, threaded=True)
    assert phases_of([[a], [b], [c], [a, b], [a], [b, c]]) == (
        Phase(sequence=(a, b)), Phase(threaded=(c,)), Phase(divided=(a, b)), Phase(sequence=(a,)), Phase(threaded=(c,), divided=(b,)))
