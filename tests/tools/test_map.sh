#!/usr/bin/env bash
# Mapping processes by a model, and giving the map to other subcommands.
. "$(dirname "$0")/lib.sh"

golden help_map map --help
golden map_bound map lmo4.mod bcast:binomial -m 8K --root 1
golden map_free map lmo4.mod gatherv:tree --blocks 1K,64K,3K,500 --root 3

# The time that a column of a table has in its last line, in microseconds.
last() {
    "$cpm" "$@" 2>stderr | tail -1 | awk '{print $3}'
}

what_is_found_is_what_others_predict_and_measure() {
    printf '64K 500\n1K,40K\n' >blocks
    "$cpm" map lmo4.mod scatterv:binomial --blocks blocks -o s.map >head || fail "no map"
    mapped=$(sed -n 's/.*mapped \([0-9.]*\) us.*/\1/p' head)
    in_order=$(sed -n 's/.*in order \([0-9.]*\) us.*/\1/p' head)
    [ "$mapped" != "$in_order" ] || fail "nothing was gained"
    [ "$(last bench coll --machine lmo4.mod scatterv:binomial --map s.map -q)" = "$mapped" ] || fail "bench: mapped"
    [ "$(last bench coll --machine lmo4.mod scatterv:binomial --blocks blocks -q)" = "$in_order" ] ||
        fail "bench: in order"
    works "$cpm" predict lmo4.mod scatterv:binomial --map s.map --no-intervals
    grep -q " $mapped$" stdout || fail "predict: mapped: $(cat stdout)"
    works "$cpm" predict lmo4.mod scatterv:binomial --blocks blocks --no-intervals
    grep -q " $in_order$" stdout || fail "predict: in order: $(cat stdout)"
}

a_map_gives_the_root() {
    "$cpm" map lmo4.mod gather:tree -m 2K --root 3 -o g.map >/dev/null || fail "no map"
    works "$cpm" predict lmo4.mod gather:tree --map g.map
    grep -q 'root 3' stdout || fail "root: $(cat stdout)"
    golden draw_mapped draw gather:tree --map g.map
    refused 1 'is a map of 4 processes, not of 5' "$cpm" draw gather:tree --map g.map -n 5
    refused 2 '--root: 1, but the root in g.map is 3' "$cpm" predict lmo4.mod gather:tree --map g.map --root 1
    refused 2 'is a map of gather:tree, not of gather:linear' "$cpm" predict lmo4.mod gather:linear --map g.map
    refused 1 'is a map of 4 processes, not of 3' "$cpm" predict hockney3.mod gather:tree --map g.map
}

wrong_input_is_refused() {
    refused 2 'allgather:ring takes no mapping' "$cpm" map lmo4.mod allgather:ring -m 1K
    refused 2 "unknown algorithm 'trees' of bcast" "$cpm" map lmo4.mod bcast:trees -m 1K
    refused 2 'own routine' "$cpm" map lmo4.mod bcast:native -m 1K
    refused 2 'name one algorithm' "$cpm" map lmo4.mod bcast -m 1K
    refused 2 'a size is missing' "$cpm" map lmo4.mod bcast:tree
    refused 2 'a map is for one size, not for 2' "$cpm" map lmo4.mod bcast:tree -m 1K,2K
    refused 1 'does not have 4 sizes' "$cpm" map lmo4.mod gatherv:tree --blocks 1,2,3
    refused 1 'does not have 4 sizes' "$cpm" map lmo4.mod gatherv:tree --blocks 1,2,3,4,5
    refused 1 "size '2Q'" "$cpm" map lmo4.mod gatherv:tree --blocks 1,2Q,3,4
    refused 2 'all blocks are empty' "$cpm" map lmo4.mod gatherv:tree --blocks 0,0,0,0
    refused 1 'no-such: cannot be read' "$cpm" map lmo4.mod gatherv:tree --blocks no-such
    refused 2 'blocks of gather are all of one size' "$cpm" map lmo4.mod gather:tree --blocks 1,2,3,4
    refused 2 'root.* 4 ' "$cpm" map lmo4.mod bcast:tree -m 1K --root 4
    refused 2 'time and attempts above 0' "$cpm" map lmo4.mod bcast:tree -m 1K --budget 0
    refused 2 "'-1s' is not a number" "$cpm" map lmo4.mod bcast:tree -m 1K --budget -1s
    refused 1 'nowhere/x: cannot be written' "$cpm" map lmo4.mod bcast:tree -m 1K -o nowhere/x
    printf 'algorithm bcast:tree\nsize 1K\nnode 0 process 0\nnode 1 process 0 parent 0\n' >bad.map
    refused 1 'bad.map:4: process 0 sits at a node already' "$cpm" predict lmo4.mod bcast:tree --map bad.map
}

what_is_found_is_what_others_predict_and_measure
a_map_gives_the_root
wrong_input_is_refused
finish
