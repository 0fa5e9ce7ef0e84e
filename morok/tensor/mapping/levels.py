"""What calls within a mapped function see: each mapped tensor as a value that stands for any one of its examples, and has no memory."""
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...errors import VmapError
from ...graph.capture import reachable
from ...graph.derivation import add_variable, drop_variables, is_derived
from ...graph.registries import STAND_INS
from ...graph.tensor_graph import TensorUOp
from ..sizes import Size
from ..tracing import TRACING
from .batching import batched, stand_in_of

if TYPE_CHECKING:
    from ..core import Leaf, Storage

RANDOMNESS = ("error", "same", "different")


class Level:
    """One `vmap` while its function runs."""

    def __init__(self, size: Size, randomness: str) -> None:
        self.size, self.randomness = size, randomness
        self.sources: dict[TensorUOp, TensorUOp] = {}
        """Each stand-in, and the examples that it stands for, along the first axis."""
        self._own: set[Storage] = set()
        self._variables: list[TensorUOp] = []
        self._outer: Level | None = None

    def __enter__(self) -> Level:
        self._outer = TRACING.set_level(self)
        return self

    def __exit__(self, *_: Any) -> None:
        TRACING.set_level(self._outer)
        drop_variables(self._variables)

    def stand_in(self, examples: TensorUOp, device: str) -> TensorUOp:
        """The value of one example, within the function. It is derived from variables where the examples are."""
        found = stand_in_of(examples, device)
        if is_derived(examples):
            add_variable(found)
            self._variables.append(found)
        self.sources[found] = examples
        return found

    def results(self, outputs: list[TensorUOp]) -> list[TensorUOp | None]:
        """All examples of each output, along the first axis; None where they are the same."""
        return batched(outputs, self.sources, self.size)

    def own(self, storage: Storage) -> None:
        """A storage that the function made."""
        self._own.add(storage)

    def check_write(self, storage: Storage, value: TensorUOp) -> None:
        """VmapError for an example's value in a tensor that the function did not make."""
        if storage not in self._own and depends_on_examples(value):
            raise VmapError("vmap: a tensor from outside of the function is written with a value of one example, which leaves it without one; return the "
                            "value, and write it outside")

    def check_gradient(self, leaf: Leaf | None, gradient: TensorUOp | None) -> None:
        """VmapError for a gradient of an example that a variable from outside would get."""
        if leaf is not None and gradient is not None and all(s.leaf is not leaf for s in self._own) and depends_on_examples(gradient):
            raise VmapError("vmap: backward() within a mapped function reaches a variable from outside of it; use grad() within, or backward() outside of what "
                            "vmap gives")

    def drawn(self, draw: Any, shape: tuple) -> Any:
        """Random numbers of a shape, by what `vmap` was told of them; `draw` gives them for a shape, outside of this level."""
        if self.randomness == "error":
            raise VmapError('vmap: the function draws random numbers; say by randomness= whether they are the "same" or "different" for all examples')
        TRACING.set_level(self._outer)
        try:
            if self.randomness == "same":
                return draw(shape)
            found = draw((self.size, *shape))
        finally:
            TRACING.set_level(self)
        return tuple(t._new(self.stand_in(t.uop, t.device)) for t in found)


def depends_on_examples(u: TensorUOp) -> bool:
    """Whether a value has no value yet, as it is one of an example."""
    return bool(STAND_INS) and any(node in STAND_INS for node in reachable([u]))


def known(uops: Iterable[TensorUOp]) -> list[TensorUOp]:
    """Those of the values that are no example's."""
    return [u for u in uops if not depends_on_examples(u)]


def refuse(what: str) -> None:
    raise VmapError(f"vmap: {what} inside a mapped function needs the value of one example; return the tensor and look at it outside, or choose by where()")
