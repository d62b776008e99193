#!/usr/bin/env python3
"""Programs whose collectives adapt while they run are not slower than without, and give the same, in simulated time.

adapted.py SMPI_BUILD [--out DIR]: the build with smpicc, which has cpm and tests/lab_adapt. Runs small programs
(adapt.c) as they are and adapted, without a model, with one that was fitted there and with a wrong one; exit code 1
unless all keep the promise: at most 1.02 times as long and 1 ms, in collectives (but where ranks only run ahead of a root) and as a
whole. One runs twice with a
file of what was learnt, the second time faster.
"""
import argparse
import json
import os
import random
import subprocess
import sys

import make_platform

HERE = os.path.dirname(os.path.abspath(__file__))
SHARE, CONSTANT = 0.02, 1e-3  # of the promise
MODE, SEED, OTHER_SEED, PATIENCE = "mixed", 4, 5, 600  # seconds of real time for one run
PROGRAMS = ["loop bcast 16384 400", "loop reduce 1024 1500", "random 200 3", "lammps 150 42382"]
LEARNING = "fftw 120 141376"
ROOTED = "collect 400 65536 1000", "watch 3000 1000000"


class Failed(Exception):
    pass


class Run:
    """What a program printed: calls and their seconds by operation and size, seconds of all collectives and of the
    whole program, a checksum."""

    def __init__(self, text):
        self.calls, self.places, single = {}, {}, {}
        for words in map(str.split, text.splitlines()):
            if words[:1] == ["call"]:
                place = words[1], int(words[2])
                self.calls[place], self.places[place] = int(words[3]), float(words[4])
            elif len(words) == 2:
                single[words[0]] = words[1]
        self.collectives, self.whole = float(single["collectives"]), float(single["program"])
        self.checksum = single["checksum"]


def after(said, row):
    """Calls of a kind until what is chosen was; calls before there were candidates count, too. A row of sizes that
    not all know is of any."""
    alike = [one for one in said["operations"] if one["operation"] == row["operation"] and
             (row["to"] == 0 or one["from"] <= row["to"] and row["from"] <= one["to"])]
    return sum(one["calls"] for one in alike) - row["calls"] + row["chosen_after"]


def chosen_in(path):
    """What a report says was chosen instead of MPI's own routines, and after how many of these calls."""
    with open(path) as f:
        said = json.load(f)
    if "budget" not in said:  # nothing was decided, and nothing could be gained
        return "never opened"
    rows = said.get("adapted", [])
    others = [f"{row['operation']} {row['to']} {row['chosen']} @{after(said, row)}"
              for row in rows if row["chosen"] != "native"]
    return f"{len(others)} of {len(rows)}" + "".join("; " + one for one in others)


def is_within(seconds, native):
    return seconds <= (1 + SHARE) * native + CONSTANT


def floods(run):
    """Only a root waits in any call: the others are ahead of it, and wait behind the calls for it, or, where they are
    held back, in these. What the whole program takes counts."""
    return all(operation in ("reduce", "gather") for operation, _ in run.calls)


def verdict(native, run):
    if run.checksum != native.checksum:
        return "WRONG DATA"
    if not floods(native) and not is_within(run.collectives, native.collectives):
        return "BROKEN"
    return "kept" if is_within(run.whole, native.whole) else "PROGRAM LATE"


def shuffle(model):
    """Hosts get the parameters of others, drawn."""
    names = sorted(set(model["hosts"]))
    others = names[:]
    random.Random(SEED).shuffle(others)
    renamed = dict(zip(names, others))
    model["hosts"] = [renamed[host] for host in model["hosts"]]


def scaled(value, factor):
    if isinstance(value, list):
        return [scaled(one, factor) for one in value]
    return value and value * factor


def slow(model):
    """All takes ten times as long."""
    for parameter in model["parameters"].values():
        if parameter["unit"] in ("s", "s/B"):
            parameter["value"] = scaled(parameter["value"], 10)


WRONG = {"shuffled": shuffle, "slow": slow}  # other: of another cluster, which is measured


