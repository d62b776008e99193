#!/usr/bin/env python3
"""Tables made by measuring with a model and without one: what each costs, and what it loses, in simulated time.

measured.py CPM [--kind KIND] [--mode MODE] [--factors smpi] [--n N] [--seed S] [--out DIR] [OP...]: CPM is the command
built with smpicc. Fits extended LMO, tunes by measuring with it and without; exit code 1 unless with it at most a fifth
is measured, and what is chosen takes on average at most 1 % longer.
"""
import argparse
import json
import os
import re
import sys

import mapped

REPETITIONS = ["--min-reps", "8", "--max-reps", "8"]
MOST_SHARE, MOST_LOSS = 0.2, 0.01


def tune(cluster, name, *arguments):
    """The rules by operation, the times by what was measured, and simulated seconds."""
    stem = f"{cluster.stem}-{name}"
    for suffix in (".json", ".meas"):
        if os.path.exists(stem + suffix):
            os.remove(stem + suffix)
    cluster.simulate("tune", "--measure", *arguments, *REPETITIONS, "--quiet", "-o", stem + ".json")
    with open(stem + ".json") as f:
        operations = json.load(f)["operations"]
    times, seconds = {}, 0
    with open(stem + ".meas") as f:
        for line in f:
            words = line.split()
            if line.startswith("# duration"):
                seconds = float(words[2])
            elif re.match(r"[a-z_]+:", words[0]):
                times[words[0], int(words[5])] = float(words[8])
    return {o: rules[str(cluster.n)] for o, rules in operations.items()}, times, seconds


def rule_of(rules, size):
    return [r for r in rules if r["from"] <= size][-1]["algorithm"]


def losses(some, every, times):
    """Of what was chosen with a model, against what was without: share of the time, at each size of a contest."""
    for operation, rules in every.items():
        for size in sorted({r["from"] for r in rules if r["measured"] > 2 or operation == "barrier"}):
            best, chosen = (times[f"{operation}:{rule_of(of, size)}", size] for of in (rules, some[operation]))
            yield operation, size, rule_of(rules, size), rule_of(some[operation], size), chosen / best - 1


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("operations", nargs="*")
    p.add_argument("--kind", default="nic")
    p.add_argument("--mode", default="mixed")
    p.add_argument("--factors", default="")
    p.add_argument("--n", type=int, default=8)
    p.add_argument("--seed", type=int, default=4)
    p.add_argument("--sizes", default="1,64,256,1K:256K")
    p.add_argument("--out", default="lab-output")
    a = p.parse_intermixed_args()
    os.makedirs(a.out, exist_ok=True)
    stem = os.path.join(a.out, f"measured-{a.kind}-{a.n}-{a.seed}")
    cluster = mapped.Cluster(a.cpm, stem, a.kind, a.mode, a.n, a.seed, a.factors)
    arguments = [*a.operations, "-m", a.sizes]
    some, few, quick = tune(cluster, "with", cluster.model, *arguments)
    every, many, slow = tune(cluster, "without", *arguments)
    found = list(losses(some, every, few | many))  # a model may compose a mesh that is not tried without
    for operation, size, best, chosen, loss in found:
        if loss > MOST_LOSS:
            print(f"       {operation} of {size} bytes: {chosen} takes {100 * loss:.1f} % longer than {best}")
    share, loss = len(few) / len(many), sum(f[-1] for f in found) / len(found)
    print(f"{'ok    ' if share <= MOST_SHARE else 'FAILED'} {len(few)} measurements with a model in {quick:.1f} s, "
          f"{len(many)} without in {slow:.1f} s: {100 * share:.1f} % (at most {100 * MOST_SHARE:g} %)")
    print(f"{'ok    ' if loss <= MOST_LOSS else 'FAILED'} choices of {len(found)} sizes: {100 * loss:.2f} % longer on "
          f"average (at most {100 * MOST_LOSS:g} %)")
    return 0 if share <= MOST_SHARE and loss <= MOST_LOSS else 1


if __name__ == "__main__":
    sys.exit(main())
