#!/usr/bin/env bash
# Several models against the same observations.
. "$(dirname "$0")/lib.sh"

"$cpm" model --machine lmo4.mod --model hockney --quiet -o hockney.mod >/dev/null
"$cpm" model --machine lmo4.mod --model lmo2 --no-thresholds --quiet -o lmo2.mod >/dev/null
for root in 0 3; do
    "$cpm" bench coll --machine lmo4.mod --root $root scatter:linear,scatter:binomial,scatter:chain gather:linear,gather:binomial,gather:chain -m 1K,16K --quiet \
        -o observed-$root.meas >/dev/null
done
golden compare compare lmo4.mod hockney.mod observed-0.meas observed-3.meas
golden compare_formulas compare hockney.mod observed-0.meas scatter --formulas
golden compare_tsv compare hockney.mod observed-3.meas gather:linear --format tsv

# The model that played the machine is right; a fit of what it played is nearly so.
works "$cpm" compare lmo4.mod lmo2.mod observed-0.meas --format tsv
awk -F'\t' '$1 !~ /homogeneous/ && $9 + 0 == $9 && ($9 > 1e-6 || $9 < -1e-6) { print; bad = 1 }
    END { exit bad }' stdout || fail "errors of what played the machine"

# Repeated observations: the mean counts, and their difference is shown.
"$cpm" bench coll --machine lmo4.mod scatter:linear -m 1K --quiet --noise 0.3 --seed 5 \
    --max-reps 5 -o again.meas >/dev/null
works "$cpm" compare lmo4.mod observed-0.meas again.meas scatter:linear
grep -q 'median half range of the files' stdout || fail "repeated observations: $(cat stdout)"
grep -Eq '^observations +(0\.[1-9]|[1-9])' stdout || fail "their variation: $(cat stdout)"

# How processes leave a barrier, and what they send again unchanged, is in times of that kind alone.
python3 - lmo2.mod leaving.mod <<'END'
import json, sys
model = json.load(open(sys.argv[1]))
model["provenance"]["leaving"] = "1e-3"
json.dump(model, open(sys.argv[2], "w"))
END
predicted() { # FILE: of linear scatter of 1 KB
    works "$cpm" compare leaving.mod "$1" scatter:linear --format tsv
    awk -F'\t' '$4 == 1024 && $1 !~ /homogeneous/ { print $5 }' stdout
}
sed 's/^# timing: .*/# timing: global/; s/^# machine: synthetic/# machine: mpi/' observed-0.meas >global.meas
grep -q '^# timing' global.meas || sed -i '2i # timing: global' global.meas
sed 's/^# timing: .*/# timing: max/' global.meas >max.meas
together=$(predicted global.meas) apart=$(predicted max.meas)
works "$cpm" predict leaving.mod scatter:linear -m 1K --format tsv --no-intervals
awk -v a="$together" -F'\t' '/^scatter/ && $0 !~ /#/ { for (k = 1; k <= NF; k++) if ($k == a) found = 1 } END { exit !found }' stdout ||
    fail "predicted otherwise than $together: $(cat stdout)"
# The root's own time is that of its sends; the others find their blocks there when they come.
awk -v a="$together" -v b="$apart" 'BEGIN { exit !(b < 0.9 * a && b > 0) }' || fail "processes that come late wait as long: $together, $apart"

sed 's/"leaving": "1e-3"/"leaving": "soon"/' leaving.mod >soon.mod
refused 1 'soon.mod:[0-9]*: .*"leaving": expected seconds, at least 0' "$cpm" compare soon.mod max.meas

# Models of one type and method are named by their files, and by their folders if the files have one name.
labels() {
    awk -F'\t' '!/^#/ && $1 != "model" && !/homogeneous/ { print $1 }' stdout | uniq | tr '\n' '|'
}
mkdir other
"$cpm" model --machine lmo4.mod --model lmo2 --no-thresholds --quiet --noise 0.2 -o other/lmo2.mod >/dev/null
cp other/lmo2.mod 'a "b".mod'
works "$cpm" compare lmo2.mod hockney.mod 'a "b".mod' observed-0.meas --format tsv
[ "$(labels)" = "lmo2.mod: lmo2 joint|hockney regression|a 'b'.mod: lmo2 joint|" ] || fail "names: $(labels)"
works "$cpm" compare other/lmo2.mod lmo2.mod 'a "b".mod' observed-0.meas --format tsv
[ "$(labels)" = "other/lmo2.mod: lmo2 joint|lmo2.mod: lmo2 joint|a 'b'.mod: lmo2 joint|" ] || fail "folders: $(labels)"
works "$cpm" compare lmo2.mod other/lmo2.mod observed-0.meas scatter:linear
grep -q '^lmo2.mod: lmo2 joint, homogeneous  ' stdout && grep -q '^other/lmo2.mod: lmo2 joint  ' stdout || fail "$(cat stdout)"
works "$cpm" compare hockney.mod lmo2.mod observed-0.meas --format tsv
[ "$(labels)" = "hockney regression|lmo2 joint|" ] || fail "named without need: $(labels)"

if command -v gnuplot >/dev/null; then
    works "$cpm" compare lmo4.mod hockney.mod observed-0.meas -o table.tsv
    works "$cpm" plot table.tsv
    head -c 4 table.png | grep -q PNG || fail "no picture"
    works "$cpm" compare 'a "b".mod' lmo2.mod observed-0.meas -o names.tsv
    works "$cpm" plot names.tsv
    head -c 4 names.png | grep -q PNG || fail "no picture of models of one type"
fi

refused 2 'FILE.mod' "$cpm" compare lmo4.mod
refused 2 'no model is given' "$cpm" compare observed-0.meas observed-0.meas observed-3.meas
refused 2 'no observations are given' "$cpm" compare lmo4.mod hockney.mod
refused 1 'hockney3.mod: has 3 processes, but those before it have 4' \
    "$cpm" compare lmo4.mod hockney3.mod observed-0.meas
refused 1 'none of these algorithms was observed' "$cpm" compare lmo4.mod observed-0.meas bcast
refused 1 'nothing.mod: cannot be read' "$cpm" compare nothing.mod observed-0.meas
refused 1 'table.txt: is neither a model nor measurements' \
    bash -c "echo hello >table.txt; '$cpm' compare lmo4.mod table.txt"
"$cpm" bench p2p --machine lmo4.mod -m 1K --quiet -o p2p.meas >/dev/null
refused 1 "p2p.meas: holds no collectives by CPM's algorithms" "$cpm" compare lmo4.mod p2p.meas
finish
