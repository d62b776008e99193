#!/usr/bin/env bash
# Programs run unharmed while their own calls decide: with the policy that switches the most every way
# is taken; results are right, communicators end while ranks meet, and what MPI refuses does no harm.
. "$(dirname "$0")/lib.sh"

whats=("calls 12" lives refused large)
for policy in star budget; do
    for what in "${whats[@]}"; do
        # shellcheck disable=SC2086 # two words
        run 4 --adapt=$policy -- "$programs/adapting" $what ||
            fail "$policy, $what: $(cat stdout stderr)"
    done
    whats=(changes rooted refused)
    run 4 --adapt=$policy -- "$programs/adapting" abort
    [ $? = 7 ] || fail "$policy: another exit code than MPI_Abort's: $(cat stdout stderr)"
done

# Something was tried, and reductions were not where results must not depend on it.
run 4 --adapt=star --reproducible --report ways --format tsv -- "$programs/adapting" calls 12 ||
    fail "reproducible: $(cat stdout stderr)"
awk '$1 == "bcast" && $2 != "native"' ways | grep -q . || fail "nothing was tried: $(cat ways)"
! awk '$1 ~ /reduce/ && $2 != "native"' ways | grep . || fail "a reduction was tried"

# A model or table that is of no use is one line, and no reason to try nothing.
models=$here/../tools/data
echo junk >junk
for bad in "3 junk:1: --table junk" "3 lmo4.mod:.* --model $models/lmo4.mod" "4 other.hosts --model $models/lmo4.mod"; do
    read -r n pattern option file <<<"$bad"
    run "$n" --adapt=star $option "$file" --report ways --format tsv -- "$programs/adapting" calls 12 ||
        fail "$bad: $(cat stdout stderr)"
    [ "$(wc -l <stderr)" = 1 ] && grep -q "^cpm: .*$pattern.*; the program's calls decide without it$" stderr ||
        fail "not one line, $bad: $(cat stderr)"
    awk '$1 == "bcast" && $2 != "native"' ways | grep -q . || fail "nothing was tried, $bad: $(cat ways)"
done

# Also where the root alone knows sizes.
run 4 --adapt=star --report ways --format tsv -- "$programs/adapting" rooted ||
    fail "rooted: $(cat stdout stderr)"
for what in gatherv scatterv; do
    awk -v what=$what '$1 == what && $2 != "native"' ways | grep -q . || fail "$what: $(cat ways)"
done

# The tuner of alltoallv's threshold tries thresholds, whose order of size does not change results, and
# leaves other operations alone.
run 4 --adapt=threshold --report ways --format tsv -- "$programs/adapting" changes ||
    fail "threshold: $(cat stdout stderr)"
awk '$1 == "alltoallv" && $2 ~ /^switched:threshold=/' ways | grep -q . || fail "no threshold: $(cat ways)"
run 4 --adapt=threshold --report ways --format tsv -- "$programs/adapting" calls 12 ||
    fail "threshold: $(cat stdout stderr)"
! awk '$1 != "alltoallv" && $2 ~ /:/' ways | grep . || fail "another operation was tried"

# What was decided, and how the budget was kept, is a table each of the report. A communicator that is
# checked is opened at its first call.
run 4 --adapt=star --report decided --format json -- "$programs/adapting" calls 60 ||
    fail "report: $(cat stderr)"
CPM_CHECK=1 run 4 --adapt --report kept --format json -- "$programs/adapting" calls 20 ||
    fail "report: $(cat stderr)"
columns decided
columns kept
cat >look.py <<'EOF'
import json
decided, kept = (json.load(open(name)) for name in ("decided", "kept"))
budget, = decided["budget"] # nothing bounds what STAR's procedure takes
assert budget["opened"] == 1 and budget["allowed_ms"] is None, budget
assert len({row["operation"] for row in decided["adapted"]}) > 5, decided["adapted"]
for row in decided["adapted"]:
    assert row["calls"] > 0 and row["from"] <= row["to"], row
    assert 0 <= row["chosen_after"] <= row["calls"], row
    assert row["chosen"] != "native" or row["of_native"] in (1, None), row
# No cost is below 0, nothing saves more than MPI's own would have taken, and what never ran in turns
# with MPI's own says nothing.
for row in decided["adapted"] + decided["budget"] + kept["adapted"] + kept["budget"]:
    assert row["deciding_ms"] >= 0 and (row["trying_ms"] is None or row["trying_ms"] >= 0), row
    assert (row["trying_ms"] is None) == (row["saved_ms"] is None) == (row["interval_ms"] is None), row
for row in decided["adapted"]:
    assert row["saved_ms"] is None or not row["tried"], row
