#!/usr/bin/env python3
"""Collectives chosen by a fitted model against MPICH's selection, in simulated time.

tuned.py CPM GAINS [--matmul MATMUL] [--kind KIND] [--mode MODE] [--n N] [--seed S] [--out DIR]: the programs are
built with smpicc, GAINS from gains.c, MATMUL from examples/matmul. Fits extended LMO and runs applications that
choose by it; exit code 1 unless they gain what is asked and nothing becomes slower.
"""
import argparse
import os
import random
import re
import sys

import mapped

SIZES = {"scatterv": [1024, 2048, 65536], "gatherv": [1024, 2048, 65536],
         "bcast": [1024 << k for k in range(0, 11, 2)]}
# Which share of the time is to be saved: with these blocks, on average over all sizes, in the matrix product.
SMALL, SMALL_BOUND, BCAST_BOUND, MATMUL_BOUND = 2048, 0.2, 0.1, 0.2
# As much longer anything may take: the messages say what they carry.
LOSS_BOUND = 0.03
ORDER = 768  # of the matrices


def mpich(operation, size, n):
    """Options for what MPICH 4.0 takes, where SimGrid's selection of that name takes something else."""
    power = n & (n - 1) == 0
    if operation == "bcast" and (size < 12288 or n < 8):
        return ["--cfg=smpi/bcast:binomial_tree"]
    if operation == "bcast":
        return ["--cfg=smpi/bcast:scatter_" + ("rdb" if size < 524288 and power else "LR") + "_allgather"]
    if operation == "allgather" and size * n >= 524288:
        return ["--cfg=smpi/allgather:NTSLR"]
    if operation == "alltoall" and size > 32768 and power:
        return ["--cfg=smpi/alltoall:pair"]
    return []


class Tuned(mapped.Cluster):
    """A cluster whose own collectives are MPICH's, and programs that know its model."""

    def __init__(self, a, stem, kind, mode, n, seed):
        super().__init__(a.cpm, stem, kind, mode, n, seed)
        self.environment["SMPI_SELECTOR"] = "mpich"
        self.programs, self.seed = a, seed

    def gains(self, operation, sizes):
        """Seconds by size: MPI's own routine, the first tuned call, later ones."""
        self.smpi = self.programs.gains
        found = {}
        for size in sizes:
            text = self.simulate(self.model, str(self.seed), operation, str(size),
                                 *mpich(operation, size, self.n))
            row = next(line.split() for line in text.splitlines() if line.startswith(operation))
            found[size] = [float(us) * 1e-6 for us in row[2:5]]
        return found

    def matmul(self, order):
        """Seconds of communication: with SimGrid's selection named mpich, with the collectives of the model."""
        speeds = self.stem + ".speeds"
        generator = random.Random(self.seed)
        with open(speeds, "w") as f:
            f.writelines(f"{generator.uniform(1, 4):.3f}\n" for _ in range(self.n))
        self.smpi = self.programs.matmul
        text = self.simulate(str(order), self.model, "--speeds", speeds, "--repetitions", "1")
        return [float(re.search(rf"^{way} +([0-9.]+)", text, re.M).group(1)) for way in ("native", "model")]


def saved(native, tuned):
    return 1 - tuned / native


def check(good, text):
    print(f"{'ok    ' if good else 'FAILED'} {text}", flush=True)
    return good


def check_operation(operation, seconds):
    """Whether it gains what is asked, and loses nowhere."""
    shares = {size: saved(native, later) for size, (native, _, later) in seconds.items()}
    good = True
    for size, share in shares.items():
        bound = SMALL_BOUND if operation != "bcast" and size <= SMALL else -LOSS_BOUND
        good = check(share >= bound, f"{operation} of {size}: {100 * share:.1f} % saved, at least "
                     f"{100 * bound:g} %") and good
    if operation == "bcast":
        mean = sum(shares.values()) / len(shares)
        good = check(mean >= BCAST_BOUND, f"bcast on average: {100 * mean:.1f} % saved, at least "
                     f"{100 * BCAST_BOUND:g} %") and good
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("gains")
    p.add_argument("--matmul")
    p.add_argument("--kind", default="nic")
    p.add_argument("--mode", default="mixed")
    p.add_argument("--n", type=int, default=16)
    p.add_argument("--seed", type=int, default=4)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    cluster = Tuned(a, os.path.join(a.out, f"tuned-{a.kind}-{a.n}-{a.seed}"), a.kind, a.mode, a.n, a.seed)
    good = all([check_operation(operation, cluster.gains(operation, sizes)) for operation, sizes in SIZES.items()])
    if a.matmul:
        share = saved(*cluster.matmul(ORDER))
        good = check(share >= MATMUL_BOUND, f"matrices of order {ORDER}: {100 * share:.1f} % of the communication "
                     f"saved, at least {100 * MATMUL_BOUND:g} %") and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
