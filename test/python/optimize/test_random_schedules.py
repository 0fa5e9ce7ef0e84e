"""Random legal schedules of kernels of many kinds, as machine code of LLVM.

    python test/python/optimize/test_random_schedules.py 1000 3000              # these seeds, and what is wrong with each
    python test/python/optimize/test_random_schedules.py 0 500 attention        # of one kind
    python test/python/optimize/test_random_schedules.py --backend c 0 50       # by another back end
"""

import argparse

import pytest
from kernel_kinds import KINDS
from random_schedules import what_is_wrong

from morok.codegen.backends import BACKENDS, renderer


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_random_schedules_compute_the_same(kind, seed):
    assert what_is_wrong(kind, seed, renderer("llvm")) == []


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=BACKENDS, default="llvm")
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("kinds", nargs="*", default=[*KINDS])
    options = parser.parse_args()
    count = 0
    for seed in range(options.first, options.last):
        for kind in options.kinds:
            for line in what_is_wrong(kind, seed, renderer(options.backend), 3):
                print(line, flush=True)
                count += 1
    print(f"{count} wrong")
