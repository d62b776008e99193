#!/usr/bin/env python3
"""The recipes of packaging/ and debian/ say what CMakeLists.txt says: its version, options that it has,
and all that it looks for. Spack is played by the few names that its recipe uses.
usage: test_recipes.py SOURCE_DIR"""
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path

SOURCE = Path(sys.argv[1])
failures = []
CMAKE = (SOURCE / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(cpm VERSION (\S+)", CMAKE).group(1)
# What CMakeLists.txt looks for: its name there, in Spack, in Debian.
NEEDS = {
    "GSL": ("gsl", "libgsl-dev"),
    "JANSSON": ("jansson", "libjansson-dev"),
    "MD": ("libmd", "libmd-dev"),
    "Z": ("zlib", "zlib1g-dev"),
    "HWLOC": ("hwloc", "libhwloc-dev"),
    "R": ("r", "r-base-core"),
    "RMATH_LIBRARY": ("r", "r-mathlib"),
    "Boost": ("boost", "libboost-graph-dev"),
    "MPI": ("mpi", "libmpich-dev"),
    "PkgConfig": ("pkgconfig", "pkg-config"),
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


# ---- Spack




class Spec:
    """A concrete package: its dependencies by name, each with a folder."""

    def __init__(self, names):
        self.names = names

    def __getitem__(self, name):
        if name not in self.names:
            raise KeyError(f"spec['{name}'] of a package that it does not depend on")
        return types.SimpleNamespace(prefix="/spack/" + name, mpicc=f"/spack/{name}/bin/mpicc")


class CMakePackage:
    def define(self, name, value):
        return f"-D{name}={value}"

    def define_from_variant(self, name, variant):
        check(variant in self.noted["variant"], f"Spack: no variant '{variant}'")
        return f"-D{name}=ON"


class Environment:
    def prepend_path(self, name, folder):
        check(name.isupper() and folder.startswith("/"), f"Spack: {name} becomes {folder}")


def spack_modules(noted, where):
    """where: the module that has CMakePackage, as before and since Spack 1.0."""

    def directive(kind):
        return lambda name, **words: noted[kind].append((name, words)) if kind == "depends_on" else noted[
            kind
        ].append(name)

    package = types.ModuleType("spack.package")
    for kind in noted:
        setattr(package, kind, directive(kind))
    package.join_path = lambda *parts: "/".join(parts)
    package.find_libraries = lambda name, root, shared=True, recursive=False: [f"{root}/rlib/{name}.so"]
    modules = {"spack": types.ModuleType("spack"), "spack.package": package}
    if where == "spack.package":
        package.CMakePackage = CMakePackage
    else:
        names = where.split(".")
        for k in range(1, len(names) + 1):
            modules[".".join(names[:k])] = types.ModuleType(".".join(names[:k]))
        modules[where].CMakePackage = CMakePackage
    return modules


def check_spack(where):
    noted = {"license": [], "version": [], "variant": [], "depends_on": []}
    text = (SOURCE / "packaging/spack/package.py").read_text()
    names = {"__name__": "recipe"}
    before = dict(sys.modules)
    sys.modules.update(spack_modules(noted, where))
    try:
        exec(compile(text, "package.py", "exec"), names)
    finally:
        sys.modules.clear()
        sys.modules.update(before)
    recipe = names["CpmMpi"]()
    recipe.noted = noted
    dependencies = {re.split(r"[@+~]", name)[0] for name, _ in noted["depends_on"]}
    recipe.spec = Spec(dependencies)
    recipe.setup_build_environment(Environment())
    for word in recipe.cmake_args():
        check(re.match(r"-D(\w+)=", word).group(1) in options(), f"Spack: CMakeLists.txt knows no {word}")
    check(noted["version"] == [VERSION], f"Spack: version {noted['version']} of {VERSION}")
    for name in looked_for():
        check(NEEDS[name][0] in dependencies, f"Spack: does not depend on {NEEDS[name][0]}")
    for name, words in noted["depends_on"]:
        when = words.get("when", "")
        check(not when or when[1:] in noted["variant"], f"Spack: {name} when {when}: no such variant")


# ---- the others


def check_options(path):
    for name in re.findall(r"-D(\w+)=", (SOURCE / path).read_text()):
        check(name in options(), f"{path}: CMakeLists.txt knows no {name}")


def check_debian():
    control = (SOURCE / "debian/control").read_text()
    depends = control.split("Build-Depends:")[1].split("Standards-Version")[0]
    depends = {word.split()[0] for word in depends.split(",")}
    for name in looked_for():
        check(NEEDS[name][1] in depends, f"debian/control: no Build-Depends on {NEEDS[name][1]}")
    changelog = (SOURCE / "debian/changelog").read_text()
    check(re.match(rf"cpm-mpi \({VERSION}[-)]", changelog), f"debian/changelog is not of {VERSION}")


def check_set_up():
    """What quickstart and the containers install before they build."""
    build = (SOURCE / "scripts/setup.sh").read_text().split("packages_build=(")[1].split("\n)")[0]
    words = set(re.sub(r"#.*", "", build).split())
    for name in looked_for():
        check(NEEDS[name][1] in words, f"scripts/setup.sh: packages_build has no {NEEDS[name][1]}")


def check_missing():
    """Of what is missing CMake says what to ask for, or where that is said."""
    asked = " ".join(re.findall(r"(?:cpm_needs|message)\((.*?)\)\n", CMAKE, re.DOTALL))
    page = (SOURCE / "doc/install.md").read_text()
    for name in looked_for() - {"HWLOC", "R"}:
        check(NEEDS[name][1] in asked, f"CMakeLists.txt does not say that {name} is {NEEDS[name][1]}")
        check(NEEDS[name][1] in page, f"doc/install.md does not name {NEEDS[name][1]}")
    with tempfile.TemporaryDirectory() as build:
        nothing = {**os.environ, "PKG_CONFIG_LIBDIR": build, "PKG_CONFIG_PATH": ""}
        run = subprocess.run(["cmake", "-S", SOURCE, "-B", build], env=nothing, text=True, capture_output=True)
    said = " ".join(run.stderr.split())
    check(run.returncode != 0 and "GSL was not found: Debian has it as libgsl-dev; doc/install.md" in said,
          f"without GSL CMake says: {said}")


unknown = looked_for() - set(NEEDS)
check(not unknown, f"CMakeLists.txt looks for {unknown}: say here what they are called")
NEEDS.update({name: ("", "") for name in unknown})
for where in ("spack.package", "spack_repo.builtin.build_systems.cmake"):
    check_spack(where)
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
