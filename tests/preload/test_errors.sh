#!/usr/bin/env bash
# Wrong calls are answered as the MPI library answers them, and every call after them is right: of all
# ranks, with each operation forced and with a model, and of one rank that no other waits for.
# What the library itself hangs or crashes at, and what it takes, is found by asking it first.
# usage: test_errors.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER [RANK...]: RANK... are wrong alone, too
. "$(dirname "$0")/lib.sh"
shift 4
ranks=4

# shellcheck source=tests/preload/asked.sh
. "$here/asked.sh"

# A wrong call ends the program where errors end it.
is_fatal() {
    run $ranks --force "$binomial" -- "$programs/errors" fatal "$1" all &&
        fail "case $1 is not fatal: $(cat stdout stderr)"
    ! grep -q 'not fatal' stdout || fail "case $1 went on"
}

rest=reduce_scatter:halving,allgather:bruck,alltoall:ring,allreduce:recursive-doubling,barrier:dissemination
binomial=bcast:binomial,scatter:binomial,gather:binomial,reduce:binomial,$rest
split=bcast:chain:segment=64,scatter:binomial,gather:split,reduce:binomial,$rest
linear=bcast:linear,scatter:linear,gather:linear,reduce:linear,$rest

ask_library all every
answers_alike all every --force "$binomial"
answers_alike all every --force "$split"
# The library's own routines run there, too, which receive what wrong sizes have left behind.
answers_alike all arguments --compare --force "$binomial"
for where in "$@"; do
    ask_library "$where" every && answers_alike "$where" every --force "$linear"
done
# One rank alone misses the call in which its algorithm was told: later ones of that root get what was sent then.
if [ $# = 0 ]; then
    export ERRORS_PART=4/19 # bcast with a negative count, then with less received than comes
    ask_library 3 every $ERRORS_PART && answers_alike 3 every --force "$linear"
    unset ERRORS_PART
fi
# Under a model a rank whose size differs may wait for what is decided about it (doc/tuned.md).
if [ $# -gt 0 ]; then
    "$mpiexec" -n $ranks "$cpm" model -M lmo --no-thresholds --quiet --max-reps 5 -o here.mod 2>/dev/null ||
        fail "no model"
    answers_alike all arguments --trust --model here.mod
fi
# A negative count to bcast, and an operation of allreduce that does not fit, which some libraries take.
is_fatal 23
grep -qx 256 skipped.all || is_fatal 256
finish
