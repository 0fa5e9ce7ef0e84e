"""Connectionist temporal classification (Graves et al. 2006): the likelihood of a label sequence, summed over all its alignments with the frames.

The labels stand with blanks between them and at both ends. Forward variables in logarithms: alpha[t, s] is the sum over all paths of t + 1 frames that end
at place s, which is reached from s, s - 1 and, unless it is a blank or repeats the label before, s - 2. Samples that are over keep their last alpha.
"""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ...errors import BoundsError, DTypeError, ShapeError
from ...graph.tensor_graph import TensorUOp
from ...tensor.closed_form import with_rule_by_value
from ...tensor.loops import fori_loop, memory_of_rows, with_row
from ...tensor.tensor import Tensor
from ..arguments import of_tensor
from .losses import reduced

UNREACHED = -1e30
"""The logarithm of what is no path: its differences are numbers, where those of -inf would be NaN."""


@of_tensor
def ctc_loss(log_probs: Tensor, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
             zero_infinity: bool = False) -> Tensor:
    """Minus the log-likelihood of label sequences, given log-probabilities (frames T, batch N, classes C), or (T, C) for one sample.

    `targets` are classes (N, S), or those of all samples end to end; of both inputs and targets the lengths (N,) say how much of each sample counts.
    The mean is over the batch, each loss divided by its target's length. A target that is too long for its frames has the loss inf, or 0 with `zero_infinity`,
    and the gradient 0. Gradients are the derivatives with respect to log_probs as they are.

        frames = Tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log()                       # three of the four paths give label 1
        nn.functional.ctc_loss(frames, Tensor([[1]]), [2], [1], reduction="none")    # [0.28768212]
    """
    targets = log_probs._operand(targets, "ctc_loss")
    single = log_probs.ndim == 2
    frames = log_probs.unsqueeze(1) if single else log_probs
    if frames.ndim != 3 or not log_probs.dtype.is_float:
        raise ShapeError(f"ctc_loss: log_probs are floats of shape (frames, batch, classes) or (frames, classes), not {log_probs.dtype} of shape "
                         f"{log_probs.shape}")
    if targets.dtype.is_float:
        raise DTypeError(f"ctc_loss: targets are classes, integers, not {targets.dtype}")
    steps, batch, classes = frames._concrete_shape()
    if not 0 <= blank < classes:
        raise BoundsError(f"ctc_loss: blank is a class from 0 to {classes - 1}, given {blank}")
    counts = _lengths(frames, input_lengths, batch, "input_lengths", steps)
    sizes = _lengths(frames, target_lengths, batch, "target_lengths", None)
    labels = _labels(targets, sizes, target_lengths, batch, single)
    found = _log_likelihood(frames, labels, counts, sizes, blank)
    possible = found > UNREACHED / 2
    loss = (-found).where(possible, 0.0 if zero_infinity else float("inf"))
    if single:
        loss, sizes = loss.squeeze(0), sizes.squeeze(0)
    return reduced(loss / sizes.maximum(1).cast(loss.dtype) if reduction == "mean" else loss, reduction, "ctc_loss")


def _lengths(frames: Tensor, given: Any, batch: int, what: str, most: int | None) -> Tensor:
    numbers = [given] if isinstance(given, int) else given
    if isinstance(numbers, (list, tuple)) and not all(0 <= n and (most is None or n <= most) for n in numbers):
        raise BoundsError(f"ctc_loss: {what} are from 0 {'on' if most is None else f'to {most}'}, given {given}")
    found = frames._operand(numbers, "ctc_loss")
    if found.dtype.is_float or found.numel() != batch:
        raise ShapeError(f"ctc_loss: {what} are {batch} integers, one a sample, not {found.dtype} of shape {found.shape}")
    return found.reshape(batch).cast(T.int64)


def _labels(targets: Tensor, sizes: Tensor, given: Any, batch: int, single: bool) -> Tensor:
    """The targets as (batch, longest). Of targets end to end whose lengths are a tensor's, the longest may be all."""
    if targets.ndim == 2 and targets.shape[0] == batch and not single:
        longest = targets.shape[1]
        if isinstance(given, (list, tuple)) and max(given, default=0) > longest:
            raise BoundsError(f"ctc_loss: target_lengths {given} are greater than the {longest} places of targets of shape {targets.shape}")
        return targets.cast(T.int64)
    if targets.ndim != 1:
        raise ShapeError(f"ctc_loss: targets have shape (batch, longest), here ({batch}, ...), or (all,); given {targets.shape}")
    total = targets._concrete_shape()[0]
    longest = max(given, default=0) if isinstance(given, (list, tuple)) else given if isinstance(given, int) else total
    if isinstance(given, (list, tuple)) and sum(given) != total and not single or longest > total:
        raise BoundsError(f"ctc_loss: target_lengths {given} do not add up to the {total} targets")
    place = Tensor.arange(longest, device=targets.device)
    sample = Tensor.arange(batch, device=targets.device)
    start = sizes.where(sample < sample.unsqueeze(-1), 0).sum(-1, keepdim=True)
    within = place < sizes.unsqueeze(-1)
    return targets.cast(T.int64)[(start + place).where(within, 0)] if total else Tensor.zeros(batch, 0, dtype=T.int64, device=targets.device)


