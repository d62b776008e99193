#!/usr/bin/env python3
"""The recipes of packaging/ and debian/ say what CMakeLists.txt says: its version, options that it has,
and all that it looks for.
usage: test_recipes.py SOURCE_DIR"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(sys.argv[1])
failures = []
CMAKE = (SOURCE / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(cpm VERSION (\S+)", CMAKE).group(1)
# What CMakeLists.txt looks for: its name there, and in Debian.
NEEDS = {
    "GSL": "libgsl-dev",
    "JANSSON": "libjansson-dev",
    "MD": "libmd-dev",
    "Z": "zlib1g-dev",
    "HWLOC": "libhwloc-dev",
    "R": "r-base-core",
    "RMATH_LIBRARY": "r-mathlib",
    "Boost": "libboost-graph-dev",
    "MPI": "libmpich-dev",
    "PkgConfig": "pkg-config",
}
KNOWN_TO_CMAKE = {"MPI_C_COMPILER", "MPIEXEC_EXECUTABLE", "CMAKE_INSTALL_PREFIX"}


def check(right, what):
    if not right:
        failures.append(what)


def options():
    """The variables that a builder may set."""
    own = re.findall(r"(?:option|find_library|find_path)\((\w+)", CMAKE)
    return KNOWN_TO_CMAKE | set(own)


def looked_for():
    found = set(re.findall(r"(?:pkg_check_modules|find_package|find_library)\((\w+)", CMAKE))
    return found - {"Threads"}


def check_options(path):
    for name in re.findall(r"-D(\w+)=", (SOURCE / path).read_text()):
        check(name in options(), f"{path}: CMakeLists.txt knows no {name}")


def check_debian():
    control = (SOURCE / "debian/control").read_text()
    depends = control.split("Build-Depends:")[1].split("Standards-Version")[0]
    depends = {word.split()[0] for word in depends.split(",")}
    for name in looked_for():
        check(NEEDS[name] in depends, f"debian/control: no Build-Depends on {NEEDS[name]}")
    changelog = (SOURCE / "debian/changelog").read_text()
    check(re.match(rf"cpm-mpi \({VERSION}[-)]", changelog), f"debian/changelog is not of {VERSION}")


def check_set_up():
    """What quickstart and the containers install before they build."""
    build = (SOURCE / "scripts/setup.sh").read_text().split("packages_build=(")[1].split("\n)")[0]
    words = set(re.sub(r"#.*", "", build).split())
    for name in looked_for():
        check(NEEDS[name] in words, f"scripts/setup.sh: packages_build has no {NEEDS[name]}")


def check_missing():
    """Of what is missing CMake says what to ask for, or where that is said."""
    asked = " ".join(re.findall(r"(?:cpm_needs|message)\((.*?)\)\n", CMAKE, re.DOTALL))
    page = (SOURCE / "doc/install.md").read_text()
    for name in looked_for() - {"HWLOC", "R"}:
        check(NEEDS[name] in asked, f"CMakeLists.txt does not say that {name} is {NEEDS[name]}")
        check(NEEDS[name] in page, f"doc/install.md does not name {NEEDS[name]}")
    with tempfile.TemporaryDirectory() as build:
        nothing = {**os.environ, "PKG_CONFIG_LIBDIR": build, "PKG_CONFIG_PATH": ""}
        run = subprocess.run(["cmake", "-S", SOURCE, "-B", build], env=nothing, text=True, capture_output=True)
    said = " ".join(run.stderr.split())
    check(run.returncode != 0 and "GSL was not found: Debian has it as libgsl-dev; doc/install.md" in said,
          f"without GSL CMake says: {said}")


unknown = looked_for() - set(NEEDS)
check(not unknown, f"CMakeLists.txt looks for {unknown}: say here what they are called")
NEEDS.update({name: "" for name in unknown})
for path in ("packaging/Dockerfile", "packaging/cpm.def", "debian/rules", "packaging/check"):
    check_options(path)
check_debian()
check_set_up()
check_missing()
python = (SOURCE / "python/pyproject.toml").read_text()
check(f'version = "{VERSION}"' in python, f"python/pyproject.toml is not of {VERSION}")
for failure in failures:
    print("FAILED:", failure)
print(len(failures), "failures")
sys.exit(len(failures) > 0)
