#!/usr/bin/env bash
# How far predictions can be trusted is said: from what was measured, of what the model does not know,
# and where it was measured in another state.
. "$(dirname "$0")/lib.sh"

# ---- cpm validate says it first, and what it says follows from its table

sed 's/\[2\.54e-05/[30.54e-05/' lmo4.mod >slower.mod # its first process
asked=(bcast:linear,bcast:binomial,bcast:chain gather:linear,gather:binomial -m 1K,64K --quiet)
works "$cpm" validate slower.mod --machine lmo4.mod "${asked[@]}" --format tsv
cp stdout table.tsv
trust=$(sed -n 's/^# trust: //p' table.tsv)
python3 - "$trust" <<'PYTHON' || fail "trust: $trust: $(cat table.tsv)"
import collections, csv, math, sys
rows = list(csv.DictReader((line for line in open("table.tsv") if line[0] != "#"), delimiter="\t"))
mean = lambda values: math.exp(sum(map(math.log, values)) / len(values))
ratios = [float(r["predicted_us"]) / float(r["observed_us"]) for r in rows]
cells = collections.defaultdict(list)
for r in rows:
    cells[r["algorithm"].split(":")[0], r["size"]].append((float(r["predicted_us"]), float(r["observed_us"])))
costs = [min(cell)[1] / min(o for _, o in cell) for cell in cells.values()]
said = "predictions are off by a factor %.2f (%.0f %% within 0.8 to 1.25); choices cost %.2f times the best, at worst %.2f (5 algorithms)" % (
    mean([max(r, 1 / r) for r in ratios]), 100 * sum(0.8 <= r <= 1.25 for r in ratios) / len(ratios), mean(costs), max(costs))
print(said)
assert max(costs) > 1.05 and mean([max(r, 1 / r) for r in ratios]) > 1.05, "the wrong model is right"
assert said == sys.argv[1]
PYTHON
works "$cpm" validate slower.mod --machine lmo4.mod "${asked[@]}"
[ "$(sed -n 2p stdout)" = "# trust: $trust" ] || fail "not first: $(head -3 stdout)"
python3 - "$(head -1 stdout)" <<'PYTHON' || fail "errors: $(head -3 stdout)"
import csv, sys
rows = list(csv.DictReader((line for line in open("table.tsv") if line[0] != "#"), delimiter="\t"))
worst = max(rows, key=lambda r: abs(float(r["error"])))
mean = sum(abs(float(r["error"])) for r in rows) / len(rows)
assert sys.argv[1] == "# errors: mean %.1f %%, worst %s %s B %+.1f %%" % (
    100 * mean, worst["algorithm"], worst["size"], 100 * float(worst["error"])), sys.argv[1]
PYTHON
works "$cpm" validate slower.mod --machine lmo4.mod "${asked[@]}" --format json
python3 -c 'import json, sys; assert json.load(open("stdout"))["trust"] == sys.argv[1]' "$trust" || fail "JSON: $(cat stdout)"
works "$cpm" validate lmo4.mod --machine lmo4.mod bcast:linear -m 1K --quiet
[ "$(sed -n 2p stdout)" = '# trust: predictions are off by a factor 1.00 (100 % within 0.8 to 1.25) (1 algorithm)' ] ||
    fail "no choice: $(head -3 stdout)"

# ---- reductions where nobody knows what combining takes

truth=$here/../../examples/models/gigabit16.mod
sed -e '/"Oc":/d' -e '/"cb":/d' -e 's/\("late": .*\),$/\1/' "$truth" >unknown.mod
# tells COUNT COMMAND...: so many lines of it, and none of a model that knows
tells() {
    local times=$1
    shift
    works "$cpm" "$@"
    [ "$(grep -c '^cpm: warning: the model does not know what combining takes' stderr)" = "$times" ] ||
        fail "$*: not $times lines: $(cat stderr)"
}
works "$cpm" bench coll --machine "$truth" reduce:binomial bcast:binomial -m 1K --quiet -o both.meas
tells 1 predict unknown.mod bcast reduce allreduce:recursive-doubling -m 1K,2K
tells 0 predict unknown.mod bcast -m 1K
tells 0 predict "$truth" reduce -m 1K
tells 0 predict lmo4.mod reduce -m 1K # which has no such parameter
tells 1 compare unknown.mod both.meas
tells 0 compare unknown.mod both.meas bcast
tells 1 tune unknown.mod reduce:binomial,reduce:linear -m 1K -n 4 -o t.json
tells 0 tune unknown.mod bcast:binomial,bcast:linear -m 1K -n 4 -o t.json
tells 1 validate unknown.mod --machine "$truth" reduce:binomial -m 1K --quiet

# ---- reductions of other things than bytes

