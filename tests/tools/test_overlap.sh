#!/usr/bin/env bash
# What computing hides of nonblocking calls: predicted, played, and measured.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

names=bcast:linear,bcast:chain,gather:binomial,allgather:logical-ring,scan:doubling,barrier:dissemination
golden predict_overlap predict lmo4.mod bcast:linear bcast:chain bcast:binomial -m 1K,64K --overlap

# rows FILE: of TSV, without remarks and header.
rows() { grep -v '^#' "$1" | tail -n +2 | sort; }

# What plays the machine takes as long as the model says.
for computing in "" "--computing 1e-4"; do
    # shellcheck disable=SC2086 # two words
    works "$cpm" predict lmo4.mod $names -m 1,1K,64K --overlap $computing --format tsv
    mv stdout predicted
    # shellcheck disable=SC2086
    works "$cpm" bench coll --machine lmo4.mod $names -m 1,1K,64K --overlap $computing --format tsv --quiet
    [ "$(rows predicted)" = "$(rows stdout)" ] || fail "$computing: $(diff <(rows predicted) <(rows stdout))"
done
rows predicted | awk -F'\t' '$5 != 100 {bad = 1} {hidden[$8 > 0.5]++} END {exit bad || !hidden[0] || !hidden[1]}' ||
    fail "computing for 100 us: $(cat predicted)"
works "$cpm" bench coll --machine lmo4.mod $names -m 1K --overlap --noise 0.2 --format tsv --quiet
[ "$(rows predicted)" != "$(rows stdout)" ] || fail "no noise"

# Between MPI's processes: MPI's own calls of every operation, and an algorithm of each.
operations=$("$cpm" algorithms | awk 'NR > 1 && $1 !~ /v$/ {print $1}' | sort -u) # some have one of their own
# shellcheck disable=SC2046 # words
works "${mpiexec[@]}" 2 "$cpm" bench coll $(for o in $operations scatterv gatherv allgatherv alltoallv; do
    echo "$o:native" "$o:$("$cpm" algorithms "${o%v}" | awk 'NR == 2 {print $2}')"
done) -m 1K --graph grid:2 --overlap --max-reps 5 --format tsv --quiet
rows stdout >measured
[ "$(wc -l <measured)" = $((2 * ($(wc -w <<<"$operations") + 4))) ] || fail "not all: $(cat measured)"
awk -F'\t' '!($4 > 0 && $6 >= $5 && $7 >= 0 && $8 >= 0 && $8 <= 1) {exit 1}' measured || fail "no times: $(cat measured)"

# What cannot be.
refused 2 'overlap: does not go with --crossovers: omit it' "$cpm" predict lmo4.mod bcast --overlap --crossovers
refused 2 'overlap: does not go with --method: omit it' "$cpm" predict lmo4.mod bcast:linear --overlap --method formula
refused 2 'overlap: does not go with --timing batch: omit it' "$cpm" predict lmo4.mod bcast --overlap --timing batch
refused 2 'intervals: there are none with --overlap' "$cpm" predict lmo4.mod bcast --overlap --intervals
refused 2 'profile names the calls itself: omit --overlap' "$cpm" predict lmo4.mod --profile app.profile --overlap
refused 2 'computing: is computed between with --overlap only' "$cpm" predict lmo4.mod bcast --computing 1
refused 2 'computing: is computed between with --overlap only' "$cpm" bench coll --machine lmo4.mod bcast --computing 1
refused 2 'overlap: does not go with --output: omit it' "$cpm" bench coll --machine lmo4.mod bcast --overlap -o x.meas
refused 2 'overlap: does not go with --guidelines: omit it' "$cpm" bench coll --machine lmo4.mod bcast --overlap --guidelines
refused 2 "computing: '-1' is not" "$cpm" predict lmo4.mod bcast --overlap --computing=-1
refused 2 'in lines is no nonblocking call' "${mpiexec[@]}" 4 "$cpm" bench coll bcast:2d:x=native:y=native -m 1K --overlap
[ ! -e x.meas ] || fail "something is written"
finish
