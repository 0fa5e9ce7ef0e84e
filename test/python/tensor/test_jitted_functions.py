"""morok.jit: captured once per signature, right in every way that arguments, results and writes may share memory."""

import gc
import threading
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import morok
from morok import Tensor, Variable
from morok.errors import JitError
from morok.graph.registries import TENSORS


def tensor(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32))


def test_the_function_runs_once_per_signature():
    calls = []

    @morok.jit
    def double(x):
        calls.append(x.shape)
        return x * 2
    for n in (3, 4, 3, 3, 4):
        x = tensor(n, seed=n)
        np.testing.assert_array_equal(double(x).numpy(), x.numpy() * 2)
    assert calls == [(3,), (4,)] and double.captures == 2
    assert double.__name__ == "double"


@pytest.mark.parametrize("other", [dict(dtype=morok.dtypes.float64), dict(device="CPU:1")])
def test_dtype_and_device_are_part_of_the_signature(other):
    f = morok.jit(lambda x: x + 1)
    assert f(Tensor([1.0])).numpy() == 2
    y = f(Tensor([1.0], **other))
    assert y.numpy() == 2 and f.captures == 2
    assert y.device == other.get("device", "CPU") and y.dtype == other.get("dtype", morok.dtypes.float32)


def test_structures_of_arguments_and_results():
    pair = namedtuple("pair", "a b")

    @morok.jit
    def f(given, *, named):
        return {"sum": given["x"][0] + given["x"][1], "pair": pair(named.a * 2, [named.b, None, 3]), "same": given["x"][0]}
    x, y = tensor(3, seed=1), tensor(3, seed=2)
    for _ in range(3):
        r = f({"x": [x, y]}, named=pair(x, y))
        np.testing.assert_array_equal(r["sum"].numpy(), x.numpy() + y.numpy())
        np.testing.assert_array_equal(r["pair"].a.numpy(), x.numpy() * 2)
        assert r["pair"].b[0] is y and r["pair"].b[1:] == [None, 3] and r["same"] is x
    assert f.captures == 1


@pytest.mark.parametrize("values", [(1, 2, 1), (1, 1.0, True), (0.0, -0.0), ("a", None), (float("nan"), 1.0)])
def test_static_values_are_told_apart(values):
    seen = []

    @morok.jit
    def f(x, k):
        seen.append(k)
        return x + 1
    x = tensor(2)
    for _ in range(2):
        for k in values:
            f(x, k)
    assert len(seen) == f.captures == len({(type(k), repr(k)) for k in values})


def test_several_signatures_have_a_short_path():
    f = morok.jit(lambda x, k, name: x * k)
    calls = [(tensor(3), 2, "a"), (tensor(4), 2, "a"), (tensor(3), 3, "a"), (tensor(3), 2.5, "b"), (tensor(3), 0.0, "a"), (tensor(3), -0.0, "a")]
    for _ in range(3):
        for x, k, name in calls:
            np.testing.assert_array_equal(f(x, k, name).numpy(), x.numpy() * np.float32(k))
            assert np.array_equal(np.signbit(f(x, k, name).numpy()), np.signbit(x.numpy() * np.float32(k)))
    assert f.captures == 6 and len(f._fast) == 4
    assert f(tensor(3), True, "a").dtype == morok.dtypes.float32 and f.captures == 7


def test_an_argument_without_a_hash_is_named():
    with pytest.raises(JitError, match="type set"):
        morok.jit(lambda x, s: x + 1)(tensor(2), {1, 2})


def test_options_are_part_of_the_signature():
    from morok.runtime import configured
    f = morok.jit(lambda x: x + 1)
    f(tensor(2))
    with configured(opt_level=0):
        f(tensor(2))
    assert f.captures == 2


def test_results_are_not_overwritten_while_held():
    f = morok.jit(lambda x: x + 1)
    x = Tensor([0.0, 0.0])
    held = [f(x)]
    for _ in range(5):
        held.append(f(held[-1]))
    assert [t.numpy()[0] for t in held] == [1, 2, 3, 4, 5, 6]


