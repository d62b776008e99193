# What the tests of the preloaded library share. Sourced by test_*.sh, which are called as:
# bash SCRIPT CPM MPIEXEC PROGRAMS MPI_C_COMPILER; PROGRAMS is the folder of the test programs.
# shellcheck shell=bash
set -u
# shellcheck disable=SC2034 # used where this file is sourced
cpm=$(readlink -f "$1") mpiexec=$2 programs=$(readlink -f "$3") mpicc=$4
here=$(readlink -f "$(dirname "$0")")
work=$(mktemp -d)
trap '[ $BASHPID = $$ ] && rm -rf "$work"' EXIT # a job that is killed before it begins runs it, too
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# columns REPORT: those of a report as JSON are those of doc/formats.md.
columns() {
    python3 "$here/../tools/look_at_formats.py" "$here/../../doc/formats.md" 'run --report' - "$1" --some ||
        fail "columns of $1"
}

finish() {
    echo "$failures failures"
    exit "$((failures > 0))"
}

# run RANKS OPTION... -- PROGRAM...: under cpm run; what is printed is in stdout and stderr.
run() {
    local n=$1
    shift
    "$mpiexec" -n "$n" "$cpm" run --yield "$@" >stdout 2>stderr
}

# algorithms_of OPERATION: their names, without those that need a tree or a topology.
algorithms_of() {
    "$cpm" algorithms "$1" | awk 'NR > 1 && !/ a (tree|topology)[ ,]/{print $2}'
}

# rounds_of OPERATION...: as many as the operation with the most algorithms has.
rounds_of() {
    local operation
    for operation in "$@"; do algorithms_of "$operation" | wc -l; done | sort -n | tail -n 1
}

# choose ROUND OPERATION...: the round-th algorithm of each operation, as CPM_FORCE has it; those with
# an odd number in segments if they can.
choose() {
    local round=$1 operation names name list=''
    shift
    [ -s segmented ] || "$cpm" algorithms | awk '/ segment/{print $1 ":" $2 " "}' >segmented
    for operation in "$@"; do
        mapfile -t names < <(algorithms_of "$operation")
        name=${names[round % ${#names[@]}]}
        [ $((round % 2)) = 0 ] || ! grep -q "^$operation:$name " segmented || name+=:segment=64
        list+=,$operation:$name
    done
    echo "${list:1}"
}

# An algorithm of each operation: that persistent calls are none of MPI's own.
# shellcheck disable=SC2034 # used where this file is sourced
all_known=bcast:binomial,scatter:binomial,gather:binomial,allgather:ring,alltoall:pair,reduce:binomial,barrier:dissemination
all_known+=,allreduce:logical-ring,reduce_scatter:halving,scan:doubling,exscan:doubling,scatterv:linear,gatherv:linear
all_known+=,alltoallv:simple,neighbor_allgather:direct,neighbor_alltoall:direct
