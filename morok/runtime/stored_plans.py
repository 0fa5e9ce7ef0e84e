"""Plans on disk: a graph that any process has compiled runs neither passes nor LLVM in this one.

An entry holds the program of each stage in kernel form, after the opts, and the keys of its kernels; their code has entries of its own. A
plan of which a kernel is gone is no entry. The schedule, groups and memory plan are made anew: they take less time than to read them.
"""
from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from ..dialect import types as T
from ..dialect.context import shared_context
from ..graph.body import Program
from ..graph.uop import UOp
from .compiler import CompiledProgram, link_program
from .config import Config
from .disk_cache import disk_cache
from .encoding import NotEncodable, decode, decode_uops, encode, encode_uops, type_spelled
from .fingerprint import digest
from .plan import CompiledPlan, CompiledRepeat, CompiledStage, single_stages
from .stored_code import STORED_KERNELS
from .tuning.database import database_state


def plan_digest(key: Hashable, config: Config) -> str | None:
    """The key on disk of a structural key; None where plans are not kept."""
    if config.backend != "llvm" or disk_cache(config) is None:
        return None
    return digest("plan", config, json.dumps([key, database_state(config)], default=repr))


def load_plan(key: str, config: Config, values: Mapping[str, int]) -> CompiledPlan | None:
    """The plan of a key, with all its machine code; None where anything is missing."""
    cache = disk_cache(config)
    content = cache.get(key) if cache is not None else None
    if content is None:
        return None
    try:
        return _decoded(json.loads(content), config, values)
    except (ValueError, KeyError, TypeError, IndexError, _Gone):
        return None


def store_plan(key: str, plan: CompiledPlan, config: Config) -> None:
    """Enters a plan whose kernels are on disk."""
    cache = disk_cache(config)
    if cache is None or any(not k.stored for s in single_stages(plan.stages) if s.program is not None for k in s.program.kernels.values()):
        return
    try:
        content = json.dumps(_encoded(plan)).encode()
    except NotEncodable:
        return
    cache.put(key, content)


class _Gone(Exception):
    """A kernel of the plan is not on disk any more."""


def _encoded(plan: CompiledPlan) -> list:
    sizes = list(dict.fromkeys(s for shape in plan.shapes for s in shape if isinstance(s, UOp)))
    shapes = [[[sizes.index(s)] if isinstance(s, UOp) else s for s in shape] for shape in plan.shapes]
    programs = list({id(s.program): s.program for s in single_stages(plan.stages) if s.program is not None}.values())
    number = {id(p): i for i, p in enumerate(programs)}
    stages = [_encoded_stage(stage, number) for stage in plan.stages]
    return [plan.leaf_count, list(map(repr, plan.types)), plan.devices, plan.outputs, encode_uops(sizes), shapes, dict(plan.variables), stages,
            [[{name: [k.stored, dict(k.offsets)] for name, k in p.kernels.items()}, encode(list(p.bodies.values())), p.seconds] for p in programs]]


def _decoded(encoded: list, config: Config, values: Mapping[str, int]) -> CompiledPlan:
    leaf_count, types, devices, outputs, sizes, shapes, variables, stages, stored = encoded
    roots = decode_uops(sizes)
    programs = [_program(kernels, bodies, seconds, config, values) for kernels, bodies, seconds in stored]
    return CompiledPlan(
        tuple(_stage(stage, programs) for stage in stages),
        leaf_count, tuple(_memref(t) for t in types), tuple(devices), tuple(outputs),
        tuple(tuple(roots[s[0]] if isinstance(s, list) else s for s in shape) for shape in shapes),
        {name: (low, high) for name, (low, high) in variables.items()})


def _encoded_stage(stage: CompiledStage | CompiledRepeat, number: Mapping[int, int]) -> list:
    if isinstance(stage, CompiledRepeat):
        return [[_encoded_stage(s, number) for s in stage.stages], stage.carried, stage.following, stage.count, stage.goes_on]
    return [stage.slots, stage.copies, None if stage.program is None else number[id(stage.program)]]


def _stage(encoded: list, programs: list[CompiledProgram]) -> CompiledStage | CompiledRepeat:
    if len(encoded) == 5:
        stages, carried, following, count, goes_on = encoded
        return CompiledRepeat(tuple(_stage(s, programs) for s in stages), tuple(carried), tuple(following), count, goes_on)
    slots, copies, program = encoded
    return CompiledStage(None if program is None else programs[program], tuple(slots), tuple((source, to) for source, to in copies))


def _program(kernels: dict[str, tuple[str, dict[str, int]]], bodies: Any, seconds: dict[str, list[float]], config: Config,
             values: Mapping[str, int]) -> CompiledProgram:
    began = time.perf_counter()
    program = Program(shared_context())
    program.bodies.update({b.name: b for b in decode(bodies)})
    compiled = {}
    for name, (key, offsets) in kernels.items():
        body = program.bodies[name]
        kernel = STORED_KERNELS.get(key, config, None if offsets else body)
        if kernel is None:
            raise _Gone(key)
        compiled[name] = replace(kernel, body=body, offsets=offsets) if offsets else kernel
    linked = link_program(program, compiled, config, values, seconds)
    linked.compile_seconds = time.perf_counter() - began
    return linked


def _memref(spelling: str) -> T.MemRefType:
    found = type_spelled(spelling)
    if not isinstance(found, T.MemRefType):
        raise ValueError(f"{spelling} is no buffer's type")
    return found
