"""Pages for users are true: every command in them is run where their files are, and what they show of its
output is what it prints; commands that are only named have the options they are given; links lead somewhere.

usage: test_documents.py SOURCE_DIR BUILD_DIR MPICC MPIEXEC [PAGE...]

Commands are lines of indented or fenced blocks that begin with "$ " or with a program, and texts between back
quotes that name a file. What measures is played by a model, so that it is quick and always the same; programs
run as two processes. A command that cannot be run here is in NOT_RUN."""
import concurrent.futures
import glob
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SOURCE, BUILD, MPICC, MPIEXEC = (shutil.which(p) or os.path.abspath(p) for p in sys.argv[1:5])
DATA = f"{SOURCE}/tests/tools/data"

# Pages and beginnings of commands, and why they are not run here. Those of one page must still be there.
NOT_RUN = {
    ("*", "./quickstart"): "installs packages; test_quickstart runs it",
    ("*", "./check"): "is what runs this test",
    ("*", "docker build"): "needs a network and Docker",
    ("*", "apptainer build"): "needs a network and Apptainer",
    ("*", "bench/"): "takes minutes to hours",
    ("*", "cmake --"): "builds all again; install_and_build_examples installs",
    ("doc/new-algorithm.md", "cd"): "of a tree that has the page's file",
    ("doc/new-algorithm.md", "ctest"): "of a tree that has the page's file",
    ("doc/new-algorithm.md", "./cpm"): "of a tree that has the page's file",
    ("doc/new-algorithm.md", "mpiexec"): "of a tree that has the page's file",
    ("doc/new-model.md", "cd"): "of a tree that has the page's files",
    ("doc/new-model.md", "ctest"): "of a tree that has the page's files",
    ("doc/new-model.md", "./cpm"): "of a tree that has the page's files",
    ("doc/new-model.md", "mpiexec"): "of a tree that has the page's files",
    ("doc/export.md", "txt2bin"): "LogGOPSim is no package",
    ("doc/export.md", "LogGOPSim"): "LogGOPSim is no package",
    ("doc/export.md", "smpirun"): "needs a program built by smpicc; tests/lab/exported.py runs them",
    ("doc/export.md", "lstopo"): "of hwloc's tools; tests/tools/test_export.sh",
    ("doc/estimation.md", "cpm fit coll.meas"): "of one process a host; several are played here (test_collectives_alone.sh)",
    ("doc/export.md", "mpiexec --mca"): "an option of Open MPI; test_export_libraries runs both libraries",
    ("doc/tune.md", "mpiexec -n 8 cpm tune --verify"): "of a table of eight processes; tests/tools/test_tune_verify.sh",
    ("doc/models/lmo2.md", "cpm predict cluster.mod alltoall -m 1K --layout 512x12"):
        "of like hosts, which the page's are not; test_predict_more_hosts",
    ("README.md", "cpm tune cluster.mod -o"): "takes some seconds with this model; doc/tune.md has it with another",
    ("README.md", "cpm run --profile"): "is of this machine, which is none of the page's hosts; doc/profile.md has it",
    ("doc/api.md", "cmake -S"): "install_and_build_examples builds them",
    ("doc/api.md", "mpiexec -f hosts -n 4 build-examples"): "install_and_build_examples builds them",
    ("doc/api.md", "smpicc"): "needs SimGrid",
    ("doc/api.md", "tests/lab/"): "needs SimGrid",
    ("examples/incast/README.md", "examples/incast/run"): "needs root, or a cluster",
}

# Of what programs print that run here numbers and rows vary: lines without numbers are compared.
VARIES = re.compile(r"\bcpm run ")

# What these show is not compared.
NOT_COMPARED = {("doc/schedules.md", "cpm synthesize"): "a search goes by the last digits of exp() and log(), which "
                                                       "processors compute in several ways",
                ("doc/tuned.md", "mpiexec -n 16 cpm run"): "two processes choose nothing; tests/preload/test_compare.sh"}

# Python's modules that are not everywhere: what needs them is left out there.
OPTIONAL = ("numpy", "pandas", "matplotlib")

