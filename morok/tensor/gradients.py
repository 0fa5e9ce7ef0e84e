"""requires_grad, grad and backward: gradients as PyTorch has them, of a graph that is not computed yet."""
from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

from ..errors import DTypeError, GradientError, ShapeError
from ..graph.derivation import HOOKS, Hooks, hooked, is_derived
from ..graph.tensor_graph import TensorUOp
from . import build
from .arguments import require_function
from .conversion import ConversionMethods
from .core import LEAVES, Leaf, TensorCore
from .gradient.reverse import cotangents, values_behind
from .tracing import TRACING


class Hook:
    """What `register_hook` gives: `remove()` ends the hook, as does leaving a `with` block."""

    def __init__(self, hooks: Hooks, hook: Callable[[TensorUOp], TensorUOp], last: bool = False) -> None:
        """`last`: behind all that are not."""
        self._hooks, self._number = hooks, (last, max((n for _, n in hooks), default=-1) + 1)
        hooks[self._number] = hook

    def remove(self) -> None:
        """Ends the hook; again, nothing."""
        self._hooks.pop(self._number, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


class GradientMethods(ConversionMethods):
    __slots__ = ()

    @property
    def requires_grad(self) -> bool:
        """Whether `backward()` reaches this: it is a variable, or made of one while gradients were recorded.

            Tensor([1.0]).requires_grad
        """
        if self._chain is None and self._storage.leaf is not None:
            return True
        return self.dtype.is_float and is_derived(self.uop)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Makes this a variable: `backward()` adds its gradient up in `grad`. False ends that. A view becomes a tensor of its own.

        DTypeError for integers and bools, GradientError for False on a tensor that is made of variables: detach() it.

            w = Tensor([1.0, 2.0]).requires_grad_()
        """
        if not isinstance(requires_grad, bool):
            raise TypeError(f"requires_grad is True or False, not {requires_grad!r}")
        if requires_grad:
            if not self.is_leaf:
                return self
            self._become_leaf("requires_grad_")
        elif self._chain is None and self._storage.leaf is not None:
            u = self._storage.value
            self._adopt(type(self._storage)(build.detach(u), self.device))
        elif self.requires_grad:
            raise GradientError("requires_grad_: this tensor is made of variables; use detach() for one that is not")
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether this is no result of variables: `backward()` ends here.

            Tensor([1.0]).is_leaf
        """
        return self._chain is None and self._storage.leaf is not None or not self.requires_grad

    @property
    def grad(self) -> Self | None:
        """The gradient that backward passes have added up; None before the first. Of results of variables only after
        `retain_grad()`. Of this shape and dtype.

            w = Tensor([3.0]).requires_grad_()
            (w * w).sum().backward()
            w.grad  # [6.0]
        """
        leaf = self._storage.leaf
        kept = getattr(self, "_retained", None)
        if kept is not None and (leaf is None or self._chain is not None):
            return kept.gradient
        return None if leaf is None or self._chain is not None else gradient_of(leaf)  # type: ignore[return-value]

    @grad.setter
    def grad(self, value: Any) -> None:
        leaf = self._storage.leaf
        if leaf is None or self._chain is not None:
            if value is None:
                return
            raise GradientError("grad: only a tensor with requires_grad has a gradient")
        if value is not None:
            value = self._operand(value, "grad")
            if value.shape != self.shape or value.dtype is not self.dtype:
                raise ShapeError(f"grad: a gradient has the shape and dtype of its tensor, {self.shape} and {self.dtype}, not {value.shape} and {value.dtype}")
        set_gradient(leaf, value)

    def register_hook(self, hook: Callable[[Any], Any]) -> Hook:
        """Calls a function with each gradient of this value, before the backward pass goes on with it or adds it to `grad`; what it returns, unless None,
        takes the gradient's place. Gives a handle whose `remove()` ends that.

        The gradient is a tensor that is not computed yet, of this shape and dtype. The hook is the value's: it sees what reaches it from all that is made of
        it, before and after. GradientError where this is not made of variables.

            v = Tensor([1.0, 2.0], requires_grad=True)
            handle = v.register_hook(lambda g: g * 10)
            (v * v).sum().backward()
            v.grad.tolist()  # [20.0, 40.0]
        """
        require_function(hook, "register_hook")
        if not self.requires_grad:
            raise GradientError("register_hook: this tensor is made of no variable, so it has no gradient; see requires_grad_()")
        device, shape, dtype = self.device, self.shape, self.dtype

        def replaced(g: TensorUOp) -> TensorUOp:
            found = hook(type(self)._from_uop(g, device))
            if found is None:
                return g
            other = self._operand(found, "register_hook")
            if other.shape != shape:
                raise ShapeError(f"register_hook: the hook gives a gradient of shape {other.shape} for a tensor of shape {shape}")
            return build.cast(other.uop, dtype)
        leaf = self._storage.leaf
        return Hook(HOOKS.setdefault(self.stored_uop, {}) if leaf is None or self._chain is not None else leaf.hooks, replaced)

    def retain_grad(self) -> None:
        """Keeps the gradient of this result of variables, as hooks leave it, in `grad`, too. Nothing for a variable. GradientError where this is not made of
        variables.

            w = Tensor([1.0, 2.0], requires_grad=True)
            y = w * 3
            y.retain_grad()
            (y * y).sum().backward()
            y.grad.tolist()  # [6.0, 12.0]
        """
        if not self.requires_grad:
            raise GradientError("retain_grad: this tensor is made of no variable, so it has no gradient; see requires_grad_()")
        if self.is_leaf or getattr(self, "_retained", None) is not None:
            return
        self._retained = Leaf()  # no variable: what gradients add up in
        kept, device, kind = weakref.ref(self._retained), self.device, type(self)

        def added(g: TensorUOp) -> TensorUOp:
            leaf = kept()
            if leaf is not None:
                part = kind._from_uop(build.detach(g), device)
                leaf.gradient = part if leaf.gradient is None else leaf.gradient + part  # type: ignore[operator]
            return g
        Hook(HOOKS.setdefault(self.stored_uop, {}), added, last=True)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad()` keeps the gradient of this result.

            Tensor([1.0]).retains_grad
        """
        return getattr(self, "_retained", None) is not None

    def backward(self, gradient: Any = None, retain_graph: bool = False, create_graph: bool = False) -> None:
        """Adds to `grad` of each variable that this was made of the derivative of this, times `gradient` (1 by default, for one element).

        Afterwards how realised values were made is forgotten, unless `retain_graph`. With `create_graph` the gradients can be differentiated again.
        GradientError where this depends on no variable, ShapeError for several elements without `gradient`.

            v = Tensor([1.0, 2.0], requires_grad=True)
            (v * v).sum().backward()
            v.grad.tolist()  # [2.0, 4.0]
        """
        if not self.dtype.is_float:
            raise DTypeError(f"backward: only floats have gradients, not {self.dtype}")
        u = self._storage.value if self._chain is None else self._moved(self._storage.value)
        if gradient is None:
            if self.numel() != 1:
                raise ShapeError(f"backward: a tensor of shape {self.shape} has no one gradient; reduce it, by sum() say, or give gradient=")
            g = build.full(self.shape, 1.0, self.dtype)
        else:
            given = self._operand(gradient, "backward")
            if given.shape != self.shape:
                raise ShapeError(f"backward: gradient has shape {given.shape}, the tensor {self.shape}; they must be equal")
            g = build.cast(given.uop, self.dtype)
        ends = [v for v in values_behind([u], LEAVES) if (ref := LEAVES.get(v)) is not None and ref() is not None]
        if not ends:
            captured = ""
            if TRACING.count and TRACING.current is not None:
                captured = "; arguments of a captured function are no variables: let it read the parameters from outside, or use morok.grad"
            raise GradientError(f"backward: this tensor depends on no tensor with requires_grad=True (or was made within no_grad()){captured}")
        reached = cotangents([u], [g], ends, ends, retain_graph or create_graph)
        if TRACING.count and (level := TRACING.level) is not None:
            for value, found in zip(ends, reached):
                level.check_gradient(LEAVES[value](), found)
        for value, found in zip(ends, reached):
            leaf = LEAVES[value]()
            if found is None or leaf is None:
                continue
            found = hooked(leaf.hooks, found)
            part = type(self)._from_uop(found if create_graph else build.detach(found), self.device)
            known = gradient_of(leaf)
            if known is None:
                set_gradient(leaf, part)
            else:
                known._write(build.alu("add", known.uop, part.uop))  # the same tensor, as PyTorch's


def gradient_of(leaf: Leaf) -> TensorCore | None:
    """The leaf's gradient, within a trace the one there."""
    if TRACING.count and (trace := TRACING.current) is not None:
        if leaf in trace.gradients:
            return trace.gradients[leaf]
        trace.gradients_read[leaf] = leaf.gradient
    return leaf.gradient


def set_gradient(leaf: Leaf, value: TensorCore | None) -> None:
    if TRACING.count and (trace := TRACING.current) is not None:
        trace.gradients[leaf] = value
    else:
        leaf.gradient = value
