#!/usr/bin/env python3
"""Calls that follow each other at once are predicted as well as isolated ones, in simulated time.

batched.py CPM [--kind KIND] [--mode MODE] [--factors smpi] [--n N] [--seed S] [--out DIR]: CPM is the command built
with smpicc. Fits extended LMO and validates it with both timings; prints mean and largest errors, exit code 1 unless
the means are within the bound.
"""
import argparse
import os
import sys

import mapped

ALGORITHMS = ["bcast:linear", "bcast:binomial", "bcast:chain:segment=8K", "scatter:linear", "gather:binomial",
              "reduce:binomial", "allreduce:recursive-doubling", "allreduce:rab1-ring", "allgather:logical-ring",
              "alltoall:pair", "alltoall:simple"]
SIZES = "1,4K,40K,200K"
# Mean absolute relative error of predictions. SimGrid's factors are steps over the message size.
BOUND, BOUND_WITH_FACTORS = 0.01, 0.05


def errors(cluster, timing):
    """Absolute relative errors by algorithm."""
    text = cluster.simulate("validate", cluster.model, "--timing", timing, "-m", SIZES, "--format", "tsv", *mapped.ONCE,
                            *ALGORITHMS)
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    name, error = rows[0].index("algorithm"), rows[0].index("error")
    found = {}
    for row in rows[1:]:
        found.setdefault(row[name], []).append(abs(float(row[error])))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--kind", default="nic")
    p.add_argument("--mode", default="mixed")
    p.add_argument("--factors", default="")
    p.add_argument("--n", type=int, default=8)
    p.add_argument("--seed", type=int, default=4)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    stem = os.path.join(a.out, f"batched-{a.kind}-{a.n}-{a.seed}")
    cluster = mapped.Cluster(a.cpm, stem, a.kind, a.mode, a.n, a.seed, a.factors)
    isolated, batch = errors(cluster, "global"), errors(cluster, "batch")
    bound = BOUND_WITH_FACTORS if a.factors else BOUND
    failed = 0
    print(f"{'':30s} isolated: mean, most     batch: mean, most")
    for name, found in batch.items():
        print(f"{name:30s}" + "".join(f"{100 * sum(e) / len(e):14.3f} % {100 * max(e):6.2f} %"
                                      for e in (isolated[name], found)))
    for timing, found in (("isolated", isolated), ("batch", batch)):
        all_errors = [error for of in found.values() for error in of]
        mean = sum(all_errors) / len(all_errors)
        good = len(found) == len(ALGORITHMS) and mean <= bound
        failed += not good
        print(f"{'ok    ' if good else 'FAILED'} {timing}, mean of {len(all_errors)}: {100 * mean:.3f} % "
              f"(at most {100 * bound:g} %)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