# Files that pages show, by the first line of the block: given to the commands, or what they have written.
SHOWN = {
    ("doc/estimation.md", "# host, or pattern"): "classes.txt",
    ("doc/export.md", "// cpm export:"): "bcast.goal",
    ("doc/map.md", "# cpm map:"): "scatterv.map",
    ("doc/rules.md", "# Long reductions"): "cluster.rules",
    ("doc/topology.md", "# two racks"): "racks.topology",
}

# What there is before the first command of a page, besides the files that SHOWN gives; {host}: this one.
CLUSTER = """
echo 8x2 >layout
sed '0,/"node0"/s//"{host}"/' $SOURCE/examples/models/multicore8x4.mod >truth.mod
cpm model --machine truth.mod --layout 8x2 --noise 0.02 --no-thresholds --quiet -M lmo2 -o cluster.mod
cpm bench coll --machine truth.mod --layout 8x2 --noise 0.02 --quiet --raw bcast:binomial,gather:linear -m 1K,16K -o observed.meas
cp cluster.mod old.mod && cp cluster.mod new.mod && cp observed.meas before.meas && cp observed.meas after.meas
cp $DATA/lmo4.mod $DATA/app.profile $DATA/table.json . && cp $DATA/openmpi.rules openmpi.conf
cp $DATA/example.rules cluster.rules
python3 -c '
import json
calls = [{"communicator": c, "operation": o, "bytes": b, "calls": 10, "mean": 1e-4, "total": 1e-3, "between": 1e-4, "back_to_back": 0}
         for c in range(4) for o, b in (("allgather", 1000), ("alltoall", 100))]
json.dump({"format": "cpm profile", "version": 1, "processes": 16, "hosts": ["other"] * 16, "seconds": 1, "collectives": 0.1,
           "left_out": 0, "communicators": [{"size": n, "processes": list(range(n))} for n in (16, 8, 4, 2)],
           "calls": calls}, open("app.json", "w"))'
cpm compare cluster.mod observed.meas -o table.tsv
cp $BUILD/tests/preload/kinds app && cp app program
printf '#include <mpi.h>\\nint main(void)\\n{ MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }\\n' >program.c
mkdir -p examples && cp -r $SOURCE/examples/models examples/
python3 -c '
n = 16
step = "<step s=\\"%d\\" type=\\"%s\\" srcbuf=\\"%s\\" srcoff=\\"%d\\" dstbuf=\\"o\\" dstoff=\\"%d\\" cnt=\\"1\\" depid=\\"-1\\" deps=\\"-1\\" hasdep=\\"0\\"/>"
print("<algo name=\\"ring\\" nchunksperloop=\\"%d\\" ngpus=\\"%d\\" coll=\\"allgather\\" inplace=\\"0\\" nchannels=\\"1\\" proto=\\"Simple\\">" % (n, n))
for g in range(n):
    print("<gpu id=\\"%d\\" i_chunks=\\"1\\" o_chunks=\\"%d\\" s_chunks=\\"0\\"><tb id=\\"0\\" send=\\"%d\\" recv=\\"%d\\" chan=\\"0\\">" % (g, n, (g + 1) % n, (g - 1) % n))
    print(step % (0, "s", "i", 0, g))
    for k in range(1, n):
        print(step % (k, "rcs" if k < n - 1 else "r", "o", (g - k) % n, (g - k) % n))
    print("</tb><tb id=\\"1\\" send=\\"-1\\" recv=\\"-1\\" chan=\\"0\\">" + step % (0, "cpy", "i", 0, g) + "</tb></gpu>")
print("</algo>")' >ring.xml
"""
PREPARED = {
    "doc/export.md": "cpm model --machine examples/models/gigabit16.mod --quiet -M lmo --no-thresholds -o cluster.mod",
    "doc/formats.md": "cpm doctor cluster.mod --format tsv >doctor.tsv; cpm doctor cluster.mod --format json >doctor.json || test $? -ge 3",
    "doc/import.md": "printf '%s\\n' '# OSU MPI Latency Test' '# Size Latency (us)' '0 10.1' '1024 12.3' '65536 99.5' | "
                     "tee a.txt b.txt c.txt >osu_latency.txt; "
                     "printf '%s\\n' '# OSU MPI Bandwidth Test' '# Size Bandwidth (MB/s)' '1 2.5' '65536 900.0' >osu_bw.txt; "
                     "printf '%s\\n' '# OSU MPI Allreduce Latency Test' '# Size Avg Latency(us)' '8 50.5' >osu_allreduce.txt; "
                     "for mpi in openmpi3 openmpi4; do printf '%s\\n' \"lat = read('osu/$mpi/latency.log')\" '      median' 'size        ' "
                     "'0      10.1' '1024   12.3' '65536  99.5' ''; done >notebook.txt",
    "doc/map.md": "echo names >layout; echo node1 node5 node6 node2 >names; "
                  "cpm model --machine truth.mod --layout names --quiet --no-thresholds -o cluster.mod",
    "doc/meas.md": "cpm measure --machine truth.mod --layout 3x1 --quiet -M lmo -o cluster.meas",
    "doc/python.md": "cpm model --machine examples/models/gigabit16.mod --quiet -M lmo --no-thresholds --meas lmo.meas "
                     "-o cluster.mod; cpm bench coll --machine examples/models/gigabit16.mod --quiet bcast:binomial -m 1K "
                     "-o observed.meas",
    "doc/report.md": "for month in october november december; do cp cluster.mod $month.mod; done",
    "doc/rules.md": "cp $DATA/mpich_rules.json mpich.json",
    "doc/statistics.md": "cp old.mod before.mod; cp new.mod after.mod",
    "doc/topology.md": "echo 5x1 >layout; cpm model --machine truth.mod --layout 5x1 --quiet --no-thresholds -o cluster.mod; "
                       "cp cluster.mod switched.mod",
    "doc/tune.md": "cpm model --machine examples/models/gigabit16.mod --quiet -M lmo --no-thresholds -o cluster.mod",
    "examples/models/README.md": "cp examples/models/*.mod .",
}

