# A recipe for Spack:
#   spack repo create ~/cpm-repo && mkdir ~/cpm-repo/packages/cpm-mpi
#   cp packaging/spack/package.py ~/cpm-repo/packages/cpm-mpi && spack repo add ~/cpm-repo
#   cd WHERE_THE_SOURCES_ARE && spack dev-build cpm-mpi@0.1.0
from spack.package import *


class CpmMpi(CMakePackage):
    """Communication performance models for MPI: measures messages between the processes of a
    heterogeneous cluster, fits models, and makes programs use the fastest collectives."""

    license("GPL-3.0-or-later")

    version("0.1.0")

    variant("r", default=True, description="Thresholds by structural change, in an embedded R")
    variant("plots", default=True, description="gnuplot and Graphviz, for plot and draw")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("boost", type="build")
    depends_on("gsl")
    depends_on("hwloc")
    depends_on("jansson")
    depends_on("libmd")
    depends_on("r+rmath", type=("build", "link"))  # libRmath
    depends_on("r", when="+r", type="run")
    depends_on("r-strucchange", when="+r", type="run")
    depends_on("gnuplot", when="+plots", type="run")
    depends_on("graphviz", when="+plots", type="run")

    def cmake_args(self):
        return [
            self.define("CPM_TESTS", False),
            self.define("CPM_FIND_BUILD", False),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
        ]
