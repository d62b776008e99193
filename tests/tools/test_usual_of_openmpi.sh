#!/usr/bin/env bash
# What is taken to be Open MPI's own routine is what it does, by the number of messages that each process
# sends.
. "$(dirname "$0")/lib.sh"
tests=$(dirname "$cpm")/tests

"${mpiexec[0]}" --version 2>&1 | grep -Eq 'Open MPI|OpenRTE' || exit 77
ompi_info --version 2>/dev/null | grep -q ' v4\.1\.' || { echo "not Open MPI 4.1"; exit 77; }
export OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any
"${mpiexec[@]}" 1 true || exit 77
counted=$(LD_PRELOAD=$tests/libcount_sends.so timeout 100 "${mpiexec[@]}" 2 "$tests/library_collectives" bcast 8 |
    awk '{ print $3 }')
[ "$counted" = 1 ] || { echo "messages do not go through UCX, or cannot be counted"; exit 77; }

# agree PROCESSES OPERATION BYTES...
agree() {
    LD_PRELOAD=$tests/libcount_sends.so timeout 100 "${mpiexec[@]}" "$1" "$tests/library_usual" "${@:2}" >said \
        2>stderr || fail "$1 processes: $(grep usual: stderr)"
    [ "$(wc -l <said)" = $((($# - 1) / 2)) ] || fail "$1 processes: $(cat said)"
}

# Sizes on both sides of thresholds. Where processes are no power of two a bcast's binomial tree is another
# one, and synchronous messages of a barrier are not counted.
blocks=(scatter 1024 scatter 2048 scatter 8192 scatter 32768 gather 512 gather 1024 gather 8192 gather 65536
    allgather 8 allgather 4096 alltoall 256 alltoall 8192 alltoall 131072)
reductions=(reduce 64 reduce 4096 reduce 131072 reduce 524288 allreduce 8 allreduce 64 allreduce 4096)
bcast=(bcast 24 bcast 32 bcast 128 bcast 1024 bcast 16384 bcast 65536 bcast 1048576)
agree 3 "${bcast[@]}" "${blocks[@]}" "${reductions[@]}"
agree 8 "${bcast[@]}" bcast 4096 "${blocks[@]}" "${reductions[@]}" allreduce 8192 allreduce 65536 barrier 0
finish
