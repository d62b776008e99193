#!/usr/bin/env bash
# The list of algorithms, for people and for programs. Rows come and go, so no output is stored.
. "$(dirname "$0")/lib.sh"

# Both lists have the same rows, each with all that it says of itself.
works "$cpm" algorithms
grep -qE '^bcast +chains +bandwidth +any n +segment, k, map +Fagg et al\. 2006' stdout ||
    fail "what is said of a row: $(cat stdout)"
awk 'NR > 1 { print $1 ":" $2 }' stdout >listed
works "$cpm" algorithms --format json
awk '/"operation":/ { gsub(/[",]/, "", $2); o = $2 }
    /"name":/ && o { gsub(/[",]/, "", $2); print o ":" $2; o = "" }' stdout >in_json
diff listed in_json || fail "text and JSON have other rows"

tr -d ' \n' <stdout >packed
for part in '{"name":"gatherv","like":"gather","plain":"linear","rooted":true,"combines":false,"dataless":false,"blocks":"n","counts":true,"sizes_known_to":"root","in_place":"send","send":{"at_root":"one","elsewhere":"one"},"recv":{"at_root":"ofeach","elsewhere":"none"}}' \
    '"name":"split-barrier","source":"O.Flynn2009,7.1","spares":"contention","needs":[]' \
    '{"segments":false,"segments_below":{"threshold":"M1","part":0.5},"threshold_from":null,"thresholds":[],"whole_until":"M1","k":[2],"mesh_dimensions":0,"leaders":[],"inner":[],"outer":[]}' \
    '"keeps_order":"root0","calms":false,"own_size":false,"least":null,"most":null}'; do
    grep -q -- "${part//[\[\]]/.}" packed || fail "not in JSON: $part"
done

# Every one of them can be drawn, unless it needs what is not given here.
[ "$(wc -l <listed)" -gt 100 ] || fail "few algorithms: $(wc -l <listed)"
while read -r algorithm; do
    "$cpm" draw "$algorithm" -n 4 >drawn 2>stderr || grep -q 'it needs' stderr ||
        fail "$algorithm: $(cat stderr)"
done <listed

# A v-operation has those of the equal one, and its own.
works "$cpm" algorithms alltoallv
grep -q '^alltoallv *switched' stdout && grep -q '^alltoall *bruck' stdout || fail "$(cat stdout)"

refused 1 'unknown operation' "$cpm" algorithms broadcast
finish
