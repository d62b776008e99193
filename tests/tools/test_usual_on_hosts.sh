#!/usr/bin/env bash
# What is taken to be MPICH's own routine, on one host and where several processes share each of several hosts,
# is what it does, by the messages that each process starts, in their order. It plays the hosts itself.
. "$(dirname "$0")/lib.sh"
tests=$(dirname "$cpm")/tests

! "${mpiexec[0]}" --version 2>&1 | grep -Eq 'Open MPI|OpenRTE' || exit 77
"${mpiexec[@]}" 1 true || exit 77
ldd "$tests/library_usual" | grep -q libasan && exit 77 # nothing can be preloaded before it
counted=$(LD_PRELOAD=$tests/libcount_sends.so timeout 100 "${mpiexec[@]}" 2 "$tests/library_collectives" bcast 8 |
    awk '{ print $3 }')
[ "$counted" = 1 ] || { echo "messages do not go through UCX, or cannot be counted"; exit 77; }

# agree HOSTS PROCESSES EXPECTED OPERATION BYTES...: of each operation and size one line is said, and an algorithm
# among these must be EXPECTED.
agree() {
    MPIR_CVAR_NUM_CLIQUES=$1 LD_PRELOAD=$tests/libcount_sends.so timeout 100 \
        "${mpiexec[@]}" "$2" "$tests/library_usual" "${@:4}" >said 2>stderr || fail "$1 hosts, $2 processes: $(cat stderr)"
    [ "$(wc -l <said)" = $((($# - 3) / 2)) ] || fail "$1 hosts, $2 processes: $(cat said)"
    grep -q " $3\$" said || fail "$1 hosts, $2 processes: no $3: $(cat said)"
}

# Large blocks show also whether a send is waited for.
alone=(bcast 1024 scatter 1024 scatter 524288 gather 1024 gather 262144 reduce 64 allreduce 96 allreduce 65536
    allgather 64 allgather 131072 alltoall 64 alltoall 4096 barrier 0 scatterv 64 scatterv 524288 gatherv 64 alltoallv 64
    allgatherv 64)
agree 1 3 allreduce:rabenseifner-folded "${alone[@]}"
agree 1 4 reduce:rabenseifner-near "${alone[@]}" reduce 65536 bcast 1048576
agree 1 6 allreduce:rabenseifner-folded "${alone[@]}"
agree 1 8 bcast:scatter-doubling "${alone[@]}" reduce 65536 bcast 524288
agree 1 9 bcast:scatter-ring "${alone[@]}" bcast 12288 bcast 12296

reductions=(allreduce 8 allreduce 56 allreduce 1024 allreduce 12288 allreduce 65536 allreduce 524288 reduce 1024)
agree 2 4 bcast:hosts bcast 1024 bcast 65536 "${reductions[@]}" reduce 65536 barrier 0
agree 2 6 bcast:hosts bcast 1024 bcast 65536 allreduce 8 allreduce 1024 reduce 1024 barrier 0
agree 3 9 bcast:binomial bcast 12280 bcast 12288 allreduce 8 allreduce 1024 reduce 1024 barrier 0
agree 2 8 bcast:hosts bcast 1024 bcast 65536 "${reductions[@]}" reduce 65536 barrier 0
[ -z "${CPM_TEST_QUICK:-}" ] || finish # more processes on few processors take long
agree 2 16 bcast:hosts:inner=scatter-doubling bcast 12288 bcast 12296 bcast 524280 bcast 524288 "${reductions[@]}" \
    allreduce 1048576 reduce 65536 barrier 0
agree 8 16 bcast:hosts:outer=scatter-doubling bcast 1024 bcast 65536 allreduce 64 "${reductions[@]}" barrier 0
agree 2 24 bcast:scatter-ring bcast 1024 bcast 65536 allreduce 8 allreduce 1024 reduce 1024 barrier 0
finish
