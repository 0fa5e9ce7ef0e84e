"""Files of tensors: safetensors, and NumPy's npz and npy.

    morok.save({"w": w, "b": b}, "weights.safetensors")
    morok.load("weights.safetensors")["w"]

Loading maps the file into memory and reads what is used when it is used; saving writes beside the file and then takes its place.
"""
from __future__ import annotations

from .files import load, load_metadata, save

__all__ = ["load", "load_metadata", "save"]