# What a command begins with; a new program is added here.
PROGRAMS = ("cpm", "./cpm", "mpiexec", "srun", "sbatch", "cmake", "ctest", "cd", "mpicc", "docker", "apptainer", "smpirun",
            "txt2bin", "LogGOPSim", "lstopo", "python3", "./quickstart", "./check", "examples/incast/run", "bench/")
EXITS = {"doctor": (0, 3, 4), "diff": (0, 3), "health": (0, 4), "--guidelines": (0, 3)}

# How mpiexec and srun are called here: what measures is played, the rest runs as two processes.
LAUNCHER = """#!/bin/bash
while [[ $1 == -* ]]; do
    case $1 in -n | -N | -f | -ppn | --hostfile) shift ;; esac
    shift
done
measures='^cpm (model|measure|bench|validate|health|tune.*--measure) '
if [[ "$* " =~ $measures && " $* " != *' --machine '* ]]; then
    [[ " $* " == *' --layout '* ]] || set -- "$@" --layout "$(cat "$HERE/layout")"
    exec "$@" --machine "$HERE/truth.mod" --noise 0.02
fi
exec {mpiexec} -n 2 "$@"
"""


class Block:
    """An indented or fenced block of a page: its lines, the first one's number."""

    def __init__(self, at, language):
        self.at, self.language, self.lines = at, language, []


def blocks_of(text):
    """All blocks of a page, and the text with their lines empty."""
    blocks, rest, block, fenced = [], [], None, False
    for at, line in enumerate(text.split("\n"), 1):
        rest.append("")
        if line.startswith("```"):
            fenced = not fenced
            block = Block(at + 1, line[3:]) if fenced else None
            blocks += [block] if fenced else []
        elif fenced:
            block.lines.append(line)
        elif line.startswith("    ") and (block or not "".join(rest[-2:-1]).strip()):
            if not block:
                block = Block(at, "")
                blocks.append(block)
            block.lines.append(line[4:])
        elif block and not line.strip():
            block.lines.append("")
        else:
            block = None
            rest[-1] = line
    return [b for b in blocks if any(b.lines)], "\n".join(rest)


