#!/usr/bin/env python3
"""Collectives take as long on the platform that cpm export --simgrid writes as on the one that was measured.

exported.py CPM [--kind KIND] [--mode MODE] [--factors smpi] [--model TYPE] [--n N] [--each K] [--switches S]
[--seed S] [--out DIR]: CPM is the command built with smpicc. Fits a model to a simulated cluster, exports it, measures collectives on both
platforms; exit code 1 if a time differs by more than the bound.
"""
import argparse
import os
import subprocess
import sys

import mapped

COLLECTIVES = ["bcast:binomial", "bcast:chain:segment=8K", "scatter:linear", "scatter:binomial", "gather:linear",
               "gather:binomial", "allgather:logical-ring", "alltoall:ring", "alltoall:simple"]
SIZES = "64,4K,32K,100K"
# Nothing but what the platform file says, and that computing takes no time.
OPTIONS = ["smpi/simulate-computation:no", "smpi/cpu-threshold:-1", "smpi/wtime:0", "surf/precision:3e-9",
           "maxmin/precision:1e-6", "contexts/stack-size:1024"]
MEAN_BOUND, WORST_BOUND = 0.01, 0.03


def bench():
    """Arguments of cpm."""
    return ["bench", "coll", ",".join(COLLECTIVES), "-m", SIZES, "--timing", "global", *mapped.ONCE]


def read(text):
    """Seconds by algorithm and size."""
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return {(words[1], words[0]): float(words[2]) * 1e-6 for words in lines}


def run_exported(cluster, cpm, platform):
    command = ["smpirun", "-np", str(cluster.n), "-platform", platform,
               "-hostfile", cluster.stem + ".hosts", *(f"--cfg={o}" for o in OPTIONS), "--log=root.thres:warning", cpm, *bench()]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return read(done.stdout)


def export(cluster, model):
    if model != "lmo2":
        cluster.model = f"{cluster.stem}-{model}.mod"
        for path in (cluster.model, f"{cluster.stem}-{model}.meas"):
            if os.path.exists(path):
                os.remove(path)
        cluster.simulate("model", "-M", model, "--no-thresholds", *mapped.ONCE, "-o", cluster.model)
    platform = cluster.stem + "-exported.xml"
    cluster.alone("export", "--simgrid", cluster.model, "-o", platform)
    return platform


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--kind", default="nic")
    p.add_argument("--mode", default="mixed")
    p.add_argument("--factors", default="")
    p.add_argument("--model", default="lmo2")
    p.add_argument("--n", type=int, default=8)
    p.add_argument("--each", type=int, default=1)
    p.add_argument("--switches", type=int, default=1)
    p.add_argument("--seed", type=int, default=5)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    stem = os.path.join(a.out, f"exported-{a.kind}-{a.n}-{a.each}-{a.switches}-{a.seed}")
    cluster = mapped.Cluster(a.cpm, stem, a.kind, a.mode, a.n, a.seed, a.factors, a.each, a.switches)
    exported = run_exported(cluster, a.cpm, export(cluster, a.model))
    original = read(cluster.simulate(*bench()))
    errors = {what: exported[what] / seconds - 1 for what, seconds in original.items()}
    for (algorithm, size), error in errors.items():
        print(f"{algorithm:26s} {size:>7s} B  {original[algorithm, size] * 1e6:10.1f} us  {100 * error:+.2f} %")
    mean, worst = sum(map(abs, errors.values())) / len(errors), max(map(abs, errors.values()))
    print(f"mean {100 * mean:.2f} % (at most {100 * MEAN_BOUND:g} %), worst {100 * worst:.2f} % (at most "
          f"{100 * WORST_BOUND:g} %)")
    return 0 if errors and mean <= MEAN_BOUND and worst <= WORST_BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
