#!/usr/bin/env bash
# Fortran programs get right results from forced algorithms in each binding, and the report proves
# that their calls came there: it counts as many as the program makes.
. "$(dirname "$0")/lib.sh"
fortran=${mpicc/mpicc/mpifort}
command -v gfortran >/dev/null && command -v "$fortran" >/dev/null || exit 77
forced=bcast:chain,scatter:binomial,gather:binomial,reduce:chain,reduce_scatter:halving,allgather:bruck
forced+=,alltoall:bruck,allreduce:recursive-doubling,scan:doubling,exscan:chain,barrier:tree
forced+=,neighbor_allgather:direct,neighbor_alltoall:direct,neighbor_alltoallw:direct,alltoallw:ring

# Nonblocking ones, of which the second is by an algorithm.
begun=(ibarrier:tree ibcast:chain iscatter:binomial igather:binomial iallgather:bruck ialltoall:bruck ireduce:chain)
begun+=(iallreduce:recursive-doubling iscan:doubling iexscan:chain ireduce_scatter:halving)

# Calls of an operation by an algorithm.
calls() { awk -v o="$1" -v a="$2" '$2 == o && $3 == a {calls += $6; found = 1} END {if (found) print calls}' stderr; }

# expect_calls NUMBER OPERATION ALGORITHM
expect_calls() {
    [ "$(calls "$2" "$3")" = "$1" ] || fail "not $1 calls of $2 by $3: $(cat stderr)"
}

# What every binding calls: three times the same; bcast, allreduce and barrier also elsewhere.
expect_all_calls() {
    expect_calls 6 scatter binomial
    expect_calls 3 scatterv binomial
    expect_calls 6 gather binomial
    expect_calls 3 gatherv binomial
    expect_calls 6 reduce chain
    expect_calls 9 reduce_scatter halving
    expect_calls 6 allgather bruck
    expect_calls 3 allgatherv bruck
    expect_calls 6 alltoall bruck
    expect_calls 3 alltoallv bruck
    expect_calls 3 alltoallw ring
    expect_calls 6 scan doubling
    expect_calls 6 exscan chain
    expect_calls 10 bcast chain
    expect_calls 1 neighbor_allgather direct
    expect_calls 1 neighbor_alltoall direct
    expect_calls 1 neighbor_alltoallw direct
}

for binding in MPIF_H USE_MPI USE_MPI_F08; do
    # -fallow-argument-mismatch: mpif.h declares nothing, so calls with different types are compared.
    "$fortran" "-D$binding" -fallow-argument-mismatch -w -o "$binding" "$here/operations.F90" ||
        fail "$binding: does not compile"
    run 3 -- "./$binding" || fail "$binding, nothing forced: $(cat stdout stderr)"
    run 4 --verbose --force "$forced" -- "./$binding" || fail "$binding: $(cat stdout stderr)"
    expect_all_calls
    expect_calls 19 allreduce recursive-doubling
    for operation in "${begun[@]}"; do
        expect_calls 1 ${operation%:*} ${operation#*:}
    done
    expect_calls "$([ $binding = USE_MPI_F08 ] && echo 4 || echo 3)" barrier tree

    # MPI 4 has persistent ones. Those of Fortran stay Open MPI's.
    "$fortran" "-D$binding" -fallow-argument-mismatch -w -o "started_$binding" "$here/started.F90" 2>/dev/null || continue
    run 3 --progress --force bcast:chain -- "./started_$binding" || fail "$binding, by a thread: $(cat stdout stderr)"
    run 3 --verbose --force bcast:chain -- "./started_$binding" || fail "$binding, started: $(cat stdout stderr)"
    case $fortran in
    *openmpi*) ;;
    *) expect_calls 6 ibcast chain ;;
    esac
done

# Each algorithm in turn, with other numbers of processes.
operations=(bcast scatter gather reduce reduce_scatter allgather alltoall allreduce scan exscan barrier)
bindings=(MPIF_H USE_MPI USE_MPI_F08)
rounds=$(rounds_of "${operations[@]}")
step=${CPM_TEST_QUICK:+7}
for ((round = 0; round < rounds; round += ${step:-1})); do
    list=$(choose "$round" "${operations[@]}") binding=${bindings[round % 3]}
    run $((1 + round % 9)) --force "$list" -- "./$binding" ||
        fail "$binding on $((1 + round % 9)), $list: $(cat stdout stderr)"
done
finish
