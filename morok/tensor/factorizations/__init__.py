"""Factorisations of matrices: loops over columns or rotations (morok/tensor/loops.py) whose bodies are a few kernels over whole matrices and batches.

    common        what matrices are taken, rows and columns that a loop looks at
    triangular    Cholesky, elimination with pivoting, substitution, a column an iteration
    blocks        the same for large matrices, by blocks of columns
    householder   QR
    rotations     Jacobi's rotations, and when sweeps of them end
    jacobi        eigenvalues of symmetric matrices, singular values
    block_jacobi  the same for large matrices, by blocks of rows
    derivatives   the factorisations as differentiable functions

Algorithms and their accuracy: docs/linalg.md.
"""
