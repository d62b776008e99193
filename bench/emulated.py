"""Claims of the papers that need a real network: TCP between hosts made of network namespaces (laboratory.NetCluster).

Each function prints one claim; bench/papers lists and runs them. A quiet machine is needed: all hosts share its
processors.
"""
import json
import os
import re
import statistics
import subprocess

from laboratory import HERE, NetCluster, Skipped, percent, print_table

NAMES = {}  # claims by name
HOSTS = 8


def claim(name, profile):
    """The function, called with the claims' laboratory and a cluster of that profile (its name, or its text)."""
    def wrap(function):
        def run(lab):
            cluster = NetCluster("cpmp", "10.95.0")
            if not cluster.usable:
                raise Skipped(cluster.why_not())
            path = os.path.join(lab.out, name + ".profile")
            if "\n" in profile:
                with open(path, "w") as f:
                    f.write(profile)
            cluster("up", "--hosts", str(HOSTS), "--profile", path if "\n" in profile else profile)
            try:
                function(lab, cluster)
            finally:
                cluster("down")
        run.__doc__ = function.__doc__
        NAMES[name] = run
        return function
    return wrap


def run(cluster, program, *arguments):
    return cluster("run", "--timeout", "900", "--", program, *arguments)


def model(lab, cluster, name, profile):
    """A model of the cluster, kept in the output folder."""
    path = os.path.join(lab.out, f"{profile}-{HOSTS}-{name}.mod")
    if not os.path.exists(path):
        run(cluster, lab.cpm, "model", "-M", name, "--max-reps", "20", "--quiet", "-o", path)
    return path


def means(text):
    """Seconds by algorithm and size of what "cpm bench coll" printed."""
    words = [line.split() for line in text.splitlines()]
    return {(row[1], int(row[0])): float(row[2]) * 1e-6 for row in words if len(row) > 4 and row[0].isdigit()}


# ---- all-to-all at one switch

PHASED = ["simple", "ring", "ring-light", "ring-barrier", "pair", "pair-light", "pair-barrier"]  # of the paper
PACED = ["ring-paced", "pair-paced"]
SWITCHED = [1024, 8192, 32768, 65536, 131072]
# Slower than profile incast's 200 Mbit/s: hosts that share a processor cannot fill eight such links at once, and phases
# are for links that are full.
SHALLOW = "hosts 8\ndefault rate=40mbit buf=20kb\nrndv 64kb\nearly_retrans 0\nrecovery 0\n"


@claim("aapc-switch", SHALLOW)
def aapc_switch(lab, cluster):
    """Empirical alltoall 2005, figure 3: topology (a)."""
    rows = []
    for size in lab.sizes or SWITCHED:
        table = os.path.join(lab.out, f"aapc-switch-{size}.json")
        for old in (table, table[:-5] + ".meas"):
            if os.path.exists(old):
                os.remove(old)
        timing = ["--timing", "batch", "--batch", "2", "--quiet"]
        run(cluster, lab.cpm, "tune", "--measure", *(f"alltoall:{name}" for name in PHASED + PACED), "-m", str(size),
            "--max-reps", "8", *timing, "-o", table)
        with open(table) as f:
            rule = json.load(f)["operations"]["alltoall"][str(HOSTS)][0]
        own = f"alltoall:{rule['algorithm']}" + (f":segment={rule['segment']}" if "segment" in rule else "")
        found = means(run(cluster, lab.cpm, "bench", "coll", *dict.fromkeys(["alltoall:native", own]), "-m", str(size),
                          "--statistic", "mean", "--min-reps", "12", "--max-reps", "12", *timing))
        native, generated = found["alltoall:native", size], found[own, size]
        rows.append([size, own.split(":", 1)[1], f"{native * 1e3:.2f}", f"{generated * 1e3:.2f}",
                     f"{native / generated:.2f}"])
        print(*rows[-1], flush=True)
    print("8 hosts at one switch with shallow buffers, 40 Mbit/s, TCP of the 2000s; the paper's were 16, 100 Mbit/s.\n"
          "The generator measures all algorithms of the paper, and those whose segments are asked for; then it and MPICH\n"
          "4's own in 12 batches of 2 calls each.\n"
          "Paper, 128 KB: MPICH 1.2.6's pair 348 ms, generated (pair, a barrier between phases) 200 ms: 1.74.")
    print_table("all-to-all at one switch", ["bytes", "generated", "MPICH, ms", "generated, ms", "ratio"], rows)
    ratios = [float(row[-1]) for row in rows]
    print(f"mean {statistics.mean(ratios):.2f}, least {min(ratios):.2f}")


