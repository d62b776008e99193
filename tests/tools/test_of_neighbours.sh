#!/usr/bin/env bash
# Operations of neighbours: their graph, by every command that takes one.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

both=neighbor_alltoall,neighbor_allgather
golden predict_graph predict lmo4.mod $both --graph grid:2x2:corners -m 1K,64K

# What plays the machine takes as long as the model says; the header tells graphs apart.
works "$cpm" bench coll --machine lmo4.mod $both --graph torus:4 -m 1K --quiet -o torus.meas
works "$cpm" compare lmo4.mod torus.meas --graph torus:4 --format tsv
grep -q '^# placement: graph=' torus.meas || fail "no graph: $(grep '^#' torus.meas)"
printf '0 1\n1 2\n2 3 # the last\n' >line
works "$cpm" bench coll --machine lmo4.mod $both --graph line -m 1K --quiet -o line.meas
[ "$(grep '^# placement' line.meas)" != "$(grep '^# placement' torus.meas)" ] || fail "one placement for two graphs"
refused 2 'graph' "$cpm" compare lmo4.mod line.meas --graph torus:4
refused 2 'graph' "$cpm" compare lmo4.mod line.meas

# Proved, drawn, and measured beside MPI's own.
works "$cpm" check $both --graph torus:3x4x3:corners --layout 12x3
[ "$(grep -c '^neighbor.* 36  ' stdout)" = 6 ] || fail "not all: $(cat stdout)"
works "$cpm" check neighbor_alltoall --graph line
grep -q '^neighbor_alltoall:direct  *4 ' stdout || fail "not of 4 processes: $(cat stdout)"
works "$cpm" draw neighbor_alltoall:dimensions --graph torus:3x3:corners -n 9
grep -q 'round 2' stdout || fail "not two rounds: $(cat stdout)"
works "${mpiexec[@]}" 4 "$cpm" bench coll $both --graph grid:2x2:corners -m 1K --max-reps 5 --format tsv --quiet
grep -v '^#' stdout | cut -f1 | sort | tr '\n' ' ' >measured
for name in native direct; do
    grep -q "neighbor_alltoall:$name" measured || fail "no $name: $(cat measured)"
    grep -q "neighbor_allgather:$name" measured || fail "no $name: $(cat measured)"
done

# Blocks that may differ: by what needs no others' sizes.
works "$cpm" check neighbor_alltoallv neighbor_allgatherv --graph torus:3x3:corners
[ "$(grep -c '^neighbor_all[a-z]*v:direct' stdout)" = 2 ] || fail "not two: $(cat stdout)"
refused 2 'need to know the sizes of blocks that they pass on' "$cpm" predict lmo4.mod neighbor_alltoallv:dimensions --graph grid:4
works "$cpm" predict lmo4.mod neighbor_alltoallv neighbor_alltoall:direct --graph grid:4 -m 1K --format tsv
[ "$(grep '^neighbor' stdout | cut -f 2- | grep -v '^size' | sed 's/.*direct//' | sort -u | wc -l)" = 1 ] ||
    fail "other times: $(cat stdout)"
works "${mpiexec[@]}" 4 "$cpm" bench coll neighbor_alltoallv,neighbor_allgatherv --graph grid:4 --blocks 1,2,3,4 -m 1K --max-reps 5 --format tsv --quiet
[ "$(grep -c '^neighbor_all[a-z]*v:\(direct\|native\)' stdout)" = 4 ] || fail "not measured: $(cat stdout)"
refused 2 'so no table has it' "$cpm" tune lmo4.mod neighbor_alltoallv -o table.json

# All operations are all of them where there is a graph, and else those that need none.
works "$cpm" predict lmo4.mod -m 1K --format tsv
! grep -q neighbor_ stdout || fail "without a graph: $(grep neighbor stdout)"
works "$cpm" predict lmo4.mod --graph grid:4 -m 1K --format tsv
grep -q neighbor_alltoall:direct stdout || fail "with a graph: $(cat stdout)"

# Who is named twice is there once.
works "$cpm" predict lmo4.mod bcast bcast scatter -m 1K --format tsv
[ "$(grep -c '^bcast:binomial' stdout)" = 1 ] || fail "not once: $(cat stdout)"

# What cannot be.
for command in "predict lmo4.mod" "bench coll --machine lmo4.mod" "draw -n 4" "map lmo4.mod -m 1K"; do
    # shellcheck disable=SC2086 # words
    refused 2 'neighbor_alltoall: it needs a graph of neighbours' "$cpm" $command neighbor_alltoall:direct
done
refused 1 "graph: 'grid:5' are not 4 processes" "$cpm" predict lmo4.mod neighbor_alltoall --graph grid:5
refused 2 "graph: 'grid:2xx2' is no graph" "$cpm" predict lmo4.mod neighbor_alltoall --graph grid:2xx2
printf '0 1\n1 4\n' >wrong
refused 1 "wrong:2: expected 'FROM TO', ranks below 4" "$cpm" predict lmo4.mod neighbor_alltoall --graph wrong
refused 2 'it needs a graph of neighbours, one edge at most' "$cpm" predict lmo4.mod neighbor_allgather --graph torus:2x2
refused 2 'with --graph there are as many as it has' "$cpm" check neighbor_alltoall --graph line -n 4
finish
