"""Element types, as a module that import statements find: `from morok.dtypes import float32`. It is morok/tensor/dtypes itself under its known name."""
from __future__ import annotations

import sys

from .tensor import dtypes
from .tensor.dtypes import *  # noqa: F403

sys.modules[__name__] = dtypes
