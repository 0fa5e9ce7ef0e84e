"""einsum's subscripts: `"...ij,jk->...ik"` as one tuple of names for each operand and one for the result.

An axis under an ellipsis is named by its distance from the end of the ellipsis (-1, -2, ...), so that ellipses of different lengths align.
"""
from __future__ import annotations

from ..errors import ShapeError

Names = tuple


def parse_subscripts(text: str, ranks: list[int]) -> tuple[list[Names], Names]:
    """Names for the axes of operands of these ranks, and for the result's. ShapeError says what is wrong with the text."""
    if not isinstance(text, str):
        raise TypeError(f"einsum: the subscripts are a string such as 'ij,jk->ik', not {text!r}")
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ShapeError(f"einsum: {text!r} describes {len(terms)} operands, given {len(ranks)}")
    inputs = [_names(term, rank, text) for term, rank in zip(terms, ranks)]
    hidden = max((sum(isinstance(n, int) for n in names) for names in inputs), default=0)
    if arrow:
        output = _output(right, hidden, text)
    else:
        letters = sorted(n for n in "".join(terms).replace(".", "") if "".join(terms).count(n) == 1)
        output = (*range(-hidden, 0), *letters)
    known = set().union(*inputs)
    for name in output:
        if name not in known:
            raise ShapeError(f"einsum: the result's subscript {name!r} in {text!r} occurs in no operand")
    if len(set(output)) != len(output):
        raise ShapeError(f"einsum: a subscript occurs twice in the result of {text!r}")
    return inputs, output


def _names(term: str, rank: int, text: str) -> Names:
    before, dots, after = term.partition("...")
    _check_letters(before + after, text)
    hidden = rank - len(before) - len(after)
    if hidden < 0 or hidden and not dots:
        raise ShapeError(f"einsum: {term!r} in {text!r} describes {len(before) + len(after)} axes, the operand has {rank}")
    return (*before, *range(-hidden, 0), *after)


def _output(term: str, hidden: int, text: str) -> Names:
    before, dots, after = term.partition("...")
    _check_letters(before + after, text)
    return (*before, *(range(-hidden, 0) if dots else ()), *after)


def _check_letters(letters: str, text: str) -> None:
    for letter in letters:
        if not (letter.isascii() and letter.isalpha()):
            raise ShapeError(f"einsum: {letter!r} in {text!r} is no subscript; subscripts are letters, ',', '...' and '->'")
