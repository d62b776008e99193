#!/usr/bin/env bash
# Rules choose in a program; where none holds a table does, and what is forced goes before both.
. "$(dirname "$0")/lib.sh"

# was_run OPERATION ALGORITHM: the report has such a row.
was_run() {
    awk -v o="$1" -v a="$2" '$2 == o && $3 == a && $6 > 0 {found = 1} END {exit !found}' stderr ||
        fail "$1 by $2 was not run: $(cat stderr)"
}

was_not_run() {
    awk -v o="$1" -v a="$2" '$2 == o && $3 == a && $6 > 0 {found = 1} END {exit found}' stderr ||
        fail "$1 by $2 was run: $(cat stderr)"
}

cat >a.rules <<'END'
if processes = 3
    scatter:linear
    native
end
if bytes >= 64 and root = 0
    bcast:chain:segment=64
end
if bytes < 64
    bcast:linear
end
scatter:binomial
gatherv:linear
END
cat >table.json <<'END'
{"format": "cpm table", "version": 1, "provenance": {}, "operations": {
  "bcast": {"2": [{"from": 0, "algorithm": "binomial"}]},
  "gather": {"2": [{"from": 0, "algorithm": "binomial"}]}}}
END
run 4 -v --rules a.rules --table table.json -- "$programs/chosen" || fail "rules: $(cat stdout stderr)"
was_run bcast chain:segment=64
was_run bcast linear
was_run bcast binomial # from other roots, by the table
was_run scatter binomial
was_run scatterv binomial
was_run gather binomial
was_run gatherv linear
was_not_run gatherv binomial
was_run allreduce native

run 3 -v --rules a.rules --table table.json -- "$programs/chosen" || fail "of 3: $(cat stdout stderr)"
was_run scatter linear
was_run scatterv linear
was_run bcast native

run 4 -v --rules a.rules --force 'bcast:hypercube,bcast:*:segment=256' --table table.json -- "$programs/chosen" ||
    fail "forced besides: $(cat stdout stderr)"
was_run bcast hypercube:segment=256
was_not_run bcast linear
was_run scatter binomial
was_run gather binomial

# Rules made of Open MPI's file.
printf '1\n7\n1\n0\n2\n0 3 0 0\n100 6 0 64\n' >openmpi.conf
run 4 -v --rules openmpi.conf -- "$programs/chosen" || fail "of Open MPI: $(cat stdout stderr)"
was_run bcast chain
was_run bcast binomial-at-once:segment=64

# What of it no call can use is said once, by the line of the file; of what CPM does not choose, nothing is
# left.
printf '1\n7\n2\n1\n2\n0 3 0 0\n0 6 0 0\n9999999999\n1\n0 1 0 0\n' >openmpi.conf
run 4 -v --rules openmpi.conf -- "$programs/chosen" || fail "of Open MPI: $(cat stdout stderr)"
was_run bcast binomial-at-once
sed -n 's,^\(cpm: note: \).*/,\1,p' stderr | cmp - <(printf '%s\n' \
    'cpm: note: openmpi.conf:6: no call matches the row of bcast for 0 bytes: left out' \
    'cpm: note: openmpi.conf:8: no call matches the row of bcast for 9999999999 processes: left out') ||
    fail "notes: $(cat stderr)"
printf '1\n4\n1\n0\n1\n0 1 0 0\n' >openmpi.conf
run 4 --rules openmpi.conf -- "$programs/chosen" || fail "of alltoallv alone: $(cat stdout stderr)"
[ "$(grep -c '^cpm: .*openmpi.conf: there are rules for alltoallv only, .* MPI.s own collectives are used$' stderr)" = 1 ] ||
    fail "of alltoallv alone: $(cat stderr)"

# Values of the application: before they are set they are 0.
printf '%s\n' 'if value:phase = 2' bcast:chain 'else if value:level < 0' bcast:linear end >values.rules
run 4 -v --rules values.rules -- "$programs/chosen" @phase=2 || fail "a value: $(cat stdout stderr)"
was_run bcast native
was_run bcast chain
run 4 -v --rules values.rules -- "$programs/chosen" @phase=1 @level=-3 @other=4 || fail "values: $(cat stdout stderr)"
was_run bcast native
was_run bcast linear
was_not_run bcast chain

