"""The exceptions that morok raises. Each is also the builtin kind that NumPy users catch."""
from __future__ import annotations


class MorokError(Exception):
    """Any error of morok's own."""


class ShapeError(MorokError, ValueError):
    """Shapes that do not go together."""


class DTypeError(MorokError, TypeError):
    """A dtype that an operation does not take."""


class ComplexError(DTypeError, NotImplementedError):
    """Complex numbers, which morok does not have."""


class AxisError(MorokError, IndexError, ValueError):
    """An axis that a tensor does not have."""


class BoundsError(MorokError, IndexError, ValueError):
    """An index, or a variable's value, outside what is allowed."""


class DeviceError(MorokError, ValueError):
    """An unknown device."""


class UnknownPassError(MorokError, ValueError):
    """No pass has this name."""


class OptionError(MorokError, ValueError):
    """A pass or tool option that does not exist or has a wrong value."""


class JitError(MorokError, RuntimeError):
    """A function that morok.jit cannot capture, or an argument that it cannot tell apart from others."""


class VmapError(MorokError, RuntimeError):
    """A function that morok.vmap cannot map: it looks at an example's value, or keeps it outside."""


class GradientError(MorokError, RuntimeError):
    """A derivative that cannot be had: of an integer, of what was released, of a value that was written over."""


class ScheduleError(MorokError, ValueError):
    """An opt that is not legal on this kernel."""


class FormatError(MorokError, ValueError):
    """A file that is truncated, damaged or of another kind; the message starts with its path."""


class MissingPackageError(MorokError, ImportError):
    """A package that an extra of morok brings, and that is not installed."""


class IRError(MorokError, ValueError):
    """IR that does not verify; the message starts with its location."""


class BackendError(MorokError, RuntimeError):
    """A back end that this machine cannot run; the message names what it lacks."""


class InternalError(MorokError, RuntimeError):
    """A fault of morok itself: names the pass, the op and the user's line."""