class Cluster:
    """A simulated cluster and its models, if it is fitted. patience: seconds of real time for one run;
    network: options of make_platform.write."""

    def __init__(self, build, stem, kind, hosts, each=1, fitted=True, patience=PATIENCE, **network):
        self.cpm, self.program = (os.path.abspath(os.path.join(build, name)) for name in ("cpm", "tests/lab_adapt"))
        self.stem, self.n, self.patience = stem, hosts * each, patience
        self.right = f"{stem}.mod"
        self.models = {}
        self.make = lambda stem, seed: make_platform.write(stem, hosts, kind, seed, each=each, **network)
        self.topology = ["--topology", stem + ".topology"] if "switches" in network else []
        self.make(stem, SEED)
        if fitted and not os.path.exists(self.right):
            self.measure(stem, self.right)

    def measure(self, stem, path):
        self.simulate([self.cpm, "model", "-M", "lmo2", "--no-thresholds", "--min-reps", "1", "--max-reps", "1",
                       "--quiet", *self.topology, "-o", path], os.devnull, stem)

    def simulate(self, command, report, stem=None, **variables):
        """What it prints; with what it says it is kept as the file report, too. stem: of another cluster."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("CPM_")}
        environment.update(SMPI_MODE=MODE, SMPI_SELECTOR="mpich", **variables)
        try:
            done = subprocess.run([os.path.join(HERE, "smpi-run"), stem or self.stem, *command], env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=self.patience)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"not done after {self.patience:g} s") from late
        with open(report, "w") as f:
            f.write(f"{command}\n{variables}\n{done.stdout}{done.stderr}")
        if done.returncode:
            said = done.stderr.strip() or "no message"
            raise Failed(f"exit code {done.returncode}: {said.splitlines()[0]}")
        return done.stdout

    def other(self, path):
        """The model of a cluster whose hosts have other parameters, and the same names and places."""
        stem = self.stem + "-other"
        if not os.path.exists(path):
            self.make(stem, OTHER_SEED)
            self.measure(stem, path)
        return path

    def model(self, name):
        """The path of a model: right, shuffled, slow, other; None: none. It is made once."""
        if name not in self.models:
            self.models[name] = self.make_model(name)
        return self.models[name]

    def make_model(self, name):
        path = f"{self.stem}-{name}.mod"
        if name == "other":
            return self.other(path)
        if name not in WRONG:
            return self.right if name == "right" else None
        with open(self.right) as f:
            model = json.load(f)
        WRONG[name](model)
        with open(path, "w") as f:
            json.dump(model, f)
        return path

    def run(self, arguments, report, **variables):
        return Run(self.simulate([self.program, *arguments], report, **variables))

    def adapted(self, arguments, model, policy, report, **variables):
        """policy: of CPM_ADAPT; None: what the model chooses at once."""
        path = self.model(model)
        variables.update({"CPM_MODEL": path} if path else {}, **({"CPM_ADAPT": policy} if policy else {"CPM_TRUST": "1"}))
        return self.run(arguments, report, **variables)


def check_program(cluster, program):
    native = cluster.run(program.split(), os.devnull)
    good = True
    for model in ("none", "right", "shuffled"):
        run = cluster.adapted(program.split(), model, "budget", os.devnull)
        kept = verdict(native, run)
        good = good and kept == "kept"
        print(f"{'ok    ' if kept == 'kept' else 'FAILED'} {program}, model {model}: {native.collectives * 1e3:.3f} ms "
              f"in collectives, adapted {run.collectives * 1e3:.3f} ms: {kept}", flush=True)
    return good


def check_learning(cluster, program, stem):
    """The second run begins where the first one ended."""
    learnt = stem + ".learnt"
    if os.path.exists(learnt):
        os.remove(learnt)
    runs = [cluster.adapted(program.split(), "none", "budget", os.devnull, CPM_LEARN=learnt) for _ in range(2)]
    good = os.path.exists(learnt) and runs[1].collectives < runs[0].collectives
    print(f"{'ok    ' if good else 'FAILED'} {program}, learning: {runs[0].collectives * 1e3:.3f} ms in collectives, "
          f"then {runs[1].collectives * 1e3:.3f} ms", flush=True)
    return good


def check_root(cluster, program, stem):
    """Calls whose sizes the root alone knows have candidates, though others bring all together before each."""
    report = stem + ".report"  # stem.json is the truth
    cluster.adapted(program.split(), "none", "budget", os.devnull, CPM_REPORT=report, CPM_FORMAT="json")
    with open(report) as f:
        rows = {row["operation"]: row for row in json.load(f).get("adapted", [])}
    good = "gatherv" in rows
    print(f"{'ok    ' if good else 'FAILED'} {program}: candidates for {', '.join(rows) or 'nothing'}", flush=True)
    return good


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("build")
    p.add_argument("--out", default="lab-output")
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    stem = os.path.join(a.out, "adapted")
    if os.path.exists(stem + ".mod"):
        os.remove(stem + ".mod")
    try:
        cluster = Cluster(a.build, stem, "nicasym", 8)
        good = all([check_program(cluster, program) for program in PROGRAMS] +
                   [check_learning(cluster, LEARNING, stem)] +
                   [check_root(cluster, program, stem) for program in ROOTED])
    except Failed as failure:
        sys.exit(str(failure))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
