"""Calls that must fail, by subject: the call, the exception, and a part of its message that says what was given, what is allowed or what to do.

The names are those of `wrong_call_names.py`: x is float32 of shape (2, 3), y of (4, 5), v of (6,), s 0-d, e of (0, 3), i int64, u uint8, m bool, p a parameter.
"""
from . import creation, elementwise, indexing, layers, linear_algebra, movement, other_names, transformations

SUBJECTS = (creation, elementwise, movement, indexing, linear_algebra, layers, transformations, other_names)
CALLS = {kind: rows for subject in SUBJECTS for kind, rows in subject.CALLS.items()}
