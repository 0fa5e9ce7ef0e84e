"""morok-devectorize: accesses at one place per lane become contiguous vector accesses, or scalar ones.

    %p = morok.index(%a, vectorize(%i * 16) + %l) : ptr<vector<16xf32>>    =>    %p = morok.index(%a, %i * 16) : ptr<vector<16xf32>>
    %v = morok.load(%p)                                                          %v = morok.load(%p)

Consecutive lanes: one access of the whole vector. The same place in all lanes: a scalar load that fills the vector. Backwards without a
gate: a vector access whose lanes are reversed. Lanes apart whose copies are beside each other: transposed_loads.py. Anything else: an access for each
lane. A gate that is the same in all lanes becomes a scalar.
"""
from __future__ import annotations

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp, const
from ..registry import KernelPass, morok_pass
from .effects import WAITING, Tokens, closed, waiting
from .lane_form import LaneForms
from .transposed_loads import transposed_loads


@morok_pass("morok-devectorize", form="vector")
class Devectorize(KernelPass):
    """Contiguous vector accesses where lanes are consecutive, scalar accesses elsewhere."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if not any(isinstance(o.type, T.VectorType) for u in order if u.name == "index" for o in u.operands):
            return body
        access = Accesses()
        transposed = transposed_loads(order, access.forms)
        values: dict[UOp, UOp] = {}
        effects: dict[UOp, Tokens] = {}
        for u in order:
            if u.name == "store":
                effects[u] = access.store(u, tuple([values[o] for o in u.operands]))
            elif u.name == "end":
                effects[u] = closed(effects[u.operands[0]], [values[o] for o in u.operands[1:]])
            elif u in transposed and all(values[o] is o for o in u.operands[0].operands):
                values[u] = transposed[u]
            elif u.name in WAITING:
                leading = (values[u.operands[0]],) if u.name == "after" else ()
                made = waiting(u, leading, (t for o in u.operands[len(leading):] for t in effects[o]))
                values[u] = made
                effects[u] = (made,)
            else:
                operands = tuple([values[o] for o in u.operands])
                made = u.with_operands(operands) if operands else u
                values[u] = access.load(made) if u.name == "load" else access.prefetch(made) if u.name == "prefetch" else made
        return body.with_roots(tuple(values[r] if r in values else effects[r][0] for r in body.roots))


class Accesses:
    """Rewrites loads and stores of one kernel."""

    def __init__(self) -> None:
        self.forms = LaneForms()

    def load(self, u: UOp) -> UOp:
        pointer, gated = u.operands[0], len(u.operands) > 1
        place = pointer.operands[-1]
        if not isinstance(place.type, T.VectorType):
            return u
        width, buffer = place.type.lanes, pointer.operands[0]
        gate, other = (u.operands[1], u.operands[2]) if gated else (None, None)
        even = self.forms.uniform(gate) if gate is not None else None
        if even is not None and even.is_const(True):
            gate = None
        guard: tuple[UOp, ...] = () if gate is None or other is None else (even if even is not None else gate, other)
        sequence = self.forms.sequence(place)
        if sequence is not None:
            if sequence.step == 1:
                return UOp.make("load", (contiguous(buffer, sequence.base, width), *guard), (), None, u.loc)
            if sequence.step == 0:
                if gate is None or other is None:
                    return filled(UOp.make("load", (scalar(buffer, sequence.base),), (), None, u.loc), width)
                return self._load_once(u, scalar(buffer, sequence.base), gate, even, other, width)
            if sequence.step == -1 and gate is None:
                return reversed_lanes(UOp.make("load", (contiguous(buffer, sequence.base - (width - 1), width),), (), None, u.loc))
        lane = self.forms.lane
        loads = []
        for k in range(width):
            guard = tuple(lane(x, k) for x in (gate, other) if x is not None) if gate is not None else ()
            loads.append(UOp.make("load", (scalar(buffer, lane(place, k)), *guard), (), None, u.loc))
        return UOp.make("vectorize", tuple(loads), (), u.type)

    def prefetch(self, u: UOp) -> UOp:
        """Only the first lane's place is asked for: the others are on the same line, or the hint is not worth an instruction for each."""
        value, pointer = u.operands
        place = pointer.operands[-1]
        if not isinstance(place.type, T.VectorType):
            return u
        return u.with_operands((value, scalar(pointer.operands[0], self.forms.lane(place, 0))))

    def _load_once(self, u: UOp, pointer: UOp, gate: UOp, even: UOp | None, other: UOp, width: int) -> UOp:
        """One scalar load for all lanes, if any lane's gate is open."""
        default = self.forms.uniform(other)
        if even is not None and default is not None:
            return filled(UOp.make("load", (pointer, even, default), (), None, u.loc), width)
        somewhere = even if even is not None else UOp.make("contract", (gate,), ("or",))
        zero = const(0, pointer.dtype)
        loaded = filled(UOp.make("load", (pointer, somewhere, zero), (), None, u.loc), width)
        return UOp.make("where", (gate if isinstance(gate.type, T.VectorType) else filled(gate, width), loaded, other))

    def store(self, u: UOp, operands: tuple[UOp, ...]) -> Tokens:
        pointer, value = operands[0], operands[1]
        place, buffer = pointer.operands[-1], pointer.operands[0]
        if not isinstance(place.type, T.VectorType):
            return (u.with_operands(operands),)
        width = place.type.lanes
        gate = operands[2] if len(operands) > 2 else None
        if gate is not None:
            even = self.forms.uniform(gate)
            gate = None if even is not None and even.is_const(True) else even if even is not None else gate
        sequence = self.forms.sequence(place)
        guard = () if gate is None else (gate,)
        if sequence is not None and sequence.step == 1:
            return (UOp.make("store", (contiguous(buffer, sequence.base, width), value, *guard), u.attributes, None, u.loc),)
        if sequence is not None and sequence.step == -1 and gate is None:
            return (UOp.make("store", (contiguous(buffer, sequence.base - (width - 1), width), reversed_lanes(value)), u.attributes, None, u.loc),)
        lane = self.forms.lane
        return tuple(UOp.make("store", (scalar(buffer, lane(place, k)), lane(value, k), *(lane(g, k) for g in guard)), u.attributes, None, u.loc)
                     for k in range(width))


def contiguous(buffer: UOp, place: UOp, width: int) -> UOp:
    """A pointer to `width` consecutive elements."""
    return UOp.make("index", (buffer, place), (), T.ptr(T.vector(width, buffer.dtype), _space(buffer)))


def scalar(buffer: UOp, place: UOp) -> UOp:
    return UOp.make("index", (buffer, place), (), T.ptr(buffer.dtype, _space(buffer)))


def _space(buffer: UOp) -> str:
    return getattr(buffer.type, "space", None) or "global"


def filled(x: UOp, width: int) -> UOp:
    if x.name == "const":
        return const(x.value, T.vector(width, x.dtype))
    return UOp.make("vectorize", (x,), (), T.vector(width, x.dtype))


def reversed_lanes(v: UOp) -> UOp:
    assert isinstance(v.type, T.VectorType)
    return UOp.make("vectorize", tuple(UOp.make("gep", (v,), (k,)) for k in reversed(range(v.type.lanes))), (), v.type)
