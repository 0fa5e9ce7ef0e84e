"""Division and remainder of integer expressions, on linear forms; quotients round down.

    (%i * 8 + %j) floordiv 4        =>   %i * 2 + %j floordiv 4
    (%i * 8 + %j) mod 8             =>   %j                           where %j < 8
    (%x floordiv 4) floordiv 3      =>   %x floordiv 12
    (%x floordiv 4) * 4 + %x mod 4  =>   %x
    (%i floordiv 49) * 56 + (%i + (%i * 8 + %j) floordiv 56) mod 56  =>  %i + (%i * 8 + %j) floordiv 56      where %j < 8
    (%i * %n + %j) floordiv %n      =>   %i                           where %j < %n

Index arithmetic does not overflow; on other integers the rules apply only where bounds prove the same.
"""
from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from ...dialect import types as T
from ...graph.uop import UOp, const
from ..pattern import PatternSet
from .bounds import bounds, fits
from .linear import Linear, build, combined, factors, linear, multiplied, product_of

DIVMOD = PatternSet("divmod")


def _parts(u: UOp) -> tuple[Linear, int] | None:
    """(linear form of the dividend, divisor) of a division by a positive constant."""
    x, y = u.operands
    if y.name != "const" or y.value <= 0 or isinstance(u.type, T.TensorType):
        return None
    return linear(x), y.value


def _divided(name: str, form: Linear, divisor: int, like: UOp) -> UOp | None:
    """The division written out, or None where the dividend or the divisor might leave the dtype."""
    if like.dtype is not T.index and not (fits(form.bounds(), like.dtype) and divisor <= like.dtype.max):
        return None
    dividend = build(form, like.type)
    if divisor == 1:
        return dividend if name == "floordiv" else const(0, like.type)
    return UOp.make(name, (dividend, const(divisor, like.type)), (), None, like.loc)


def _sum(form: Linear, other: UOp | None, scale: int = 1) -> UOp | None:
    """form + other * scale"""
    if other is None:
        return None
    if not form.terms and not form.constant and scale == 1:
        return other
    return build(form.plus(linear(other).scaled(scale)), other.type)


