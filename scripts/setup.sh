# What quickstart and check share: words, and the packages that CPM needs. Sourced, not run.
# shellcheck shell=bash

# What building, measuring and drawing need.
# shellcheck disable=SC2034 # used where this file is sourced
packages_build=(
    pkg-config
    mpich libmpich-dev    # MPI
    libgsl-dev            # statistics, linear algebra
    r-mathlib             # distributions of ranks
    libjansson-dev        # model files
    libmd-dev             # checksums of measurements
    zlib1g-dev            # compressed files of other benchmarks
    libhwloc-dev          # what the processors of a host share
    libboost-graph-dev    # communication trees
    libcmocka-dev         # tests
    r-base-core r-cran-strucchange # thresholds by structural change
    gnuplot-nox           # plots
    graphviz              # communication graphs
    libjs-chart.js        # charts on the page of cpm report
)
# What the whole test suite needs besides.
# shellcheck disable=SC2034
packages_check=(
    ccache                     # files that several builds compile alike
    openmpi-bin libopenmpi-dev # the build with Open MPI
    gfortran                   # Fortran programs under libcpm-tuned.so
    libblas-dev                # the matrix multiplication in examples
    python3 iproute2 procps man-db
    python3-numpy python3-pandas python3-pytest # the Python package
    python3-matplotlib         # its figures
    slurm-wlm                  # job scripts
    locales                    # numbers with a comma
    strace                     # failures of the disk, processes that stop
)
# Of these, those that there are.
# shellcheck disable=SC2034
packages_check_if_offered=(
    libsimgrid-dev          # simulated clusters (not in Debian 13)
    chromium-headless-shell # a browser for the page of cpm report (small, and not in Ubuntu)
)

# What packaging/check needs besides.
# shellcheck disable=SC2034
packages_packaging=(
    dpkg-dev debhelper fakeroot lintian
    dh-python pybuild-plugin-pyproject python3-all python3-pip python3-setuptools python3-wheel
    python3-numpy python3-pandas python3-pytest
)

# shellcheck disable=SC2034
packages_lint=(clang-tidy python3)
# shellcheck disable=SC2034
packages_fuzz=(clang libclang-rt-dev llvm) # llvm: names of functions in what is found

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' plain=$'\e[0m'
else
    bold='' plain=''
fi

say() { printf '\n%s==> %s%s\n' "$bold" "$*" "$plain"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Shows a command, then runs it.
show() {
    printf '%s$ %s%s\n' "$bold" "$*" "$plain"
    "$@"
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The first word of the command that makes an apt-get of this user root's; fails if there is none.
become_root() {
    if [ "$(id -u)" = 0 ]; then
        echo env
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        echo sudo
    else
        return 1
    fi
}

need_compiler() {
    local tool
    for tool in cc c++ cmake; do
        command -v "$tool" >/dev/null || missing+=("$1")
        shift
    done
}

# Installs those packages that are not there. Without root it prints the command and stops.
install_missing() {
    local missing=() name root
    need_compiler gcc g++ cmake
    if ! command -v apt-get >/dev/null; then
        echo "This is not Debian or Ubuntu: nothing is installed. What is needed, by Debian's names:"
        echo "  $*"
        return 0
    fi
    for name in "$@"; do
        is_installed "$name" || missing+=("$name")
    done
    if [ ${#missing[@]} = 0 ]; then
        echo "All $# packages are there."
        return 0
    fi
    if ! root=$(become_root); then
        echo "These packages are missing, and only root can install them. Run this, then ${0##*/} again:"
        echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
        exit 1
    fi
    show "$root" apt-get update -q || fail "apt-get update failed (see above)"
    show "$root" DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        "${missing[@]}" </dev/null || fail "apt-get install failed (see above)"
}

# Whether apt knows what there is: images of containers come without lists.
has_lists() { apt-cache dumpavail 2>/dev/null | grep -q '^Filename: '; }

# The same of packages that not every release has.
install_offered() {
    local name root
    command -v apt-cache >/dev/null || return 0
    for name in "$@"; do
        ! is_installed "$name" || continue
        has_lists || ! root=$(become_root) || show "$root" apt-get update -q || return 0
        ! apt-cache show "$name" >/dev/null 2>&1 || install_missing "$name"
    done
}

# make_root RELEASE FOLDER: a clean Debian of that release, whose programs start no services.
make_root() {
    if ! [ -d "$2" ]; then
        rm -rf "$2.part"
        logged "$1-root.log" debootstrap --variant=minbase "$1" "$2.part" && mv "$2.part" "$2" || return
    fi
    printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d" && chmod +x "$2/usr/sbin/policy-rc.d" &&
        logged "$1-update.log" in_root "$2" apt-get update -q
}

# in_root FOLDER COMMAND...: what is mounted there is gone with the command. Processes of one host
# need no network, of which Open MPI 5 says much.
in_root() {
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare -m bash -c 'for of in proc sys dev; do mount --bind /$of "$0/$of"; done && exec chroot "$0" env -i \
        HOME=/root LC_ALL=C.UTF-8 OMPI_MCA_btl=^tcp PATH=/usr/sbin:/usr/bin:/sbin:/bin CPM_TEST_QUICK="${CPM_TEST_QUICK:-}" "$@"' "$@"
}

# logged FILE COMMAND...: shows the command, keeps its output in build/FILE, prints the end if it fails.
logged() {
    local log=build/$1
    shift
    mkdir -p build
    printf '%s$ %s%s  (output in %s)\n' "$bold" "$*" "$plain" "$log"
    "$@" >"$log" 2>&1 && return 0
    tail -n 40 "$log"
    return 1
}

# build PRESET [CMAKE-OPTION...]
build() {
    local preset=$1
    shift
    logged "$preset-configure.log" cmake --preset "$preset" "$@" &&
        logged "$preset-build.log" cmake --build --preset "$preset" -j "$(nproc)"
}
