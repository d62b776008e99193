#!/usr/bin/env python3
"""The switches that cpm finds on simulated clusters are those that are there.

discovered.py CPM [--seeds S,...] [--switches S,...] [--hosts N] [--noise X] [--trunk F] [--silent] [--out DIR]: CPM is the command built
with smpicc. Hosts are at random switches, whose trunks are F times as fast as their links together and add latency
(--silent: none); exit code 1 unless all are found at theirs.
"""
import argparse
import os
import subprocess
import sys

import make_platform

HERE = os.path.dirname(os.path.abspath(__file__))


def numbers(text):
    return [int(word) for word in text.split(",")]


def groups(path):
    """The hosts of each switch of a topology file."""
    found = {}
    with open(path) as f:
        for words in map(str.split, f):
            if words and words[0] == "host":
                found.setdefault(words[2], set()).add(words[1])
    return sorted(sorted(group) for group in found.values())


def discover(cpm, stem, seed, noise):
    """Whether they are right on a platform that was written."""
    command = [os.path.join(HERE, "smpi-run"), stem, cpm, "measure", "-M", "hockney", "--sizes", "0", "--quiet",
               "--discover", stem + ".found", "--noise", str(noise), "--seed", str(seed), "--min-reps", "1",
               "--max-reps", "1", "-o", stem + ".meas"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return groups(stem + ".found") == groups(stem + ".topology")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--seeds", type=numbers, default=[1, 2])
    p.add_argument("--switches", type=numbers, default=[2, 4])
    p.add_argument("--hosts", type=int, default=16)
    p.add_argument("--noise", type=float, default=0.05)
    p.add_argument("--trunk", type=float, default=0.5)
    p.add_argument("--silent", action="store_true")
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    right = {}
    for switches in a.switches:
        for seed in a.seeds:
            stem = os.path.join(a.out, f"discovered-{a.hosts}-{switches}-{seed}" + ("-silent" if a.silent else ""))
            make_platform.write(stem, a.hosts, "nicasym", seed, switches=switches, mixed=True, trunk=a.trunk,
                                silent=a.silent)
            right[switches, seed] = discover(a.cpm, stem, seed, a.noise)
            print(f"{'ok    ' if right[switches, seed] else 'FAILED'} {switches} switches, seed {seed}", flush=True)
    return 0 if all(right.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