def is_program(line):
    words = [w for w in line.split() if not re.match(r"[A-Z_]+=", w)]
    return bool(words) and not re.match(r"cpm( [a-z]+)?:", line) and any(words[0] == p or p.endswith("/") and words[0].startswith(p) for p in PROGRAMS)


def commands_of_block(block):
    """(line number, command, what is shown of its output or None) of each command."""
    found = []
    for k, line in enumerate(block.lines):
        if line.startswith("$ "):
            found.append((block.at + k, line.removeprefix("$ "), []))
        elif is_program(line) and not (found and found[-1][2] is not None):
            found.append((block.at + k, line, None))
        elif line.startswith(("gnuplot> ", "R> ", ">>> ")):
            found.append((block.at + k, line, None))
        elif found and found[-1][2] is not None:
            found[-1][2].append(line)
    return found


def spans_of(text):
    """(line number, command) of each command between back quotes."""
    for at, line in enumerate(text.split("\n"), 1):
        for span in re.findall(r"`([^`]+)`", line):
            if is_program(span):
                yield at, span


def is_whole(span):
    """Whether a command between back quotes can be run as it stands: it names a file, and nothing is left open."""
    return bool(re.search(r"\.(mod|meas|json|tsv|map|rules|topology)\b|\./app", span)) and \
        not re.search(r"\b(FILE|PROGRAM|CMD|OP|DIR|SECONDS|HOSTSxEACH)\b|\.\.\.", span)