# ---- tuning by measurement

@claim("tuning-tcp", "heterogeneous-deep")
def tuning_tcp(lab, cluster):
    """Empirical alltoall 2005, section 6.1: 1040 to 8913 s to generate one operation."""
    known = model(lab, cluster, "lmo2", "heterogeneous-deep")
    path = os.path.join(lab.out, "tuning.json")
    for old in (path, path[:-5] + ".meas"):
        if os.path.exists(old):
            os.remove(old)
    run(cluster, lab.cpm, "tune", "--measure", known, "--quiet", "-o", path)
    with open(path) as f:
        operations = json.load(f)["operations"]
    with open(path[:-5] + ".meas") as f:
        text = f.read()
    count = sum(bool(re.match(r"[a-z_]+:", line)) for line in text.splitlines())
    print("Paper: all-to-all alone 1040 s (16 hosts), 8913 and 7294 s (32). Here 8 emulated hosts, all operations, 1 B to "
          "256 KB,\nwith a fitted model; at most 15 minutes are asked.")
    print_table("tuning by measurement", ["operations", "measurements", "seconds"],
                [[len(operations), count, f"{seconds_of(path[:-5] + '.meas'):.0f}"]])


# ---- what timing methods cost

@claim("timing", "incast")
def timing(lab, cluster):
    """Thesis 2009, table 3.1: what the methods of timing collectives take."""
    paper = {"global": (28.7, 44.7), "max": (0.8, 15.6), "root": (0.8, 15.7)}
    rows = []
    for method, others in paper.items():
        row = [method]
        for operation, other in zip(("scatter", "gather"), others):
            path = os.path.join(lab.out, f"timing-{method}-{operation}.meas")
            if os.path.exists(path):
                os.remove(path)
            run(cluster, lab.cpm, "bench", "coll", f"{operation}:linear", "-m", "0:100K:1K", "--timing", method,
                "--min-reps", "1", "--max-reps", "1", "--quiet", "-o", path)
            row += [other, f"{seconds_of(path):.2f}"]
        rows.append(row)
    print("8 emulated hosts, TCP of the 2000s; linear scatter and gather, 0 to 100 KB in steps of 1 KB, one repetition. "
          "The paper's: 16 hosts.\nGlobal time means clocks that are set once here, and were set at every call there.")
    print_table("seconds of a benchmark", ["timing", "scatter, paper", "scatter", "gather, paper", "gather"], rows)


# ---- models and collectives on real TCP

@claim("tcp-models", "heterogeneous-deep")
def tcp_models(lab, cluster):
    """Thesis 2009, figures 7.1 and 7.2: Hockney's predictions of scatter on a heterogeneous cluster."""
    sizes = [1024, 4096, 16384, 32768, 100 << 10, 200 << 10]
    text = ",".join(map(str, sizes))
    models = [(name, model(lab, cluster, name, "heterogeneous-deep")) for name in ("hockney", "lmo", "lmo2")]
    observed = means(run(cluster, lab.cpm, "bench", "coll", *SCATTERS, "-m", text, "--timing", "global", "--max-reps",
                         "20", "--quiet"))
    rows = []
    for name, path in models:
        predicted = {(row[0], int(row[2])): float(row[4]) * 1e-6 for row in rows_of_tsv(
            lab.run("predict", path, *SCATTERS, "-m", text, "--no-intervals", "--format", "tsv"))}
        errors = [statistics.mean(abs(predicted[one, size] / observed[one, size] - 1) for size in sizes)
                  for one in SCATTERS]
        rows.append([name, *map(percent, errors)])
    print("8 unlike emulated hosts, buffers that never overflow, 1 to 200 KB, root 0.\nPaper: heterogeneous Hockney is "
          "close to binomial scatter and far above linear scatter; at most 5 % are asked of LMO 2.")
    print_table("mean errors of predictions on TCP", ["model", *SCATTERS], rows)


