"""The lazy Tensor."""
