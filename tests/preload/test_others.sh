#!/usr/bin/env bash
# What CPM does not take reaches MPI as it is, and a profile counts it by function.
. "$(dirname "$0")/lib.sh"

run 3 --profile profile -- "$programs/others" || fail "exit code $?: $(cat stdout stderr)"
[ ! -s stderr ] || fail "it says: $(cat stderr)"
grep -q 'another result' stdout && fail "$(cat stdout)"
cat >look.py <<'PYTHON'
import json, sys
profile, names = json.load(open("profile")), sorted(open("stdout").read().splitlines())
others = {o["function"]: o for o in profile["others"]}
assert set(others) == set(names) and len(others) >= 20, set(others) ^ set(names)
assert all(o["calls"] == 3 * names.count(f) and 0 < o["seconds"] < profile["seconds"] for f, o in others.items()), others
print(len(names))
PYTHON
python3 look.py || fail "$(cat profile)"

# By other ways of choosing, and without any.
for how in "--adapt=star" "--force bcast:chain" ""; do
    # shellcheck disable=SC2086
    run 3 $how -- "$programs/others" || fail "$how: exit code $?: $(cat stdout stderr)"
    grep -q 'another result' stdout && fail "$how: $(cat stdout)"
done

# A program that makes none of these has no such member.
run 3 --profile none -- "$programs/kinds" 2 || fail "exit code $?: $(cat stderr)"
grep -q others none && fail "$(cat none)"
finish