budget, = kept["budget"]
assert budget["opened"] == 1 and budget["unopened"] == 0, budget
assert budget["deciding_ms"] > 0, budget
if budget["saved_ms"] is not None:
    assert budget["interval_ms"] >= 0 and budget["saved_ms"] < budget["native_ms"], budget
    rows = kept["adapted"]
    if all(row["saved_ms"] is not None for row in rows): # opening belongs to no row
        saved = sum(row["saved_ms"] + row["deciding_ms"] for row in rows) - budget["deciding_ms"]
        assert abs(saved - budget["saved_ms"]) < 1e-5 * budget["taken_ms"], (saved, budget)
    assert abs(budget["native_ms"] - budget["taken_ms"] - budget["saved_ms"]) < 1e-5 * budget["taken_ms"]
    assert budget["allowed_ms"] >= 0.0199 * budget["native_ms"], budget
EOF
python3 look.py || fail "$(cat decided kept)"

# Where nothing was opened the tables are there, and why is said.
run 4 --adapt --report short --format json -- "$programs/adapting" calls 1 || fail "$(cat stderr)"
columns short
cat >look.py <<'EOF'
import json
short = json.load(open("short"))
budget, = short["budget"]
assert short["adapted"] == [] and budget["opened"] == 0 and budget["unopened"] > 0, short
spent = sum(row["spent_ms"] for row in short["operations"])
assert abs(budget["native_ms"] - spent) < 1e-5 * spent and budget["interval_ms"] == 0, (budget, spent)
assert budget["saved_ms"] == -budget["deciding_ms"], budget
assert short["summary"][0]["summary"].startswith("MPI's own routines ran all collectives"), short
assert "no communicator was opened" in short["notes"][0]["note"], short["notes"]
EOF
python3 look.py || fail "$(cat short)"

# All compare what they say, too.
CPM_CHECK=1 run 4 --adapt=star -- "$programs/adapting" calls 20 || fail "checked: $(cat stderr)"

# Calls that stay MPI's own, or are chosen for good, are passed on, and are counted as if each had been
# watched.
for way in "--force bcast:binomial,allreduce:hypercube,allgather:simple" "--force bcast:native,allreduce:native,allgather:native" "--force bcast:native,allgather:simple" --adapt; do
    # shellcheck disable=SC2086 # words
    run 2 $way -- "$programs/adapting" passed 3000 || fail "$way: $(cat stdout stderr)"
    # shellcheck disable=SC2086
    run 2 $way --report ways --format tsv -- "$programs/adapting" passed 3000 || fail "$way: $(cat stdout stderr)"
    awk '$1 == "bcast" && $3 == 40 {n += $5} END {exit n != 3000}' ways || fail "$way: $(cat ways)"
done
run 2 --profile passed -- "$programs/adapting" passed 3000 || fail "profile: $(cat stdout stderr)"
cat >look.py <<'EOF'
import json
p = json.load(open("passed"))
calls = {c["operation"]: c["calls"] for c in p["calls"]}
assert calls["bcast"] == calls["allgather"] == calls["allreduce"] == 3000, p["calls"]
spent, idle = (sum(c[k] * c["calls"] for c in p["calls"]) for k in ("mean", "between"))
assert abs(spent - p["collectives"]) < 1e-4 * spent, (spent, p)
assert spent + idle < 1.0001 * p["seconds"], (spent, idle, p)
EOF
python3 look.py || fail "$(cat passed)"

# Ranks that only send do not get far ahead of a root that this makes slower: unhindered by 11,000 calls.
# A verdict is needed 4096 calls after it was asked for at most, and the one before may have come from
# the root just now. (Where the first ones find the root slow, as they mostly do, it is 1024.)
run 2 --adapt -- "$programs/adapting" ahead 12000 || fail "ahead: $(cat stdout stderr)"
awk '$1 == "ahead" {ahead = $2} END {exit !(ahead > 0 && ahead <= 2 * 4096 + 64)}' stdout || fail "$(cat stdout)"

# Calls that MPI refuses at one rank are none there.
run 2 --adapt -- "$programs/adapting" again 3000 || fail "again: $(cat stdout stderr)"

CPM_ADAPT=fast run 2 --force bcast:chain -- "$programs/adapting" calls 2 || fail "$(cat stderr)"
grep -q '^cpm: CPM_ADAPT: with CPM_FORCE choices do not change: set one of them; MPI' stderr ||
    fail "not told: $(cat stderr)"
CPM_ADAPT=fast run 2 -- "$programs/adapting" calls 2 || fail "$(cat stderr)"
grep -q "^cpm: CPM_ADAPT: unknown policy 'fast' (known: budget, star, star-basic, threshold); MPI" stderr ||
    fail "not told: $(cat stderr)"
finish
