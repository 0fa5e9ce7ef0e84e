"""What may stand in each form, as docs/architecture.md describes them: rules over bodies, and over the MLIR module for loops and llvm.

A rule yields (op or None, message); `verify_form` makes them diagnostics at the op's place in the user's file.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mlir import ir

from ...dialect import types as T
from ...dialect.opdef import DYNAMIC, TABLE
from ...dialect.ops import MOVEMENT
from ...dialect.verify import PREFIX, Diagnostic, diagnose, operations
from ...errors import OptionError
from ...graph.body import Body, Program
from ...graph.launches import mismatch, rows_of
from ...graph.uop import UOp
from ...interpret.kernel_form import launch_conflicts
from .open_ranges import loops

Found = Iterator[tuple[UOp | None, str]]
BodyRule = Callable[[Body], Found]

LAUNCHING = frozenset(("arg", "buffer", "unique", "device", "define_global", "define_var", "param", "kernel", "after", "sink"))
"""Ops of a function that launches kernels."""
ONLY_IN_KERNEL_FORM = frozenset(("param", "kernel", "define_global", "define_local", "define_reg", "special", "sink"))
ONLY_OUTSIDE_KERNELS = frozenset(("bufferize", "param", "kernel", "define_global", "buffer"))
EXPANDED_KINDS = ("upcast", "unroll")


# Any form of UOps

def belongs(form: str, without: frozenset[str] = frozenset()) -> BodyRule:
    """Only ops that the table allows in the form."""
    def rule(body: Body) -> Found:
        for u in body.order():
            if u.name != "arg" and (form not in TABLE[u.name].forms or u.name in without):
                yield u, f"does not belong in {NAMES.get(form, form)}"
    return rule


def types_are(kinds: tuple[type, ...], description: str) -> BodyRule:
    def rule(body: Body) -> Found:
        for u in (*body.arguments, *body.order()):
            if not isinstance(u.type, kinds):
                yield u, f"has type {T.spelling(u.type)}; values here are {description}"
    return rule


# Tensor form

def buffers_are_static(body: Body) -> Found:
    for u in body.arguments:
        if None in getattr(u.type, "shape", ()):
            yield u, f"has type {u.type}; a buffer has a static shape: make it the greatest size and view it through shrink and reshape"


def views_move_their_target(body: Body) -> Found:
    """An assign's view is a chain of movement ops over its target."""
    for u in body.order():
        if u.name == "assign":
            target, view, _ = u.operands
            while view is not target and view.name in MOVEMENT:
                view = view.operands[0]
            if view is not target:
                yield u, f"writes a view that is not made of movement ops over its target; '{PREFIX}{view.name}' is in the way"


def dynamic_sizes_are_index_expressions(body: Body) -> Found:
    """Sizes come from variables and constants, not from tensors."""
    for u in body.order():
        if DYNAMIC in (entry for attribute in u.attributes if isinstance(attribute, tuple) for entry in attribute):
            for size in u.operands[1:]:
                wrong = next((v for v in size.backward_slice() if isinstance(v.type, T.TensorType)), None)
                if wrong is not None:
                    yield u, f"has a size that depends on '{PREFIX}{wrong.name}' of type {wrong.type}"


# Loops as values

def ranges_are_closed(body: Body) -> Found:
    found = loops(body.order())
    for root in dict.fromkeys(body.roots):
        for r in sorted(found[root].open, key=range_id):
            yield root, f"leaves range {range_id(r)} open; close it by reduce, bufferize or end"


def global_buffers_close_their_ranges(body: Body) -> Found:
    found = loops(body.order())
    for u in body.order():
        if u.name == "bufferize" and u.attribute("space") == "global":
            for r in sorted(found[u].open, key=range_id):
                yield u, f"of space global must close range {range_id(r)}, on which its value depends"


def one_loop_per_range(body: Body) -> Found:
    """What runs in a range's loop does not need the result of the loop."""
    found = loops(body.order())
    for u in body.order():
        for r in sorted(found[u].inside & found[u].closed, key=range_id):
            if not any(r in found[o].inside & found[o].closed for o in u.operands):
                yield u, f"stands in the loop of range {range_id(r)} and needs what this loop computes; a second loop is a second range"


def range_ids_differ(body: Body) -> Found:
    seen: dict[int, UOp] = {}
    for u in body.order():
        if u.name == "range" and seen.setdefault(range_id(u), u) is not u:
            yield u, f"has id {range_id(u)}, as another range has"


def extents_are_outside_loops(body: Body) -> Found:
    found = loops(body.order())
    for u in body.order():
        if u.name == "range" and found[u].inside:
            yield u, f"has an extent that depends on range {range_id(min(found[u].inside, key=range_id))}"


