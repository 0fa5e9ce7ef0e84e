"""morok: a tensor compiler toolkit whose one IR is MLIR.

    from morok import Tensor, Variable, dtypes
    (Tensor([1.0, 2.0]) * 2).numpy()

Names are imported when first used, so that `import morok` costs nothing by itself.
"""
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .interpret import interpret
    from .tensor import dtypes
    from .tensor.tensor import Tensor
    from .tensor.variable import Variable

__version__ = "0.1.0"
__all__ = ["Tensor", "Variable", "dtypes", "interpret"]

_HOMES = {"Tensor": ".tensor.tensor", "Variable": ".tensor.variable", "dtypes": ".tensor", "interpret": ".interpret"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'morok' has no attribute {name!r}; it has {', '.join(__all__)}")
    found = import_module(f"{home}.dtypes", __name__) if name == "dtypes" else getattr(import_module(home, __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
