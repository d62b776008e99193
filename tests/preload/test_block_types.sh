#!/usr/bin/env bash
# Alltoallw, and that of neighbours: each block has a type of its own. Results are those of messages, and the report
# says what was run.
. "$(dirname "$0")/lib.sh"
typed=$programs/block_types

# ran NAME ALGORITHM: a row of the report says so.
ran() {
    awk -v name="$1" -v how="$2" '$2 == name && $3 == how && $6 > 0 {found = 1} END {exit !found}' stderr ||
        fail "$1 was not run by $2: $(cat stderr)"
}

# is_right RANKS ARGUMENT OPTION...: argument of the program.
is_right() {
    local ranks=$1 argument=$2
    shift 2
    run "$ranks" --verbose "$@" -- "$typed" "$argument" || fail "$ranks ranks, $*: exit code $?: $(cat stdout) $(head -n 20 stderr)"
}

"$mpiexec" -n 2 "$typed" || fail "without CPM: exit code $?"
is_right 4 - --force neighbor_alltoallw:native,alltoallw:native
ran neighbor_alltoallw native
ran alltoallw native

for ranks in 2 3 4 6; do
    is_right "$ranks" unequal --force neighbor_alltoallw:direct,alltoallw:spreading-simple
    ran neighbor_alltoallw direct
    ran alltoallw spreading-simple
    ran ialltoallw spreading-simple
done
ran ineighbor_alltoallw direct
# In some of these processes pass blocks on.
for algorithm in bruck ring hosts 2d; do
    is_right 4 - --layout 2x2 --force "alltoallw:$algorithm"
    ran alltoallw "$algorithm"
done

echo 'if operation = alltoallw
alltoallw:ring
end
native' >rules
is_right 4 - --rules rules
ran alltoallw ring
host=$(uname -n)
sed "s/\"hosts\": .*/\"hosts\": [\"$host\", \"$host\", \"$host\", \"$host\"],/" "$here/../tools/data/lmo4.mod" >four.mod
is_right 4 - --trust --model four.mod
is_right 4 - --adapt=star
CPM_CHECK=1 is_right 4 right --force neighbor_alltoallw:direct,alltoallw:ring
ran neighbor_alltoallw direct
ran alltoallw ring
! grep -q '(CPM_CHECK)$' stderr || fail "it says: $(grep '(CPM_CHECK)$' stderr)"
run 4 --profile profile -- "$typed" || fail "profile: exit code $?: $(cat stderr)"
grep -q '"neighbor_alltoallw"' profile || fail "$(head -c 3000 profile)"
finish