def kinds_are(*kinds: str) -> BodyRule:
    def rule(body: Body) -> Found:
        for u in body.order():
            if u.name == "range" and u.attribute("kind") not in kinds:
                yield u, f"has kind {u.attribute('kind')}; ranges here are of kind {', '.join(kinds)}"
    return rule


def expanded_extents_are_constant(body: Body) -> Found:
    for u in body.order():
        if u.name == "range" and u.attribute("kind") in EXPANDED_KINDS and not u.operands[0].is_const():
            yield u, f"of kind {u.attribute('kind')} must have a constant extent"


def range_id(r: UOp) -> int:
    return r.attribute("id")


# Kernels

def kernel_signature(body: Body) -> Found:
    for u in body.arguments:
        if not isinstance(u.type, T.MemRefType):
            yield u, f"has type {T.spelling(u.type)}; a kernel takes buffers"
    if body.results:
        yield body.results[0], "is a kernel's result; a kernel has none"
    if len(body.sinks) != 1 or body.sinks[0].name != "sink":
        yield None, f"kernel @{body.name} must end in one sink, not {len(body.sinks)}"


def effects_reach_the_sink(body: Body) -> Found:
    """A sink holds ends and stores."""
    for sink in body.sinks:
        for effect in sink.operands:
            if effect.name not in ("end", "store", "barrier"):
                yield sink, f"holds '{PREFIX}{effect.name}', which stores nothing"


def buffers_are_flat(body: Body) -> Found:
    for u in (*body.arguments, *body.order()):
        if isinstance(u.type, T.MemRefType) and len(u.type.shape) != 1:
            yield u, f"has type {u.type}; buffers here have one dimension"


def bools_are_bytes(body: Body) -> Found:
    for u in (*body.arguments, *body.order()):
        if isinstance(u.type, T.MemRefType) and u.type.dtype is T.bool_:
            yield u, f"has type {u.type}; a bool in memory is a ui8"


# Functions that launch kernels

def launches_only(body: Body) -> Found:
    for u in body.order():
        if u.name not in LAUNCHING:
            yield u, "does not belong in a function that launches kernels"
    for r in body.results:
        if not isinstance(r.type, T.MemRefType):
            yield r, f"is a result of type {T.spelling(r.type)}; results here are buffers"


def launches_match(program: Program, body: Body, exact: bool) -> Found:
    """Each launch binds the slots of a kernel that exists, to buffers of its arguments' types (flattened ones from vector form on)."""
    for u in body.order():
        if u.name != "kernel":
            continue
        callee = program.bodies.get(u.attribute("callee"))
        if callee is None or not callee.is_kernel:
            yield u, f"launches @{u.attribute('callee')}, which is not a kernel of the module"
            continue
        wrong = mismatch(u, callee)
        if wrong is not None:
            yield u, wrong
            continue
        for number, row in enumerate(rows_of(u, callee)):
            for slot, (version, argument) in enumerate(zip(row.buffers, callee.arguments), number * len(callee.arguments)):
                given, taken = version.type, argument.type
                if given is not taken and not (fits(given, taken) if row.values else not exact and same_memory(given, taken)):
                    yield u, f"binds slot {slot} of @{callee.name} to a {version.type}, but it takes a {T.spelling(argument.type)}"


def fits(given: T.Type, taken: T.Type) -> bool:
    """Whether memory may be given to a kernel that is told how much it is."""
    if not isinstance(given, T.MemRefType) or not isinstance(taken, T.MemRefType) or None in (*given.shape, *taken.shape):
        return False
    return len(taken.shape) == 1 and given.size <= taken.size and same_elements(given, taken)


def same_memory(a: T.Type, b: T.Type) -> bool:
    if not isinstance(a, T.MemRefType) or not isinstance(b, T.MemRefType) or None in (*a.shape, *b.shape):
        return False
    return a.size == b.size and same_elements(a, b)


def same_elements(a: T.MemRefType, b: T.MemRefType) -> bool:
    return a.dtype is b.dtype or {a.dtype, b.dtype} == {T.bool_, T.uint8}


# The forms

LOOPS_AS_VALUES: tuple[BodyRule, ...] = (ranges_are_closed, one_loop_per_range, range_ids_differ, extents_are_outside_loops)
NOT_TENSORS = types_are((T.DType, T.MemRefType, T.PtrType, T.TokenType, T.ArgumentType), "scalars, pointers and buffers")

OF_KERNELS = (kernel_signature, effects_reach_the_sink, *LOOPS_AS_VALUES)
IN_KERNELS = (belongs("range", ONLY_OUTSIDE_KERNELS), NOT_TENSORS, *OF_KERNELS)

