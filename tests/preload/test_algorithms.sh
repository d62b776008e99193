#!/usr/bin/env bash
# An ordinary program gets the same results with every operation forced to each algorithm in turn, in
# communicators of 1 to 9 processes; and the report says that these algorithms were run.
# usage: test_algorithms.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER PROGRAM RANKS STEP OPERATION...
# STEP: each so manieth algorithm; odd, as those of odd rounds are in segments.
. "$(dirname "$0")/lib.sh"
program=$programs/$5 ranks=$6 step=$7
shift 7
operations=("$@")
# Two hosts of different sizes, on which the ranks are dispersed.
for ((rank = 0; rank < ranks; rank++)); do echo "h$((rank * rank % 3))"; done >layout

# The report has a row of that operation and algorithm.
was_run() { awk -v o="$1" -v a="$2" '$2 == o && $3 == a && $6 > 0 {found = 1} END {exit !found}' stderr; }

round_is_right() {
    local forced=$1 rule
    run "$ranks" --layout layout --verbose --force "$forced" -- "$program" || fail "$forced: $(cat stdout stderr)"
    for rule in ${forced//,/ }; do
        was_run "${rule%%:*}" "${rule#*:}" || fail "$rule was not run: $(cat stderr)"
    done
}

run "$ranks" -- "$program" || fail "with nothing forced: $(cat stdout stderr)"
[ ! -s stderr ] || fail "nothing is forced, but it says: $(cat stderr)"
rounds=$(rounds_of "${operations[@]}")
[ "$rounds" -gt 0 ] || fail "no algorithms of ${operations[*]}"
for ((round = 0; round < rounds; round += step)); do
    round_is_right "$(choose "$round" "${operations[@]}")"
done
finish
