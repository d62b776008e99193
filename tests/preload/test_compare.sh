#!/usr/bin/env bash
# MPI's own collectives and chosen ones in turns: results are right, nothing hangs, every call is
# counted, and the sums of the program are those of its calls.
. "$(dirname "$0")/lib.sh"
forced=bcast:chain,gatherv:binomial,allgatherv:logical-ring,allreduce:reduce-bcast

run 4 --compare --force "$forced" --report compared --format json -- "$programs/kinds" 100 ||
    fail "exit code $?: $(cat stdout stderr)"
[ ! -s stdout ] && [ ! -s stderr ] || fail "it says: $(cat stdout stderr)"
columns compared
cat >look.py <<'PYTHON'
import json
report = json.load(open("compared"))
rows = report["compared"]
kinds = [(r["operation"], r["algorithm"], r["ranks"], r["root"], r["bytes"]) for r in rows]
assert kinds == [(operation, algorithm, n, n - 1 if operation == "bcast" else 0 if operation == "gatherv" else None,
                  {"bcast": 1000, "allreduce": 4}.get(operation, 100))
                 for n in (4, 3) for operation, algorithm in
                 (("bcast", "chain"), ("gatherv", "binomial"), ("allgatherv", "logical-ring"), ("allreduce", "reduce-bcast"))], kinds
for r in rows: # without the first of each
    assert r["native_calls"] + r["chosen_calls"] == 98 and r["native_calls"] >= 25 <= r["chosen_calls"], r
    gain = 100 * (1 - r["chosen_us"] / r["native_us"])
    bounds = [r["low_percent"], r["gain_percent"], r["high_percent"]]
    if bounds == 3 * [None]: # calls vary, on a busy machine
        continue
    assert abs(gain - r["gain_percent"]) < 1e-3 * max(abs(gain), 1), (gain, r)
    assert bounds == sorted(bounds) and bounds[2] <= 100 and (bounds[2] < 0 or bounds[2] - bounds[0] <= 100), r
program, = report["program"]
saved = sum((r["native_us"] - r["chosen_us"]) * 98 * r["ranks"] / 4 for r in rows) * 1e-6
if program["saved_s"] is not None:
    assert abs(program["saved_s"] - saved) < 1e-5 * sum(r["native_us"] + r["chosen_us"] for r in rows), (saved, program)
    assert program["low_percent"] <= program["saved_percent"] <= program["high_percent"], program
assert 0 < program["collectives_s"] < program["program_s"], program
# By turns of every call: those of process 0 are as many in the other table, and the first, too.
turns = {(r["operation"], r["algorithm"]): r["calls"] for r in report["operations"]}
for r in rows[:4]:
    assert turns[r["operation"], r["algorithm"]] == r["chosen_calls"] + 1, (r, turns)
    assert turns[r["operation"], "native"] == r["native_calls"] + 1, (r, turns)
PYTHON
python3 look.py || fail "$(cat compared)"

# On standard error, with a warning where numbers are added in another order; turns are the same in
# every run.
for report in first second; do
    run 3 --compare --force "$forced" -- "$programs/kinds" 30
    sed -nE 's/^cpm: (bcast|gatherv|allgatherv|allreduce) +([^ ]+) +([0-9]+) +([0-9]+|-) +([0-9]+) +([0-9]+) +[0-9.]+ +([0-9]+) .*/\1 \2 \3 \4 \5 \6 \7/p' stderr >"$report"
done
[ "$(wc -l <first)" = 8 ] || fail "not 8 kinds: $(cat stderr)"
diff first second || fail "other turns in another run"
grep -q 'may differ in the last bits' stderr || fail "no warning: $(cat stderr)"
run 3 --compare --force bcast:chain -- "$programs/kinds" 30
! grep -q 'may differ in the last bits' stderr || fail "a warning without reductions: $(cat stderr)"

# Of few calls, of which one way ran once at most, nothing is known of a gain, in no format.
for format in text tsv json; do
    run 3 --compare --force "$forced" --report few --format $format -- "$programs/kinds" 4 || fail "$(cat stderr)"
    case $format in
    text) awk '/-: not known from calls so few or so different/ {said++} compared && /^(bcast|gatherv|allgatherv|allreduce)/ {n++; if ($10 $11 $12 != "---") exit 1} /gain_percent/ {compared = 1}
               {last = $4 $5 $6 $7} END {exit !(n == 1 && said == 2 && last == "----")}' few ;;
    tsv) awk -F '\t' 'NR == 2 {for (k = 1; k <= NF; k++) at[$k] = k}
                      $NF == "compared" || $NF == "program" {n++; if ($at["gain_percent"] $at["low_percent"] $at["high_percent"] $at["saved_s"] $at["saved_percent"] != "") exit 1}
                      END {exit n != 2}' few ;;
    json) python3 -c 'import json; r = json.load(open("few")); assert len(r["compared"]) == 1, r
assert {row.get(k) for row in r["compared"] + r["program"] for k in ("gain_percent", "low_percent", "high_percent", "saved_s", "saved_percent")} == {None}, r' ;;
    esac || fail "$format: $(cat few)"
done

# Results, whoever's turn it is; communicators that come and go; wrong calls of all ranks.
run 4 --compare --force bcast:chain,scatter:binomial,gather:split,allgather:bruck,alltoall:ring,barrier:tree -- "$programs/moves" 3 ||
    fail "moves: $(tail stdout stderr)"
run 4 --compare --force reduce:chain,allreduce:reduce-bcast,reduce_scatter:halving -- "$programs/reductions" 3 ||
    fail "reductions: $(tail stdout stderr)"
run 4 --compare --force "$forced,scatter:binomial,barrier:tree" -- "$programs/communicators" 50 ||
    fail "communicators: $(tail stdout stderr)"

for end in abort kill; do
    run 3 --compare --force "$forced" --report "$end" -- "$programs/kinds" 2 "$end" && fail "$end: exit code 0"
    [ -z "$(ls "$end"* 2>/dev/null)" ] || fail "$end: left behind: $(ls "$end"*)"
done

# is_refused PATTERN OPTION...: in one line that says what excludes what, and what to do.
is_refused() {
    local pattern=$1
    shift
    "$cpm" run "$@" -- true 2>stderr
    [ $? = 2 ] && [ "$(wc -l <stderr)" = 1 ] && grep -q -- "^cpm run: $pattern" stderr || fail "$*: $(cat stderr)"
}
is_refused '--compare needs --model, --table, --rules or --force' --compare
watched="--profile watches MPI's own collectives and chooses none: omit"
is_refused "$watched --compare" --compare --profile profile
is_refused "$watched --compare" --compare --profile profile --force "$forced"
is_refused "$watched --adapt" --adapt --profile profile
for model in '' '--model x.mod'; do
    # shellcheck disable=SC2086 # the option and its value
    is_refused '--adapt and --compare exclude each other: .*; what --adapt saves is in its own report (--verbose)' \
        --adapt --compare $model
done
is_refused '--adapt: omit --force, with which choices do not change' --adapt --force bcast:chain
finish
