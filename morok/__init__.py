"""morok: a tensor compiler toolkit whose one IR is MLIR."""

__version__ = "0.1.0"
