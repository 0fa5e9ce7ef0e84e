"""k-means and principal components of scikit-learn's handwritten digits, beside scikit-learn's own; pictures if asked for.

    python examples/clusters.py                  # inertia within 0.1 % of scikit-learn's from the same start; components equal up to sign to 1e-6
    python examples/clusters.py --pictures out   # also out/centres.png and out/components.png (needs matplotlib)

The principal components are found by subspace iteration: products with the covariance matrix, and an orthonormal basis by Gram-Schmidt between them.
"""
from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import morok
from morok import Tensor

CLUSTERS, COMPONENTS, EXTRA = 10, 2, 8


def start(points: np.ndarray) -> np.ndarray:
    """Centres to begin with: points drawn with a fixed seed."""
    return points[np.random.default_rng(0).choice(len(points), CLUSTERS, replace=False)]


@morok.jit
def lloyd(points: Tensor, centres: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The centres after one step, each point's nearest centre before it, and the sum of squared distances to those."""
    distances = points.square().sum(1, keepdim=True) - 2 * points @ centres.T + centres.square().sum(1)
    nearest = distances.argmin(1)
    member = nearest.unsqueeze(1).eq(Tensor.arange(centres.shape[0])).cast(points.dtype)
    count = member.sum(0).unsqueeze(1)
    moved = ((member.T @ points) / count.maximum(1)).where(count > 0, centres)  # a centre without points stays
    return moved, nearest, distances.min(1).sum()


def k_means(points: np.ndarray, limit: int = 100) -> tuple[np.ndarray, np.ndarray, float]:
    """Centres, labels and inertia where Lloyd's steps come to rest, at most `limit` of them."""
    x, centres, inertia = Tensor(points), Tensor(start(points)), np.inf
    for _ in range(limit):
        centres, labels, total = lloyd(x, centres)
        if total.item() >= inertia:
            break
        inertia = total.item()
    return centres.numpy(), labels.numpy(), float(total.item())


@morok.jit
def orthonormal(basis: Tensor) -> Tensor:
    """Columns that span the same space, orthonormal (Gram-Schmidt, twice: once is not enough in floating point)."""
    columns: list[Tensor] = []
    for k in range(basis.shape[1]):
        column = basis[:, k]
        for _ in range(2):
            for other in columns:
                column = column - other * (other * column).sum()
        columns.append(column / column.square().sum().sqrt())
    return morok.stack(columns, 1)


def principal_components(points: np.ndarray, count: int = COMPONENTS, limit: int = 250) -> tuple[np.ndarray, np.ndarray]:
    """The first components (count, features) and the variances along them."""
    x = Tensor(points - points.mean(0))
    covariance = (x.T @ x / (len(points) - 1)).realize()
    basis = Tensor(np.random.default_rng(1).normal(size=(points.shape[1], count + EXTRA)))
    for _ in range(limit):
        basis = orthonormal(covariance @ basis)
    components = basis[:, :count].T
    return components.numpy(), ((components @ covariance) * components).sum(1).numpy()


def draw(folder: Path, points: np.ndarray, centres: np.ndarray, components: np.ndarray) -> None:
    """The centres as images, and the digits in the plane of the first two components."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(2, 5, figsize=(8, 3.5))
    for axis, centre in zip(axes.flat, centres):
        axis.imshow(centre.reshape(8, 8), cmap="gray_r")
        axis.axis("off")
    figure.savefig(folder / "centres.png")
    plane = (Tensor(points - points.mean(0)) @ Tensor(components).T).numpy()
    figure, axis = plt.subplots(figsize=(6, 6))
    axis.scatter(*plane.T, c=load_digits().target, cmap="tab10", s=8)
    axis.set(xlabel="first component", ylabel="second component", title="1,797 digits, coloured by digit")
    figure.savefig(folder / "components.png")
    plt.close("all")
    print(f"wrote {folder / 'centres.png'} and {folder / 'components.png'}")


def compare() -> dict[str, float]:
    """The figures: inertia here and of scikit-learn, and the largest difference of components up to sign."""
    points = load_digits().data
    theirs = KMeans(CLUSTERS, init=start(points), n_init=1, tol=0, algorithm="lloyd").fit(points)
    components, variances = principal_components(points)
    peer = PCA(COMPONENTS, svd_solver="full").fit(points)
    signs = np.sign((components * peer.components_).sum(1, keepdims=True))
    return {"inertia": k_means(points)[2], "their inertia": float(theirs.inertia_), "variance": float((variances / peer.explained_variance_ - 1).max()),
            "components": float(np.abs(components * signs - peer.components_).max())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", metavar="FOLDER", type=Path, help="write PNG files there")
    arguments = parser.parse_args()
    found = compare()
    print(f"k-means: inertia {found['inertia']:.0f}, scikit-learn's {found['their inertia']:.0f}")
    print(f"components differ from scikit-learn's by {found['components']:.0e} at most, variances by {abs(found['variance']):.0e} of theirs")
    if arguments.pictures:
        points = load_digits().data
        centres = k_means(points)[0]
        draw(arguments.pictures, points, centres, principal_components(points)[0])


if __name__ == "__main__":
    main()
