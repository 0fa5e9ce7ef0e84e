"""The one seam between tensors and the runtime: memory for data, and running what the graph says. The compiler is imported when needed."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..dialect import types as T
from ..graph.registries import BUFFERS
from ..graph.tensor_graph import TensorUOp
from ..graph.tensor_graph import new_buffer as new_graph_buffer
from .tracing import TRACING

DEFAULT_DEVICE = "CPU"


def canonical_device(name: str | None) -> str:
    """The device's canonical name; DeviceError lists what there is."""
    if name is None or name is DEFAULT_DEVICE:
        return DEFAULT_DEVICE
    from ..runtime.devices import canonical_name
    return canonical_name(name)


def new_buffer(array: np.ndarray, device: str, borrow: bool = False) -> TensorUOp:
    """A buffer of the array's content: a copy, or with `borrow` the array's own memory where its layout allows."""
    from ..runtime.buffer import Buffer
    memory = (Buffer.borrow if borrow else Buffer.from_numpy)(array, device)
    return new_graph_buffer(T.tensor(array.shape, memory.dtype), device, memory)


def realize(uops: Sequence[TensorUOp]) -> None:
    """Computes the values; afterwards each handle is a buffer, for all who use it. Within a trace, only what does not depend on it."""
    if TRACING.count and (trace := TRACING.current) is not None:
        uops = trace.known(uops)
    if TRACING.count and TRACING.level is not None:
        from .mapping.levels import known
        uops = known(uops)
    if any(u.name != "buffer" for u in uops):
        from ..runtime.realize import realize_uops
        realize_uops(uops)


def prepare(uops: Sequence[TensorUOp], beam: int | None = None, opts: str | Mapping[str, str] | None = None) -> Any:
    """An ExecutionPlan that computes the values, in this order."""
    if TRACING.count and (trace := TRACING.current) is not None:
        trace.refuse("prepare()")
    if TRACING.count and TRACING.level is not None:
        from .mapping.levels import refuse
        refuse("prepare()")
    from ..runtime.config import configured
    from ..runtime.realize import prepare_uops
    changes: dict[str, Any] = {} if beam is None else {"beam": beam}
    if opts is not None:
        changes["opts"] = _given_opts(opts)
    with configured(**changes):
        return prepare_uops(list(uops))


def _given_opts(opts: str | Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """As the options have them: by kernel, "" for all."""
    given = {"": opts} if isinstance(opts, str) else opts
    if not isinstance(given, Mapping) or not all(isinstance(text, str) for item in given.items() for text in item):
        raise TypeError(f"opts takes a schedule such as 'UPCAST(0,16) THREAD(0)', or a dict of schedules by kernel such as {{'k0': 'THREAD(0)'}}, not {opts!r}")
    return tuple(given.items())


def memory(u: TensorUOp) -> Any:
    """The memory that begins with the value's elements in order; None where it is not realised."""
    if u.name == "buffer":
        return BUFFERS.get(u)
    from ..runtime.realize import buffer_of
    return buffer_of(u)


def known_memory(u: TensorUOp) -> Any:
    """The memory of a value that has been realised. JitError where it depends on what only a call of a captured function has."""
    found = memory(u)
    if found is None:
        if TRACING.count and (trace := TRACING.current) is not None:
            trace.refuse("numpy(), item() and the like")
        if TRACING.count and TRACING.level is not None:
            from .mapping.levels import depends_on_examples, refuse
            if depends_on_examples(u):
                refuse("numpy(), item() and the like")
        from ..runtime.realize import memory_of, memory_view
        return memory_of(memory_view(u))  # type: ignore[arg-type]
    return found