def test_memory_of_results_that_died_is_used_again():
    from morok.runtime.devices import device
    f = morok.jit(lambda x: x + 1)
    x = tensor(1 << 14)
    f(x)
    before = device("CPU").pool.statistics.allocated
    for _ in range(20):
        f(x)
    assert device("CPU").pool.statistics.allocated <= before + 1


def test_a_result_is_a_tensor_like_others():
    f = morok.jit(lambda x: x + 1)
    x = Tensor([1.0, 2.0])
    for _ in range(2):
        y = f(x)
        view = y[1:]
        z = y * 2
        y += 10
        assert view.numpy() == 13 and list(z.numpy()) == [4, 6] and any(t is y for t in TENSORS.live())
        assert f(x).is_realized and f(x).shape == (2,)


def test_an_argument_that_is_assigned_is_live():
    @morok.jit
    def f(x, y):
        x.assign(x + y)
        return x
    x, y = Tensor([1.0, 2.0]), Tensor([10.0, 20.0])
    for i in range(1, 4):
        assert f(x, y) is x
        assert list(x.numpy()) == [1 + 10 * i, 2 + 20 * i]
    other = Tensor([0.0, 0.0])
    f(other, y)
    assert list(other.numpy()) == [10, 20] and list(x.numpy()) == [31, 62] and f.captures == 1


def test_a_write_to_part_of_an_argument():
    @morok.jit
    def f(x, i):
        x[i] = x[i] + 1
    x = Tensor(np.zeros(4, np.float32))
    for i in (0, 1, 1, 3):
        assert f(x, i) is None
    assert list(x.numpy()) == [1, 2, 0, 1]


def test_a_view_that_is_assigned_writes_through():
    @morok.jit
    def f(v):
        v += 1
    x = Tensor(np.zeros((3, 2), np.float32)).realize()
    for i in (0, 1, 1):
        f(x[i])
    assert x.numpy().tolist() == [[1, 1], [2, 2], [0, 0]] and f.captures == 1


def test_windows_of_a_tensor_share_a_signature():
    f = morok.jit(lambda v: v.sum())
    x = tensor(6, 2)
    got = [f(x[i:i + 2]).item() for i in range(5)]
    np.testing.assert_allclose(got, [x.numpy()[i:i + 2].sum() for i in range(5)], rtol=1e-6)
    assert f.captures == 1


def test_a_lender_keeps_its_array():
    array = np.zeros(64, np.float32)
    x = Tensor(array, borrow=True)

    @morok.jit
    def f(x):
        x += 1
    for _ in range(2):
        f(x)
    assert not array.any() and (x.numpy() == 2).all()


def test_the_same_tensor_twice():
    @morok.jit
    def f(x, y):
        x.assign(x + 1)
        return y * 2
    for _ in range(2):
        x, y = Tensor([1.0]), Tensor([1.0])
        assert f(x, y).item() == 2 and x.item() == 2
        z = Tensor([1.0])
        assert f(z, z).item() == 4 and z.item() == 2


def test_a_tensor_and_its_view():
    @morok.jit
    def f(x, v):
        x.assign(x + 1)
        v.assign(v * 10)
        return x + 0
    for _ in range(2):
        x = Tensor([1.0, 2.0]).realize()
        assert f(x, x[1:]).numpy().tolist() == [2, 30] and x.numpy().tolist() == [2, 30]
        x, y = Tensor([1.0, 2.0]), Tensor([5.0])
        assert f(x, y).numpy().tolist() == [2, 3] and y.item() == 50


def test_clones_stay_apart():
    @morok.jit
    def f(x):
        x += 1
    x = Tensor([1.0]).realize()
    y = x.clone()
    f(x)
    f(x)
    assert x.item() == 3 and y.item() == 1


def test_tensors_made_of_an_argument_keep_its_old_value():
    @morok.jit
    def f(x):
        x += 1
    x = Tensor([1.0]).realize()
    f(x)
    y, view = x * 10, x[:1]
    f(x)
    assert y.item() == 20 and view.item() == 3 and x.item() == 3


