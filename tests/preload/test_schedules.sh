#!/usr/bin/env bash
# Schedule files choose in a program: forced, by rules and by a table. Only process 0 needs the file. What
# does not apply stays with MPI, with a line.
. "$(dirname "$0")/lib.sh"

was_run() {
    awk -v o="$1" -v a="$2" '$2 == o && $3 == a && $6 > 0 {found = 1} END {exit !found}' stderr ||
        fail "$1 by $2 was not run: $(cat stderr)"
}

# written OPERATION ALGORITHM: OPERATION.s, the same messages of 4 processes.
written() {
    "$cpm" export --schedule "$1:$2" -n 4 -m 4K -o "$1.s" 2>stderr || fail "$1:$2: $(cat stderr)"
}

forced=
while read -r operation algorithm; do
    written "$operation" "$algorithm"
    forced=$forced,$operation:@$operation.s
done <<'END'
bcast chain:segment=1K
scatter binomial
gather binomial
reduce chain:segment=1K
allgather bruck
alltoall bruck
allreduce rab1-ring
reduce_scatter ring
scan chain
barrier dissemination
END
for program in chosen moves reductions; do
    run 4 -v --force "${forced#,}" -- "$programs/$program" || fail "$program: $(cat stdout stderr)"
    [ $program = reductions ] || was_run bcast @bcast.s
    [ $program = reductions ] || was_run scatterv @scatter.s
    [ $program = moves ] || was_run allreduce @allreduce.s
done
run 4 --force "${forced#,}" -- "$programs/chosen" || fail "$(cat stdout stderr)"
grep -q "^cpm: --force (CPM_FORCE): bcast:@bcast.s: it is a schedule from root 0, not from 1; MPI's own bcast" stderr ||
    fail "another root: $(cat stderr)"

# Another number of processes, no such file, and one that is wrong.
echo 'operation bcast' >half.s
run 3 --force bcast:@bcast.s -- "$programs/chosen" || fail "of 3: $(cat stdout stderr)"
grep -q '@bcast.s: it is a schedule of 4 processes, not of 3; MPI' stderr || fail "of 3: $(cat stderr)"
run 4 --force bcast:@none.s -- "$programs/chosen" || fail "no file: $(cat stdout stderr)"
grep -q 'none.s: cannot be read: No such file or directory; MPI' stderr || fail "no file: $(cat stderr)"
run 4 --force bcast:@half.s -- "$programs/chosen" || fail "half: $(cat stdout stderr)"
grep -q "half.s:1: the file ends without a line 'processes'; MPI" stderr || fail "half: $(cat stderr)"
[ "$(grep -c '^cpm' stderr)" = 1 ] || fail "not one line: $(cat stderr)"

cat >a.rules <<'END'
if bytes >= 64
    bcast:@bcast.s
end
bcast:linear
END
run 4 -v --rules a.rules -- "$programs/chosen" || fail "rules: $(cat stdout stderr)"
was_run bcast @bcast.s
was_run bcast linear
cat >table.json <<'END'
{"format": "cpm table", "version": 1, "provenance": {}, "operations": {
  "bcast": {"4": [{"from": 0, "algorithm": "binomial"}, {"from": 64, "algorithm": "@bcast.s"}]}}}
END
run 4 -v --trust --table table.json -- "$programs/chosen" || fail "table: $(cat stdout stderr)"
was_run bcast @bcast.s
was_run bcast binomial

# Process 0 has the files, the others do not.
mkdir elsewhere
cat >somewhere <<'END'
#!/bin/sh
[ "${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}" = 0 ] || cd elsewhere || exit 1
exec "$@"
END
chmod +x somewhere
CPM_FORCE=bcast:@bcast.s CPM_VERBOSE=1 "$mpiexec" -n 4 ./somewhere "$cpm" run --yield -- "$programs/chosen" >stdout 2>stderr ||
    fail "elsewhere: $(cat stdout stderr)"
was_run bcast @bcast.s

# Every process of cpm bench coll reads it.
"$mpiexec" -n 4 "$cpm" bench coll bcast:@bcast.s,bcast:binomial -m 1K --quiet --max-reps 20 -o x.meas >stdout 2>stderr ||
    fail "bench: $(cat stderr)"
grep -q '^bcast:@bcast.s 0 ' x.meas || fail "bench: $(cat x.meas)"
finish
