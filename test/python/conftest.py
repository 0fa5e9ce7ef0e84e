"""Settings shared by the Python tests."""

from hypothesis import settings

# An example that compiles a kernel takes as long as it takes.
settings.register_profile("morok", deadline=None, print_blob=True)
settings.load_profile("morok")
