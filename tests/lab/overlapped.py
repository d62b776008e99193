#!/usr/bin/env python3
"""What computing hides of nonblocking collectives is predicted as it is, in simulated time.

overlapped.py CPM [--kind KIND] [--n N] [--each M] [--seed S] [--mode MODE] [--out DIR]: CPM is the command built with
smpicc. Fits extended LMO, predicts with --overlap, and measures the same; prints mean and largest errors, exit code 1
unless the means are within the bound. Then an alltoall is chosen for calls between which the program computes as long
as SimGrid's own takes alone, and both are run: exit code 1 if the chosen one is slower. Of buffered messages: SimGrid's
own nonblocking ones that wait for their receiver take longer than its blocking ones.
"""
import argparse
import os
import sys

import mapped

ALGORITHMS = ["bcast:linear", "bcast:binomial", "bcast:chain", "bcast:scatter-ring", "gather:binomial",
              "reduce:binomial", "allreduce:recursive-doubling", "allreduce:rab1-ring", "allgather:logical-ring",
              "alltoall:pair", "alltoall:spreading-simple", "scan:doubling"]
SIZES = "1K,32K"
BOUND = 0.015
# What plays SimGrid's own alltoall; share of its time that makes a choice.
OWN, WORTH = "alltoall:spreading-simple", 0.05
CHOSEN_SIZES = (64, 1024, 4096, 16384)


def rows_of(text):
    """(alone, with, left) by algorithm and size."""
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    place = [rows[0].index(name) for name in ("algorithm", "size", "alone_us", "with_us", "left_us")]
    return {(r[place[0]], int(r[place[1]])): [float(r[k]) for k in place[2:]] for r in rows[1:]}


def gains_of(cluster, sizes, show=print):
    """Shares of the own routine's time, with as much computing, that the chosen one saves; 0: it is kept."""
    gains = []
    for size in sizes:
        own = next(iter(rows_of(cluster.alone("predict", cluster.model, OWN, "--overlap", "-m", str(size), "--format",
                                              "tsv")).values()))
        common = ["--overlap", "--computing", f"{own[0] * 1e-6:.9f}", "-m", str(size), "--format", "tsv"]
        predicted = rows_of(cluster.alone("predict", cluster.model, "alltoall", *common))
        quick = [place for place, row in predicted.items() if row[0] <= own[0] and row[1] < (1 - WORTH) * own[1]]
        chosen = min(quick, key=lambda place: predicted[place][1], default=None)
        names = ([chosen[0]] if chosen else []) + ["alltoall:native"]
        seen = rows_of(cluster.simulate("bench", "coll", *names, "--timing", "global", *mapped.ONCE, *common))
        native = seen["alltoall:native", size][1]
        gains.append(1 - seen[chosen][1] / native if chosen else 0)
        show(f"alltoall of {size} B with computing: {native:.2f} us by SimGrid's own, {100 * gains[-1]:.1f} % saved by "
             f"{chosen[0] if chosen else 'none'}")
    return gains


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--kind", default="nic")
    p.add_argument("--n", type=int, default=8)
    p.add_argument("--each", type=int, default=1)
    p.add_argument("--mode", default="eager")
    p.add_argument("--seed", type=int, default=5)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    stem = os.path.join(a.out, f"overlapped-{a.kind}-{a.n}-{a.each}-{a.seed}")
    cluster = mapped.Cluster(a.cpm, stem, a.kind, a.mode, a.n, a.seed, each=a.each)
    common = [*ALGORITHMS, "--overlap", "-m", SIZES, "--format", "tsv"]
    predicted = rows_of(cluster.alone("predict", cluster.model, *common))
    measured = rows_of(cluster.simulate("bench", "coll", "--timing", "global", *mapped.ONCE, *common))
    errors = {"alone": [], "with": [], "left": []}
    for place, (alone, together, left) in sorted(measured.items()):
        said = predicted[place]
        found = [abs(said[0] / alone - 1), abs(said[1] / together - 1), abs(said[2] - left) / alone]
        print(f"{place[0]:30s} {place[1]:6d}: {left / alone:.3f} of {alone:9.2f} us left, predicted "
              f"{said[2] / said[0]:.3f} of {said[0]:9.2f}")
        for name, error in zip(errors, found):
            errors[name].append(error)
    hidden = [1 - left / alone for alone, _, left in measured.values()]
    mean = sum(hidden) / len(hidden)
    good = len(measured) == len(predicted) == 2 * len(ALGORITHMS) and mean > 2 * BOUND
    failed = not good
    print(f"{'ok    ' if good else 'FAILED'} {len(measured)} calls; who says that nothing is hidden is off by "
          f"{100 * mean:.1f} % (which must be more than {200 * BOUND:g} %)")
    for name, found in errors.items():
        mean = sum(found) / len(found)
        failed |= mean > BOUND
        print(f"{'ok    ' if mean <= BOUND else 'FAILED'} {name}, mean of {len(found)}: {100 * mean:.3f} % (at most "
              f"{100 * BOUND:g} %), largest {100 * max(found):.2f} %")
    gains = gains_of(cluster, CHOSEN_SIZES)
    good = min(gains) > -0.02 and max(gains) > WORTH
    failed |= not good
    print(f"{'ok    ' if good else 'FAILED'} chosen for calls with computing: between {100 * min(gains):.1f} and "
          f"{100 * max(gains):.1f} % saved (at least -2, and some more than {100 * WORTH:g})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
