"""buffer.py and memory_pool.py: alignment, copies, borrowed memory, reuse."""

import gc

import ml_dtypes
import numpy as np
import pytest

from morok.dialect import types as T
from morok.runtime.buffer import Buffer
from morok.runtime.devices import device
from morok.runtime.memory_pool import Block, MemoryPool, bucket


def aligned(shape, dtype):
    raw = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset:len(raw) - 64 + offset].view(dtype).reshape(shape)


@pytest.mark.parametrize("shape", [(), (1,), (7, 3), (0,), (0, 4), (129,)])
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, np.float16, ml_dtypes.bfloat16, np.float64])
def test_round_trip(shape, dtype):
    array = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
    buffer = Buffer.from_numpy(array)
    assert buffer.address % 64 == 0
    back = buffer.numpy()
    assert back.dtype == array.dtype and back.shape == shape and np.array_equal(back, array)


@pytest.mark.parametrize("count", [4, 1000])
def test_a_copy_is_independent(count):
    """Of memory that could be borrowed, too."""
    array = aligned((count,), np.float64)
    array[:] = np.arange(count)
    buffer = Buffer.from_numpy(array)
    array[0] = 9
    out = buffer.numpy()
    out[1] = 9
    assert not buffer.is_borrowed and buffer.numpy().tolist() == list(range(count))


def test_strided_and_foreign_byte_order():
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    assert np.array_equal(Buffer.from_numpy(array.T[::-1]).numpy(), array.T[::-1])
    assert Buffer.borrow(array.astype(">i4")).numpy().tolist() == array.tolist()


def test_borrowing_shares_aligned_memory():
    array = aligned((4, 4), np.float32)
    buffer = Buffer.borrow(array)
    array[1, 2] = 5
    assert buffer.is_borrowed and buffer.view()[1, 2] == 5


@pytest.mark.parametrize("spoil", [lambda a: a[:, 1:], lambda a: a.view(np.uint8).reshape(-1)[1:61].view(np.float32), lambda a: a.T])
def test_borrowing_copies_what_kernels_cannot_use(spoil):
    array = spoil(aligned((4, 4), np.float32))
    assert not Buffer.borrow(array).is_borrowed


def test_borrowing_never_makes_read_only_memory_writeable():
    array = aligned((4,), np.float32)
    array.flags.writeable = False
    buffer = Buffer.borrow(array)
    assert buffer.is_borrowed and not buffer.view().flags.writeable and not buffer.shared_view().flags.writeable and buffer.numpy().flags.writeable


def test_borrowed_elements_may_lie_at_any_multiple_of_their_size():
    array = aligned((16,), np.float32)[1:]
    assert Buffer.borrow(array).is_borrowed


def test_a_shared_view_keeps_writers_away_while_it_lives():
    buffer = Buffer.from_numpy(np.arange(4.0))
    assert not buffer.is_shared
    a = buffer.shared_view()
    b = buffer.shared_view((2, 1))[1:]
    assert buffer.is_shared and not buffer.is_borrowed and a.tolist() == [0, 1, 2, 3] and b.tolist() == [[1]] and np.shares_memory(a, b)
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 1
    del a
    assert buffer.is_shared
    del b
    assert not buffer.is_shared
    assert buffer.shared_view((0, 3)).shape == (0, 3) and not buffer.is_shared


def test_a_view_keeps_the_memory():
    pool_before = device().pool.statistics.live_bytes
    buffer = Buffer.from_numpy(np.arange(1000.0))
    view = buffer.view((10, 100))[2:]
    del buffer
    gc.collect()
    others = [Buffer.from_numpy(np.full(1000, -1.0)) for _ in range(4)]
    assert np.array_equal(view, np.arange(1000.0).reshape(10, 100)[2:])
    assert device().pool.statistics.live_bytes > pool_before
    del others


def test_a_view_of_a_part():
    buffer = Buffer.from_numpy(np.arange(12.0))
    assert buffer.numpy((2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match=r"shape \(5, 3\) has 15 elements, but the buffer has 12"):
        buffer.view((5, 3))


def test_memory_is_used_again():
    pool = device("CPU:7").pool
    first = Buffer((1000,), T.float32, "CPU:7")
    address = first.address
    del first
    allocated = pool.statistics.allocated
    second = Buffer((990,), T.float32, "CPU:7")
    assert second.address == address and pool.statistics.allocated == allocated


def test_ten_thousand_rounds_hold_the_size():
    pool = device("CPU:6").pool
    for _ in range(10000):
        Buffer((300,), T.float32, "CPU:6")
    assert pool.statistics.allocated == 1 and pool.statistics.live_bytes == 0


def test_the_longest_waiting_blocks_go_first():
    pool = MemoryPool(limit=1 << 20)
    a, b, c = pool.take(1 << 19), pool.take(300), pool.take(1 << 20)
    pool.give_back(a)
    pool.give_back(b)
    assert pool.statistics.cached_bytes == (1 << 19) + 320
    pool.give_back(c)
    assert pool.statistics.cached_bytes == 1 << 20 and pool.statistics.live_bytes == 0
    assert pool.take(1 << 20) is c and pool.take(300) is not b


def test_cleared_pools_wait_for_nothing():
    pool = MemoryPool()
    pool.give_back(pool.take(100))
    pool.clear()
    assert pool.statistics.cached_bytes == pool.statistics.live_bytes == 0


def test_devices_have_memory_of_their_own():
    a, b = Buffer((4,), T.float32, "CPU"), Buffer((4,), T.float32, "cpu:1")
    assert a.device is not b.device and a.device.pool is not b.device.pool
    a.view()[...] = 3
    b.copy_from(a)
    a.view()[...] = 4
    assert b.numpy().tolist() == [3] * 4


def test_more_than_the_machine_has():
    with pytest.raises(MemoryError, match="bytes is asked for"):
        Buffer((1 << 50,), T.float32)


@pytest.mark.parametrize("nbytes, size", [
    (0, 256), (256, 256), (257, 320), (512, 512), (513, 640), (1 << 20, 1 << 20), ((1 << 20) + 1, 5 << 18)])
def test_buckets(nbytes, size):
    assert bucket(nbytes) == size


def test_blocks_are_aligned():
    assert all(Block(n, []).address % 64 == 0 for n in range(256, 4096, 100))
