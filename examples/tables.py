"""Ridge and logistic regression on two tables of scikit-learn, beside scikit-learn's own.

    python examples/tables.py    # diabetes: test R2 0.359; breast cancer: test accuracy 0.958; both as scikit-learn's

Ridge regression is solved by conjugate gradients of its normal equations, logistic regression by Newton's method, whose steps conjugate gradients solve
too: products of matrices and vectors are all it takes. Both minimise what scikit-learn minimises, so that the coefficients agree.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import train_test_split

import morok
from morok import Tensor

ALPHA, NEWTON_STEPS, TEST_SHARE = 0.1, 12, 0.25


def split(table: Callable) -> list[np.ndarray]:
    """Training and test rows (float64, each column with mean 0 and deviation 1 over the training rows) and their targets."""
    rows, targets = table(return_X_y=True)
    train, test, train_targets, test_targets = train_test_split(rows, targets.astype(np.float64), test_size=TEST_SHARE, random_state=0)
    mean, deviation = train.mean(0), train.std(0)
    return [(train - mean) / deviation, (test - mean) / deviation, train_targets, test_targets]


def conjugate_gradients(product: Callable[[Tensor], Tensor], right: Tensor, steps: int) -> Tensor:
    """x of product(x) = right, for a product that is symmetric and positive definite (Hestenes and Stiefel 1952)."""
    x, residual = Tensor.zeros(*right.shape, dtype=right.dtype), right
    direction, squared = residual, (residual * residual).sum()
    for _ in range(steps):
        towards = product(direction)
        length = squared / (direction * towards).sum().maximum(1e-300)
        x, residual = x + direction * length, residual - towards * length
        before, squared = squared, (residual * residual).sum()
        direction = residual + direction * (squared / before.maximum(1e-300))
        Tensor.realize_batch([x, residual, direction, squared])  # keeps the graph of a step small: all steps run the same kernels
    return x


def ridge(rows: np.ndarray, targets: np.ndarray, alpha: float = ALPHA) -> tuple[np.ndarray, float]:
    """Coefficients and intercept of the least |rows @ w + b - targets|**2 + alpha |w|**2; the rows' columns have mean 0."""
    x, y = Tensor(rows), Tensor(targets)
    middle = y.mean()
    weights = conjugate_gradients(lambda w: x.T @ (x @ w) + w * alpha, x.T @ (y - middle), 2 * rows.shape[1])
    return weights.numpy(), middle.item()


def logistic(rows: np.ndarray, targets: np.ndarray, strength: float = 1.0) -> tuple[np.ndarray, float]:
    """Coefficients and intercept of the least strength * (sum of log losses) + |w|**2 / 2."""
    x = Tensor(np.column_stack([rows, np.ones(len(rows))]))
    y = Tensor(targets)
    penalty = Tensor(np.append(np.ones(rows.shape[1]), 0.0))  # the intercept goes free
    weights = Tensor.zeros(x.shape[1], dtype="float64")
    for _ in range(NEWTON_STEPS):
        chance = (x @ weights).sigmoid().realize()
        slope = x.T @ (chance - y) * strength + weights * penalty
        curvature = (chance * (1 - chance) * strength).realize()

        def hessian(v: Tensor, curvature: Tensor = curvature) -> Tensor:
            return x.T @ ((x @ v) * curvature) + v * penalty
        weights = (weights - conjugate_gradients(hessian, slope, 2 * x.shape[1])).realize()
    found = weights.numpy()
    return found[:-1], float(found[-1])


def regression() -> tuple[float, float, float]:
    """R2 on the test rows of diabetes here and of scikit-learn, and by how much the coefficients differ at most, relative to the largest."""
    train, test, y, y_test = split(load_diabetes)
    weights, intercept = ridge(train, y)
    theirs = Ridge(alpha=ALPHA).fit(train, y)
    predicted = (Tensor(test) @ Tensor(weights) + intercept)
    left = (predicted - Tensor(y_test)).square().sum() / (Tensor(y_test) - y_test.mean()).square().sum()
    return 1 - left.item(), float(theirs.score(test, y_test)), relative(weights, theirs.coef_)


def classification() -> tuple[float, float, float]:
    """Accuracy on the test rows of breast cancer here and of scikit-learn, and by how much the coefficients differ at most, relative to the largest."""
    train, test, y, y_test = split(load_breast_cancer)
    weights, intercept = logistic(train, y)
    theirs = LogisticRegression(tol=1e-10, max_iter=10_000).fit(train, y)
    right = ((Tensor(test) @ Tensor(weights) + intercept > 0) == Tensor(y_test).bool()).double().mean()
    return right.item(), float(theirs.score(test, y_test)), relative(weights, theirs.coef_[0])


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def main() -> None:
    for name, measure, (mine, theirs, apart) in (("diabetes", "R2", regression()), ("breast cancer", "accuracy", classification())):
        print(f"{name}: test {measure} {mine:.4f}, scikit-learn's {theirs:.4f}; coefficients differ by {apart:.0e} of the largest")


if __name__ == "__main__":
    with morok.no_grad():
        main()
