#!/usr/bin/env bash
# What is predicted in threads is what one thread predicts.
. "$(dirname "$0")/lib.sh"

# same ARGUMENT...: cpm prints the same in one thread and in five.
same() {
    "$cpm" "$@" --threads 1 >one || fail "$*: exit code $?"
    "$cpm" "$@" --threads 5 >five || fail "$*, in threads: exit code $?"
    [ -s one ] || fail "$* prints nothing"
    cmp one five || fail "$* is different in threads"
}

same predict lmo4.mod -m 1K,64K
same predict hosts4.mod -m 1K,64K --format json
same predict classes.mod bcast allgather -m 1:1M --no-intervals
"$cpm" tune lmo4.mod -m 0:64K --threads 1 | grep -v '"date"\|"command"' >one
"$cpm" tune lmo4.mod -m 0:64K --threads 5 | grep -v '"date"\|"command"' >five
[ -s one ] || fail "tune prints nothing"
cmp one five || fail "tune is different in threads"

# The reason is that of the first that fails.
for threads in 1 5; do
    "$cpm" predict alike8.mod bcast:binomial bcast:chain alltoall:2d:mesh=2x4 bcast:binomial:segment=1K -m 1K,64K \
        --method formula --threads $threads 2>said$threads >/dev/null && fail "no formula, and a time"
done
grep -q 'no formula for alltoall:2d' said1 || fail "another reason: $(cat said1)"
cmp said1 said5 || fail "in threads another reason is given"
finish
