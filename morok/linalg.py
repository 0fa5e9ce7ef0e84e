"""Linear algebra, as a module that import statements find: `from morok.linalg import solve`. It is morok/functions/linalg under its known name."""
from __future__ import annotations

import sys

from .functions import linalg
from .functions.linalg import *  # noqa: F403

sys.modules[__name__] = linalg
