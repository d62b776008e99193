#!/usr/bin/env bash
# Calls that MPI refuses at one rank, and that the others do not make: they leave no trace. The rank
# tries again at once, or goes on; all later calls are right, and the program ends, whatever chooses.
# What the library itself takes, or hangs or crashes at, is found by asking it first.
# usage: test_refused.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER PARTS: one of PARTS parts of the cases
# for each way to choose, another one for each; CPM_TEST_LENGTH (default 1) times as many parts.
. "$(dirname "$0")/lib.sh"
parts=$5 length=${CPM_TEST_LENGTH:-1}
ranks=3
# shellcheck source=tests/preload/asked.sh
. "$here/asked.sh"

rest=reduce_scatter:halving,allgather:bruck,alltoall:ring,allreduce:recursive-doubling,barrier:dissemination
binomial=bcast:binomial,scatter:binomial,gather:binomial,reduce:binomial,$rest
split=bcast:chain:segment=64,scatter:binomial,gather:split,reduce:binomial,$rest
"$mpiexec" -n $ranks "$cpm" model -M lmo --no-thresholds --quiet --max-reps 5 -o here.mod 2>/dev/null ||
    fail "no model"
"$cpm" tune here.mod -o here.json 2>/dev/null || fail "no table"
ways=("--force $binomial" "--force $split" "--compare --force $binomial" "--trust --model here.mod"
    "--trust --table here.json" "--model here.mod" "--rules here.json" "--adapt" "--adapt=star" "--adapt=star-basic"
    "--adapt=threshold" "--adapt --learn learnt.json" "--profile profile.json")

[ -z "${CPM_TEST_QUICK:-}" ] || ways=("--compare --force $split" "--trust --model here.mod" "--model here.mod" "--profile profile.json")

# The parts that are tried, about which alone the library is asked.
mapfile -t asked < <(for ((k = 0; k < ${#ways[@]} * length && k < parts; k++)); do echo "$k/$parts"; done)

# The rank that is refused is the one that decides, a root, or neither.
part=0
for where in 0 1 2; do
    [ $where = 0 ] || [ -z "${CPM_TEST_QUICK:-}" ] || continue
    ask_library alone=$where arguments "${asked[@]}" || continue
    for way in "${ways[@]}"; do
        for ((k = 0; k < length && k < parts; k++)); do
            # shellcheck disable=SC2086 # options
            ERRORS_PART=$((part % parts))/$parts answers_alike alone=$where arguments $way
            part=$((part + 1))
        done
    done
done

# The loop of a program: in one of its rounds, or in each, a gather is refused at rank 0.
for way in "${ways[@]}"; do
    for every in 1 30; do
        [ $every = 1 ] || [ -z "${CPM_TEST_QUICK:-}" ] || continue
        # shellcheck disable=SC2086 # options
        run $ranks $way -- "$programs/refused" 50 $every $ranks || fail "$way: refused in a loop: $(cat stdout stderr)"
        grep -q '^0 differences' stdout || fail "$way: refused in a loop: did not end"
    done
done
finish
