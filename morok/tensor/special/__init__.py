"""Special functions: of errors and of the normal distribution, the gamma function's family, Bessel's of imaginary argument."""