def _log_likelihood(frames: Tensor, labels: Tensor, counts: Tensor, sizes: Tensor, blank: int) -> Tensor:
    steps, batch, _ = frames._concrete_shape()
    wide = frames.float() if frames.dtype.bits < 32 else frames
    length = 2 * labels._concrete_shape()[1] + 1
    first = Tensor.full((batch, 1), blank, dtype=T.int64, device=frames.device)
    places = first.cat(labels.stack(labels.full_like(blank), dim=-1).flatten(1), dim=1)
    number = Tensor.arange(length, device=frames.device)
    skips = places.ne(blank) & places.ne(_moved(places, 2, blank)) & (number > 1)
    last = 2 * sizes.unsqueeze(-1)
    ends = number.eq(last) | number.eq(last - 1)
    if not steps:
        return number.eq(0).where(ends, False).any(-1).cast(frames.dtype).log().clip(UNREACHED)
    emitted = wide.gather(-1, places.unsqueeze(0).expand(steps, batch, length)).contiguous()
    return _paths(emitted, counts.unsqueeze(-1), skips, ends).cast(frames.dtype)


def _paths(emitted: Tensor, counts: Tensor, skips: Tensor, ends: Tensor) -> Tensor:
    """The logarithm of the sum over all paths through emitted (frames, batch, places). Its derivative is how likely each place is at each frame: alpha + beta,
    beta being the sum over all ways on from there."""
    steps = emitted._concrete_shape()[0]
    frame = Tensor.arange(steps, device=emitted.device).reshape(steps, 1, 1)

    def forwards(emitted: Tensor) -> tuple[Tensor, Tensor]:
        def step(t: Tensor, carry: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
            alpha, alphas = carry
            skipped = _moved(alpha, 2).where(skips & (t > 0), UNREACHED)
            after = _log_sum([alpha, _moved(alpha, 1), skipped], emitted[t]).where(counts > t, alpha)
            return after, with_row(alphas, t, after)
        before = ends.cast(emitted.dtype) * 0 + UNREACHED  # before the first frame a path stands at place 0, from where the first two can be reached
        begin = before.where(Tensor.arange(ends.shape[-1], device=emitted.device) > 0, 0.0)
        alpha, alphas = fori_loop(0, steps, step, (begin, memory_of_rows(steps, begin)))
        final = alpha.where(ends, UNREACHED)
        top = final.max(-1, keepdim=True)
        return (final - top).exp().sum(-1).log() + top.squeeze(-1), alphas.reshape(emitted.shape)

    def backwards(emitted: Tensor) -> Tensor:
        def step(i: Tensor, carry: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
            beta, betas = carry
            t = steps - 1 - i
            on = beta + emitted[t]
            skipped = _moved(on.where(skips, UNREACHED), -2)
            return _log_sum([on, _moved(on, -1), skipped]).where(counts > t, beta), with_row(betas, t, beta)
        begin = (ends.cast(emitted.dtype) * 0).where(ends, UNREACHED)
        return fori_loop(0, steps, step, (begin, memory_of_rows(steps, begin)))[1].reshape(emitted.shape)

    total, alphas = forwards(emitted)

    def derivative(u: TensorUOp, g: TensorUOp) -> tuple[TensorUOp]:
        share = (alphas + backwards(emitted) - total._new(u).unsqueeze(-1)).exp()  # made of `emitted` by loops, and so has a derivative itself
        return ((share.where(counts > frame, 0.0) * total._new(g).unsqueeze(-1)).uop,)
    return total._new(with_rule_by_value(total.uop, (emitted.uop,), derivative))


def _moved(values: Tensor, by: int, outside: float = UNREACHED) -> Tensor:
    """What stands `by` places before; behind, for a negative number."""
    length = values.shape[1]
    if by > 0:
        return values.pad(((0, 0), (by, 0)), value=outside)[:, :length]
    return values.pad(((0, 0), (0, -by)), value=outside)[:, -by:]


def _log_sum(terms: list[Tensor], plus: Tensor | float = 0.0) -> Tensor:
    """The logarithm of the sum of exponentials, plus the emission, nowhere below UNREACHED."""
    top = terms[0]
    for term in terms[1:]:
        top = top.maximum(term)
    total = (terms[0] - top).exp()
    for term in terms[1:]:
        total = total + (term - top).exp()
    return (total.log() + top + plus).maximum(UNREACHED)