class Page:
    def __init__(self, name):
        self.name, self.failures, self.skipped, self.seconds = name, [], set(), []
        self.text = open(f"{SOURCE}/{name}", encoding="utf-8").read()
        self.blocks, self.rest = blocks_of(self.text)

    def fail(self, at, what):
        self.failures.append(f"{self.name}:{at}: {what}")

    def reason(self, command):
        """Why a command is not run; None: it is."""
        for (page, beginning) in NOT_RUN:
            if page in ("*", self.name) and re.sub(r"^([A-Z_]+=\S+ )+", "", command).startswith(beginning):
                self.skipped.add((page, beginning))
                return NOT_RUN[page, beginning]
        return None

    def has(self, table, command):
        return any(page == self.name and command.startswith(beginning) for page, beginning in table)

    # ---- options and links

    def check_options(self, helps):
        """Of each command that is named, also of those that are not run."""
        named = [(at, c) for b in self.blocks for at, c, _ in commands_of_block(b)] + list(spans_of(self.rest))
        for at, command in named:
            for call in re.findall(r"(?:^|\s)(?:\./)?(cpm [a-z].*?)(?= \| | && |$)", command):
                words = re.split(r" -- | #", call)[0].split()
                name = " ".join(words[1:3] if words[1] == "bench" and words[2:3] in (["p2p"], ["coll"]) else words[1:2])
                name = "bench coll" if name == "bench" else name
                for variant in ("--measure", "--verify"):
                    if name == "tune" and variant in words:
                        name = f"tune {variant}"
                if name not in helps:
                    self.fail(at, f"cpm {name} is no command")
                    continue
                for option in re.findall(r"(?:^| )(--[a-z0-9-]+)", " ".join(words)):
                    if option != "--help" and not re.search(rf"{option}\b(?!-)", helps[name]):
                        self.fail(at, f"cpm {name} has no {option}")

    def check_programs(self):
        """What stands among commands is one, of a program that is known here."""
        for block in self.blocks:
            if not any(line.startswith("$ ") for line in block.lines) and any(map(is_program, block.lines)):
                for k, line in enumerate(block.lines):
                    if line.strip() and not line.startswith("#") and not is_program(line):
                        self.fail(block.at + k, f"a command of no known program: {line}")

    def check_links(self):
        for at, line in enumerate(self.text.split("\n"), 1):
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"`[^`]*`", "", line)):
                where = os.path.join(SOURCE, os.path.dirname(self.name), link)
                if not re.match(r"https?:", link) and not os.path.exists(where):
                    self.fail(at, f"{link} is not there")

    # ---- running

    def shown_files(self):
        for block in self.blocks:
            for (page, first), name in SHOWN.items():
                if page == self.name and block.lines[0].startswith(first):
                    yield block, name

    def run(self, prepared, environment):
        commands = sorted([c for b in self.blocks for c in commands_of_block(b)] +
                          [(at, span, None) for at, span in spans_of(self.rest) if is_whole(span)], key=lambda c: c[0])
        folder = tempfile.mkdtemp(dir=os.path.dirname(prepared))
        shutil.copytree(prepared, folder, dirs_exist_ok=True)
        self.environment = dict(environment, HERE=folder)
        self.shell(0, PREPARED.get(self.name, ":"), folder)
        given = {}
        for block, name in self.shown_files():
            if not any(name in shlex.split(c, comments=True)[1:] and re.search(rf"-o {re.escape(name)}\b", c)
                       for _, c, _ in commands):
                given[name] = block
                open(f"{folder}/{name}", "w", encoding="utf-8").write("\n".join(block.lines).rstrip() + "\n")
        for at, command, shown in commands:
            if self.reason(command):
                continue
            output = self.command(at, command, folder)
            if any(shown or ()) and output is not None and not self.has(NOT_COMPARED, command):
                self.compare(at, shown, output, command)
        for block, name in self.shown_files():
            if name not in given and os.path.exists(f"{folder}/{name}"):
                self.compare(block.at, block.lines, open(f"{folder}/{name}", encoding="utf-8").read(), "")
        for block in self.blocks:
            if block.lines[0] == "import cpm":
                open(f"{folder}/page.py", "w", encoding="utf-8").write("\n".join(block.lines))
                self.command(block.at, "python3 page.py", folder)

    def command(self, at, command, folder):
        """Its output; None: it failed, which is said."""
        for prompt, program in (("gnuplot> ", "gnuplot -e"), ("R> ", "Rscript -e"), (">>> ", "python3 -c")):
            if command.startswith(prompt):
                code = command.removeprefix(prompt)
                code = "import csv; " + code if program.startswith("python3") else code
                command = f"{program} {shlex.quote(code)}"
        words = shlex.split(command, comments=True)
        codes = next((EXITS[w] for w in words if w in EXITS), (0,))
        return self.shell(at, re.sub(r"-n N\b", "-n 2", command), folder, codes)

    def shell(self, at, command, folder, codes=(0,)):
        began = time.monotonic()
        process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output = process.communicate(timeout=120)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0].decode(errors="replace") + "it took two minutes"
        self.seconds.append((time.monotonic() - began, command))
        # Pages begin in an empty folder, the commands of several in one.
        output = re.sub(r"(?m)^cpm: note: the earlier .* is kept as .*\n", "", output)
        if process.returncode in codes or re.search(rf"No module named '({'|'.join(OPTIONAL)})'", output):
            return output
        self.fail(at, f"exit code {process.returncode}: {command}\n{output.strip()[-600:]}")
        return None

    def compare(self, at, shown, output, command):
        """Lines that are shown are those of the output; "..." stands for any, at the end of a line for its rest."""
        while shown and not shown[-1].strip():
            shown = shown[:-1]
        wanted, lines = [line.rstrip() for line in shown], [line.rstrip() for line in output.rstrip("\n").split("\n")]
        if VARIES.search(command):
            wanted = ["..."] + [x for line in wanted if not re.search(r"\d", line) for x in (line, "...")]
            wanted = [re.sub(r"\s+", " ", line) for line in wanted]
            lines = [re.sub(r"\s+", " ", line) for line in lines]
        pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else
                          re.escape(line.removesuffix("...")) + (".*" if line.endswith("...") else "") + r"\n"
                          for line in wanted)
        if re.fullmatch(pattern, "\n".join(lines) + "\n"):
            return
        if os.environ.get("CPM_UPDATE_EXPECTED") and self.update(at, shown, lines):
            print(f"{self.name}:{at}: has the numbers of today; look at the difference")
        else:
            self.fail(at, "prints something else:\n" + "\n".join(lines) + "\nthe page has\n" + "\n".join(wanted))


    def update(self, at, shown, lines):
        """Writes today's numbers into the page, if it shows the same lines but for these."""
        def words(line):
            return re.sub(r"[\d.]+", "0", re.sub(r"\s+", " ", line))
        page, found = self.text.split("\n"), list(lines)
        for k, line in enumerate(shown):
            if line.strip() == "..." or not line.strip() or line.endswith("..."):
                continue
            while found and words(found[0]) != words(line):
                found.pop(0)
            if not found:
                return False
            old = next(n for n in range(at - 1 + k, len(page)) if page[n].strip() == line.strip())
            page[old] = page[old].removesuffix(line.rstrip()) + found.pop(0)
        self.text = "\n".join(page)
        open(f"{SOURCE}/{self.name}", "w", encoding="utf-8").write(self.text)
        return True


