#!/usr/bin/env bash
# Proofs of algorithms.
. "$(dirname "$0")/lib.sh"

golden help_check check --help
golden check_order check reduce:linear,reduce:binomial,reduce:binary allreduce:recursive-doubling -n 1:9:1,16
golden check_needs check allgather:pair allgather:neighbor bcast:2d:mesh=2x3 bcast:tree -n 1:8:1
golden check_segments check bcast:chain:segment=1K -n 5 --root 4 -m 1K,10K
golden check_topology check alltoall:topology allgather:tslr --topology two_racks.topology -n 2:6:1
golden check_layout check bcast:hosts:leaders=2:inner=linear allreduce:hosts:segment=1K alltoallv:hosts allgather:2d:mesh=hosts --layout 3x2 --placement cyclic
"$cpm" map lmo4.mod gather:tree -m 2K --root 3 -o g.map >/dev/null || fail "no map"
golden check_map check gather:tree --map g.map

# Every algorithm is named, and all but those that lack something are proved for all numbers.
works "$cpm" check -m 1K
names=$("$cpm" algorithms | awk 'NR > 1 && $1 !~ /v$/ { print $1 ":" $2 }')
[ "$(awk '!/^#/ { print $1 }' stdout)" = "$names" ] || fail "not all: $(cat stdout)"
awk '!/^#/ && $2 != "1-33,64" && !/it needs/ { bad = 1 } END { exit bad }' stdout || fail "proved: $(cat stdout)"
[ "$(grep -c ' 1-33,64: it needs a t' stdout)" = 11 ] || fail "without a topology or a tree: $(cat stdout)"

works "$cpm" check alltoallv:switched:threshold=2K -n 7 -m 1K,4K
refused 2 'nothing was proved' "$cpm" check bcast:tree
refused 2 'nothing was proved' "$cpm" check bcast:linear -n 3 --root 3
refused 2 'unknown algorithm .butterfly' "$cpm" check bcast:butterfly
refused 2 'unknown operation .cast' "$cpm" check cast
refused 2 'segment=0' "$cpm" check bcast:chain:segment=0
refused 1 'nothing.map' "$cpm" check gather:tree --map nothing.map
refused 2 'is a map of gather:tree, not of gather:linear' "$cpm" check gather:linear --map g.map
refused 2 '--root: 1, but the root in g.map is 3' "$cpm" check gather:tree --map g.map --root 1
refused 1 'nothing.topology' "$cpm" check alltoall:topology --topology nothing.topology
refused 2 'with --map there are as many as it has' "$cpm" check gather:tree --map g.map -n 4
refused 2 'with --layout there are as many as it has' "$cpm" check bcast:hosts --layout 2x2 -n 4
refused 2 '--processes: 0 is not in 1' "$cpm" check bcast -n 0,4
refused 2 "--processes: .*'five'" "$cpm" check bcast -n five
finish
