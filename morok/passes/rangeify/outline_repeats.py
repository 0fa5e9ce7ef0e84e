"""morok-outline-repeats: repeats as stages. What they begin with is computed before, the body is a program of its own, run as often as it takes.

    v = carries(c, f(a), g(c, h(a)))                     stage 0      p = f(a), q = h(a)
    y = k(repeated(repeat(v) {count = 10}))      =>      copy         x = p
                                                         ten times    y = g(x, q), then x = g(y, q), in turn
                                                         stage 2      k(x)

A body reads the carried values from one memory and writes the next ones to another; every second iteration runs with the two exchanged, so that nothing
is copied and no iteration overwrites what it still reads. A carried value that the body only puts rows into (a scatter: what a loop collects) stays where it
is, so that an iteration writes no more than its row. What a body uses and does not depend on its carried values is computed before the loop, once;
masks and the like, made of constants alone, and views of memory are computed in the body, which costs less than to read them.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from mlir import ir

from ...dialect import types as T
from ...dialect.context import shared_context
from ...dialect.ops import MOVEMENT
from ...errors import DeviceError, IRError
from ...graph.body import Body, Program
from ...graph.repetition import Parts, check_closed, open_carried, parts_of
from ...graph.stages import RepeatStage, Stage
from ...graph.uop import UOp, argument, substitute, toposort
from ..registry import Pass, morok_pass
from .join_repeats import joined_repeats

NewSlot = Callable[[], int]


@morok_pass("morok-outline-repeats", form="tensor")
class OutlineRepeats(Pass):
    """Makes each program that a function with loops is cut into a function of its own."""

    evaluable = False

    def run(self, program: Program) -> None:
        for name, body in list(program.bodies.items()):
            if any(u.name == "repeat" for u in body.order()):
                arguments = len(body.arguments)
                numbers = count(arguments + len(body.results))
                whole = Stage(body, tuple(range(arguments)), tuple(range(arguments, arguments + len(body.results))))
                del program.bodies[name]
                self._enter(split_repeats(whole, lambda numbers=numbers: next(numbers)), f"{name}.", {}, program)  # type: ignore[misc]

    def _enter(self, stages: Sequence[Stage | RepeatStage], prefix: str, around: dict[str, ir.Attribute], program: Program) -> None:
        """Functions that say which slots they read and write, what is copied after them, and of which loop they are the body."""
        context = program.dialect.context
        for number, stage in enumerate(stages):
            if isinstance(stage, RepeatStage):
                loop = {"morok.repeat": _numbers((stage.count,), context), "morok.exchanges": _numbers((*stage.carried, *stage.following), context)}
                if stage.goes_on is not None:
                    loop["morok.while"] = _numbers((stage.carried[stage.goes_on],), context)
                self._enter(stage.stages, f"{prefix}{number}.", loop, program)
                continue
            copies = {"morok.copies": _numbers(sum(stage.copies, ()), context)} if stage.copies else {}
            slots = {"morok.reads": _numbers(stage.inputs, context), "morok.writes": _numbers(stage.outputs, context)}
            body = stage.body or Body("", [], (), (), {}, [])
            name = f"{prefix}{number}"
            program.bodies[name] = replace(body, name=name, attributes={**body.attributes, **around, **slots, **copies})


def _numbers(values: Sequence[int], context: ir.Context) -> ir.Attribute:
    return ir.DenseI64ArrayAttr.get(list(values), context)


def split_repeats(stage: Stage, new_slot: NewSlot) -> list[Stage | RepeatStage]:
    """The stage as stages before, of, between and after its repeats. `new_slot` numbers the memory between them."""
    body = stage.body
    if body is None or not any(u.name == "repeat" for u in body.order()):
        if body is not None:
            check_closed(body.results, open_carried(body.order()))
        return [stage]
    return _Splitter(stage, joined_repeats(body), new_slot).split()


class _Splitter:
    def __init__(self, stage: Stage, body: Body, new_slot: NewSlot) -> None:
        self.stage, self.body, self.new_slot = stage, body, new_slot
        self.order = body.order()
        self.inside = open_carried(self.order)
        check_closed(body.results, self.inside)
        self.memory: dict[UOp, int] = dict(zip(body.arguments, stage.inputs))
        """The slots of what is read from memory: arguments, what repeats use, repeated values."""
        self.begins: dict[UOp, int] = {}
        """The slots of what repeats begin with. Where it is a constant, nothing else reads it from there: it could not be folded any more."""
        self.depth: dict[UOp, int] = {}
        for u in self.order:
            self.depth[u] = max((self.depth[o] for o in u.operands), default=0) + (u.name == "repeat" and not self.inside[u])
        for u in self.order:
            if u.name == "copy" and self.inside[u]:
                raise DeviceError("morok.copy to another device in the body of a loop; do it before the loop, or after it")

    def split(self) -> list[Stage | RepeatStage]:
        loops = [u for u in self.order if u.name == "repeat" and not self.inside[u]]
        found: list[Stage | RepeatStage] = []
        for level in range(1, max(self.depth[u] for u in loops) + 1):
            level_loops = [_Loop(u, self) for u in loops if self.depth[u] == level]
            wanted = list(dict.fromkeys(w for loop in level_loops for w in loop.wanted))
            found += self._computed(wanted)
            for loop in level_loops:
                found += loop.stages()
        return [*found, self._last()]

    def _computed(self, wanted: list[UOp]) -> list[Stage]:
        """A stage that computes what is not in memory yet; the last stage alone may overwrite arguments."""
        missing = [w for w in wanted if w not in self.memory and w not in self.begins]
        if not missing:
            return []
        slots = [self.new_slot() for _ in missing]
        body, inputs = self.function(tuple(missing), [])
        self.begins.update(zip(missing, slots))
        views = self._written_through()
        self.memory.update([(w, slot) for w, slot in zip(missing, slots) if w not in views and not self.is_cheap(w)])
        return [Stage(body, inputs, tuple(slots))]

    def _written_through(self) -> set[UOp]:
        """Views that an assign writes through: which elements of its target these are must stay to be seen."""
        found: set[UOp] = set()
        for u in self.order:
            if u.name == "assign":
                view = u.operands[1]
                while view is not u.operands[0]:
                    found.add(view)
                    view = view.operands[0]
        return found

    def _last(self) -> Stage:
        """What is computed after all repeats; a result that is a repeated value is only copied."""
        pairs = list(zip(self.body.results, self.stage.outputs))
        copies = tuple((self.memory[r], slot) for r, slot in pairs if r.name == "repeated")
        results = tuple(r for r, _ in pairs if r.name != "repeated")
        if not results:
            return Stage(None, (), (), (*copies, *self.stage.copies))
        body, inputs = self.function(results, self.body.argument_attributes)
        outputs = tuple(slot for r, slot in pairs if r.name != "repeated")
        return Stage(replace(body, attributes=self.body.attributes), inputs, outputs, (*copies, *self.stage.copies))

    def function(self, results: tuple[UOp, ...], attributes: list[dict], first: tuple[UOp, ...] = ()) -> tuple[Body, tuple[int, ...]]:
        """A function of what is in memory, after arguments that stand for `first`, and the slots of the former."""
        leaves: dict[UOp, UOp] = {u: argument(i, u.type) for i, u in enumerate(first)}
        used = self._reached(results, set(first))
        given = {a: d for a, d in zip(self.body.arguments, attributes)}
        slots = []
        for u in self.order:
            if u in used and u in self.memory:
                leaves[u] = argument(len(leaves), u.type)
                slots.append(self.memory[u])
        found = substitute(results, leaves)
        return Body("main", list(leaves.values()), found, (), {}, [given.get(u, {}) for u in leaves]), tuple(slots)

    def _reached(self, roots: tuple[UOp, ...], ends: set[UOp]) -> set[UOp]:
        seen: set[UOp] = set()
        stack = list(roots)
        while stack:
            u = stack.pop()
            if u not in seen and u not in ends:
                seen.add(u)
                if u not in self.memory:
                    stack += u.operands
        return seen

    def is_cheap(self, u: UOp) -> bool:
        """Whether the body had better compute the value itself: made of constants and element by element, or a view of memory."""
        while u.name in MOVEMENT or u.name == "detach":
            if len(u.operands) > 1:
                break
            u = u.operands[0]
        if u in self.memory or not isinstance(u.type, T.TensorType):
            return True
        return all(o.name not in ("arg", "repeated", "reduce_axis", "contiguous", "scan", "scatter", "counted_scatter", "assign") for o in toposort((u,)))


class _Loop:
    """A repeat that nothing is round in this stage."""

    def __init__(self, repeat: UOp, splitter: _Splitter) -> None:
        self.repeat, self.splitter = repeat, splitter
        self.parts: Parts = parts_of(repeat)
        self.types = [c.type for c in self.parts.carried if isinstance(c.type, T.TensorType)]
        if any(None in t.shape for t in self.types):
            raise IRError("morok.carried has a symbolic shape; a loop carries tensors of static shapes")
        self.wanted = [*self.parts.initial, *self._used_from_outside()]
        """What is to be in memory before the loop."""

    def _used_from_outside(self) -> list[UOp]:
        inside = self.splitter.inside
        found: dict[UOp, None] = {}
        seen: set[UOp] = set()
        stack = list(self.parts.following)
        while stack:
            u = stack.pop()
            if u in seen:
                continue
            seen.add(u)
            if inside[u]:
                stack += u.operands
            elif not self.splitter.is_cheap(u):
                if u.name in MOVEMENT or isinstance(u.type, T.TensorType) and None in u.type.shape:
                    # the body views what is computed: a view may be larger; and no argument has a size known later
                    stack += u.operands
                else:
                    found[u] = None
        return list(found)

    def _written_in_place(self) -> set[UOp]:
        """The carried values whose next ones are themselves with rows put into them, and that nothing else in the body reads."""
        readers: dict[UOp, int] = {}
        for u in toposort(self.parts.following):
            for o in u.operands:
                readers[o] = readers.get(o, 0) + 1
        return {c for c, f in zip(self.parts.carried, self.parts.following) if f.name == "scatter" and f.operands[0] is c and readers[c] == 1
                and f not in readers and self.parts.following.count(f) == 1}

    def stages(self) -> list[Stage | RepeatStage]:
        splitter, (carried, initial, following, count, goes_on) = self.splitter, self.parts
        stays = self._written_in_place()
        slots = tuple(splitter.new_slot() for _ in carried)
        others = tuple(s if c in stays else splitter.new_slot() for c, s in zip(carried, slots))
        body, inputs = splitter.function(following, [], carried)
        overwrite = {"morok.in_place": ir.UnitAttr.get(shared_context().context)}
        body = replace(body, argument_attributes=[overwrite if c in stays else {} for c in carried] + body.argument_attributes[len(carried):])
        inner = split_repeats(Stage(body, (*slots, *inputs), others), splitter.new_slot)
        for u in splitter.order:
            if u.name == "repeated" and u.operands[0] is self.repeat:
                splitter.memory[u] = slots[u.attribute("number")]
        types = tuple(T.memref(t.shape, t.dtype) for t in self.types)
        begin = Stage(None, (), (), tuple((splitter.begins[i] if i in splitter.begins else splitter.memory[i], s) for i, s in zip(initial, slots)))
        return [begin, RepeatStage(tuple(inner), slots, others, types, count, goes_on)]
