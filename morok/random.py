"""Random numbers, as a module that import statements find: `from morok.random import normal`. It is morok/tensor/random itself under its known name."""
from __future__ import annotations

import sys

from .tensor import random
from .tensor.random import *  # noqa: F403

sys.modules[__name__] = random
