#!/usr/bin/env bash
# Algorithms that follow the switches run in a program wherever they are named, where a file or a model
# says what hangs on which; results are those of MPI. Without, or where a host is missing, MPI's own run.
. "$(dirname "$0")/lib.sh"

printf 'switch left\nswitch right\nlink left right\n' >two.topology
printf 'host %s\n' 'a left' 'b right' 'c left' 'd right' 'e right' >>two.topology
echo d a c a >layout4 # ranks 1 and 3 share a host

# was_run NAME: the report has a row of that operation and algorithm.
was_run() {
    awk -v o="${1%%:*}" -v a="${1#*:}" '$2 == o && $3 == a && $6 > 0 {found = 1} END {exit !found}' stderr ||
        fail "$1 was not run: $(cat stdout stderr)"
}

# one_line PATTERN
one_line() {
    [ "$(grep -vc '^cpm: #' stderr)" = 1 ] && grep -Eq -- "^cpm: .*$1.*; MPI's own collectives are used" stderr ||
        fail "no '$1': $(cat stderr)"
}

# Forced, in communicators of all sizes, on hosts of one process and of two; v-operations follow.
forced() {
    local program=$1 names=$2 name
    run 4 -v --topology two.topology --layout layout4 --force "$names" -- "$programs/$program" ||
        fail "$names: $(cat stdout stderr)"
    for name in ${names//,/ }; do was_run "$name"; done
}
forced moves alltoall:topology,allgather:tslr
was_run alltoallv:topology
was_run allgatherv:tslr
forced moves alltoall:topology-barrier
for name in rab1-tslr rab2-ring-light-tslr; do forced reductions "allreduce:$name"; done

# By rules, a table, the environment; a communicator's own choice.
printf 'if processes > 2\nalltoall:topology\nallgather:tslr\nend\n' >a.rules
cat >table.json <<'END'
{"format": "cpm table", "version": 1, "provenance": {}, "operations": {
  "alltoall": {"2": [{"from": 0, "algorithm": "topology"}]},
  "allreduce": {"2": [{"from": 0, "algorithm": "rab1-tslr"}]}}}
END
CPM_TOPOLOGY=two.topology run 4 -v --layout layout4 --rules a.rules --table table.json -- "$programs/moves" ||
    fail "rules: $(cat stdout stderr)"
was_run alltoall:topology
was_run allgather:tslr
run 4 -v --topology two.topology --layout layout4 --trust --table table.json -- "$programs/chosen" cpm_allreduce=rab1-tslr ||
    fail "table: $(cat stdout stderr)"
was_run allreduce:rab1-tslr

# Tried by a program's own calls.
run 4 --topology two.topology --layout layout4 --adapt=star --report ways --format tsv -- \
    "$cpm" bench coll alltoall:native -m 600 --min-reps 140 --max-reps 140 --quiet || fail "adapting: $(cat stdout stderr)"
awk '$1 == "alltoall" && $2 == "topology"' ways | grep -q . || fail "not tried: $(cat ways)"

# As a model knows the switches; the names of all hosts are this one's.
host=$(uname -n)
python3 "$here/../lab/hosts_model.py" --hosts 4 --each 1 >four.mod || fail "no model"
printf 'switch x\nswitch y\nlink x y\nhost node000 x\nhost node001 y\nhost node002 x\nhost node003 y\n' >four.topology
"$cpm" model -M lmo2 --machine four.mod --no-thresholds --quiet --topology four.topology -o found.mod ||
    fail "no model of switches"
sed "s/node00[0-3]/$host/g" found.mod >here.mod
run 4 -v --model here.mod --force alltoall:topology,allgather:tslr -- "$programs/moves" ||
    fail "model: $(cat stdout stderr)"
was_run alltoall:topology
was_run allgather:tslr

# is_missing: of the algorithm alone: others are chosen.
is_missing() {
    [ "$(grep -c 'needs to know the switches' stderr)" = 1 ] &&
        grep -q "^cpm: alltoall:topology needs to know the switches: .*; MPI's own alltoall is used$" stderr ||
        fail "no switches: $(cat stderr)"
}

# What is wrong is one line, and the program runs.
run 4 -v --force alltoall:topology,bcast:linear -- "$programs/chosen" || fail "without: $(cat stdout stderr)"
is_missing
was_run bcast:linear
run 4 --force alltoall:topology,allreduce:rab1-tslr -- "$programs/chosen" || fail "without: $(cat stdout stderr)"
is_missing
grep -q "^cpm: --force (CPM_FORCE): allreduce:rab1-tslr .*; MPI's own allreduce is used there$" stderr ||
    fail "the other one is not named: $(cat stderr)"
run 4 --force alltoall:topology -- "$programs/chosen" || fail "without: $(cat stdout stderr)"
is_missing
run 4 --force bcast:linear --rules a.rules -- "$programs/chosen" || fail "without: $(cat stdout stderr)"
is_missing
run 4 --trust --table table.json -- "$programs/chosen" || fail "without: $(cat stdout stderr)"
is_missing
run 4 --topology two.topology --force alltoall:topology -- "$programs/chosen" || fail "$(cat stdout stderr)"
one_line "two.topology: process 0 is on host '$host', which is none of the 5 there; add a line 'host $host SWITCH'"
printf 'switch %s\n' a b c >loop.topology
printf 'link %s\n' 'a b' 'b c' 'c a' >>loop.topology
run 4 --topology loop.topology --force alltoall:topology -- "$programs/chosen" || fail "$(cat stdout stderr)"
one_line "loop.topology:6: the link between 'c' and 'a' closes a cycle"
run 2 --topology none --force alltoall:topology -- "$programs/chosen" || fail "$(cat stdout stderr)"
one_line 'none: cannot be read'
run 2 --topology two.topology -- "$programs/chosen" && fail "for nothing: $(cat stdout stderr)"
grep -q '^cpm run: --topology needs --model' stderr || fail "not refused: $(cat stderr)"
finish