def test_captured_weights_are_live_both_ways():
    w = Tensor([1.0, 2.0])

    @morok.jit
    def f(x):
        w.assign(w + x)
        return (w * 2).sum()
    one = Tensor([1.0, 1.0])
    assert [f(one).item() for _ in range(3)] == [10, 14, 18]
    w.assign(Tensor([0.0, 0.0]))
    assert f(one).item() == 4 and w.numpy().tolist() == [1, 1]
    w[0] = 5
    assert f(one).item() == 16


@pytest.mark.parametrize("make", [lambda: Tensor.zeros(2), lambda: Tensor([1.0, 2.0]) * 3, lambda: Tensor([[0.0, 1.0]])[0]])
def test_captured_tensors_may_be_lazy_views_or_constants(make):
    w = make()
    start = w.clone().numpy()

    @morok.jit
    def f(x):
        w.assign(w + x)
        return w * 1
    for i in range(1, 4):
        np.testing.assert_array_equal(f(Tensor([1.0, 2.0])).numpy(), start + i * np.float32([1, 2]))
        np.testing.assert_array_equal(w.numpy(), start + i * np.float32([1, 2]))


def test_equal_constants_are_different_states():
    m, v = Tensor.zeros(2), Tensor.zeros(2)

    @morok.jit
    def f(x):
        m.assign(m + x)
        v.assign(v + 10 * x)
        return m + v + Tensor.zeros(2)
    for i in range(1, 4):
        assert f(Tensor([1.0, 2.0])).numpy().tolist() == [11 * i, 22 * i]
    assert m.numpy().tolist() == [3, 6] and v.numpy().tolist() == [30, 60]


def test_a_captured_tensor_that_only_others_write():
    w = Tensor.zeros(2)
    f = morok.jit(lambda x: x + w)
    assert f(Tensor([1.0, 1.0])).numpy().tolist() == [1, 1]
    w.assign(Tensor([5.0, 6.0]))
    assert f(Tensor([1.0, 1.0])).numpy().tolist() == [6, 7]
    assert f(Tensor([1.0, 1.0])).numpy().tolist() == [6, 7] and f.captures == 1


@pytest.mark.parametrize("first", ["weight", "other"])
def test_a_captured_tensor_that_is_an_argument_too(first):
    w = Tensor([1.0]).realize()

    @morok.jit
    def f(x):
        w.assign(w + x)
        return w + x
    other = Tensor([10.0])
    expected = 1.0
    for i in range(4):
        if (i % 2 == 0) == (first == "weight"):
            expected *= 2
            assert f(w).item() == 2 * expected
        else:
            expected += 10
            assert f(other).item() == expected + 10
        assert w.item() == expected
    reads = morok.jit(lambda x: x + w)
    assert reads(w).item() == 2 * expected and reads(other).item() == expected + 10


def test_a_view_of_a_captured_tensor_as_argument():
    w = Tensor([1.0, 2.0]).realize()

    @morok.jit
    def f(v):
        w.assign(w + 1)
        return v * 1
    for i in range(3):
        assert f(w[1:]).item() == 3 + i


def test_swapping_two_arguments():
    @morok.jit
    def swap(a, b):
        old = a.clone()
        a.assign(b)
        b.assign(old)
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    for i in range(3):
        swap(a, b)
        assert (a.numpy().tolist() == [3, 4]) == (i % 2 == 0)


def test_lazy_arguments_are_realised():
    f = morok.jit(lambda x: x + 1)
    x = tensor(3)
    for i in range(3):
        y = x * i
        np.testing.assert_array_equal(f(y).numpy(), x.numpy() * i + 1)
        assert y.is_realized
    np.testing.assert_array_equal(f(x.reshape(1, 3).T.reshape(3)).numpy(), x.numpy() + 1)


def test_arrays_are_tensors():
    f = morok.jit(lambda x: x + 1)
    assert f(np.float32([1, 2])).numpy().tolist() == [2, 3]
    assert f(np.float32([3, 4])).numpy().tolist() == [4, 5] and f.captures == 1


