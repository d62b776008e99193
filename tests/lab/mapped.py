#!/usr/bin/env python3
"""Trees mapped by a fitted model are faster than with ranks in order, in simulated time.

mapped.py CPM [--kind KIND] [--mode MODE] [--n N] [--seed S] [--size M] [--out DIR]: CPM is the command built
with smpicc. Fits extended LMO, maps algorithms with it, measures both; exit code 1 unless all are faster by
the bound, and predicted well.
"""
import argparse
import os
import random
import subprocess
import sys

import make_platform

HERE = os.path.dirname(os.path.abspath(__file__))
ALGORITHMS = ["bcast:binomial", "scatterv:binomial", "gatherv:binomial", "scatterv:tree"]
ONCE = ["--min-reps", "1", "--max-reps", "1", "--quiet"]
# How many times as long it takes with ranks in order, and the relative error of a predicted time.
BOUND, ERROR_BOUND = 1.2, 0.02


class Cluster:
    """A simulated cluster, its model, and what is measured there."""

    def __init__(self, smpi, stem, kind, mode, n, seed, factors="", each=1, switches=1):
        self.smpi, self.n = smpi, n * each
        self.stem = f"{stem}-{mode}{factors}"
        self.model = self.stem + ".mod"
        self.environment = dict(os.environ, SMPI_MODE=mode, SMPI_FACTORS=factors)
        self.truth = make_platform.write(self.stem, n, kind, seed, each=each, switches=switches)
        for suffix in (".mod", ".meas"):
            if os.path.exists(self.stem + suffix):
                os.remove(self.stem + suffix)
        topology = ["--topology", self.stem + ".topology"] if switches > 1 else []
        self.simulate("model", "-M", "lmo2", "--no-thresholds", *ONCE, *topology, "-o", self.model)

    def simulate(self, *arguments, stem=None):
        done = subprocess.run([os.path.join(HERE, "smpi-run"), stem or self.stem, self.smpi, *arguments],
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"cpm {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def alone(self, *arguments):
        """What needs no MPI, on one host; simulated time stands still meanwhile."""
        stem = self.stem + "-alone"
        with open(self.stem + ".xml") as f, open(stem + ".xml", "w") as copy:
            copy.write(f.read())
        with open(stem + ".hosts", "w") as f:
            f.write("h0\n")
        return self.simulate(*arguments, stem=stem)

    def blocks_file(self, mean):
        return f"{self.stem}-{mean}.blocks"

    def draw_blocks(self, mean, seed):
        """A file with the size of each process's block, between 0 and twice the mean."""
        path = self.blocks_file(mean)
        generator = random.Random(seed)
        with open(path, "w") as f:
            f.writelines(f"{generator.randrange(2 * mean + 1)}\n" for _ in range(self.n))
        return path

    def measured(self, algorithm, size, *options):
        """Simulated seconds."""
        path = self.stem + "-coll.meas"
        if os.path.exists(path):
            os.remove(path)
        text = self.simulate("bench", "coll", algorithm, "-m", str(size), "--timing", "global", *ONCE, *options,
                             "-o", path)
        return float(text.splitlines()[-1].split()[2]) * 1e-6

    def predicted(self, algorithm, size, *options):
        text = self.alone("predict", self.model, algorithm, "-m", str(size), "--no-intervals", "--format", "tsv",
                          *options)
        return float(text.splitlines()[-1].split("\t")[4]) * 1e-6

    def compare(self, algorithm, size, root=0):
        """Seconds: in order and mapped, each predicted and measured. A free tree is compared with the binomial
        one."""
        operation, name = algorithm.split(":")
        options = ["--root", str(root)]
        if operation.endswith("v"):
            options += ["--blocks", self.draw_blocks(size, size + root)]
        found = f"{self.stem}-{operation}-{name}.map"
        self.alone("map", self.model, algorithm, "-m", str(size), *options, "-o", found)
        usual = operation + ":binomial"
        return (self.predicted(usual, size, *options), self.measured(usual, size, *options),
                self.predicted(algorithm, size, "--map", found, *options),
                self.measured(algorithm, size, "--map", found, *options))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--kind", default="nic")
    p.add_argument("--mode", default="mixed")
    p.add_argument("--n", type=int, default=16)
    p.add_argument("--seed", type=int, default=4)
    p.add_argument("--size", type=int, default=8192)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    cluster = Cluster(a.cpm, os.path.join(a.out, f"mapped-{a.kind}-{a.n}-{a.seed}"), a.kind, a.mode, a.n, a.seed)
    failed = False
    for algorithm in ALGORITHMS:
        expected, usual, hoped, mapped = cluster.compare(algorithm, a.size)
        error = max(abs(expected / usual - 1), abs(hoped / mapped - 1))
        good = usual >= BOUND * mapped and error <= ERROR_BOUND
        failed = failed or not good
        print(f"{'ok    ' if good else 'FAILED'} {algorithm:18s} in order {usual * 1e6:.1f} us, mapped "
              f"{mapped * 1e6:.1f} us: {usual / mapped:.2f} times (at least {BOUND:g}), predicted to "
              f"{100 * error:.2f} %")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
