"""When an assign may overwrite its buffer: when nobody can ask for the old contents afterwards."""
import gc

import pytest
from graph_building import HeldTensor, buffer

from morok.graph.capture import capture, structural_key
from morok.graph.in_place import target_buffer
from morok.graph.registries import TENSORS
from morok.graph.tensor_graph import TensorUOp


def assign(target: TensorUOp, value: TensorUOp, view: TensorUOp | None = None) -> TensorUOp:
    return TensorUOp.make("assign", (target, target if view is None else view, value))


def overwrites(sinks, **options) -> list[TensorUOp]:
    """The leaves that may be overwritten; capture and key must agree."""
    captured = capture(sinks, **options)
    body = captured.program.bodies["main"]
    found = [leaf for leaf, attributes in zip(captured.leaves, body.argument_attributes) if "morok.in_place" in attributes]
    key, leaves, _ = structural_key(sinks, **options)
    assert [leaves[i] for i in key[2]] == found
    return found


def held(u: TensorUOp) -> HeldTensor:
    tensor = HeldTensor(u)
    TENSORS.add(tensor)
    return tensor


def test_a_buffer_that_only_the_assign_reads():
    a, b = buffer(), buffer()
    assert overwrites([assign(a, a + b)]) == [a]


def test_the_attribute_is_in_the_text():
    a = buffer()
    assert "%arg0: tensor<2x3xf32> {morok.in_place}" in str(capture([assign(a, a.alu("exp"))]).program.module)


def test_no_assign():
    assert overwrites([buffer() + buffer()]) == []


def test_a_lazy_reader_outside_forbids_it():
    a = buffer()
    reader = a + a
    sink = assign(a, a.alu("exp"))
    assert overwrites([sink]) == []
    del reader
    assert overwrites([sink]) == [a]


def test_a_reader_that_is_realized_as_well_does_not_matter():
    a = buffer()
    reader = a + a
    assert overwrites([assign(a, a.alu("exp")), reader]) == [a]


def test_what_follows_from_a_realized_reader_does_not_matter():
    a = buffer()
    reader = a + a
    later = reader.alu("exp")
    assert overwrites([assign(a, a.alu("exp")), reader]) == [a]
    del later


def test_an_intermediate_value_of_the_computation_that_lives_on_forbids_it():
    a = buffer()
    shared = a + a
    tensor = held(shared)
    sink = assign(a, shared * 2)
    assert overwrites([sink]) == []
    del tensor
    gc.collect()
    assert overwrites([sink]) == [a]


def test_a_lazy_user_of_an_intermediate_value_forbids_it():
    a = buffer()
    sink = assign(a, (a + a).alu("exp"))
    later = (a + a).alu("neg")
    assert overwrites([sink]) == []
    del later
    assert overwrites([sink]) == [a]


def test_a_tensor_that_is_the_old_buffer_forbids_it():
    a = buffer()
    tensor = held(a)
    assert overwrites([assign(a, a + a)]) == []
    del tensor


def test_an_assign_that_stays_lazy_itself_forbids_it():
    """Else it would be done twice: x += 1, read through another value first and then realized."""
    a = buffer()
    tensor = held(assign(a, a + a))
    assert overwrites([tensor.uop.alu("exp")]) == []
    assert overwrites([tensor.uop.alu("exp"), tensor.uop]) == [a]


def test_the_old_buffer_as_a_result_forbids_it():
    a = buffer()
    assert overwrites([assign(a, a + a), a]) == []


def test_the_caller_may_forbid_it():
    a, b = buffer(), buffer()
    sinks = [assign(a, b), assign(b, a)]
    assert overwrites(sinks) == [a, b]
    assert overwrites(sinks, in_place=False) == []
    assert overwrites(sinks, in_place=lambda leaf: leaf is b) == [b]


def test_buffers_are_judged_one_by_one():
    a, b = buffer(), buffer()
    reader = b + b
    assert overwrites([assign(a, b.alu("exp")), assign(b, b.alu("neg"))]) == [a]
    del reader


def test_a_chain_of_assigns_has_one_root():
    a, b = buffer(), buffer()
    twice = assign(assign(a, b), b.alu("exp"))
    assert target_buffer(twice) is a
    assert overwrites([twice]) == [a]


@pytest.mark.parametrize("name, attributes, root", [("flip", ((0,),), True), ("reshape", ((6,),), True), ("contiguous", (), False)])
def test_targets_through_views(name, attributes, root):
    a = buffer()
    view = TensorUOp.make(name, (a,), attributes)
    assert (target_buffer(assign(view, view)) is a) is root


def test_a_value_computed_has_no_root():
    assert target_buffer(assign(buffer() + buffer(), buffer())) is None
