"""Tests here count what is alive, so each starts without the garbage of others."""
import gc

import pytest


@pytest.fixture(autouse=True)
def without_garbage():
    gc.collect()
