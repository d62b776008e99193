#!/usr/bin/env python3
"""Extended LMO on simulated clusters with shared link ends, rendezvous and overheads of receiving.

realistic.py CPM --kind KIND --mode MODE [--factors smpi] [--n N] [--each K] [--placement P] [--switches S] [--seed S] [--out DIR]:
CPM is the command built with smpicc; N hosts with K processes each. Measures, validates from several roots, prints the mean errors and the bound they must
keep; exit code 1 if it is exceeded.
"""
import argparse
import os
import subprocess
import sys

import make_platform

HERE = os.path.dirname(os.path.abspath(__file__))
ALGORITHMS = ["scatter:linear", "scatter:binomial", "gather:linear", "gather:binomial", "bcast:binomial",
              "allgather:bruck", "alltoall:ring"]
SIZES = "1,100,1000,2000,6000,12000,24000,40000,60000,80000,120000,160000,200000"
REPETITIONS = ["--min-reps", "1", "--max-reps", "1", "--quiet"]
# Mean absolute relative errors of predictions. SimGrid's factors are steps over the message size.
BOUND, BOUND_WITH_FACTORS = 0.01, 0.05


def simulate(platform, cpm, *arguments):
    done = subprocess.run([os.path.join(HERE, "smpi-run"), platform, cpm, *arguments], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"cpm {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def validate(platform, cpm, root):
    """Absolute relative errors by algorithm."""
    text = simulate(platform, cpm, "validate", platform + ".mod", "--timing", "global", "--root", str(root), "-m",
                    SIZES, "--format", "tsv", *REPETITIONS, *ALGORITHMS)
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    name, error = rows[0].index("algorithm"), rows[0].index("error")
    return [(row[name], abs(float(row[error]))) for row in rows[1:]]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--kind", default="nic")
    p.add_argument("--mode", default="eager")
    p.add_argument("--factors", default="")
    p.add_argument("--n", type=int, default=16)
    p.add_argument("--each", type=int, default=1)
    p.add_argument("--placement", default="block")
    p.add_argument("--switches", type=int, default=1)
    p.add_argument("--seed", type=int, default=4)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    os.environ.update(SMPI_MODE=a.mode, SMPI_FACTORS=a.factors)
    processes = a.n * a.each
    platform = os.path.join(a.out, f"{a.kind}-{a.mode}{a.factors}-{a.n}-{a.each}{a.placement}-{a.switches}-{a.seed}")
    make_platform.write(platform, a.n, a.kind, a.seed, each=a.each, placement=a.placement, switches=a.switches)
    topology = ["--topology", platform + ".topology"] if a.switches > 1 else []
    for suffix in (".mod", ".meas"):
        if os.path.exists(platform + suffix):
            os.remove(platform + suffix)
    simulate(platform, a.cpm, "model", "-M", "lmo2", "--no-thresholds", *REPETITIONS, *topology, "-o",
             platform + ".mod")
    found = [pair for root in (0, processes // 3, processes - 1) for pair in validate(platform, a.cpm, root)]
    for name in ALGORITHMS:
        of = [error for algorithm, error in found if algorithm == name]
        print(f"{name:18s} {100 * sum(of) / len(of):6.3f} %, at most {100 * max(of):.2f} %")
    mean = sum(error for _, error in found) / len(found)
    bound = BOUND_WITH_FACTORS if a.factors else BOUND
    good = mean <= bound
    print(f"{'ok    ' if good else 'FAILED'} mean of {len(found)}: {100 * mean:.3f} % (at most {100 * bound:g} %)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