# A model that knows all classes: doubles are combined at once, bytes slowly.
python3 - "$truth" <<'PYTHON'
import json, sys
m = json.load(open(sys.argv[1]))
one = {"value": [2e-9] * len(m["parameters"]["cb"]["value"]), "ci": None}
for name, unit, value in (("Oc_floats", "s", 0), ("cb_floats", "s/B", 1e-9), ("Oc_doubles", "s", 0), ("cb_doubles", "s/B", 0)):
    m["parameters"][name] = {"unit": unit, "value": [value] * len(one["value"]), "ci": None}
m["parameters"]["Oc"]["value"] = [0] * len(one["value"])
m["parameters"]["cb"] = {"unit": "s/B", **one}
json.dump(m, open("classes.mod", "w"))
PYTHON
predicted() { # CLASS: us
    works "$cpm" predict classes.mod reduce:linear -m 100000 --combine "$1" --no-intervals --format tsv
    tail -1 stdout | cut -f5
}
for class in bytes floats doubles; do
    predicted "$class" >"us.$class"
done
python3 - <<'PYTHON'
us = {c: float(open("us." + c).read()) for c in ("bytes", "floats", "doubles")}
each = 15 * 100  # contributions of 100 KB at 1 ns a byte, us: the root combines one after the other
assert abs(us["floats"] - us["doubles"] - each) < 0.2, us
assert abs(us["bytes"] - us["doubles"] - 2 * each) < 0.2, us
PYTHON
works "$cpm" predict classes.mod reduce:linear -m 100000 --no-intervals --format tsv
[ "$(tail -1 stdout | cut -f5)" = "$(cat us.doubles)" ] || fail "the default is not doubles: $(cat stdout)"
! grep -q 'does not know' stderr || fail "a known class: $(cat stderr)"
for class in bytes doubles; do # what is played, predicted and written down is the same
    works "$cpm" bench coll --machine classes.mod reduce:linear -m 100000 --combine $class --quiet -o of.$class.meas --raw
    works "$cpm" compare classes.mod of.$class.meas --format json
    python3 -c 'import json, sys; r = json.load(open("stdout"))["predictions"][0]; print(r); assert abs(r["predicted_us"] / r["observed_us"] - 1) < 1e-3 and abs(r["predicted_us"] - float(open(sys.argv[1]).read())) < 0.1' \
        us.$class || fail "$class: $(cat stdout)"
done
grep -qx '# combining: doubles' of.doubles.meas || fail "the file does not say it: $(head -20 of.doubles.meas)"
! grep -q '^# combining' of.bytes.meas || fail 'bytes need not be said'
refused 2 'reduce combines (bytes in one file and doubles|doubles in one file and bytes) in another: compare them separately' \
    "$cpm" compare classes.mod of.bytes.meas of.doubles.meas
refused 2 "of.doubles.meas: .*combining.*doubles.*bytes" "$cpm" compare of.bytes.meas of.doubles.meas
refused 2 "unknown class of combining 'other'" "$cpm" bench coll --machine classes.mod reduce:linear --combine other
refused 2 "unknown class of combining 'double'" "$cpm" predict classes.mod reduce --combine double
works "$cpm" predict "$truth" reduce:linear -m 1K # of before
[ "$(grep -c '^cpm: warning: the model does not know what combining doubles takes, and takes it to be as slow as bytes' stderr)" = 1 ] ||
    fail "unknown classes: $(cat stderr)"
works "$cpm" tune classes.mod reduce:binomial,reduce:linear -m 1K -n 4 -o t.json
grep -q '"combining": "doubles"' t.json || fail "the table does not say it: $(cat t.json)"

# ---- buffers in another state

sed 's/^# duration:.*/# buffers: fresh\n&/' both.meas >fresh.meas
sed 's/^# duration:.*/# buffers: cold\n&/' both.meas >cold.meas
sed 's/"provenance": {/&"buffers": "fresh", /' "$truth" >fresh.mod
works "$cpm" compare fresh.mod cold.meas
[ "$(grep -c '^cpm: warning: the model was measured with fresh buffers, and these collectives with cold ones' stderr)" = 1 ] ||
    fail "buffers: $(cat stderr)"
works "$cpm" compare fresh.mod fresh.meas both.meas
! grep -q buffers stderr || fail "the same buffers, and unknown ones: $(cat stderr)"
works "$cpm" bench coll --machine "$truth" bcast:binomial -m 1K --raw --quiet -o raw.meas
sed -i 's/^# duration:.*/# buffers: fresh\n&/' raw.meas
refused 2 "cold.meas: its buffers are 'cold', but 'fresh' in those before it: compare them separately" \
    "$cpm" compare fresh.mod fresh.meas cold.meas
works "$cpm" compare raw.meas raw.meas
! grep -q buffers stderr || fail "two runs alike: $(cat stderr)"
sed 's/^# buffers: fresh/# buffers: cold/' raw.meas >cold.meas
works "$cpm" compare raw.meas cold.meas
grep -qx 'cpm: warning: cold.meas: was measured with cold buffers, the one before it with fresh ones' stderr ||
    fail "two runs: $(cat stderr)"
finish
