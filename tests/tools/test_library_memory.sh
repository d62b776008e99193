#!/usr/bin/env bash
# What is said of the memory that MPI libraries get anew in each call is what they get: pages are counted.
. "$(dirname "$0")/lib.sh"
program=$(dirname "$cpm")/tests/library_memory
ldd "$program" | grep -q libasan && exit 77 # has a malloc of its own

# agree OPERATION:ALGORITHM BYTES...: no more than what is known, and of nothing less than 64 KB
agree() {
    timeout 250 "${mpiexec[@]}" $n "$program" "$@" >said 2>stderr || fail "$*: $(cat said stderr)"
    [ "$(wc -l <said)" = $(($# / 2)) ] || fail "$*: $(cat said stderr)"
    awk '$3 > 1.1 * $4 + 65536 {bad = 1} END {exit bad}' said || fail "counted, known: $(cat said)"
    cat said >>all
}

n=4 k=$((1 << 10)) m=$((1 << 20))
if "${mpiexec[0]}" --version 2>&1 | grep -Eq 'Open MPI|OpenRTE'; then
    ompi_info --version 2>/dev/null | grep -Eq ' v(4\.1|5\.0)\.' || { echo "neither Open MPI 4.1 nor 5.0"; exit 77; }
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_coll=^sm,han,adapt
    export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # of 4.1, of 5.0
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_coll_tuned_use_dynamic_rules=1
    "${mpiexec[@]}" 1 true || exit 77
    # of NUMBER OPERATION:ALGORITHM BYTES...
    of() {
        local -x "OMPI_MCA_coll_tuned_${2%:*}_algorithm=$1"
        agree "${@:2}"
    }
    n=8
    of 5 reduce:binomial $m reduce:binomial $((8 * m))
    n=4
    of 5 reduce:binomial $((8 * m))
    of 4 reduce:binary $m reduce:binary $((8 * m))
    of 7 reduce:rabenseifner-near $m reduce:rabenseifner-near $((8 * m)) reduce:rabenseifner-near $((40 * m))
    of 1 reduce:linear-backwards $m reduce:linear-backwards $((40 * m))
    of 3 allreduce:recursive-doubling $m allreduce:recursive-doubling $((40 * m))
    of 6 allreduce:rabenseifner-near $m allreduce:rabenseifner-near $((40 * m))
    of 2 reduce_scatter:halving $((256 * k)) reduce_scatter:halving $m
    of 3 reduce_scatter:ring $((256 * k)) reduce_scatter:ring $m
    of 2 gather:binomial $m gather:binomial $((20 * m))
    of 2 scatter:binomial $m scatter:binomial $((20 * m))
    of 3 alltoall:bruck $m alltoall:bruck $((10 * m))
    enough=24
else
    agree reduce:rabenseifner-near $m reduce:rabenseifner-near $((8 * m)) allreduce:rabenseifner-near $m
    n=2
    agree reduce:rabenseifner-near $((40 * m)) allreduce:rabenseifner-near $((40 * m))
    n=4
    agree scatter:binomial $m scatter:binomial $((20 * m))
    enough=7
fi
[ "$(wc -l <all)" = $enough ] || fail "$(cat all)"
# What lies above a piece on the heap keeps it from being given back, now and then.
awk '$4 > 0 {n++; near += $3 > 0.9 * $4} END {print near " of " n; exit !(near > 0.7 * n)}' all || fail "$(cat all)"
cat all
finish
