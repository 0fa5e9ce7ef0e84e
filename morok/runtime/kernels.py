"""Kernels: from a function of kernel form to machine code, each distinct one once.

    compiled = compile_kernels(program, config)       {"k0": CompiledKernel, ...}, and the optimised functions put into the program

The registry's key is the computation itself (hash-consed UOps compare by identity), the parameters' types and the options. A kernel that is
known, in this process or on disk (stored_code.py), skips its opts, its rendering and the back end's compiler.
"""
from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from ..codegen.backends import renderer
from ..codegen.renderer import Renderer
from ..fork_safety import renewed_after_fork
from ..graph.body import Body, Program
from ..graph.registries import KERNELS
from ..passes.pipeline import Instrumentation, run_passes
from ..passes.registry import make_pass
from .compiled_kernel import SYMBOL, CompiledKernel
from .config import Config, available_cpus
from .shared_kernels import share, specialised
from .stored_code import STORED_KERNELS, kernel_digest
from .tuning.schedules import marked_given, scheduled
from .tuning.tuned import tuned_opts
from .turns import TURNS

KERNEL_LIMIT = 8192
"""Kernels that the registry keeps; past it, it begins anew."""


def compile_kernels(program: Program, config: Config, values: Mapping[str, int],
                    instrumentation: Instrumentation | None = None) -> dict[str, CompiledKernel]:
    """Machine code for each kernel of a program in kernel form, by name. The program's kernels become the optimised ones."""
    keys = {body.name: kernel_key(body, config) for body in program.kernels()}
    known: dict[Hashable, CompiledKernel] = {key: found for key in keys.values() if (found := KERNELS.get(key, DEVICE)) is not None}
    missing: dict[Hashable, Body] = {}
    for name, key in keys.items():
        if key not in known:
            missing.setdefault(key, program.bodies[name])
    if missing:
        if len(KERNELS) >= KERNEL_LIMIT:
            KERNELS.clear()  # plans keep the kernels that they use
        known |= _compile_missing(missing, program, config, values, instrumentation)
    compiled = {name: known[key] for name, key in keys.items()}
    for name, kernel in compiled.items():
        program.bodies[name] = replace(kernel.body, name=name)
    return compiled


def _compile_missing(missing: dict[Hashable, Body], program: Program, config: Config, values: Mapping[str, int],
                     instrumentation: Instrumentation | None) -> dict[Hashable, CompiledKernel]:
    """Kernels that the registry lacks. Many that differ in offsets alone become one; where stages are checked, each is checked as it is."""
    shared = [] if config.check else share(missing)
    members = {key for kernel in shared for key in kernel.members}
    wanted = {key: body for key, body in missing.items() if key not in members}
    wanted.update({kernel_key(kernel.body, config): kernel.body for kernel in shared})
    found = {key: kernel for key in wanted if (kernel := KERNELS.get(key, DEVICE)) is not None}
    opts = tuned_opts({key: body for key, body in wanted.items() if key not in found}, config, values)
    stored = {key: kernel_digest(body, config, opts.get(key)) for key, body in wanted.items() if key not in found}
    found.update({key: kernel for key, on_disk in stored.items() if on_disk and (kernel := STORED_KERNELS.get(on_disk, config)) is not None})
    absent = [key for key in wanted if key not in found]
    if absent:
        absent.sort(key=lambda key: -len(wanted[key].order()))  # the largest must not be what all wait for in the end
        kernels = [scheduled(wanted[key], opts[key], "tuned") if key in opts else marked_given(wanted[key]) for key in absent]
        named = [replace(kernel, name=f"k{i}") for i, kernel in enumerate(kernels)]
        optimised = (body for kernel in named for body in optimise([kernel], program, config, instrumentation))
        for key, kernel in zip(absent, _compile(len(absent), optimised, renderer(config.backend))):
            if config.check:
                _check(kernel, renderer(config.backend), values)
            if on_disk := stored[key]:
                kernel = replace(kernel, stored=on_disk)
                STORED_KERNELS.put(on_disk, kernel, config)
            found[key] = kernel
    found = {key: KERNELS.add(key, DEVICE, kernel) for key, kernel in found.items()}
    for one in shared:
        kernel = found[kernel_key(one.body, config)]
        for key, offsets in one.members.items():
            found[key] = KERNELS.add(key, DEVICE, replace(kernel, body=specialised(kernel.body, offsets), offsets=offsets))
    return found


DEVICE = "CPU"
"""All devices run on the same processors: one kernel serves them all."""


def _check(kernel: CompiledKernel, backend: Renderer, values: Mapping[str, int]) -> None:
    from .check import check_code_generation
    check_code_generation(kernel.body, backend.passes, kernel.rendered, kernel.address, values)


def kernel_key(body: Body, config: Config) -> Hashable:
    return body.sinks, tuple(a.type for a in body.arguments), config, str(body.attributes.get("morok.opts"))


def optimise(kernels: Sequence[Body], program: Program, config: Config, instrumentation: Instrumentation | None = None) -> list[Body]:
    """The kernels with the opts of the heuristic, or none at level 0."""
    alone = Program(program.dialect)
    alone.bodies.update({k.name: k for k in kernels})
    options = {"heuristic": str(config.opt_level > 0).lower(), **renderer(config.backend).target.schedule_options(config.num_threads)}
    run_passes(alone, [make_pass("morok-apply-opts", options)], instrumentation)
    return [alone.bodies[k.name] for k in kernels]


def _compile(count: int, kernels: Iterable[Body], backend: Renderer) -> list[CompiledKernel]:
    """Renders one after the other, as they get their opts (MLIR holds the interpreter's lock); LLVM or a C compiler works on others at
    the same time, in the end on this thread too."""
    if count == 1:
        body, = kernels
        rendered = backend.render(body, SYMBOL)
        return [CompiledKernel(body, rendered, backend.compile(rendered))]
    pending = []
    with TURNS.short():
        for body in kernels:
            rendered = backend.render(body, SYMBOL)
            pending.append((body, rendered, _POOL.get().submit(backend.compile, rendered)))  # while the next is rendered
        own = {task: backend.compile(rendered) for _, rendered, task in pending if task.cancel()}  # those that no thread has begun
        return [CompiledKernel(body, rendered, own[task] if task in own else task.result()) for body, rendered, task in pending]


class _CompilerPool:
    """Threads that compile beside the one that renders; started when first needed, and anew in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None

    def get(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(max(1, available_cpus() - 1), "morok-compile")
            return self._executor


_POOL = _CompilerPool()
renewed_after_fork(_POOL, "_lock", threading.Lock)
renewed_after_fork(_POOL, "_executor", lambda: None)