NAMES = {"tensor": "tensor form", "range": "range form", "vector": "vector form"}

BODY_RULES: dict[str, tuple[BodyRule, ...]] = {
    "tensor": (belongs("tensor"), types_are((T.TensorType, T.DType, T.TokenType), "tensors and index"), buffers_are_static,
               views_move_their_target, dynamic_sizes_are_index_expressions),
    "range": (belongs("range", ONLY_IN_KERNEL_FORM), NOT_TENSORS, *LOOPS_AS_VALUES, global_buffers_close_their_ranges,
              kinds_are("loop", "reduce", "ordered")),
}
KERNEL_RULES: dict[str, tuple[BodyRule, ...]] = {
    "kernel": (*IN_KERNELS, kinds_are("loop", "reduce", "ordered")),
    "optimised": (*IN_KERNELS, expanded_extents_are_constant),
    "vector": (belongs("vector"), *OF_KERNELS, kinds_are("loop", "reduce", "ordered", "thread"), buffers_are_flat, bools_are_bytes),
}
MODULE_FORMS = ("loops", "llvm")
FORMS = (*BODY_RULES, *KERNEL_RULES, *MODULE_FORMS)


def verify_form(program: Program, form: str) -> list[Diagnostic]:
    """What keeps the program from being of the form: tensor, range, kernel, optimised, vector, loops or llvm."""
    if form in BODY_RULES:
        return [d for body in program.bodies.values() for d in _apply(BODY_RULES[form], body)]
    if form in KERNEL_RULES:
        return list(_verify_kernels(program, form))
    if form in MODULE_FORMS:
        return _verify_upstream(program.module, form)
    raise OptionError(f"there is no form '{form}'; forms are {', '.join(FORMS)}")


def holds_form(body: Body, form: str) -> bool:
    """Whether a pass that takes the form has work in such a function, judged by its kind alone: `verify_form` says what is wrong in it.
    """
    if form in KERNEL_RULES:
        return body.is_kernel
    values = [*body.arguments, *body.order()]
    if form == "tensor":
        return any(isinstance(u.type, T.TensorType) for u in values)
    return form != "range" or not (body.is_kernel or any(isinstance(u.type, T.TensorType) or u.name in ONLY_IN_KERNEL_FORM for u in values))


def _verify_kernels(program: Program, form: str) -> Iterator[Diagnostic]:
    for body in program.bodies.values():
        if body.is_kernel:
            yield from _apply(KERNEL_RULES[form], body)
            continue
        wrong = [*launches_only(body), *launches_match(program, body, exact=form != "vector")]
        yield from _diagnostics(wrong or launch_conflicts(program, body), body)


def _apply(rules: Iterable[BodyRule], body: Body) -> list[Diagnostic]:
    return _diagnostics((found for rule in rules for found in rule(body)), body)


def _diagnostics(found: Iterable[tuple[UOp | None, str]], body: Body) -> list[Diagnostic]:
    """One diagnostic for each op."""
    first: dict[UOp | None, str] = {}
    for u, message in found:
        first.setdefault(u, message)
    return [at(u, message, body) for u, message in first.items()]


def at(u: UOp | None, message: str, body: Body) -> Diagnostic:
    """A diagnostic about an op of a body, at the user's line."""
    if u is None:
        return Diagnostic(message)
    subject = f"argument {u.attributes[0]} of @{body.name}" if u.name == "arg" else f"'{PREFIX}{u.name}' op"
    return Diagnostic(f"{subject} {message}", *(u.loc or ()))


# Upstream dialects

def _verify_upstream(module: ir.Module, form: str) -> list[Diagnostic]:
    found = []
    for function in module.body.operations:
        inside = [function.operation, *operations(function.operation)]
        if _launches(inside):
            continue
        for op in inside:
            dialect = op.name.partition(".")[0]
            if form == "loops" and dialect == "morok":
                found.append(diagnose(f"'{op.name}' op does not belong in loops form, which has upstream dialects only", op.location))
            elif form == "llvm" and dialect not in ("llvm", "omp"):
                found.append(diagnose(f"'{op.name}' op does not belong in llvm form", op.location))
    return found


def _launches(function: list[ir.Operation]) -> bool:
    """Whether these are the ops of a function that launches kernels."""
    names = {op.name.removeprefix(PREFIX) for op in function[1:]}
    return function[0].name == "func.func" and "kernel" in names and names <= LAUNCHING | {"func.return"}


__all__ = ["FORMS", "at", "holds_form", "verify_form"]
