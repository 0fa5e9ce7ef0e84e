"""Factorisations of matrices: loops over columns or rotations (morok/tensor/loops.py) whose bodies are a few kernels over whole matrices and batches.

    common        what matrices are taken, rows and columns that a loop looks at
    triangular    Cholesky, elimination with pivoting, substitution
    householder   QR
    jacobi        eigenvalues of symmetric matrices, singular values
    derivatives   the factorisations as differentiable functions

Algorithms and their accuracy: docs/linalg.md.
"""
