#!/usr/bin/env bash
# Neighbourhood collectives of a program: by every algorithm, in every way of choosing, results are MPI's, and the
# report says that they were run.
. "$(dirname "$0")/lib.sh"
operations=(neighbor_alltoall neighbor_allgather)

# ran NAME ALGORITHM: a row of the report says so.
ran() {
    awk -v name="$1" -v how="$2" '$2 == name && $3 == how && $6 > 0 {found = 1} END {exit !found}' stderr ||
        fail "$1 was not run by $2: $(cat stderr)"
}

# is_right RANKS OPTION...
is_right() {
    local ranks=$1
    shift
    run "$ranks" "$@" --verbose -- "$programs/neighbours" || fail "$*: exit code $?: $(cat stdout) $(head -n 20 stderr)"
}

"$mpiexec" -n 4 "$programs/neighbours" || fail "without CPM: exit code $?"
for algorithm in $(algorithms_of neighbor_alltoall); do
    forced=neighbor_alltoall:$algorithm,neighbor_allgather:$algorithm
    for ranks in 4 6; do
        is_right "$ranks" --layout "2x$((ranks / 2))" --force "$forced"
        for operation in "${operations[@]}"; do
            ran "$operation" "$algorithm"
            ran "i$operation" "$algorithm"
        done
    done
done
# Of counts that differ: what needs no others' sizes.
counted=(neighbor_alltoallv neighbor_allgatherv)
for ranks in 4 6; do
    is_right "$ranks" --force neighbor_alltoallv:direct,neighbor_allgatherv:direct
    for operation in "${counted[@]}"; do
        ran "$operation" direct
        ran "i$operation" direct
    done
done
is_right 4 --force neighbor_alltoall:dimensions
ran neighbor_alltoallv native
run 2 --force neighbor_alltoallv:dimensions -- "$programs/neighbours" || fail "dimensions without sizes: $(cat stderr)"
grep -q 'neighbor_alltoallv:dimensions: its processes need to know the sizes' stderr || fail "says: $(cat stderr)"
for ranks in 2 3; do
    is_right "$ranks" --force neighbor_alltoall:direct,neighbor_allgather:direct,neighbor_alltoallv:direct
done

# What CPM cannot do there is said once, and is MPI's.
is_right 4 --force neighbor_allgather:direct
[ "$(grep -c 'MPI.s own neighbor_allgather is used there' stderr)" = 1 ] || fail "it says: $(cat stderr)"
ran neighbor_allgather native

# Rules; what a model says; where calls decide; with checks.
echo 'if operation = neighbor_alltoall and bytes <= 100
neighbor_alltoall:direct
end
native' >rules
is_right 4 --rules rules
ran neighbor_alltoall direct
ran neighbor_alltoall native
host=$(uname -n)
sed "s/\"hosts\": .*/\"hosts\": [\"$host\", \"$host\", \"$host\", \"$host\"],/" "$here/../tools/data/lmo4.mod" >four.mod
is_right 4 --trust --model four.mod
grep -qE 'neighbor_alltoall +(direct|dimensions) ' stderr || fail "a model chooses nothing: $(cat stderr)"
is_right 4 --model four.mod
is_right 6 --adapt=star
ran neighbor_alltoall direct
ran neighbor_alltoallv direct
ran neighbor_allgatherv direct
CPM_CHECK=1 is_right 4 --force neighbor_alltoall:direct,neighbor_allgatherv:direct
ran neighbor_alltoall direct
ran neighbor_alltoallv direct
ran neighbor_allgatherv direct
is_right 4 --compare --force neighbor_alltoall:direct
grep -qE '^cpm: neighbor_alltoall +direct +4 +- +4 ' stderr || fail "nothing is compared: $(cat stderr)"

# A profile has them with their sizes.
run 4 --profile profile -- "$programs/neighbours" || fail "profile: exit code $?: $(cat stderr)"
grep -q '"neighbor_alltoall"' profile || fail "$(head -c 3000 profile)"
"$cpm" show profile >stdout 2>stderr || fail "show: $(cat stderr)"
"$cpm" predict four.mod --profile profile >stdout 2>stderr || fail "predict: $(cat stderr)"
finish
