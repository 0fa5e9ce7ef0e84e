"""Small lazy graphs for tests of the runtime, without the Tensor API."""

import numpy as np

from morok.graph.registries import TENSORS
from morok.graph.tensor_graph import TensorUOp
from morok.runtime import buffer_of, new_buffer_from_numpy


class Holder:
    """Keeps a value alive as a tensor does."""

    def __init__(self, uop):
        self.uop = uop
        TENSORS.add(self)


def buffer(array, device="CPU"):
    return new_buffer_from_numpy(np.asarray(array), device)


def op(name, *operands, **attributes):
    return TensorUOp.make(name, operands, tuple(attributes.values()))


def value(u):
    return buffer_of(u).numpy(u.type.shape)


def summed(u, *axes):
    return op("reduce_axis", u, op_="add", axes=axes)


def assigned(target, new):
    return op("assign", target, target, new)
