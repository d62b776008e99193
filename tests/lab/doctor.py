#!/usr/bin/env python3
"""Plants faults in simulated clusters of like hosts and has cpm doctor name them.

doctor.py CPM [--n N] [--seeds K] [--out DIR]: CPM is the command built with smpicc. Of N hosts that
differ by 3 % one gets doubled overheads, one 3 times the latency, and one link half the bandwidth. Exit
code 1 unless exactly these are named, and nothing in a cluster without faults.
"""
import argparse
import itertools
import os
import random
import re
import shutil
import subprocess
import sys

import make_platform

HERE = os.path.dirname(os.path.abspath(__file__))
SPREAD = 0.03
USUAL = {"C": 30e-6, "t": 5e-9, "L": 25e-6, "B": 10e-9}


def platform(stem, n, seed, faulty):
    """Writes the platform; returns the subjects that the doctor must name."""
    generator = random.Random(seed)

    def near(parameter):
        return USUAL[parameter] * generator.lognormvariate(0, SPREAD)

    far, busy, *link = generator.sample(range(n), 4)
    truth = {name: [near(name) for _ in range(n)] for name in ("C", "t")}
    latency = make_platform.symmetric(
        n, lambda i, j: near("L") * (3 if faulty and far in (i, j) else 1))
    invbeta = make_platform.symmetric(
        n, lambda i, j: near("B") * (2 if faulty and set(link) == {i, j} else 1))
    if faulty:
        truth["C"][busy] *= 2
        truth["t"][busy] *= 2
    write(stem, n, truth, latency, invbeta)
    low, high = sorted(link)
    names = [f"process {far}", f"process {busy}", f"link {low} <-> {high}"]
    return sorted(names) if faulty else []


def write(stem, n, truth, latency, invbeta):
    pairs = list(itertools.combinations(range(n), 2))
    links = [make_platform.link(f"l{i}_{j}", invbeta[i][j],
                                latency[i][j] - make_platform.ENVELOPE * invbeta[i][j], "FATPIPE")
             for i, j in pairs]
    routes = [make_platform.route(i, j, f'<link_ctn id="l{i}_{j}"/>') for i, j in pairs]
    hosts = [make_platform.host(i, truth) for i in range(n)]
    with open(stem + ".xml", "w") as f:
        f.write("\n".join([make_platform.HEADER, *hosts, *links, *routes, make_platform.FOOTER]) + "\n")
    with open(stem + ".hosts", "w") as f:
        f.writelines(f"h{i}\n" for i in range(n))


def simulate(stem, *command):
    done = subprocess.run([os.path.join(HERE, "smpi-run"), stem, *command], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def diagnose(stem, cpm, path):
    """Subjects, and the exit code. What smpicc built needs a cluster, of one process."""
    shutil.copy(stem + ".xml", stem + "-one.xml")
    with open(stem + "-one.hosts", "w") as f:
        f.write("h0\n")
    done = subprocess.run([os.path.join(HERE, "smpi-run"), stem + "-one", cpm, "doctor", path],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    subjects = re.findall(r"^((?:process|link|host|experiment) .*?)(?: \(|:)", done.stdout, re.M)
    return sorted(subjects), done.returncode


def run(cpm, n, seed, faulty, out):
    stem = os.path.join(out, f"doctor-{n}-{seed}-{'faulty' if faulty else 'healthy'}")
    for suffix in (".mod", ".meas"):
        if os.path.exists(stem + suffix):
            os.remove(stem + suffix)
    planted = platform(stem, n, seed, faulty)
    simulate(stem, cpm, "model", "--no-thresholds", "--quiet", "--min-reps", "2", "--max-reps", "3",
             "-o", stem + ".mod")
    failed = 0
    for suffix in (".mod", ".meas"):
        named, code = diagnose(stem, cpm, stem + suffix)
        good = named == planted and code == (3 if faulty else 0)
        failed += not good
        print(f"{'ok    ' if good else 'FAILED'} seed {seed}, {suffix}: planted {planted or 'nothing'}, "
              f"named {named or 'nothing'}, exit code {code}")
    return failed


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("cpm")
    p.add_argument("--n", type=int, default=16)
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    return 1 if sum(run(a.cpm, a.n, seed, faulty, a.out)
                    for seed in range(1, a.seeds + 1) for faulty in (False, True)) else 0


if __name__ == "__main__":
    sys.exit(main())
