"""morok: a tensor compiler toolkit whose one IR is MLIR.

    from morok import Tensor, Variable, dtypes
    (Tensor([1.0, 2.0]) * 2).numpy()

Names are imported when first used, so that `import morok` costs nothing by itself.
"""
from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import nn as nn
    from . import optim as optim
    from .interpret import interpret
    from .runtime.config import get_num_threads, num_threads, set_num_threads
    from .tensor import dtypes
    from .tensor import random as random
    from .tensor.exchange.methods import from_dlpack
    from .tensor.files import load, load_metadata, save
    from .tensor.gradient.modes import enable_grad, is_grad_enabled, no_grad
    from .tensor.gradient.transforms import custom_gradient, grad, jvp, stop_gradient, value_and_grad, vjp
    from .tensor.jit import jit
    from .tensor.random.generator import Generator, manual_seed
    from .tensor.tensor import Tensor
    from .tensor.variable import Variable

__version__ = "0.1.0"
_IMPORTED_AT = time.time_ns()
__all__ = ["Generator", "Tensor", "Variable", "custom_gradient", "dtypes", "enable_grad", "from_dlpack", "get_num_threads", "grad", "interpret",
           "is_grad_enabled", "jit", "jvp", "load", "load_metadata", "manual_seed", "no_grad", "num_threads", "save", "set_num_threads",
           "stop_gradient", "value_and_grad", "vjp"]

_HOMES = {"Tensor": ".tensor.tensor", "Variable": ".tensor.variable", "jit": ".tensor.jit", "from_dlpack": ".tensor.exchange.methods",
          **dict.fromkeys(("load", "load_metadata", "save"), ".tensor.files"),
          **dict.fromkeys(("Generator", "manual_seed"), ".tensor.random.generator"),
          **dict.fromkeys(("enable_grad", "is_grad_enabled", "no_grad"), ".tensor.gradient.modes"),
          **dict.fromkeys(("custom_gradient", "grad", "jvp", "stop_gradient", "value_and_grad", "vjp"), ".tensor.gradient.transforms"),
          **dict.fromkeys(("get_num_threads", "num_threads", "set_num_threads"), ".runtime.config")}
_MODULES = {"dtypes": ".tensor.dtypes", "nn": ".nn", "optim": ".optim", "random": ".tensor.random", "interpret": ".interpret", "errors": ".errors"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        found: Any = import_module(_MODULES[name], __name__)
    elif name in _HOMES:
        found = getattr(import_module(_HOMES[name], __name__), name)
    else:
        raise AttributeError(f"module 'morok' has no attribute {name!r}; it has {', '.join(__all__)}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
