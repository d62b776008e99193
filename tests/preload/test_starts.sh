#!/usr/bin/env bash
# A persistent collective of which an algorithm is clearly faster than MPI's own routine is run by that soon, and
# short ones stay MPI's own. Nonblocking ones alone are tried, too. MPI's clock is played
# (tests/libraries/play_clock.c): broadcasts by MPI's own routine take five times as long as others.
. "$(dirname "$0")/lib.sh"
clock=$5 # as CTest gives it, from the root on

# start PROGRAM...: what is told is in stdout, stderr and the report "told".
early=
start() {
    # shellcheck disable=SC2086
    "$mpiexec" -n 4 env LD_PRELOAD="$clock" "$cpm" run --yield --adapt $early --report told --format json -- \
        "$programs/nonblocking" "$@" >stdout 2>stderr || fail "$*: exit code $?: $(cat stdout stderr)"
}

# Of calls that do not block no other is needed: their communicator was prepared when it was made.
start ibcasts 1000
cat >look.py <<'EOF'
import json
told = json.load(open("told"))
row, = told["adapted"]
assert row["operation"] == "ibcast" and row["tried"] > 0, row
assert any(r["operation"] == "ibcast" and r["calls"] > 0 for r in told["operations"]), told["operations"]
budget, = told["budget"]
assert budget["opened"] == 1, budget
EOF
python3 look.py || fail "$(cat told)"

start bcasts 1000 1
! grep -q 'MPI has none' stdout || finish
cat >look.py <<'EOF'
import json, sys
calls, by_cpm_at_least = map(int, sys.argv[1:])
told = json.load(open("told"))
row, = (r for r in told["adapted"] if r["operation"] == "ibcast")
assert row["chosen"] != "native" and row["of_native"] < 0.8, row
assert row["calls"] > calls and row["chosen_after"] < 200, row
by_cpm = sum(r["calls"] for r in told["operations"] if r["operation"] == "ibcast")
assert by_cpm > by_cpm_at_least, told["operations"] # each start counts
budget, = told["budget"]
assert budget["deciding_ms"] < 0.06 * budget["taken_ms"], budget
EOF
python3 look.py 800 700 || fail "$(cat told)"

# The same without any blocking call.
early=--early
rm told
start bcasts 1000 1 alone
python3 look.py 600 500 || fail "alone: $(cat told)"
early=

# Where small collectives take a look at the played clock those of few bytes are too short.
start starts 300 1
python3 -c 'import json
rows = json.load(open("told"))["adapted"]
assert not [r for r in rows if r["operation"].startswith("i") and r["to"] < 1000], rows' || fail "$(cat told)"
finish
