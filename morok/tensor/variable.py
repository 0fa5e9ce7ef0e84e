"""Variable: a size that is given when a plan runs."""
from __future__ import annotations

from typing import Any

from ..errors import BoundsError
from ..graph.tensor_graph import TensorUOp, index_value
from .arguments import integer
from .sizes import SymbolicInt


class Variable(SymbolicInt):
    """A symbolic size between `minimum` and `maximum`, both inclusive.

    `bind(value)` gives the size with the value for the next run; a plan prepared with it runs again at others through
    `execute_with_vars({name: value})`. Bounds must be integers, 0 <= minimum <= maximum, else BoundsError.
    ValueError for a name that begins with `morok_`.

        n = Variable("n", 1, 64)
        p = x[:n.bind(5)].sum(0).prepare()
        p.execute_with_vars({"n": 9})
    """

    __slots__ = ("name", "minimum", "maximum")

    def __init__(self, name: str, minimum: int, maximum: int) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise TypeError(f"Variable: the name is an identifier, such as 'n', not {name!r}")
        if name.startswith("morok_"):
            raise ValueError(f"Variable: names that begin with 'morok_' are morok's own; {name!r} may be {name.removeprefix('morok_').lstrip('_') or 'n'!r}")
        minimum, maximum = _integer(minimum, "minimum"), _integer(maximum, "maximum")
        if not 0 <= minimum <= maximum:
            raise BoundsError(f"Variable {name!r}: bounds are inclusive, 0 <= minimum <= maximum; given {minimum} and {maximum}")
        self.name, self.minimum, self.maximum = name, minimum, maximum
        super().__init__(TensorUOp.make("define_var", (), (name, minimum, maximum)))

    def bind(self, value: int) -> SymbolicInt:
        """The size with this value for the next run. BoundsError for a value outside the bounds.

            n.bind(5)                 # int(n.bind(5)) == 5
        """
        value = _integer(value, "bind")
        if not self.minimum <= value <= self.maximum:
            raise BoundsError(f"variable {self.name!r} takes values from {self.minimum} to {self.maximum}, not {value}")
        return SymbolicInt(TensorUOp.make("bind", (self.uop, index_value(value))))

    def __repr__(self) -> str:
        return f"Variable({self.name!r}, {self.minimum}, {self.maximum})"


def _integer(value: Any, what: str) -> int:
    return integer(value, f"Variable: {what}")
