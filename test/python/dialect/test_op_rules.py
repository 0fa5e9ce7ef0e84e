"""Every op's rules: each malformed instance is told from a good one, and its message is the same from Python, from MLIR and from text."""
# ruff: noqa: E501  (MLIR text and its messages)

import pytest
from hypothesis import given
from hypothesis import strategies as st
from malformed import MALFORMED
from mlir import ir

from morok.dialect import types as T
from morok.dialect.attributes import attribute_from_mlir
from morok.dialect.context import shared_context
from morok.dialect.opdef import TABLE, Instance, verify_instance
from morok.dialect.reference import example, module_of
from morok.dialect.verify import check_module_readable, explain, verify_module
from morok.graph.body import Body, Program
from morok.graph.uop import UOp, argument
from morok.passes.verify.verify import verify_program

malformed = pytest.mark.parametrize("instance, message", MALFORMED, ids=[f"{case[0].definition.name}: {case[1]}" for case in MALFORMED])


def test_every_op_has_a_malformed_instance():
    assert {instance.definition.name for instance, _ in MALFORMED} == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_example_verifies(name):
    assert verify_instance(example(TABLE[name])) is None


@malformed
def test_instance(instance, message):
    assert (verify_instance(instance) or "").startswith(message)


@malformed
def test_uop_built_in_python(instance, message):
    """Building is no error; verifying names the line of Python. (A UOp has no way to be without result.)"""
    if instance.result is None and instance.definition.result is not None or instance.definition.result is None and instance.result is not None:
        return
    attributes = tuple(instance.attributes.get(a.name) for a in instance.definition.attributes)
    arguments = [argument(i, t) for i, t in enumerate(instance.operands)]
    u = UOp.make(instance.definition.name, tuple(arguments), attributes, instance.result or T.token, ("model.py", 12))
    program = Program(shared_context())
    program.bodies["main"] = Body("main", arguments, (u,))
    [diagnostic] = verify_program(program)
    assert str(diagnostic).startswith(f"model.py:12:1: error: 'morok.{u.name}' op {message}")


def as_module(instance):
    """The instance as MLIR, or None where MLIR's attributes cannot express it."""
    try:
        module = module_of([instance], shared_context())
    except (AttributeError, TypeError, ValueError, RuntimeError, AssertionError, ir.MLIRError):
        return None
    op = module.body.operations[0].regions[0].blocks[0].operations[0]
    kept = {a.name: attribute_from_mlir(a.attr) for a in (op.attributes[i] for i in range(len(op.attributes)))}
    return module if all(kept.get(name) == value and type(kept[name]) is type(value) for name,
                         value in instance.attributes.items()) else None


IN_MLIR = [(*case, module) for case in MALFORMED if (module := as_module(case[0])) is not None]
in_mlir = pytest.mark.parametrize("instance, message, module", IN_MLIR, ids=[f"{case[0].definition.name}: {case[1]}" for case in IN_MLIR])


def test_most_malformed_instances_can_be_written():
    assert len(IN_MLIR) > 0.7 * len(MALFORMED)


@in_mlir
def test_mlir_operation(instance, message, module):
    """Verifying finds it; and nothing but an unknown type keeps the module from being read."""
    [diagnostic] = verify_module(module, shared_context())
    assert str(diagnostic).startswith(f"error: 'morok.{instance.definition.name}' op {message}")
    assert check_module_readable(module, shared_context()) == []
    Program(shared_context(), module)


@in_mlir
def test_text(instance, message, module):
    """MLIR may refuse the text; `explain` says why in the table's words, at line and column."""
    text = module.operation.get_asm(print_generic_op_form=True)
    line, column = next((i, row.index('"morok.')) for i, row in enumerate(text.splitlines(), 1) if '"morok.' in row)
    [diagnostic] = explain(text, "kernel.mlir")
    assert (diagnostic.file, diagnostic.line, diagnostic.column) == ("kernel.mlir", line, column + 1)
    assert diagnostic.message.startswith(f"'morok.{instance.definition.name}' op {message}")


TYPES = [*T.DTYPES.values(), T.token, T.argument, T.tensor((), T.float32), T.tensor((2, 3), T.int32), T.tensor((None, 3), T.float32),
         T.tensor((0,), T.bool_),
         T.memref((4,), T.float32), T.memref((4,), T.float32, "local"), T.vector(4, T.float32), T.vector(4, T.bool_), T.vector(4, T.index),
         T.ptr(T.float32, "global"), T.ptr(T.vector(4, T.float32), "global")]
VALUES = [0, -1, 3, True, 1.5, float("nan"), "add", "n", (), (0,), (1, 0), (2, 3), (-(1 << 63), 3), ("a",), (1.5,), None, 1 << 70]


@given(st.sampled_from(sorted(TABLE)), st.lists(st.sampled_from(TYPES), max_size=4), st.lists(st.sampled_from(VALUES), min_size=3,
                                                                                              max_size=3),
       st.sampled_from([None, *TYPES]))
def test_rules_never_crash(name, operands, values, result):
    """Whatever types and attributes an op has, its rules answer with a message or None."""
    definition = TABLE[name]
    attributes = {a.name: v for a, v in zip(definition.attributes, values) if v is not None}
    message = verify_instance(Instance(definition, tuple(operands), attributes, result))
    assert message is None or isinstance(message, str) and message and "Error" not in message and "index out of range" not in message
