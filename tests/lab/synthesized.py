#!/usr/bin/env python3
"""Schedules that are made for a cluster are faster there than every algorithm, in simulated time.

synthesized.py CPM [--kind KIND] [--mode MODE] [--n N] [--each K] [--switches W] [--seed S] [--sizes M,...]
[--budget SECONDS] [--operations OP,...] [--out DIR]: CPM is the command built with smpicc. Fits extended LMO on a
simulated cluster, makes a schedule of each operation and size with it, and measures that and the algorithm that is
predicted to be the fastest. Prints how much less time each takes; exit code 1 if one takes more than 2 % longer than
the algorithm, or is not predicted to 2 %.
"""
import argparse
import os
import sys

from mapped import Cluster

OPERATIONS = "bcast,scatter,gather,reduce,allgather,reduce_scatter,allreduce,alltoall"
LONGER, ERROR = 1.02, 0.02


def facts(path):
    """The algorithm that was the fastest, of a schedule's head."""
    with open(path) as f:
        for line in f:
            if line.startswith("# predicted:"):
                return line.split("(", 1)[1].split(")", 1)[0]
    return sys.exit(f"{path}: no line of what is predicted")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--kind", default="nic")
    p.add_argument("--mode", default="mixed")
    p.add_argument("--n", type=int, default=8)
    p.add_argument("--each", type=int, default=1)
    p.add_argument("--switches", type=int, default=1)
    p.add_argument("--seed", type=int, default=5)
    p.add_argument("--sizes", default="65536")
    p.add_argument("--budget", default="4")
    p.add_argument("--operations", default=OPERATIONS)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    smpi = os.path.abspath(a.cpm)
    os.makedirs(a.out, exist_ok=True)
    os.chdir(a.out)  # names of schedules are in tables, and these are narrow
    stem = f"made-{a.kind}-{a.n}x{a.each}-{a.switches}-{a.seed}"
    cluster = Cluster(smpi, stem, a.kind, a.mode, a.n, a.seed, each=a.each, switches=a.switches)
    failed = False
    for operation in a.operations.split(","):
        for size in a.sizes.split(","):
            path = f"{operation}-{size}.schedule"
            cluster.alone("synthesize", cluster.model, operation, "-m", size, "--budget", a.budget, "--force", "-o", path)
            row, made = f"{operation}:{facts(path)}", f"{operation}:@{path}"
            usual, found = cluster.measured(row, size), cluster.measured(made, size)
            error = abs(cluster.predicted(made, size) / found - 1)
            good = found <= LONGER * usual and error <= ERROR
            failed = failed or not good
            print(f"{'ok    ' if good else 'FAILED'} {row:40s} {size:>8s} {usual * 1e6:10.1f} us, made {found * 1e6:10.1f} us: "
                  f"{100 * (1 - found / usual):5.1f} % less, predicted to {100 * error:.2f} %", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
