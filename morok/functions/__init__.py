"""Functions of `morok`: the methods of Tensor under the names that NumPy, PyTorch and the array API have for functions. They also take array-likes."""
