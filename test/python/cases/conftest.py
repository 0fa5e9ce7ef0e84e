"""The tests of cases use the helpers of the tests of Tensor."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tensor"))
