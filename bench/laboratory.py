"""The simulated laboratory as the benchmarks use it: platforms, campaigns on them, tables."""
import argparse
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.path.join(HERE, "..", "tests", "lab")
sys.path.insert(0, LAB)
import make_platform  # noqa: E402

EXACT = ["--min-reps", "1", "--max-reps", "1"]


class SimulationFailed(Exception):
    pass


class Skipped(Exception):
    """What a claim needs is not there."""


class Lab:
    def __init__(self, a):
        self.cpm, self.smpi, self.out, self.hosts, self.seeds = a.cpm, a.smpi, a.out, a.hosts, a.seeds
        os.makedirs(self.out, exist_ok=True)

    def platform(self, kind, seed, n=None, classes=0, each=1, placement="block", **network):
        """network: switches, trunk, mixed, silent."""
        n = n or self.hosts
        stem = os.path.join(self.out, f"{kind}-{n}-{seed}" + (f"-{classes}" if classes else "") +
                            (f"-{each}{placement}" if each > 1 else "") +
                            "".join(f"-{key}{value}" for key, value in network.items()))
        return stem, make_platform.write(stem, n, kind, seed, classes, each, placement, **network)

    def simulate(self, stem, *arguments, mode="eager", factors=""):
        environment = dict(os.environ, SMPI_MODE=mode, SMPI_FACTORS=factors)
        done = subprocess.run([os.path.join(LAB, "smpi-run"), stem, self.smpi, *arguments], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode or "Deadlock detected" in done.stderr:
            reason = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
            raise SimulationFailed(f"cpm {' '.join(arguments)}: exit code {done.returncode}: {reason}")
        return done.stdout

    def try_model(self, *arguments, **options):
        """As model, or None: SimGrid 3.32 itself crashes where some hundred messages are under way at once."""
        try:
            return self.model(*arguments, **options)
        except SimulationFailed as failure:
            print(f"\n(left out: {failure})", flush=True)
            return None

    def run(self, *arguments):
        done = subprocess.run([self.cpm, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"cpm {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def model(self, stem, name, *options, tag="", **variant):
        """Measures and fits a model; returns its file and that of the measurements."""
        path = f"{stem}{tag}-{name}.mod"
        for old in (path, path[:-4] + ".meas"):
            if os.path.exists(old):
                os.remove(old)
        self.simulate(stem, "model", "-M", name.split("+")[0], "--no-thresholds", "--quiet", *options, "-o", path,
                      **variant)
        return path, path[:-4] + ".meas"

    def models(self):
        """All models that the command knows, as it says itself; LMO also as it was published."""
        done = subprocess.run([self.cpm, "model", "-M", "?"], capture_output=True, text=True)
        known = re.search(r"\(known: (.*?)\)", done.stderr).group(1).split(", ")
        return known + ["lmo+thesis"]


class NetCluster:
    """Hosts with a real TCP network between them, as network namespaces (tests/lab/netcluster)."""

    def __init__(self, prefix, net):
        self.tool = os.path.join(HERE, "..", "tests", "lab", "netcluster", "netcluster")
        self.usable = not os.geteuid()
        self.environment = dict(os.environ, NETCLUSTER_LAB=prefix, NETCLUSTER_NET=net)

    def __call__(self, *arguments):
        done = subprocess.run([self.tool, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"netcluster {' '.join(arguments)}: {done.stderr or done.stdout}")
        return done.stdout

    def why_not(self):
        return "only root can make network namespaces"

    def say_why_not(self, part):
        print(f"\n{part}: skipped, {self.why_not()}")

    def run(self, lab, path, *arguments, each=1):
        """cpm on all hosts; its output file is made anew and returned."""
        if os.path.exists(path):
            os.remove(path)
        many = ["--ppn", str(each)] if each > 1 else []
        self("run", "--timeout", "900", *many, "--", lab.cpm, *arguments, "--quiet", "-o", path)
        return path


def options_of(name):
    return ["--estimator", "thesis"] if name == "lmo+thesis" else []


def print_table(title, head, rows):
    print(f"\n## {title}\n")
    widths = [max(len(str(row[i])) for row in [head] + rows) for i in range(len(head))]
    for k, row in enumerate([head] + rows):
        print("| " + " | ".join(f"{str(cell):<{w}}" for cell, w in zip(row, widths)) + " |")
        if k == 0:
            print("|" + "|".join("-" * (w + 2) for w in widths) + "|")
    sys.stdout.flush()


def percent(share):
    return f"{100 * share:.3g} %"


def read_arguments(description, parts):
    root = os.path.join(HERE, "..")
    p = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--parts", default=parts)
    p.add_argument("--seeds", default="101,102", type=lambda text: [int(s) for s in text.split(",")])
    p.add_argument("--hosts", type=int, default=16)
    p.add_argument("--out", default="bench-output")
    p.add_argument("--cpm", default=os.path.join(root, "build/default/cpm"))
    p.add_argument("--smpi", default=os.path.join(root, "build/smpi/cpm"))
    a = p.parse_args()
    for path in (a.cpm, a.smpi):
        if not os.path.exists(path):
            sys.exit(f"{path} is not there: ./check default smpi builds both")
    a.cpm, a.smpi = os.path.abspath(a.cpm), os.path.abspath(a.smpi)
    return a


def run_parts(description, usual, functions):
    """The main program of a benchmark whose parts are functions called part_NAME."""
    a = read_arguments(description, usual)
    lab = Lab(a)
    known = [name[5:] for name in functions if name.startswith("part_")]
    for name in a.parts.split(","):
        if name not in known:
            sys.exit(f"unknown part '{name}' ({', '.join(known)})")
        start = time.time()
        try:
            functions["part_" + name](lab)
        except SimulationFailed as failure:
            sys.exit(str(failure))
        print(f"\n({name}: {time.time() - start:.0f} s)", flush=True)
