"""What is dropped is gone: operations, memory, storage; in any order and at any depth."""
import gc
import pathlib
import sys
import weakref

from graph_building import Storage, buffer, chain

from morok.dialect import types as T
from morok.graph.capture import capture, structural_key
from morok.graph.registries import BUFFERS
from morok.graph.tensor_graph import GRAPH, TensorUOp, graph_statistics, new_buffer, substitute
from morok.graph.uop import UOp, argument

DEEP = 20_000


def resident_kilobytes() -> int:
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4


def test_memory_is_flat_over_rounds_of_build_and_drop():
    def rounds(count: int) -> None:
        for _ in range(count):
            a, b = buffer(), buffer()
            x = ((a + b) * 2).alu("exp")
            substitute(x, Storage())
            assert (x + 1).operands[0].name == "buffer"

    rounds(2_000)
    operations, memory = graph_statistics()["operations"], resident_kilobytes()
    rounds(10_000)
    assert graph_statistics()["operations"] == operations
    assert resident_kilobytes() - memory < 2_000


def test_dropping_a_handle_erases_its_operation():
    a = buffer()
    before = graph_statistics()["operations"]
    u = a + a
    assert graph_statistics()["operations"] == before + 1
    del u
    assert graph_statistics()["operations"] == before


def test_the_next_change_of_the_graph_erases_what_died():
    a = buffer()
    GRAPH.drain()
    u = chain(a, 5)
    before = len(GRAPH.module.body.operations)
    del u
    v = a.alu("exp")
    assert len(GRAPH.module.body.operations) == before - 5 + 1
    del v


def test_a_deep_chain_is_built_captured_and_dropped():
    a = buffer()
    before = graph_statistics()["operations"]
    assert DEEP > sys.getrecursionlimit()
    u = chain(a, DEEP)
    captured = capture([u])
    assert len(captured.program.bodies["main"].order()) == DEEP + 1
    assert len(structural_key([u])[0][0]) == DEEP + 1
    del u
    assert graph_statistics()["operations"] == before


def test_a_deep_chain_of_plain_uops_is_dropped():
    u = start = argument(0, T.tensor((2, 3), T.float32))
    for _ in range(DEEP):
        u = UOp.make("max", (u, start))
    last = weakref.ref(u.operands[0].operands[0])
    del u
    UOp.make("min", (start, start))
    assert last() is None


def test_memory_of_a_buffer_dies_with_its_handle():
    storage = Storage()
    watch = weakref.ref(storage)
    a = new_buffer(T.tensor((4,), T.float32), "CPU", storage)
    del storage
    assert BUFFERS.get(a) is watch()
    before = len(BUFFERS)
    del a
    assert watch() is None
    assert len(BUFFERS) == before - 1


def test_memory_of_a_buffer_lives_as_long_as_a_user():
    storage = Storage()
    watch = weakref.ref(storage)
    u = new_buffer(T.tensor((4,), T.float32), "CPU", storage).alu("exp")
    del storage
    assert watch() is not None
    del u
    GRAPH.drain()
    assert watch() is None


def test_handles_in_garbage_cycles_are_collected():
    before = graph_statistics()["operations"]
    a = buffer()
    cycle = [chain(a, 10)]
    cycle.append(cycle)
    del a, cycle
    gc.collect()
    assert graph_statistics()["operations"] == before


def test_a_finaliser_may_use_a_handle_that_is_being_collected():
    """The collector clears weak references before it runs __del__: the operation must still be there."""
    class Last:
        seen: list[str] = []

        def __init__(self, u: TensorUOp) -> None:
            self.u, self.me = u, self

        def __del__(self) -> None:
            Last.seen.append((self.u + self.u).name)
            Last.seen.append(self.u.operation.name)

    before = graph_statistics()["operations"]
    for _ in range(50):
        Last(chain(buffer(), 3))
    gc.collect()
    assert Last.seen == ["add", "morok.add"] * 50
    gc.collect()
    assert graph_statistics()["operations"] == before
    assert GRAPH.module.operation.verify()


def test_a_finaliser_may_rescue_a_handle():
    rescued = []

    class Last:
        def __init__(self, u: TensorUOp) -> None:
            self.u, self.me = u, self

        def __del__(self) -> None:
            rescued.append(self.u)

    Last(chain(buffer(), 3))
    gc.collect()
    GRAPH.drain()
    assert rescued[0].operation.name == "morok.add"
    assert (rescued[0] + rescued[0]).name == "add"
    before = graph_statistics()["operations"]
    rescued.clear()
    assert graph_statistics()["operations"] < before
