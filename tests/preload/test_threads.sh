#!/usr/bin/env bash
# Threads with collectives on communicators of their own, with algorithms forced and by a model. Built
# with the thread sanitizer it is an error that a process accesses memory in a race.
# usage: test_threads.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER TIMES
. "$(dirname "$0")/lib.sh"
times=$5
forced=bcast:chain,scatter:binomial,gather:binomial,reduce:binomial,reduce_scatter:halving
forced+=,allgather:bruck,alltoall:ring,allreduce:recursive-doubling,barrier:dissemination

threads_are_right() {
    run 3 --verbose "$@" -- "$programs/threads" "$times" || fail "$*: code $? $(cat stdout; head -n 60 stderr)"
    grep -q '^0 differences' stdout || fail "$*: $(cat stdout)"
}

threads_are_right --force "$forced"
"$mpiexec" -n 3 "$cpm" model -M lmo --no-thresholds --quiet --max-reps 5 -o here.mod 2>stderr || fail "no model: $(cat stderr)"
threads_are_right --trust --model here.mod
threads_are_right --model here.mod
finish
