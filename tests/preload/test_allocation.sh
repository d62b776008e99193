#!/usr/bin/env bash
# No memory on one rank, for one allocation of CPM's own: the call is right on all ranks, and so are
# those after it, by a model and with algorithms forced. Where memory is short for longer it is an
# error, not a crash.
# usage: test_allocation.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER REFUSE quick|all|every MOST
. "$(dirname "$0")/lib.sh"
refuse=$(readlink -f "$5") how=$6 most=$7
[ "${CPM_TEST_LENGTH:-1}" = 1 ] || how=every most=300
forced=bcast:scatter-doubling,scatter:binomial,gather:binomial,reduce:rabenseifner,reduce_scatter:halving
forced+=,allgather:bruck,alltoall:bruck,allreduce:rab1-simple,barrier:dissemination
others=bcast:chain:segment=64,scatter:linear,gather:split,reduce:chain,reduce_scatter:ring
others+=,allgather:ring,alltoall:ring,allreduce:allgather-bruck,barrier:tree

# run_refusing OPTION... -- ARGUMENT...
run_refusing() {
    local options=()
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    LD_PRELOAD=$refuse timeout 1400 "$mpiexec" -n 4 "$cpm" run --yield "${options[@]}" -- \
        "$programs/allocation" "$@" >stdout 2>stderr
}

# survives OPTION...: and something was refused.
survives() {
    run_refusing "$@" -- "$how" "$most" || fail "$*: code $? $(cat stdout; head -n 20 stderr)"
    [ "$(sed -n 's/ refused$//p' stdout)" -gt 100 ] || fail "$*: only $(cat stdout)"
}

"$mpiexec" -n 4 "$cpm" model -M lmo --no-thresholds --quiet --max-reps 5 -o here.mod || fail "no model"
survives --trust --model here.mod
survives --force "$forced"
[ "$how" = quick ] || survives --force "$others"

# What a rank lacks as its communicator learns the layout is said by rank 0.
for k in {1..24}; do
    # shellcheck disable=SC2016 # expanded by each process
    run 4 --layout 2x2 --force gather:hosts -- bash -c '
        [ "$PMI_RANK" = 3 ] && export REFUSE_ALLOCATION=$2
        LD_PRELOAD=$1:$LD_PRELOAD exec "$0" gather 16 16 both' "$programs/lengths" "$refuse" "$k" ||
        fail "rank 3, allocation $k: $(cat stdout stderr)"
    grep '^cpm:' stderr >>said.layout
done
grep -q '^cpm: out of memory (in [a-z_]*); ' said.layout || fail "$(cat said.layout)"
! grep -v 'out of memory' said.layout || fail "another reason"

# The launcher may lose what is said before it ends a job: that goes to a file.
LD_PRELOAD=$refuse timeout 600 "$mpiexec" -n 4 "$cpm" run --yield --force "$forced" -- \
    bash -c 'exec "$0" out 0 2>>said' "$programs/allocation" >stdout 2>stderr
code=$?
[ "$code" = 9 ] || fail "out of memory: exit code $code"
grep -q 'rank 1: MPI_ERR_NO_MEM' said || fail "out of memory: $(cat said)"
[ "$(grep -c '^cpm: .*no memory' said)" = 1 ] || fail "out of memory: $(cat said)"
finish
