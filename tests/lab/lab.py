#!/usr/bin/env python3
"""Measures a simulated cluster with cpm and compares what comes out with the truth.

lab.py CPM --n N --seed S [--out DIR]: CPM is the command built with smpicc. Prints the figures and the
bounds they must keep; exit code 1 if one is exceeded.
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys

import make_platform

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = "1,64,256,1K,2K,4K,8K,16K,32K,64K,100K,150K,200K"
ALGORITHMS = [f"{o}:{a}" for o in ("scatter", "gather", "bcast") for a in ("linear", "binomial")]
# Simulated times do not vary, so a few repetitions say everything.
REPETITIONS = ["--min-reps", "2", "--max-reps", "3"]

PARAMETER_BOUND = 0.01  # joint: worst of all parameters, relative to the truth
WALK_BOUND = 0.03       # worst prediction, relative to the simulated time
SPEED_BOUND = 0.25      # simulated time of the parallel campaign, relative to the serial one,
SPEED_HOSTS = 16        # from this many hosts on: fewer pairs and triplets fit in a round of fewer hosts
SAME_BOUND = 0.001      # parameters of the parallel campaign, relative to the serial one


def simulate(platform, cpm, *arguments):
    command = [os.path.join(HERE, "smpi-run"), platform, cpm, *arguments]
    print("$ cpm " + " ".join(arguments), flush=True)
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def model(platform, cpm, name, *options):
    """Measures and fits; returns the parameters of the model and the campaign's simulated seconds."""
    stem = f"{platform}-{name}"
    for suffix in (".mod", ".meas"):
        if os.path.exists(stem + suffix):
            os.remove(stem + suffix)
    simulate(platform, cpm, "model", "--model", "lmo", "--no-thresholds", "--quiet", *REPETITIONS,
             *options, "-o", stem + ".mod")
    return parameters(stem + ".mod"), duration(stem + ".meas")


def parameters(path):
    with open(path) as f:
        return {name: p["value"] for name, p in json.load(f)["parameters"].items()}


def duration(path):
    with open(path) as f:
        return float(re.search(r"^# duration: (\S+)$", f.read(), re.M).group(1))


def flat(values):
    """The n values of a process parameter, or the n(n-1)/2 of a pair parameter."""
    if not isinstance(values[0], list):
        return values
    return [values[i][j] for i in range(len(values)) for j in range(i + 1, len(values))]


def errors(estimate, truth):
    """Relative errors of each parameter."""
    return {name: [abs(e - t) / abs(t) for e, t in zip(flat(estimate[name]), flat(truth[name]))]
            for name in ("C", "t", "L", "invbeta")}


def true_parameters(truth):
    return {"C": truth["C"], "t": truth["t"], "L": truth["L"], "invbeta": truth["B"]}


def print_errors(title, by_name):
    cells = (f"{name} {100 * median(e):8.3g} / {100 * max(e):8.3g} %" for name, e in by_name.items())
    print(f"{title:10s} " + "   ".join(cells))


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def worst(by_name):
    return max(max(e) for e in by_name.values())


def validate(platform, cpm, roots):
    """Relative errors of the walk for each algorithm, over sizes and roots."""
    found = {name: [] for name in ALGORITHMS}
    for root in roots:
        text = simulate(platform, cpm, "validate", platform + "-joint.mod", "--timing", "global",
                        "--root", str(root), "-m", SIZES, *REPETITIONS, "--quiet", "--format", "tsv",
                        *ALGORITHMS)
        rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
        name, error = rows[0].index("algorithm"), rows[0].index("error")
        for row in rows[1:]:
            found[row[name]].append(abs(float(row[error])))
    return found


class Verdict:
    def __init__(self):
        self.failed = 0

    def check(self, what, value, bound):
        good = math.isfinite(value) and value <= bound
        self.failed += not good
        print(f"{'ok    ' if good else 'FAILED'} {what}: {100 * value:.4g} % (at most {100 * bound:g} %)")


def run(cpm, n, seed, out):
    os.makedirs(out, exist_ok=True)
    platform = os.path.join(out, f"exact-{n}-{seed}")
    truth = true_parameters(make_platform.write(platform, n, "exact", seed))
    joint, parallel_time = model(platform, cpm, "joint", "--estimator", "joint")
    serial, serial_time = model(platform, cpm, "serial", "--estimator", "joint", "--serial")
    thesis, _ = model(platform, cpm, "thesis", "--estimator", "thesis")
    walks = validate(platform, cpm, roots=(0, n // 2 + 1))

    print(f"\n{n} hosts, seed {seed}. Errors of the parameters: median / worst")
    print_errors("joint", errors(joint, truth))
    print_errors("thesis", errors(thesis, truth))
    print(f"campaign: parallel {parallel_time:.4g} s, serial {serial_time:.4g} s (simulated)\n")
    verdict = Verdict()
    verdict.check("joint, worst parameter", worst(errors(joint, truth)), PARAMETER_BOUND)
    verdict.check("parallel / serial time", parallel_time / serial_time,
                  SPEED_BOUND if n >= SPEED_HOSTS else 1)
    verdict.check("parallel against serial, worst parameter", worst(errors(joint, serial)), SAME_BOUND)
    for name in ALGORITHMS:
        verdict.check(f"walk of {name}, worst of {len(walks[name])}", max(walks[name]), WALK_BOUND)
    return verdict.failed


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--n", type=int, default=16)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    return 1 if run(a.cpm, a.n, a.seed, a.out) else 0


if __name__ == "__main__":
    sys.exit(main())