def test_variables_in_shapes():
    n = Variable("n", 1, 8)
    x = tensor(8, 3)
    f = morok.jit(lambda v: v * 2)
    g = morok.jit(lambda x, k: x[:k].sum(0))
    for k in (3, 5, 8, 1):
        y = f(x[:n.bind(k)])
        assert int(y.shape[0]) == k
        np.testing.assert_array_equal(y.numpy(), x.numpy()[:k] * 2)
        np.testing.assert_allclose(g(x, n.bind(k)).numpy(), x.numpy()[:k].sum(0), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose((y + 1).sum().item(), (x.numpy()[:k] * 2 + 1).sum(), rtol=1e-5)
    assert f.captures == g.captures == 1


def test_several_devices():
    f = morok.jit(lambda x: ((x + 1).to("CPU:1") * 2, x * 3))
    for i in range(3):
        a, b = f(Tensor([float(i)]))
        assert a.item() == 2 * i + 2 and a.device == "CPU:1" and b.item() == 3 * i


def test_results_that_are_constants_or_repeated():
    @morok.jit
    def f(x):
        y = x + 1
        return y, y, Tensor.ones(2), Tensor([7.0]), x.reshape(1, 2)
    for i in range(3):
        x = Tensor([1.0, 2.0 + i])
        a, b, ones, seven, row = f(x)
        assert a.numpy().tolist() == b.numpy().tolist() == [2, 3 + i]
        a += 1
        assert b.numpy().tolist() == [3, 4 + i]
        assert ones.numpy().tolist() == [1, 1] and seven.item() == 7 and row.numpy().tolist() == [[1, 2 + i]]


def test_results_of_equal_value_are_tensors_of_their_own():
    f = morok.jit(lambda x: (x + 1, x + 1))
    for _ in range(2):
        a, b = f(Tensor([1.0]))
        a += 5
        assert a.item() == 7 and b.item() == 2


def test_an_error_leaves_everything_as_it_was():
    w, x = Tensor([1.0]), Tensor([2.0])

    def named_function(x):
        w.assign(w + 1)
        x += 5
        raise KeyError("mine")
    f = morok.jit(named_function)
    for _ in range(2):
        with pytest.raises(KeyError) as caught:
            f(x)
        assert "named_function" in "".join(caught.value.__notes__) and "test_jitted_functions.py" in "".join(caught.value.__notes__)
    assert w.item() == 1 and x.item() == 2 and (w + x).item() == 3


def test_a_value_that_only_a_call_has():
    w = Tensor([1.0]).realize()
    for look in (lambda x: x.item(), lambda x: (x + 1).numpy(), lambda x: bool((x > 0).all()), lambda x: (w + 1).tolist(), lambda x: x.prepare()):
        with pytest.raises(JitError, match="only a call has"):
            morok.jit(look)(Tensor([1.0]))


@dataclass
class Kept:
    value: Tensor | None = None


def keep_in_a_list(kept, x):
    kept.append(x + 1)
    return x


def keep_in_an_attribute(kept, x):
    kept.append(Kept())
    kept[-1].value = x * 2
    return x + 1


def keep_the_argument(kept, x):
    kept.append(x)
    return x + 1


def keep_in_a_result(kept, x):
    kept.append(Kept(x + 1))
    return kept[-1]


@pytest.mark.parametrize("keep", [keep_in_a_list, keep_in_an_attribute, keep_the_argument, keep_in_a_result])
def test_a_tensor_of_a_capture_has_no_value_outside(keep):
    kept = []
    f = morok.jit(lambda x: keep(kept, x))
    for _ in range(2):
        f(Tensor([1.0, 2.0]))
    found = kept[0].value if isinstance(kept[0], Kept) else kept[0]
    for look in (lambda: found.numpy(), lambda: (found + 1).realize(), lambda: (found + 1).prepare(), lambda: morok.jit(lambda y: y * 2)(found),
                 lambda: morok.jit(lambda: found * 2)(), lambda: morok.jit(lambda y: y.assign(y + 1))(found)):
        with pytest.raises(JitError, match="has no value outside of it; return it"):
            look()


def test_results_that_only_one_caller_can_use_are_refused():
    def steps(x):
        yield x + 1

    async def later(x):
        return x + 1

    for make in (steps, lambda x: map(abs, [x])):
        with pytest.raises(JitError, match="all calls of the captured function would share"):
            morok.jit(make)(Tensor([1.0]))
    with pytest.warns(RuntimeWarning, match="never awaited"), pytest.raises(JitError, match="coroutine"):
        morok.jit(later)(Tensor([1.0]))
        gc.collect()


@pytest.mark.parametrize("values", [({1: 2}, {True: 2}, {1.0: 2}), ({0.0: 2}, {-0.0: 2}), ({(1,): 2}, {(True,): 2}),
                                    (frozenset([1]), frozenset([True]), frozenset([1.0]))], ids=str)
def test_keys_of_equal_value_are_told_apart(values):
    f = morok.jit(lambda x, given: (x + 1, repr(given)))
    for _ in range(2):
        assert [f(Tensor([1.0]), v)[1] for v in values] == [repr(v) for v in values]
    assert f.captures == len(values)


def test_realize_inside_changes_nothing():
    w = Tensor([0.0])

    @morok.jit
    def f(x):
        w.assign(w + x).realize()
        return (w * 2).realize()
    assert [f(Tensor([1.0])).item() for _ in range(3)] == [2, 4, 6]
    k = morok.jit(lambda x: x + Tensor([1.0, 2.0]).sum().item())
    assert k(Tensor([1.0])).item() == k(Tensor([1.0])).item() == 4


def test_jitted_functions_within_jitted_functions():
    inner = morok.jit(lambda x: x + 1)
    outer = morok.jit(lambda x: inner(x) * 2)
    assert inner(Tensor([1.0])).item() == 2
    assert [outer(Tensor([float(i)])).item() for i in range(3)] == [2, 4, 6]


def test_methods():
    class Layer:
        def __init__(self, w):
            self.w = Tensor([w])

        @morok.jit
        def forward(self, x):
            return x * self.w
    one, two = Layer(2.0), Layer(3.0)
    for _ in range(2):
        assert one.forward(Tensor([5.0])).item() == 10 and two.forward(Tensor([5.0])).item() == 15


def test_threads():
    f = morok.jit(lambda x, y: (x @ y).sum(0))
    total = Tensor(np.zeros(4, np.float32)).realize()

    @morok.jit
    def count():
        total.assign(total + 1)
    wrong = []

    def work(seed):
        for i in range(30):
            x, y = tensor(8, 8, seed=seed * 100 + i), tensor(8, 8, seed=seed)
            if not np.allclose(f(x, y).numpy(), (x.numpy() @ y.numpy()).sum(0), atol=1e-4):
                wrong.append((seed, i))
            count()
    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and (total.numpy() == 120).all() and f.captures == count.captures == 1


def test_other_threads_do_not_see_a_capture():
    w, seen, inside, go = Tensor([1.0]), [], threading.Event(), threading.Event()

    @morok.jit
    def f(x):
        w.assign(w + x)
        inside.set()
        go.wait(10)
        return w * 1

    def look():
        inside.wait(10)
        seen.append((w + 0).item())
        go.set()
    thread = threading.Thread(target=look)
    thread.start()
    assert f(Tensor([5.0])).item() == 6
    thread.join()
    assert seen == [1]


def test_the_graph_of_a_capture_is_dropped():
    from morok.graph.tensor_graph import graph_statistics
    w = tensor(3)
    f = morok.jit(lambda x: ((x * w).exp() + 1).sum())
    x = tensor(3).realize()
    f(x)
    before = graph_statistics()["operations"]
    for _ in range(5):
        f(x)
    assert graph_statistics()["operations"] <= before
    f.clear()
    f(x)
    assert graph_statistics()["operations"] <= before


def test_dead_arguments_free_their_memory():
    import weakref
    f = morok.jit(lambda x: x + 1)
    x = tensor(3)
    f(x)
    ref = weakref.ref(x)
    del x
    f(tensor(3))
    assert ref() is None


def test_check_mode():
    from morok.runtime import configured
    w = Tensor.zeros(3)

    @morok.jit
    def f(x):
        w.assign(w + x)
        return (w * x).sum()
    with configured(check=True):
        assert [f(Tensor([1.0, 2.0, 3.0])).item() for _ in range(2)] == [14, 28]


def test_not_a_function():
    with pytest.raises(TypeError, match="takes a function"):
        morok.jit(3)


def test_a_tensor_given_twice_takes_the_short_path_too():
    f = morok.jit(lambda a, b, c: a * 2 + b * c)
    x, y, z = (Tensor([float(n), n + 1.0]).realize() for n in range(3))
    for a, b, c in [(x, x, y), (x, x, y), (y, y, z), (x, y, x), (x, y, x), (z, z, z), (z, z, z), (x, y, z), (y, y, x)]:
        got, want = f(a, b, c).numpy(), a.numpy() * 2 + b.numpy() * c.numpy()
        assert (got == want).all()
    assert len(f._fast) >= 3


def test_the_report_shows_what_each_signature_runs():
    f = morok.jit(lambda x: (x @ x.T).relu())
    assert f.report() == "morok.jit(<lambda>): 0 signatures captured\n".replace("<lambda>", f.name)
    for rows in (8, 16):
        f(tensor(rows, 24))
    report = f.report()
    assert "2 signatures captured" in report and "in0:8x24xfloat32" in report and "in0:16x24xfloat32" in report


def test_the_report_of_a_function_that_computes_nothing():
    f = morok.jit(lambda x: x)
    f(tensor(3))
    assert f.report().splitlines()[1:] == ["computes nothing"]


@pytest.mark.parametrize("variable", [lambda x: x.detach().requires_grad_(), lambda x: x.requires_grad_(), lambda x: (x * 1).detach().requires_grad_()],
                         ids=["of an argument", "an argument", "of a result"])
def test_variables_that_the_function_makes_itself_need_no_second_capture(variable):
    @morok.jit
    def gradient(x, y):
        w = variable(x)
        (w * w * y).sum().backward()
        return w.grad
    x, y = tensor(4).realize(), tensor(4, seed=1).realize()
    for _ in range(3):
        np.testing.assert_allclose(gradient(x, y).numpy(), 2 * x.numpy() * y.numpy(), rtol=1e-6)
    assert gradient.captures == 1 and not x.requires_grad and x.grad is None


def test_a_variable_that_the_function_makes_and_leaves_outside_keeps_its_gradient():
    kept = []

    @morok.jit
    def first(y):
        w = Tensor([2.0, 3.0], requires_grad=True)
        kept.append(w)
        (w * y).sum().backward()
        return w.grad
    y = Tensor([4.0, 5.0]).realize()
    first(y)
    assert kept[0].grad.tolist() == [4.0, 5.0]


def test_views_see_what_a_captured_function_writes():
    @morok.jit
    def add_one(b):
        b += 1
    b = Tensor([1.0, 2.0, 3.0]).realize()
    views = b[1:], b.reshape(3, 1), b.flip(0)
    for k in range(1, 4):
        add_one(b)
        assert b.tolist() == [1 + k, 2 + k, 3 + k]
        assert [v.tolist() for v in views] == [[2 + k, 3 + k], [[1 + k], [2 + k], [3 + k]], [3 + k, 2 + k, 1 + k]]
    view = b[1:]
    add_one(b)
    view += 10
    assert b.tolist() == [5, 16, 17]
    c = Tensor([1.0, 2.0]).realize()
    first, twice = c[:1], morok.jit(lambda: c.assign(c * 2))
    for k in range(1, 4):
        twice()
        assert c.tolist() == [2 ** k, 2 ** (k + 1)] and first.tolist() == [2 ** k]
