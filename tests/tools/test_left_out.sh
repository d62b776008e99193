#!/usr/bin/env bash
# Lists of algorithms of which some do not apply to the processes there are: the others are run, and each that
# is left out is said once; only where none applies the list is refused.
. "$(dirname "$0")/lib.sh"

python3 - <<'PYTHON'
import json
n = 7
pairs = lambda v: [[0 if i == j else v * (1 + i / 9 + j / 7) for j in range(n)] for i in range(n)]
json.dump({"format": "cpm model", "version": 1, "model": "hockney", "processes": n,
           "hosts": ["node%d" % i for i in range(n)], "provenance": {}, "notes": [],
           "parameters": {"alpha": {"unit": "s", "value": pairs(1e-5)},
                          "beta": {"unit": "s/B", "value": pairs(1e-9)}}}, open("seven.mod", "w"))
PYTHON
play=(--machine seven.mod --quiet)

# leaves_out COMMAND NAME...: these, in this order, each in a line that says why.
leaves_out() {
    local command=$1
    shift
    diff <(sed -n "s/^cpm $command: left out: \([^ ]*\) does not apply to 7 processes: it needs .*/\1/p" stderr) \
        <(printf '%s\n' "$@") && [ "$(wc -l <stderr)" = $# ] || fail "cpm $command says: $(cat stderr)"
}

some=allgather:neighbor,bcast:linear,alltoall:pair
works "$cpm" bench coll "${play[@]}" $some allgather:ring -m 1K -o some.meas
leaves_out 'bench coll' allgather:neighbor alltoall:pair
[ "$(grep -c '^ *1024 ' stdout)" = 2 ] || fail "measured: $(cat stdout)"
works "$cpm" bench coll "${play[@]}" alltoall:pair --algorithm allgather:pair,scatter:linear -m 1K
leaves_out 'bench coll' alltoall:pair allgather:pair
works "$cpm" validate "${play[@]}" seven.mod $some -m 1K
leaves_out validate allgather:neighbor alltoall:pair
works "$cpm" predict seven.mod $some -m 1K
leaves_out predict allgather:neighbor alltoall:pair
works "$cpm" compare seven.mod some.meas $some
leaves_out compare allgather:neighbor alltoall:pair
works "$cpm" tune seven.mod $some -n 7 -m 1K -o table.json
leaves_out tune allgather:neighbor alltoall:pair
works "$cpm" tune --measure "${play[@]}" $some -m 1K -o measured.json
grep -c '^cpm tune --measure: left out: .* does not apply to 7 ' stderr | grep -qx 2 || fail "tune --measure: $(cat stderr)"

none=allgather:neighbor,alltoall:pair
why='allgather:neighbor does not apply to 7 processes: it needs an even n'
refused 2 "cpm bench coll: $why" "$cpm" bench coll "${play[@]}" $none -m 1K -o none.meas
refused 2 "cpm bench coll: $why" "$cpm" bench coll "${play[@]}" allgather:neighbor --algorithm alltoall:pair -m 1K -o none.meas
refused 2 "cpm validate: $why" "$cpm" validate "${play[@]}" seven.mod $none -m 1K
refused 2 "cpm predict: $why" "$cpm" predict seven.mod $none -m 1K
refused 2 "cpm compare: $why" "$cpm" compare seven.mod some.meas $none
[ ! -e none.meas ] || fail "measurements of nothing"

# A name that there is not is no algorithm to be left out, and what is drawn is one.
refused 2 "unknown algorithm 'neighbour' of allgather" "$cpm" bench coll "${play[@]}" bcast:linear,allgather:neighbour -m 1K
refused 2 "$why" "$cpm" draw allgather:neighbor -n 7 -o run.svg

# Of several ranks one says it.
"${mpiexec[@]}" 3 "$cpm" bench coll bcast:linear,allgather:neighbor -m 1K --max-reps 5 --quiet >stdout 2>stderr ||
    fail "3 ranks: $(cat stderr)"
[ "$(grep -c 'left out: allgather:neighbor does not apply to 3 processes' stderr)" = 1 ] || fail "3 ranks: $(cat stderr)"
finish
