#!/usr/bin/env python3
"""Neighbourhood collectives are predicted as they are, and the best of them is named, in simulated time.

halos.py CPM [--n N] [--each M] [--seed S] [--mode MODE] [--out DIR]: CPM is the command built with smpicc. Fits
extended LMO to hosts with several processes each, predicts the exchanges of stencils, of neighbours without any
order and of a ring by all algorithms, and runs them; prints errors, and how long the first named takes over the
fastest. Exit code 1 unless both are within their bounds. The simulator has no neighbourhood collectives of its own.
"""
import argparse
import os
import random
import sys

import mapped

SIZES = "8,1K,64K"
MEAN_BOUND, WORST_BOUND, LOSS_BOUND = 0.01, 0.1, 0.02


def shapes(n):
    """n as a product of two and of three numbers."""
    two = max(k for k in range(1, int(n ** 0.5) + 1) if n % k == 0)
    one = max(k for k in range(1, int(n ** (1 / 3) + 1e-9) + 1) if n % k == 0)
    rest = n // one
    other = max(k for k in range(1, int(rest ** 0.5) + 1) if rest % k == 0)
    return f"{two}x{n // two}", f"{one}x{other}x{rest // other}"


def without_order(path, n, seed):
    generator = random.Random(seed)
    with open(path, "w") as f:
        for i in range(n):
            f.writelines(f"{i} {j}\n" for j in generator.sample([j for j in range(n) if j != i], 5))
    return path


def rows_of(text, column):
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    place = [rows[0].index(name) for name in ("algorithm", "size", column)]
    return {(r[place[0]], int(r[place[1]])): float(r[place[2]]) for r in rows[1:]}


def graphs_for(stem, n, seed):
    flat, solid = shapes(n)
    return (f"grid:{flat}", f"torus:{flat}:corners", f"grid:{solid}:corners", f"torus:{n}",
            without_order(stem + ".graph", n, seed))


def compare(cluster, graphs, show=print):
    """Relative errors of all algorithms; what the first named take more than the fastest."""
    errors, losses = [], []
    for graph in graphs:
        for operation in ("neighbor_alltoall", "neighbor_allgather"):
            common = ["--graph", graph, "-m", SIZES, "--format", "tsv"]
            predicted = rows_of(cluster.alone("predict", cluster.model, operation, "--no-intervals", *common),
                                "predicted_us")
            algorithms = sorted({name for name, _ in predicted})
            measured = rows_of(cluster.simulate("bench", "coll", *algorithms, "--timing", "global", *mapped.ONCE,
                                                *common), "time_us")
            for size in sorted({size for _, size in measured}):
                there = [name for name in algorithms if (name, size) in measured]
                named = min(there, key=lambda name: predicted[name, size])
                fastest = min(there, key=lambda name: measured[name, size])
                losses.append(measured[named, size] / measured[fastest, size] - 1)
                for name in there:
                    errors.append(predicted[name, size] / measured[name, size] - 1)
                show(f"{os.path.basename(graph):22s} {named:30s} {size:6d}: {measured[named, size]:9.2f} us, off by "
                     f"{100 * (predicted[named, size] / measured[named, size] - 1):+.2f} %; {100 * losses[-1]:.2f} % "
                     f"over the fastest; directly {measured[operation + ':direct', size]:9.2f}")
    return errors, losses


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--n", type=int, default=4)
    p.add_argument("--each", type=int, default=4)
    p.add_argument("--seed", type=int, default=5)
    p.add_argument("--mode", default="mixed")
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    stem = os.path.join(a.out, f"halos-{a.n}-{a.each}-{a.seed}")
    cluster = mapped.Cluster(a.cpm, stem, "nic", a.mode, a.n, a.seed, each=a.each)
    errors, losses = compare(cluster, graphs_for(stem, cluster.n, a.seed))
    mean, worst, loss = sum(map(abs, errors)) / len(errors), max(map(abs, errors)), max(losses)
    failed = mean > MEAN_BOUND or worst > WORST_BOUND or loss > LOSS_BOUND or len(errors) < 40
    print(f"{'FAILED' if failed else 'ok    '} {len(errors)} exchanges: off by {100 * mean:.3f} % on average (at most "
          f"{100 * MEAN_BOUND:g}), {100 * worst:.2f} % at worst ({100 * WORST_BOUND:g}); what is named takes up to "
          f"{100 * loss:.2f} % longer than the fastest ({100 * LOSS_BOUND:g})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
