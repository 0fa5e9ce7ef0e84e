"""Random numbers: `manual_seed`, `Generator`, and draws from distributions.

    morok.manual_seed(0)
    morok.random.normal(2, 3), morok.random.uniform(5, low=-1, high=1), morok.random.randint(0, 10, (4,)), morok.random.permutation(5)

Numbers are a function of a key and a counter (Threefry-2x32 of Salmon et al. 2011), so that they are the same on any number of threads, wherever they are
computed and however often. A draw moves its generator's counter; within a function that `morok.jit` captured each call draws anew.
"""
from __future__ import annotations

from .choices import choice, multinomial, permutation, randperm, shuffle
from .counts import poisson
from .distributions import bernoulli, bits, categorical, exponential, gumbel, laplace, logistic, normal, randint, uniform
from .gammas import beta, chisquare, dirichlet, gamma
from .generator import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .numpy_names import integers, standard_normal
from .pytorch_names import rand, rand_like, randint_like, randn, randn_like
from .transformed import cauchy, geometric, lognormal
from .truncated import truncated_normal

__all__ = ["Generator", "bernoulli", "beta", "bits", "categorical", "cauchy", "chisquare", "choice", "default_generator", "dirichlet", "exponential", "gamma",
           "geometric", "get_rng_state", "gumbel", "initial_seed", "integers", "laplace", "logistic", "lognormal", "manual_seed", "multinomial", "normal",
           "permutation", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "seed", "set_rng_state", "shuffle",
           "standard_normal", "truncated_normal", "uniform"]