# A communicator's own choice: with nothing else, before rules, after what is forced.
run 4 -v -- "$programs/chosen" cpm_bcast=chain:segment=256 cpm_gather=binomial no_such_key=1 ||
    fail "info keys: $(cat stdout stderr)"
was_run bcast chain:segment=256
was_run gather binomial
was_run gatherv binomial
was_run bcast native # before, and on the other duplicate
run 4 -v --rules a.rules --table table.json -- "$programs/chosen" cpm_bcast=hypercube cpm_gatherv=native ||
    fail "info keys and rules: $(cat stdout stderr)"
was_run bcast hypercube
was_run bcast binomial # before
was_run gatherv native
was_run gather binomial
run 4 -v --force 'scatter:linear,bcast:*:segment=512' -- "$programs/chosen" cpm_scatterv=binomial cpm_bcast=chain ||
    fail "info keys and force: $(cat stdout stderr)"
was_run scatterv linear
was_not_run scatterv binomial
was_run bcast chain:segment=512

# A parameter alone, for whatever algorithm: of rules, not of what is forced, and not instead of it.
run 4 -v --rules a.rules -- "$programs/chosen" 'cpm_bcast=*:segment=128' || fail "a parameter: $(cat stdout stderr)"
was_run bcast chain:segment=64 # before
was_run bcast chain:segment=128
run 4 -v --force 'bcast:chain:segment=64' -- "$programs/chosen" 'cpm_bcast=*:segment=128' || fail "$(cat stdout stderr)"
was_run bcast chain:segment=64
was_not_run bcast chain:segment=128
run 4 -v --rules a.rules --force 'bcast:*:segment=256' -- "$programs/chosen" 'cpm_bcast=*:segment=128' ||
    fail "$(cat stdout stderr)"
was_run bcast chain:segment=256
was_not_run bcast chain:segment=128
run 4 -- "$programs/chosen" 'cpm_bcast=*:x=8'
grep -q "^cpm: info key cpm_bcast: bcast:\* does not take the parameter 'x=8' (parameters: .*; MPI's own collectives are used" stderr ||
    fail "nothing said of a wrong parameter: $(cat stderr)"

run 4 -v --force 'bcast:linear' -- "$programs/chosen" cpm_bcast=fast 2>stderr || fail "$(cat stdout stderr)"
grep -Eq "^cpm: info key cpm_bcast: unknown algorithm 'fast' of bcast \(known: linear, .*; MPI's own collectives are used" stderr ||
    fail "nothing said of a wrong key: $(cat stderr)"
was_run bcast linear
run 4 -- "$programs/chosen" cpm_bcat=chain # which it misses, as MPI forgets it
grep -q "^cpm: info key cpm_bcat: unknown operation 'bcat' (known: .*; MPI's own collectives are used" stderr ||
    fail "nothing said of an unknown key: $(cat stderr)"
run 4 -- "$programs/chosen" cpm_bcast=tree,cpm_gather=linear || fail "wrong keys: $(cat stdout stderr)"
[ "$(wc -l <stderr)" = 1 ] || fail "not one line: $(cat stderr)"

# says PATTERN OPTION...: one line, and MPI's own collectives.
says() {
    local pattern=$1
    shift
    run 2 "$@" -- "$programs/chosen" || fail "$pattern: $(cat stdout stderr)"
    [ "$(wc -l <stderr)" = 1 ] && grep -Eq "^cpm: .*$pattern.*; MPI's own collectives are used" stderr ||
        fail "no '$pattern': $(cat stderr)"
}
echo 'bcast:fast' >wrong.rules
says "wrong.rules:1: unknown algorithm 'fast'" --rules wrong.rules
says "wrong.rules:1: unknown algorithm 'fast'" --rules wrong.rules --table table.json
says 'nowhere.rules' --rules nowhere.rules
says "bcast:\* does not take the parameter 'x=8'" --force 'bcast:*:x=8'
finish
