# A recipe for Spack (1.0 and later; before, packages lie in ~/cpm-repo/packages/cpm-mpi):
#   spack repo create ~/cpm-repo cpm && mkdir ~/cpm-repo/spack_repo/cpm/packages/cpm_mpi
#   cp packaging/spack/package.py ~/cpm-repo/spack_repo/cpm/packages/cpm_mpi
#   spack repo add ~/cpm-repo/spack_repo/cpm
#   cd WHERE_THE_SOURCES_ARE && spack dev-build cpm-mpi@0.1.0
# tests/packaging/test_recipes.py reads it and compares it with CMakeLists.txt; no Spack has built it yet.
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before 1.0 it is among the names of spack.package
    pass


class CpmMpi(CMakePackage):
    """Communication performance models for MPI: measures messages between the processes of a
    heterogeneous cluster, fits models, and makes programs use the fastest collectives."""

    license("GPL-3.0-or-later")

    version("0.1.0")

    variant("hwloc", default=True, description="Messages between sockets of a host told apart")
    variant("r", default=True, description="Thresholds by structural change, in an embedded R")
    variant("plots", default=True, description="gnuplot and Graphviz, for plot and draw")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("boost", type="build")
    depends_on("gsl")
    depends_on("hwloc", when="+hwloc")
    depends_on("jansson")
    depends_on("libmd")
    depends_on("zlib")
    depends_on("r+rmath", type=("build", "link"))  # libRmath
    depends_on("r", when="+r", type="run")
    depends_on("r-strucchange", when="+r", type="run")
    depends_on("gnuplot", when="+plots", type="run")
    depends_on("graphviz", when="+plots", type="run")

    # R's libraries and what pkg-config reads of them lie in a folder of R's own there.
    def setup_build_environment(self, env):
        env.prepend_path("PKG_CONFIG_PATH", join_path(self.spec["r"].prefix, "rlib", "pkgconfig"))

    def cmake_args(self):
        rmath = find_libraries("libRmath", self.spec["r"].prefix, shared=True, recursive=True)
        return [
            self.define("CPM_TESTS", False),
            self.define("CPM_FIND_BUILD", False),
            self.define_from_variant("CPM_HWLOC", "hwloc"),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("RMATH_LIBRARY", rmath[0]),
        ]
