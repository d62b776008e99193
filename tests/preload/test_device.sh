#!/usr/bin/env bash
# Buffers in a device's memory are not touched: MPI's own routine gets them, or, where an algorithm
# was chosen before for calls like these, copies that MPI makes.
# usage: test_device.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER DEVICE DRIVER: the libraries that play them
. "$(dirname "$0")/lib.sh"
device=$5 driver=$6
operations=(bcast scatter gather allgather alltoall reduce allreduce reduce_scatter)

# play RANKS OPTION... -- PROGRAM...: with the device.
play() {
    local n=$1
    shift
    "$mpiexec" -n "$n" env LD_PRELOAD="$device" "$cpm" run --yield --verbose "$@" >stdout 2>stderr
}

# calls OPERATION ALGORITHM: by the report.
calls() { awk -v o="$1" -v a="$2" '$2 == o && $3 == a {n += $6} END {print n + 0}' stderr; }

for round in 0 4; do
    forced=$(choose $round "${operations[@]}")
    play 3 --force "$forced" -- "$programs/device" late "$driver" || fail "late: $forced: $(cat stdout stderr)"
    for rule in ${forced//,/ }; do
        [ "$(calls "${rule%%:*}" "${rule#*:}")" -gt 100 ] || fail "late: $rule was not run: $(cat stderr)"
    done
    play 2 --force "$forced" -- "$programs/device" fast "$driver" || fail "fast: $forced: $(cat stdout stderr)"
    play 3 --force "$forced" -- "$programs/device" only "$driver" || fail "only: $forced: $(cat stdout stderr)"
    for rule in ${forced//,/ }; do
        [ "$(calls "${rule%%:*}" "${rule#*:}")" = 0 ] || fail "only: $rule was run: $(cat stderr)"
        [ "$(calls "${rule%%:*}" native)" -ge 3 ] || fail "only: ${rule%%:*}: not MPI's own: $(cat stderr)"
    done
done
play 3 --adapt -- "$programs/device" late "$driver" || fail "adapt: $(cat stdout stderr)"
play 3 --adapt -- "$programs/device" only "$driver" || fail "adapt, only: $(cat stdout stderr)"

# Copies of buffers of all sorts: for every other process all memory is a device's.
for round in 1 8; do
    for program in moves reductions; do
        some=(bcast scatter gather allgather alltoall)
        [ $program = moves ] || some=(reduce allreduce reduce_scatter)
        PLAY_DEVICE=odd LD_PRELOAD='' "$mpiexec" -n 5 env LD_PRELOAD="$device:$driver" "$cpm" run --yield \
            --force "$(choose $round "${some[@]}")" -- "$programs/$program" >stdout 2>stderr ||
            fail "copies, $program, round $round: $(cat stdout stderr)"
    done
done
PLAY_DEVICE=odd LD_PRELOAD='' "$mpiexec" -n 4 env LD_PRELOAD="$device:$driver" "$cpm" run --yield \
    --force neighbor_alltoallw:direct,alltoallw:ring -- "$programs/block_types" unequal >stdout 2>stderr ||
    fail "copies, types of blocks: $(cat stdout stderr)"
finish
