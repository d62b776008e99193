#!/usr/bin/env bash
# What the installed libraries export is what exports-*.txt say, and that is what the installed headers
# declare. usage: test_exports.sh BUILD_DIR
set -u
export LC_ALL=C
build=$(readlink -f "$1")
here=$(readlink -f "$(dirname "$0")")
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

exported() { nm -D --defined-only "$1" | awk '{sub(/@.*/, "", $3); print $3}' | sort; }
listed() { grep -hv '^#' "$@" | sort; }

# difference WHAT THOSE MINE: names of one that are not in the other
difference() {
    local name
    for name in $(comm -23 <(echo "$2") <(echo "$3")); do fail "$1: $name is missing"; done
    for name in $(comm -13 <(echo "$2") <(echo "$3")); do fail "$1: $name is too much"; done
}

# check LIBRARY LIST...: a name behind a question mark is there with some MPI libraries only.
check() {
    local library=$build/lib/$1 names expected
    [ -e "$library" ] || { fail "$1 is not there"; return; }
    names=$(exported "$library")
    expected=$(while read -r name other; do
        [ "$name" != "?" ] || name=$(grep -x "$other" <<<"$names") || continue
        echo "$name"
    done < <(listed "${@:2}") | sort)
    difference "$1" "$expected" "$names"
}

cd "$here" || exit 1
check libcpm.so exports-cpm.txt
check libmpib.so exports-cpm.txt exports-mpib.txt
kind=mpich
! nm -D -u "$build/lib/libmpib.so" | grep -q ' ompi_' || kind=openmpi
check libcpm-tuned.so exports-cpm-tuned.txt exports-cpm-tuned-$kind.txt
check libcpm-yield.so exports-cpm-yield.txt
[ ! -e "$build/lib/cpm/cpm-r.so" ] || check cpm/cpm-r.so exports-cpm-r.txt

declared() { sed -nE 's/^CPM_API .*[ *]([a-z_0-9]+)\(.*/\1/p' "$@" | sort; }
include=$build/include/cpm
difference cpm.h "$(listed exports-cpm.txt)" "$(declared "$include/cpm.h")"
difference cpm_mpi.h "$(listed exports-mpib.txt | sed 's/^? //' | sort)" "$(declared "$include/cpm_mpi.h")"

# Of other libraries' names none but these: MPI's in front of MPI, the loader's one by which programs
# load another MPI, UCX's in front of UCX.
wrong=$(listed exports-cpm.txt exports-mpib.txt exports-cpm-r.txt | grep -vE '^(\? )?(cpm|mpib)_')
wrong+=$(listed exports-cpm-tuned*.txt | grep -vE '^(\? )?(MPI_|mpi_|dlopen$|ucp_worker_progress$)')
wrong+=$(listed exports-cpm-yield.txt | grep -vE '^(mpib_|ucp_worker_progress$)')
[ -z "$wrong" ] || fail "names without a prefix: $wrong"

[ "$failures" = 0 ] && echo "exports are as listed"
exit "$((failures > 0))"
