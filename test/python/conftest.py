"""Settings shared by the Python tests."""

import os

from hypothesis import settings

os.environ["MOROK_TUNING"] = "0"
os.environ["MOROK_CACHE"] = "0"  # tests test this compiler; those of the disk cache give it a directory of their own

# An example that compiles a kernel takes as long as it takes.
settings.register_profile("morok", deadline=None, print_blob=True)
settings.load_profile("morok")
