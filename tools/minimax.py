"""Minimax polynomial coefficients for morok/passes/codegen/float_*.py, by exchange in mpmath.

    python tools/minimax.py                 lists the targets
    python tools/minimax.py exp.float32 ... prints their coefficients, lowest power first, and the error reached

A target approximates f(x) by fixed(x) + sum c_k basis_k(x) and bounds |f - approximation| / scale over an interval. The exchange of one
point at a time (Stiefel 1959, which is the dual simplex method) runs on a grid of Chebyshev points; unlike Remez' it needs no Haar
condition, which a fixed value within the interval breaks. Coefficients are rounded to the format one at a time, lowest power first, and the
rest fitted again after each, so that later ones make up for the rounding of earlier ones.
"""
from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp  # type: ignore[import-untyped]

Function = Callable[[mp.mpf], mp.mpf]
PRECISION = {"float32": 24, "float64": 53, "exact": 200}


@dataclass(frozen=True)
class Target:
    """Approximate `f` on `interval` by fixed(x) + sum of c_k * x**powers[k], error taken relative to `scale`."""
    f: Function
    interval: tuple[object, object]
    powers: tuple[int, ...]
    dtype: str
    scale: Function
    fixed: Function = lambda x: mp.mpf(0)


def chebyshev_points(low: mp.mpf, high: mp.mpf, count: int) -> list[mp.mpf]:
    centre, radius = (low + high) / 2, (high - low) / 2
    return [centre - radius * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def signed_reference(rows: list[list[mp.mpf]]) -> tuple[list[int], list[int]]:
    """Spread out points to start from, and the signs of the dependence between their rows: those of the errors there."""
    size, count = len(rows[0]), len(rows)
    points = [(2 * i + 1) * count // (2 * (size + 1)) for i in range(size + 1)]
    system = mp.matrix([[rows[i][k] for i in points[:size]] for k in range(size)])
    weights = [*mp.lu_solve(system, mp.matrix([-entry for entry in rows[points[size]]])), mp.mpf(1)]
    return points, [1 if weight > 0 else -1 for weight in weights]


def minimax(rows: list[list[mp.mpf]], values: list[mp.mpf]) -> tuple[list[mp.mpf], mp.mpf]:
    """Coefficients c that minimise the largest |values - rows @ c|, and that maximum."""
    size = len(rows[0])
    points, signs = signed_reference(rows)
    for _ in range(400):
        inverse = mp.inverse(mp.matrix([[*rows[i], mp.mpf(sign)] for i, sign in zip(points, signs)]))
        solution = inverse * mp.matrix([values[i] for i in points])
        coefficients, level = list(solution[:size]), solution[size]
        if level < 0:
            signs = [-sign for sign in signs]
            continue
        residuals = [value - mp.fdot(row, coefficients) for row, value in zip(rows, values)]
        entering = max(range(len(rows)), key=lambda i: abs(residuals[i]))
        if abs(residuals[entering]) <= level * mp.mpf("1.0001"):
            break
        # The dual simplex's ratio test: the point that leaves is the first whose weight would change sign.
        sign = 1 if residuals[entering] > 0 else -1
        change = [mp.fdot(inverse[:size, k], rows[entering]) + inverse[size, k] * sign for k in range(size + 1)]
        _, leaving = min((inverse[size, k] / (sign * change[k]), k) for k in range(size + 1) if sign * change[k] * signs[k] > 0)
        points[leaving], signs[leaving] = entering, sign
    return coefficients, max(abs(residual) for residual in residuals)


def round_to(value: mp.mpf, bits: int) -> mp.mpf:
    with mp.workprec(bits):
        return +value


def fit(target: Target, points_per_term: int = 24) -> tuple[list[mp.mpf], mp.mpf]:
    """Rounded coefficients of `target` and the largest relative error they leave."""
    low, high = (mp.mpf(end) for end in target.interval)
    powers = list(target.powers)
    grid = chebyshev_points(low, high, points_per_term * (len(powers) + 2))
    scales = [1 / target.scale(x) for x in grid]
    values = [(target.f(x) - target.fixed(x)) * scale for x, scale in zip(grid, scales)]
    rounded: list[mp.mpf] = []
    while powers:
        rows = [[x**power * scale for power in powers] for x, scale in zip(grid, scales)]
        coefficients, _ = minimax(rows, values)
        rounded.append(round_to(coefficients[0], PRECISION[target.dtype]))
        values = [value - rounded[-1] * row[0] for value, row in zip(values, rows)]
        powers.pop(0)
    return rounded, max(abs(value) for value in values)


def targets() -> dict[str, Target]:
    """Every polynomial of the float functions, by the name given beside its coefficients there."""
    ln2 = mp.log(2)
    half = mp.mpf(1) / 2
    table: dict[str, Target] = {}

    def add(name: str, f: Function, interval: tuple[object, object], terms: dict[str, tuple[int, ...]], scale: Function | None = None,
            fixed: Function = lambda x: mp.mpf(0)) -> None:
        for dtype, powers in terms.items():
            table[f"{name}.{dtype}"] = Target(f, interval, powers, dtype, scale or f, fixed)

    def span(first: int, last: int, step: int = 1) -> tuple[int, ...]:
        return tuple(range(first, last + 1, step))

    def over_power(f: Function, power: int) -> Function:
        """f(x) / x**power, with the digits that the cancellation in f takes."""
        def evaluate(x: mp.mpf) -> mp.mpf:
            with mp.workdps(mp.mp.dps + 20 + 5 * power):
                return f(x) / x**power
        return evaluate

    def of_square(f: Function, divided_by: int) -> Function:
        """f(sqrt z) / z**(divided_by/2): the even series in z of an odd or even function."""
        quotient = over_power(f, divided_by)
        return lambda z: quotient(mp.sqrt(z))

    one = mp.mpf(1)
    tiny = mp.mpf(10) ** -8

    # Exponentials. n is even in exp and exp2, so that r reaches ln 2, or 1.
    add("exp", mp.exp, (-ln2 * 1.0001, ln2 * 1.0001), {"float32": span(1, 7), "float64": span(1, 13)}, fixed=lambda r: one)
    add("exp2", lambda r: mp.mpf(2) ** r, (-1.0001, 1.0001), {"float32": span(1, 7), "float64": span(1, 13)}, fixed=lambda r: one)
    near = ln2 / 2 * mp.mpf("1.0001")
    add("exp_near", mp.exp, (-near, near), {"float32": span(2, 6), "float64": span(2, 11)}, fixed=lambda r: one + r)
    # (e**r - 1 - r) / r**2, error relative to (e**r - 1) / r**2.
    add("expm1", lambda r: over_power(lambda u: mp.expm1(u) - u, 2)(r) if r else half, (-near, near),
        {"float32": span(0, 4), "float64": span(0, 9)}, scale=lambda r: mp.expm1(r) / r**2)
    # (sinh r - r) / r**3 and (cosh r - 1) / r**2 in z = r**2.
    add("sinh", of_square(lambda r: mp.sinh(r) - r, 3), (tiny, near**2), {"float32": span(0, 1), "float64": span(0, 4)},
        scale=lambda z: 1 / z)
    add("cosh", of_square(lambda r: mp.cosh(r) - 1, 2), (tiny, near**2), {"float32": span(0, 2), "float64": span(0, 4)},
        scale=lambda z: 1 / z)

    # Logarithms of 1 + f between sqrt 1/2 and sqrt 2.
    low, high = mp.sqrt(half) - 1, mp.sqrt(2) - 1
    log2e = 1 / ln2
    add("log", mp.log1p, (low, high), {"float32": span(2, 10)}, fixed=lambda f: f)
    add("log2", lambda f: mp.log1p(f) * log2e, (low, high), {"float32": span(1, 10)}, fixed=lambda f: round_to(log2e, 24) * f)
    # (log(1 + f) - 2 s) / s in z = s**2, s = f / (2 + f).
    s_max = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)
    add("atanh_tail", of_square(lambda s: 2 * mp.atanh(s) - 2 * s, 1), (tiny, s_max**2), {"float64": span(1, 7)}, scale=lambda z: mp.mpf(2))

    # Trigonometry up to pi/4: (sin r - r) / r**3, (cos r - 1) / r**2 and (tan r - r) / r**3 in r**2.
    top = (mp.pi / 4 * mp.mpf("1.004")) ** 2
    add("sin", of_square(lambda r: mp.sin(r) - r, 3), (tiny, top), {"float32": span(0, 2), "float64": span(0, 5)},
        scale=of_square(mp.sin, 3))
    add("cos", of_square(lambda r: mp.cos(r) - 1, 2), (tiny, top), {"float32": span(0, 3), "float64": span(0, 6)},
        scale=of_square(mp.cos, 2))
    add("tan", of_square(lambda r: mp.tan(r) - r, 3), (tiny, top), {"float32": span(0, 5), "float64": span(0, 13)},
        scale=of_square(mp.tan, 3))

    # erf x / x - 1 in x**2 up to 1; erf from 1 on in x - 2.5 (float32); erfc(x) exp(x**2) in t = 1/(1 + x/2) (float64).
    add("erf_near", of_square(lambda x: mp.erf(x) - x, 1), (tiny, one), {"float32": span(0, 6), "float64": span(0, 12)},
        scale=of_square(mp.erf, 1))
    add("erf_far", lambda u: mp.erf(u + mp.mpf("2.5")), (-1.5, 1.5), {"float32": span(0, 14)}, scale=lambda u: one)
    add("erfc_scaled", lambda t: mp.erfc(2 / t - 2) * mp.exp((2 / t - 2) ** 2), (mp.mpf(1) / 4, mp.mpf(2) / 3), {"float64": span(0, 11)},
        scale=lambda t: mp.exp((2 / t - 2) ** 2))

    # Inverse functions: atan up to 1, asin up to 0.55.
    add("atan", of_square(lambda x: mp.atan(x) - x, 3), (tiny, one), {"float32": span(0, 8), "float64": span(0, 19)},
        scale=of_square(mp.atan, 3))
    add("asin", of_square(lambda x: mp.asin(x) - x, 3), (tiny, mp.mpf("0.3026")), {"float32": span(0, 5), "float64": span(0, 13)},
        scale=of_square(mp.asin, 3))

    # pow. float32 goes through float64: log2(1 + f) and 2**r to some 36 and 29 bits. float64: log2(1 + f) / s less 2/ln 2 (1 + z/3), over
    # z**2, where s = f / (2 + f) and z = s**2.
    add("log2_for_pow32", lambda f: mp.log1p(f) * log2e, (low, high), {"float64": span(1, 13)})
    add("exp2_for_pow32", lambda r: mp.mpf(2) ** r, (-half, half), {"float64": span(1, 6)}, fixed=lambda r: one)
    add("log2_for_pow64", of_square(lambda s: (2 * mp.atanh(s) - 2 * s - 2 * s**3 / 3) * log2e, 5), (tiny, s_max**2),
        {"float64": span(0, 7)}, scale=lambda z: 2 * log2e / z**2)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description="Print minimax coefficients of the float functions.")
    parser.add_argument("names", nargs="*", help="targets, such as exp.float32; none lists them")
    arguments = parser.parse_args()
    mp.mp.dps = 60
    table = targets()
    if not arguments.names:
        print("\n".join(table))
    for name in arguments.names:
        coefficients, error = fit(table[name])
        digits = {"float32": 9, "float64": 17, "exact": 40}[table[name].dtype]
        print(f"# {name}: relative error {mp.nstr(error, 3)} = 2**{mp.nstr(mp.log(error, 2), 4)}")
        print("(" + ", ".join(mp.nstr(c, digits) for c in coefficients) + ")")


if __name__ == "__main__":
    main()
