#!/usr/bin/env bash
# In every command one allocation fails, one after the other: the result is right or there is one line
# that says so; never a crash, and nothing half written.
# usage: test_allocation.sh CPM MPIEXEC [all]
. "$(dirname "$0")/lib.sh"
refuse=$(dirname "$cpm")/tests/librefuse.so
[ -e "$refuse" ] || { echo "no librefuse.so: not built with sanitizers"; exit 77; }
all=${3:-}

run_refusing() { REFUSE_ALLOCATION=$1 REFUSED=refused LD_PRELOAD=$refuse timeout 60 "$cpm" "${@:2}" >stdout 2>stderr; }

# Models and tables have a date.
timeless() { grep -v '"date": ' "$1"; }

# Quickly each third part more; else each of the first 50, and then each fiftieth part more; or all.
next() {
    local part=3
    [ -z "$all" ] || part=50
    [ "${CPM_TEST_LENGTH:-1}" = 1 ] || part=1000000000
    echo $(($1 + $1 / part + 1))
}

# judge CODE WHAT: as without failures, or one line of CPM's and no output.
judge() {
    if [ "$1" = 0 ]; then
        cmp -s stdout wanted || fail "$2: another result: $(head -n 5 stderr)"
        [ ! -e wanted.out ] || [ "$(timeless out)" = "$(timeless wanted.out)" ] || fail "$2: another file"
    else
        [ "$1" = 1 ] || fail "$2: exit code $1: $(head -n 5 stderr)"
        [ "$(grep -c '^cpm ' stderr)" = 1 ] && [ "$(wc -l <stderr)" = 1 ] || fail "$2: not one line: $(head -n 5 stderr)"
        [ ! -e out ] || fail "$2: a file after a failure"
    fi
}

# survives ARGUMENT...: the file that it writes, if any, is "out".
survives() {
    local k=1 code
    rm -f out wanted.out
    "$cpm" "$@" >wanted 2>stderr || fail "$*: $(cat stderr)"
    [ ! -e out ] || mv out wanted.out
    while :; do
        rm -f out refused
        run_refusing "$k" "$@"
        code=$?
        judge "$code" "$*, allocation $k"
        [ -e refused ] || break
        k=$(next "$k")
    done
    [ "$k" -gt 1 ] || fail "$*: nothing was refused"
}

"$cpm" measure --machine lmo4.mod --no-thresholds --quiet -o in.meas || fail "no measurements"
survives algorithms bcast
survives show lmo4.mod
survives predict lmo4.mod scatter:binomial bcast:chain:segment=8K -m 1K,64K
survives check bcast:chain:segment=8K -n 5
survives draw scatter:binomial -n 5
survives export --goal bcast:binomial -n 6 -m 64K -o out
survives map lmo4.mod scatterv:tree --blocks 1K,64K,2K,2K -o out
survives tune lmo4.mod bcast -m 1K -o out
survives fit --model lmo in.meas -o out
survives diff lmo4.mod lmo4.mod
finish
