# What errors.c's tests share: the library is asked first. Sourced by them; ranks is set.
# shellcheck shell=bash

# ask_library WHERE KINDS: cases that the library cannot answer, or takes, into the file skipped.WHERE.
# Some it waits in for as long as it is let: processes that wait give their processors away.
ask_library() {
    local first=0 last code yield
    yield=$(dirname "$cpm")/lib/libcpm-yield.so
    : >"skipped.$1"
    while :; do
        "$mpiexec" -n $ranks env LD_PRELOAD="$yield" "$programs/errors" native "$1" "$2" "$first" >out 2>err </dev/null
        code=$?
        awk '$1 == "taken" {print $2}' out >>"skipped.$1"
        [ $code != 0 ] || return 0
        last=$(awk '$1 == "begin" {n = $2} END {print n}' out)
        [ -n "$last" ] || fail "the library alone: $(cat out err)"
        [ -n "$last" ] || return 1
        echo "$last" >>"skipped.$1"
        first=$((last + 1))
    done
}

# answers_alike WHERE KINDS OPTION...
answers_alike() {
    local where=$1 kinds=$2
    shift 2
    run $ranks "$@" -- "$programs/errors" both "$where" "$kinds" "skipped.$where" ||
        fail "$* $where: $(grep -av '^begin\|UCX\|yaksa' stdout stderr | head -20)"
    grep -aq '^0 differences' stdout || fail "$* $where: did not end"
}
