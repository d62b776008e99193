#!/usr/bin/env bash
# The list of algorithms, for people and for programs. Rows come and go, so no output is stored.
. "$(dirname "$0")/lib.sh"

# Both lists have the same rows, each with all that it says of itself.
works "$cpm" algorithms
grep -qE '^bcast +chains +bandwidth +any n +segment, k, map +Fagg et al\. 2006' stdout ||
    fail "what is said of a row: $(cat stdout)"
awk 'NR > 1 { print $1 ":" $2 }' stdout >listed
works "$cpm" algorithms --format json
python3 - <<'PYTHON' || fail "JSON: $(head -c 1000 stdout)"
import json
all = json.load(open("stdout"))
listed = [line.strip() for line in open("listed")]
assert [f'{a["operation"]}:{a["algorithm"]}' for a in all["algorithms"]] == listed, "text and JSON have other rows"
gatherv = next(o for o in all["operations"] if o["operation"] == "gatherv")
assert gatherv == {"operation": "gatherv", "like": "gather", "plain": "linear", "rooted": True, "combines": False,
                   "dataless": False, "blocks": "n", "counts": True, "sizes_known_to": "root", "in_place": "send",
                   "send_at_root": "one", "send_elsewhere": "one", "recv_at_root": "of each", "recv_elsewhere": "none"}, gatherv
barrier = next(a for a in all["algorithms"] if a["algorithm"] == "split-barrier" and a["operation"] == "gather")
tried = {"segments": False, "segments_below": "M1", "segments_part": 0.5, "threshold_from": None, "thresholds": None,
         "whole_until": "M1", "k": "2", "mesh_dimensions": 0, "leaders": None, "inner": None, "outer": None,
         "spares": "contention", "calms": True, "own_size": False, "least": None, "most": None, "keeps_order": "always"}
assert {name: barrier[name] for name in tried} == tried, barrier
PYTHON

# Every one of them can be drawn, unless it needs what is not given here.
[ "$(wc -l <listed)" -gt 100 ] || fail "few algorithms: $(wc -l <listed)"
while read -r algorithm; do
    "$cpm" draw "$algorithm" -n 4 >drawn 2>stderr || grep -q 'it needs' stderr ||
        fail "$algorithm: $(cat stderr)"
done <listed

# A v-operation has those of the equal one, and its own.
works "$cpm" algorithms alltoallv
grep -q '^alltoallv *switched' stdout && grep -q '^alltoall *bruck' stdout || fail "$(cat stdout)"

refused 2 'unknown operation' "$cpm" algorithms broadcast
finish
