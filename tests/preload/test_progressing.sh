#!/usr/bin/env bash
# --progress: nonblocking and persistent collectives by CPM's algorithms go on while a process computes, and
# are as right as without; where there can be no thread one line says so.
# usage: test_progressing.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER CALLS
. "$(dirname "$0")/lib.sh"
calls=$5
forms=(nonblocking)
run 2 -- "$programs/nonblocking" persistent 1 1 >/dev/null
grep -q 'MPI has none' stdout || forms+=(persistent)
ring=allreduce:logical-ring

# Levels of threads as the program asks for them: below MPI_THREAD_MULTIPLE, as MPI numbers them.
for form in "${forms[@]}"; do
    for level in '' 0 2; do
        rm -f flag
        # shellcheck disable=SC2086 # none, or one
        run 4 --progress --force "$ring" -- "$programs/progressing" flag 60 "$form" $level ||
            fail "$form, level '$level': $(cat stdout) $(head -n 20 stderr)"
        [ ! -s stderr ] || fail "$form, level '$level' says: $(cat stderr)"
    done
    rm -f flag
    ! run 4 --force "$ring" -- "$programs/progressing" flag 1 "$form" || fail "$form goes on without a thread"
    grep -q 'computed in vain' stdout || fail "$form without a thread: $(cat stdout stderr)"
done

# A program with threads of its own has none of CPM's.
rm -f flag
run 4 --progress --force "$ring" -- "$programs/progressing" flag 1 nonblocking 3 && fail "a thread in a program with threads"
[ "$(grep -c '^cpm: --progress (CPM_PROGRESS): there is no thread: the program itself asks' stderr)" = 1 ] ||
    fail "a program with threads: $(cat stderr)"

# Random calls, as they are tested without the thread.
moves=(bcast scatter gather allgather alltoall barrier neighbor_allgather neighbor_alltoall)
reductions=(reduce allreduce reduce_scatter scan exscan)
for rank in 0 1 2 3; do echo "h$((rank * rank % 3))"; done >layout
for round in 0 3 8; do
    forced=$(choose "$round" "${moves[@]}" "${reductions[@]}"),scatterv:linear,gatherv:linear,alltoallv:simple
    for how in "$round" "$round begun"; do
        # shellcheck disable=SC2086 # words
        run 4 --layout layout --progress --verbose --force "$forced" -- "$programs/nonblocking" mixed "$calls" $how ||
            fail "$forced, $how: $(cat stdout) $(head -n 20 stderr)"
        awk '$2 ~ /^i/ && $3 != "native" && $6 > 0 {n++} END {exit n < 4}' stderr || fail "$how: none were run: $(cat stderr)"
    done
    [ "${#forms[@]}" = 1 ] || run 4 --progress --force "$all_known" -- "$programs/nonblocking" persistent "$((calls / 10))" "$round" all ||
        fail "persistent, $round: $(cat stdout) $(head -n 20 stderr)"
done
# The thread, too, goes on with agreeing from which call on what is decided holds.
run 2 --progress --verbose --force "allreduce:recursive-doubling" -- "$programs/nonblocking" alone 200 ||
    fail "alone: $(cat stdout stderr)"
awk '$2 == "iallreduce" {calls += $6} END {exit calls < 150}' stderr || fail "alone: none were run: $(cat stderr)"
CPM_CHECK=1 run 4 --progress --force "$ring" -- "$programs/nonblocking" mixed "$calls" 5 begun || fail "checked: $(cat stdout stderr)"
run 4 --progress --adapt=star -- "$programs/nonblocking" mixed "$calls" 2 || fail "--adapt: $(cat stdout stderr)"
# What calls decide changes in loops without a blocking call, too: in the program's calls, for which none waits that
# runs ahead of one that makes none.
run 3 --progress --adapt=star --early --verbose -- "$programs/nonblocking" alone 400 || fail "alone, adapting: $(cat stdout stderr)"
awk '$2 ~ /^i/ && $3 !~ /native|^[0-9]+$/ {calls[$2] += $6}
    END {exit !(calls["iallreduce"] >= 200 && calls["ineighbor_allgather"] >= 200 && calls["ialltoall"] >= 100)}' stderr ||
    fail "alone, adapting: too few were tried: $(cat stderr)"
run 3 --progress --adapt=star --early -- "$programs/nonblocking" ahead 30 || fail "ahead: $(cat stdout stderr)"
for rounds in 4 20 40 60; do
    run 3 --progress --adapt=star --early -- "$programs/nonblocking" ended $rounds || fail "ended $rounds: $(cat stdout stderr)"
    [ ! -s stderr ] || fail "ended $rounds says: $(cat stderr)"
done
run 3 --progress --adapt --early -- "$programs/nonblocking" mixed "$calls" 2 begun || fail "--adapt, begun: $(cat stdout stderr)"
finish
