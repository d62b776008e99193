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
same map hosts4.mod bcast:tree -m 16K --budget 100 --attempts 5
same map lmo4.mod scatterv:binomial --blocks 1K,64K,2K,2K --budget 100
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
# Who does not want to wait for hours says for how long.
cp "$here"/../../examples/models/infiniband128.mod many.mod
refused 1 "^cpm predict: not done within 0.05 s \(--budget\): ask for fewer" \
    "$cpm" predict many.mod alltoall allgather -m 1K:1M --budget 0.05
refused 1 'not done within 0.05 s' "$cpm" tune many.mod alltoall allgather -m 1K:1M -o many.json --budget 0.05s
[ ! -e many.json ] || fail "a table was written"
works "$cpm" predict lmo4.mod bcast --budget 1000
refused 2 "is not a number from 0 on" "$cpm" predict lmo4.mod bcast --budget soon
finish
