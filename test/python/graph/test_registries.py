"""The registries hold tensors and memory weakly, kernels until cleared."""
import gc
import threading

from graph_building import HeldTensor, Storage, buffer

from morok.graph.registries import BufferRegistry, KernelRegistry, TensorRegistry


def test_tensors_leave_when_they_die():
    registry = TensorRegistry()
    tensors = [HeldTensor(buffer()) for _ in range(3)]
    for tensor in tensors:
        registry.add(tensor)
    assert registry.uops() == {t.uop for t in tensors}
    kept = tensors[1]
    del tensors, tensor
    gc.collect()
    assert registry.live() == [kept] and len(registry) == 1


def test_a_tensor_that_takes_the_place_of_a_dead_one():
    registry = TensorRegistry()
    for _ in range(1000):  # ids are used again
        tensor = HeldTensor(buffer())
        registry.add(tensor)
        assert registry.live() == [tensor]


def test_buffers_give_their_storage():
    registry, u, storage = BufferRegistry(), buffer(), Storage()
    registry.attach(u, storage)
    assert registry.get(u) is storage
    assert registry.live() == [u]
    assert registry.get(u + u) is None


def test_kernels():
    registry = KernelRegistry()
    assert registry.get("key", "CPU") is None
    kernel = object()
    assert registry.add("key", "CPU", kernel) is kernel
    assert registry.add("key", "CPU", object()) is kernel, "the first stands"
    assert registry.get("key", "CPU:1") is None
    assert len(registry) == 1
    registry.clear()
    assert registry.get("key", "CPU") is None and len(registry) == 0


def test_registry_under_threads():
    registry = TensorRegistry()
    errors = []

    def work():
        try:
            for _ in range(2000):
                tensors = [HeldTensor(None) for _ in range(5)]
                for tensor in tensors:
                    registry.add(tensor)
                registry.live()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    gc.collect()
    assert len(registry) == 0
