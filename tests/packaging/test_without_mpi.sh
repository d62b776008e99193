#!/usr/bin/env bash
# Where no MPI is found, the command, libcpm and the Python package are built and work, but for what
# needs processes of MPI, which says so. usage: test_without_mpi.sh SOURCE_DIR
set -u
source=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" && cd "$work" || exit 1
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C tree -xf -
models=$source/tests/tools/data
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
works() { "$@" >out 2>err || fail "$*: exits with $?: $(head -n 3 err)"; }
# refuses WORDS COMMAND...: fails with one line on standard error that has these words
refuses() {
    local words=$1 code
    shift
    "$@" >out 2>err
    code=$?
    if [ "$code" != 1 ] || [ -s out ] || [ "$(wc -l <err)" != 1 ] || ! grep -q "without MPI.*$words" err; then
        fail "$*: exits with $code: $(cat out err)"
    fi
}

# An mpi.h that nobody may include, where each file would find it first, and no package of CMake's that
# finds another one. What does not know MPI is built as ever: a compiler cache knows it.
echo '#error "mpi.h is included"' >tree/mpi.h
export CCACHE_BASEDIR=$work/tree
build=tree/build/default # as deep as that of the build that is tested
cmake -S tree -B $build -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCPM_TESTS=OFF >configured 2>&1 ||
    { cat configured; exit 1; }
grep -q 'MPI .* was not found: cpm will not measure' configured || fail "cmake says nothing of MPI"
cmake --build $build -j "$(nproc)" --target installed >built 2>&1 || { tail -n 30 built; exit 1; }
cpm=$build/cpm
for program in $cpm $build/lib/libcpm.so; do
    ldd "$program" | grep -iE 'libmpi|libpmpi' && fail "$program is linked with MPI"
    nm -D "$program" | grep -E '\bP?MPI_' && fail "$program has names of MPI"
done
[ ! -e $build/lib/libmpib.so ] || fail "libmpib is built"
works cmake --install $build --prefix "$work/prefix"
[ "$(ls prefix/include/cpm)" = cpm.h ] || fail "headers: $(ls prefix/include/cpm)"
works prefix/bin/cpm --version
grep -q 'without MPI' out || fail "--version does not say that there is no MPI"

# What is measured elsewhere (here: simulated) is fitted, judged, drawn and used.
works $cpm measure --machine "$models/lmo4.mod" --noise 0.02 -M lmo2 --no-thresholds --quiet -o stored.meas
works $cpm bench coll --machine "$models/lmo4.mod" bcast scatter -m 1K,64K --quiet -o collectives.meas
works $cpm fit stored.meas --no-thresholds -o fitted.mod
works $cpm predict fitted.mod bcast scatter -m 1K:64K
grep -q '^bcast:binomial' out || fail "no prediction: $(cat out)"
works $cpm compare fitted.mod collectives.meas
works $cpm validate fitted.mod bcast --machine "$models/lmo4.mod" -m 1K,64K --quiet -o validated.tsv
works $cpm show fitted.mod
works $cpm tune fitted.mod bcast -o table.json
works $cpm export table.json --openmpi -o openmpi.rules
works $cpm report fitted.mod stored.meas validated.tsv -o page.html
if command -v gnuplot >/dev/null; then
    works $cpm plot validated.tsv -o validated.png
    [ -s validated.png ] || fail "no plot"
fi
for file in openmpi.rules page.html; do [ -s "$file" ] || fail "$file is empty"; done
export CPM_LIBRARY=$work/$build/lib/libcpm.so PYTHONPATH=$source/python/src PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null || continue
    works "$python" -c 'import cpm; print(cpm.Model.load("fitted.mod").select("bcast", "64K"))'
    grep -q 'bcast' out || fail "Python: $(cat out err)"
    break
done

for command in "measure -o new.meas" "model -o new.mod" "bench p2p" "bench coll bcast" \
    "validate fitted.mod bcast" "tune --measure bcast"; do
    # shellcheck disable=SC2086 # words
    refuses '--machine FILE.mod, or install an MPI' $cpm $command
done
refuses 'install an MPI' $cpm run -- true
ls new.* 2>/dev/null && fail "a file is left by what was refused"

[ "$failures" = 0 ] && echo "cpm works without MPI"
exit "$((failures > 0))"