SCATTERS = ["scatter:linear", "scatter:binomial", "gather:linear", "gather:binomial"]
SPLIT = {"gather": "gather:split-barrier:segment=4096", "scatter": "scatter:split:segment=61440"}


def rows_of_tsv(text):
    return [line.split("\t") for line in text.splitlines() if line and line[0] != "#"][1:]


@claim("tcp-split", "incast")
def tcp_split(lab, cluster):
    """Thesis 2009, figure 7.3: gather and scatter in pieces below the thresholds of the network."""
    sizes = [2048, 8192, 16384, 32768, 49152, 65536, 102400]
    names = [name for operation, split in SPLIT.items() for name in (f"{operation}:native", f"{operation}:linear", split)]
    found = means(run(cluster, lab.cpm, "bench", "coll", *names, "-m", ",".join(map(str, sizes)), "--timing", "root",
                      "--statistic", "mean", "--min-reps", "10", "--max-reps", "10", "--quiet"))
    rows = [[size, *(f"{found[name, size] * 1e3:.2f}" for name in names)] for size in sizes]
    print("8 emulated hosts with shallow buffers, TCP of the 2000s (M1 is 4 to 6 KB, M2 64 KB); means of 10, ms, at the "
          "root.\nPaper: native gather escalates from 5 to 64 KB, in pieces with barriers it does not; scatter leaps at "
          "64 KB, in pieces it does not.")
    print_table("gather and scatter, whole and in pieces", ["bytes", *names], rows)


# ---- the matrix multiplication

@claim("matmul", "heterogeneous-deep")
def matmul(lab, cluster):
    """Thesis 2009, table 7.2: the matrix multiplication, computing included."""
    paper = {1000: (0.80, 0.65), 2000: (5.5, 5.02), 3000: (16.61, 11.05), 4000: (74.29, 64.79), 5000: (221, 188.72),
             6000: (494.24, 394.65)}
    program, known = example(lab, "matmul"), model(lab, cluster, "lmo2", "heterogeneous-deep")
    rows = []
    for size in lab.sizes or MATRICES:
        text = run(cluster, program, str(size), known, "--repetitions", "5")
        seconds = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line[0] != "#"}
        (native, whole), (own, all_own) = (map(float, seconds[way]) for way in ("native", "model"))
        rows.append([size, f"{native:.3f}", f"{own:.3f}", f"{whole:.3f}", f"{all_own:.3f}",
                     percent(1 - all_own / whole)])
        print(*rows[-1], flush=True)
    print("8 unlike emulated hosts; the products are computed (BLAS), by all hosts on the processor that they share, so "
          "that computing\ncosts the sum of all. Medians of 5, native and chosen in turns.")
    print_table("matrix multiplication", ["N", "native: comm., s", "chosen: comm., s", "native: all, s", "chosen: all, s",
                                          "saved"], rows)
    print_table("paper", ["N", "native, s", "optimized, s", "saved"],
                [[size, *times, percent(1 - times[1] / times[0])] for size, times in paper.items()])


MATRICES = [250, 500, 1000]


def example(lab, name):
    """Builds an example as its users do: with an installed CPM."""
    build, there = os.path.dirname(lab.cpm), os.path.join(lab.out, "examples")
    for command in (["cmake", "--install", build, "--prefix", there + "/installed"],
                    ["cmake", "-S", os.path.join(HERE, "..", "examples"), "-B", there + "/build",
                     f"-DCMAKE_PREFIX_PATH={there}/installed", f"-DMPI_C_COMPILER={compiler_of(build)}"],
                    ["cmake", "--build", there + "/build", "--target", name]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return os.path.join(there, "build", name)


def compiler_of(build):
    with open(os.path.join(build, "CMakeCache.txt")) as f:
        return re.search(r"^MPI_C_COMPILER:.*=(.*)$", f.read(), re.M).group(1)


def seconds_of(path):
    with open(path) as f:
        return float(re.search(r"^# duration: (\S+)$", f.read(), re.M).group(1))