def prepare(work):
    """A folder with programs as they are called here, one with files, and the environment for both."""
    python = next((p for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p) and
                   subprocess.run([p, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0),
                  sys.executable)
    os.makedirs(f"{work}/bin")
    os.makedirs(f"{work}/files")
    for name, text in (("mpiexec", LAUNCHER), ("srun", LAUNCHER), ("cpm", f'#!/bin/bash\nexec {BUILD}/cpm "$@"\n'),
                       ("mpicc", f'#!/bin/bash\nexec {MPICC} "$@"\n'),
                       ("python3", f'#!/bin/bash\nexec {python} "$@"\n')):
        with open(f"{work}/bin/{name}", "w", encoding="utf-8") as f:
            f.write(text.replace("{mpiexec}", MPIEXEC))
        os.chmod(f"{work}/bin/{name}", 0o755)
    environment = dict(os.environ, PATH=f"{work}/bin:{os.environ['PATH']}", SOURCE=SOURCE, BUILD=BUILD, DATA=DATA,
                       CPM_LIBRARY=f"{BUILD}/lib/libcpm.so", PYTHONPATH=f"{SOURCE}/python/src", TMPDIR=work,
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    subprocess.run(["bash", "-ec", CLUSTER.replace("{host}", socket.gethostname())], cwd=f"{work}/files", env=environment,
                   check=True, stdout=subprocess.DEVNULL, timeout=300)
    return environment


def all_helps():
    text = subprocess.run([f"{BUILD}/cpm", "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (bench p2p|bench coll|tune --[a-z]+|[a-z]+) ", text.split("commands:")[1], re.M)
    names = [name for name in names if name not in ("mpiexec", "cpm")] + ["manual"]
    return {name: subprocess.run([f"{BUILD}/cpm", *name.split(), "--help"], capture_output=True, text=True,
                                 check=True).stdout for name in names} | {"help": ""}


def main():
    os.chdir(SOURCE)
    quickly = not sys.argv[5:] and bool(os.environ.get("CPM_TEST_QUICK"))  # only what README.md shows is run
    every = ["README.md"] + sorted([page for where in ("doc", "doc/models", "doc/background", "examples/*")
                                      for page in glob.glob(f"{where}/*.md")])
    pages = [Page(name) for name in sys.argv[5:] or every]
    helps = all_helps()
    with tempfile.TemporaryDirectory() as work:
        environment = prepare(work)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda page: page.run(f"{work}/files", environment), pages[:1] if quickly else pages))
    for page in pages:
        page.check_options(helps)
        page.check_programs()
        page.check_links()
        print("\n".join(page.failures), end="\n" if page.failures else "")
    skipped, failed = set().union(*(page.skipped for page in pages)), any(page.failures for page in pages)
    for entry in NOT_RUN if not sys.argv[5:] and not quickly else ():
        if entry[0] != "*" and entry not in skipped:
            print(f"{entry}: is in no page any more: leave it out of NOT_RUN")
            failed = True
    seconds = sorted((s for page in pages for s in page.seconds), reverse=True)
    print(f"{len(seconds)} commands of {len(pages)} pages were run; the slowest:")
    print("\n".join(f"{s:6.1f} s  {command}" for s, command in seconds[:5]))
    sys.exit(failed)


main()
