"""Tensors to and from other programs' arrays: shared memory, DLPack, pickles."""