def _split_by(form: Linear, divisor: int) -> tuple[Linear, Linear]:
    """(Q, R) with form = divisor * Q + R; R's coefficients are below the divisor in size, its constant is from 0 to divisor - 1."""
    quotient, rest = [], []
    for term, coefficient in form.terms:
        times = abs(coefficient) // divisor * (1 if coefficient > 0 else -1)
        if times:
            quotient.append((term, times))
        if coefficient - times * divisor:
            rest.append((term, coefficient - times * divisor))
    return Linear(tuple(quotient), form.constant // divisor), Linear(tuple(rest), form.constant % divisor)


# Constant divisors

@DIVMOD.rule("floordiv", "mod")
def trivial_divisor(u: UOp) -> UOp | None:
    """x // 1 = x, x % 1 = 0, x // 0 = x % 0 = 0, and 0 // x = 0 % x = 0"""
    x, y = u.operands
    if x.is_const(0) or y.is_const(0):
        return const(0, u.type)
    if y.is_const(1):
        return x if u.name == "floordiv" else const(0, u.type)
    return None


@DIVMOD.rule("floordiv", "mod")
def negative_divisor(u: UOp) -> UOp | None:
    """x // -c = (-x) // c; x % -c = -((-x) % c)"""
    x, y = u.operands
    if y.name != "const" or y.value >= 0 or y.value == u.dtype.min or isinstance(u.type, T.TensorType):
        return None
    found = _divided(u.name, linear(x).scaled(-1), -y.value, u)
    return found if u.name == "floordiv" or found is None else UOp.make("neg", (found,))


@DIVMOD.rule("floordiv")
def quotient_of_divisible_part(u: UOp) -> UOp | None:
    """(c*a + b) // c = a + b // c"""
    parts = _parts(u)
    if parts is None:
        return None
    quotient, rest = _split_by(*parts)
    if not quotient.terms and not quotient.constant:
        return None
    return _sum(quotient, _divided("floordiv", rest, parts[1], u))


@DIVMOD.rule("mod")
def remainder_of_divisible_part(u: UOp) -> UOp | None:
    """(c*a + b) % c = b % c"""
    parts = _parts(u)
    if parts is None:
        return None
    quotient, rest = _split_by(*parts)
    return _divided("mod", rest, parts[1], u) if quotient.terms or quotient.constant else None


@DIVMOD.rule("mod")
def remainder_within_period(u: UOp) -> UOp | None:
    """x % c = x - q*c where x // c is q always"""
    parts = _parts(u)
    if parts is None:
        return None
    form, divisor = parts
    least, most = form.bounds()
    if least // divisor != most // divisor:
        return None
    return u.operands[0] if least // divisor == 0 else build(form.plus(Linear((), -(least // divisor) * divisor)), u.type)


def _factored(form: Linear, divisor: int) -> tuple[int, Linear, Linear] | None:
    """(g, A, B) with form = g*A + B, g > 1 a divisor of `divisor`, and 0 <= B < g."""
    for g in sorted({gcd(divisor, c) for _, c in form.terms} - {1}, reverse=True):
        inside = Linear(tuple((t, c // g) for t, c in form.terms if c % g == 0), form.constant // g)
        rest = Linear(tuple((t, c) for t, c in form.terms if c % g), form.constant % g)
        least, most = rest.bounds()
        block = least // g
        if block == most // g:
            return g, inside.plus(Linear((), block)), rest.plus(Linear((), -block * g))
    return None


@DIVMOD.rule("floordiv")
def quotient_by_common_factor(u: UOp) -> UOp | None:
    """(g*a + b) // (g*d) = a // d where 0 <= b < g"""
    parts = _parts(u)
    found = parts and _factored(*parts)
    if not found:
        return None
    return _divided("floordiv", found[1], parts[1] // found[0], u)  # type: ignore[index]


@DIVMOD.rule("mod")
def remainder_by_common_factor(u: UOp) -> UOp | None:
    """(g*a + b) % (g*d) = g * (a % d) + b where 0 <= b < g"""
    parts = _parts(u)
    found = parts and _factored(*parts)
    if not found:
        return None
    return _sum(found[2], _divided("mod", found[1], parts[1] // found[0], u), found[0])  # type: ignore[index]


@DIVMOD.rule("floordiv")
def quotient_of_quotient(u: UOp) -> UOp | None:
    """(x // a + k) // b = (x + k*a) // (a*b)"""
    parts = _parts(u)
    if parts is None or len(parts[0].terms) != 1:
        return None
    (term, coefficient), = parts[0].terms
    if coefficient != 1 or term.name != "floordiv" or term.operands[1].name != "const" or term.operands[1].value <= 0:
        return None
    inner = term.operands[1].value
    return _divided("floordiv", linear(term.operands[0]).plus(Linear((), parts[0].constant * inner)), inner * parts[1], u)


@DIVMOD.rule("floordiv")
def quotient_of_remainder(u: UOp) -> UOp | None:
    """(x % (a*b)) // a = (x // a) % b"""
    x, y = u.operands
    if _parts(u) is None or x.name != "mod" or x.operands[1].name != "const" or x.operands[1].value <= 0 or x.operands[1].value % y.value:
        return None
    quotient = UOp.make("floordiv", (x.operands[0], y), (), None, u.loc)
    return UOp.make("mod", (quotient, const(x.operands[1].value // y.value, u.type)), (), None, u.loc)


@DIVMOD.rule("mod")
def remainder_of_remainder(u: UOp) -> UOp | None:
    """(x % (a*b) + y) % a = (x + y) % a"""
    parts = _parts(u)
    if parts is None:
        return None
    form, divisor = parts
    for i, (term, coefficient) in enumerate(form.terms):
        if term.name != "mod" or term.operands[1].name != "const" or term.operands[1].value == 0:
            continue
        if coefficient * term.operands[1].value % divisor == 0:
            others = Linear(form.terms[:i] + form.terms[i + 1:], form.constant)
            return _divided("mod", others.plus(linear(term.operands[0]).scaled(coefficient)), divisor, u)
    return None


# Symbolic divisors (index only)

def _divide_symbolically(form: Linear, divisor: Linear) -> tuple[Linear, Linear] | None:
    """(Q, R) with form = Q * divisor + R and 0 <= R < divisor: division of polynomials by the divisor's term of highest degree."""
    if not divisor.terms:
        return None
    lead, lead_coefficient = max(divisor.terms, key=lambda t: len(factors(t[0])))
    lead_factors = factors(lead)
    quotient, rest = Linear(()), form
    for _ in range(16):
        divisible = ((_without(factors(t), lead_factors), c) for t, c in rest.terms if c % lead_coefficient == 0)
        found = next(((f, c) for f, c in divisible if f is not None), None)
        if found is None:
            break
        times = Linear(((product_of(*found[0]), found[1] // lead_coefficient),)) if found[0] else Linear((), found[1] // lead_coefficient)
        quotient, rest = quotient.plus(times), rest.minus(multiplied(times, divisor))
    return (quotient, rest) if is_positive(rest.plus(Linear((), 1))) and is_positive(divisor.minus(rest)) else None


def _without(all_factors: Sequence[UOp], some: Sequence[UOp]) -> list[UOp] | None:
    rest = list(all_factors)
    for factor in some:
        if factor not in rest:
            return None
        rest.remove(factor)
    return rest


def is_positive(form: Linear) -> bool:
    """Whether the sum is greater than 0 wherever it is computed, also by extents that are symbolic: %n - range(%n) is."""
    return form.bounds()[0] > 0 or _lowered(form).bounds()[0] > 0


def _lowered(form: Linear) -> Linear:
    """A sum that is no greater: what is subtracted stands at its greatest value, written with the extent or divisor that is its limit."""
    result = Linear((), form.constant)
    for term, coefficient in form.terms:
        limit = Linear(((term, 1),))
        if coefficient < 0 and all(bounds(f)[0] >= 0 for f in factors(term)):
            limit = Linear((), 1)
            for factor in factors(term):
                limit = multiplied(limit, _greatest(factor))
        result = result.plus(limit.scaled(coefficient))
    return result


def _greatest(u: UOp) -> Linear:
    """The greatest value of a range or remainder."""
    if u.name == "range":
        return linear(u.operands[0]).plus(Linear((), -1))
    if u.name == "mod" and u.operands[1].name != "const" and bounds(u.operands[1])[0] > 0:
        return linear(u.operands[1]).plus(Linear((), -1))
    return Linear(((u, 1),))


def _runs_only_if_positive(divisor: UOp, form: Linear) -> bool:
    """Whether the divisor is at least 1 where a sum is computed: by its bounds, or else a loop round the sum would have no iteration."""
    if bounds(divisor)[0] > 0:
        return True
    wanted = factors(divisor)
    extents = [f.operands[0] for t, _ in form.terms for f in factors(t) if f.name == "range"]
    return bounds(divisor)[0] == 0 and any(_without(factors(e), wanted) is not None for e in extents)


@DIVMOD.rule("floordiv")
def quotient_by_symbol(u: UOp) -> UOp | None:
    """(a*n + b) // n = a where 0 <= b < n"""
    x, y = u.operands
    if u.type is not T.index or y.name == "const" or not _runs_only_if_positive(y, linear(x)):
        return None
    found = _divide_symbolically(linear(x), linear(y))
    return build(found[0], u.type) if found else None


@DIVMOD.rule("mod")
def remainder_by_symbol(u: UOp) -> UOp | None:
    """(a*n + b) % n = b where 0 <= b < n"""
    x, y = u.operands
    if u.type is not T.index or y.name == "const" or not _runs_only_if_positive(y, linear(x)):
        return None
    found = _divide_symbolically(linear(x), linear(y))
    return build(found[1], u.type) if found else None


# Recombination

@DIVMOD.rule("add")
def quotient_and_remainder(u: UOp) -> UOp | None:
    """(x // c) * c + x % c = x; ((x // c) % d) * c + x % c = x % (c*d)"""
    if not u.dtype.is_int or isinstance(u.type, T.TensorType):
        return None
    form = linear(u)
    coefficients = dict(form.terms)
    for remainder, scale in form.terms:
        if remainder.name != "mod":
            continue
        x, y = remainder.operands
        for quotient in _quotients(x, y):
            pair = (form, coefficients, quotient, remainder, scale)
            found = _whole(*pair) or _longer_remainder(*pair)
            if found is not None and (u.dtype is T.index or fits(found.bounds(), u.dtype)):
                return build(found, u.type)
    return None


def _quotients(x: UOp, y: UOp) -> list[UOp]:
    """How x // y may be written."""
    found = [UOp.make("floordiv", (x, y))]
    if y.name == "const" and x.name == "floordiv" and x.operands[1].name == "const":
        found.append(UOp.make("floordiv", (x.operands[0], const(x.operands[1].value * y.value, y.type))))
    elif y.name == "const" and y.value > 0 and x.type is T.index:
        found += _quotients_of_sum(linear(x), y.value, x)
    return found


def _quotients_of_sum(form: Linear, divisor: int, like: UOp) -> list[UOp]:
    """(a // c + b) // d as (a + b*c) // (c*d), and without what is common to these: what the rules make of it where it stands alone."""
    found = []
    for term, coefficient in form.terms:
        if coefficient == 1 and len(form.terms) > 1 and term.name == "floordiv" and term.operands[1].name == "const" and term.operands[1].value > 0:
            inner = term.operands[1].value
            whole = form.minus(Linear(((term, 1),))).scaled(inner).plus(linear(term.operands[0]))
            reduced = _factored(whole, inner * divisor)
            common, rest = (reduced[0], reduced[1]) if reduced else (1, whole)
            quotient = _divided("floordiv", rest, inner * divisor // common, like)
            found += [quotient] if quotient is not None else []
    return found


def _whole(form: Linear, coefficients: dict[UOp, int], quotient: UOp, remainder: UOp, scale: int) -> Linear | None:
    x, y = remainder.operands
    if y.name == "const":
        if y.value == 0:
            return None
        wanted = Linear(((quotient, y.value),))
    elif y.type is T.index and _runs_only_if_positive(y, linear(x)):
        wanted = multiplied(Linear(((quotient, 1),)), linear(y))
    else:
        return None
    if any(coefficients.get(t) != c * scale for t, c in wanted.terms):
        return None
    return form.minus(wanted.scaled(scale)).minus(Linear(((remainder, scale),))).plus(linear(x).scaled(scale))


def _longer_remainder(form: Linear, coefficients: dict[UOp, int], quotient: UOp, remainder: UOp, scale: int) -> Linear | None:
    x, y = remainder.operands
    if y.name != "const" or y.value <= 0:
        return None
    for other, coefficient in form.terms:
        if coefficient == scale * y.value and other.name == "mod" and other.operands[0] is quotient and other.operands[1].name == "const" \
                and other.operands[1].value > 0 and y.value * other.operands[1].value <= y.dtype.max:
            longer = UOp.make("mod", (x, const(y.value * other.operands[1].value, y.type)))
            return combined([t for t in form.terms if t[0] is not other and t[0] is not remainder] + [(longer, scale)], form.constant)
    return None


@DIVMOD.rule("add", "sub")
def remainder_from_quotient(u: UOp) -> UOp | None:
    """x - (x // c) * c = x % c"""
    if not u.dtype.is_int or isinstance(u.type, T.TensorType):
        return None
    form = linear(u)
    coefficients = dict(form.terms)
    for quotient, coefficient in form.terms:
        if quotient.name != "floordiv" or quotient.operands[1].name != "const" or quotient.operands[1].value <= 0:
            continue
        x, divisor = quotient.operands
        if coefficient % divisor.value or any(coefficients.get(t) != -(coefficient // divisor.value) * c for t, c in linear(x).terms):
            continue
        scale = -(coefficient // divisor.value)
        rest = form.minus(linear(x).scaled(scale)).minus(Linear(((quotient, coefficient),)))
        return build(rest.plus(Linear(((UOp.make("mod", (x, divisor)), scale),))), u.type)
    return None
