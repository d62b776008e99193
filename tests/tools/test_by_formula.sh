#!/usr/bin/env bash
# Closed formulas: their parameters, and the marks where they do not hold.
. "$(dirname "$0")/lib.sh"

golden formula_marks predict alike8.mod alltoall:2d alltoall:bruck -m 1K,4K --method formula
golden formula_tsv predict alike8.mod alltoall:2d bcast:scatter-ring -m 1001 --method formula --format tsv
golden formula_json predict alike8.mod alltoall:2d alltoall:bruck -m 1K --method formula --format json
golden formula_crossovers predict alike8.mod alltoall:2d -m 1:1K --method formula --crossovers
golden formula_validate validate --machine lmo4.mod lmo4.mod gather:linear -m 1K --method formula:large --quiet
golden formula_validate_tsv validate --machine lmo4.mod lmo4.mod gather:linear -m 1K --method formula:large --format tsv --quiet

# time_of METHOD NAME SIZE: microseconds.
time_of() {
    "$cpm" predict alike8.mod "$2" -m "$3" --format tsv --method "$1" 2>&1 | awk -F'\t' 'END { print $5 }'
}
for name in alltoall:ring-barriers alltoall:ring-barriers:k=6 alltoall:pair-barriers:k=3 \
    bcast:chain:segment=1K bcast:chain:segment=100; do
    walked=$(time_of walk $name 16000)
    [ "$(time_of formula $name 16000)" = "$walked" ] || fail "$name: $(time_of formula $name 16000), walk $walked"
done
[ "$(time_of formula alltoall:ring-barriers:k=6 1K)" = 1321.68 ] || fail "six barriers"
! time_of formula alltoall:2d 1K | grep -qx "$(time_of walk alltoall:2d 1K)" || fail "no square, and right"

# What no formula knows.
without() {
    refused 2 "no formula for $1" "$cpm" predict alike8.mod "$2" -m 16K --method formula "${@:3}"
}
without 'bcast:binomial with segment' bcast:binomial:segment=1K
without 'alltoall:2d with mesh' alltoall:2d:mesh=2x4
without 'scatterv:linear' scatterv:linear --blocks 1K,2K,3K,4K,5K,6K,7K,8K
"$cpm" map alike8.mod bcast:binomial -m 1K -o bcast.map >/dev/null || fail "no map"
without 'bcast:binomial with map' bcast:binomial --map bcast.map
refused 2 'unknown method .guess.*formula:NAME' "$cpm" validate --machine lmo4.mod lmo4.mod bcast --method guess
refused 2 'no formula large for gather:binomial' \
    "$cpm" validate --machine lmo4.mod lmo4.mod gather:binomial -m 1K --method formula:large --quiet

# Models that are compared are marked too.
"$cpm" bench coll --machine lmo4.mod gather:linear -m 1K --quiet -o observed.meas >/dev/null
golden formula_compare compare lmo4.mod observed.meas --formulas
works "$cpm" compare lmo4.mod observed.meas --formulas --format tsv
awk -F'\t' '$1 ~ /large/ { found = $10 == "sizes from M2 on" } END { exit !found }' stdout ||
    fail "the column of conditions: $(cat stdout)"
finish
