#!/usr/bin/env bash
# Nonblocking and persistent collectives by CPM's algorithms: each call of MPI that can block while one is under way,
# many at once, on communicators that come and go, with all types and buffers; and the report says that
# they were run.
# usage: test_nonblocking.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER RANKS STEP CALLS
# STEP: each so manieth algorithm, odd; CALLS: that are mixed
. "$(dirname "$0")/lib.sh"
ranks=$5 step=$6 calls=$7
moves=(bcast scatter gather allgather alltoall barrier neighbor_allgather neighbor_alltoall)
reductions=(reduce allreduce reduce_scatter scan exscan)
# Those of blocks whose sizes not all know: the first that need no sizes of others, and all in turn.
direct=()
for o in scatterv gatherv alltoallv; do
    names=$("$cpm" algorithms "$o" --format json | python3 -c '
import json, sys
print(*(r["algorithm"] for r in json.load(sys.stdin)["algorithms"] if r["own_size"]))') || fail "algorithms of $o"
    direct+=("$names")
done
[ -n "${direct[0]}" ] && [ -n "${direct[1]}" ] && [ -n "${direct[2]}" ] || fail "none need only their own sizes: ${direct[*]}"
# Of each the round-th.
direct_ones() {
    local names k list='' of=(scatterv gatherv alltoallv)
    for k in 0 1 2; do
        read -ra names <<<"${direct[k]}"
        list+=,${of[k]}:${names[$1 % ${#names[@]}]}
    done
    echo "$list"
}
for ((rank = 0; rank < ranks; rank++)); do echo "h$((rank * rank % 3))"; done >layout

# The report has rows of so many nonblocking operations by what is forced.
were_run() {
    local found
    found=$(awk '$2 ~ /^i/ && $3 != "native" && $6 > 0 {print $2}' stderr | sort -u | wc -l)
    [ "$found" -ge "$1" ] || fail "only $found nonblocking operations of $2: $(cat stderr)"
    grep -q '^cpm: [1-9][0-9]* nonblocking or persistent calls of process 0 were run by chosen algorithms' stderr ||
        fail "the summary of $2 says nothing of them: $(cat stderr)"
}

# is_right ATLEAST FORCED PROGRAM...
is_right() {
    local least=$1 forced=$2
    shift 2
    run "$ranks" --layout layout --verbose --force "$forced" -- "$@" ||
        fail "$forced, $*: exit code $?: $(cat stdout) $(head -n 20 stderr)"
    were_run "$least" "$forced, $*"
}

rounds=$(rounds_of "${moves[@]}" "${reductions[@]}")
[ "$rounds" -gt 0 ] || fail "no algorithms"
for how in "enter" "mixed $calls 1"; do
    # shellcheck disable=SC2086
    run "$ranks" -- "$programs/nonblocking" $how || fail "$how with nothing forced: $(cat stdout stderr)"
    [ ! -s stderr ] || fail "nothing is forced, but it says: $(cat stderr)"
done
run "$ranks" -- "$programs/nonblocking" persistent 1 1 >/dev/null
persistent=yes
! grep -q 'MPI has none' stdout || persistent=
is_right 1 barrier:dissemination,bcast:binomial,allreduce:recursive-doubling,allgather:ring "$programs/nonblocking" first
# Where no call blocks they decide among themselves, and calls that come later know: of 200 all but some 20.
is_right 3 allreduce:recursive-doubling,neighbor_allgather:direct,alltoall:bruck,bcast:linear,scan:chain,neighbor_alltoall:direct "$programs/nonblocking" alone 200
for one in "iallreduce recursive-doubling 150" "ineighbor_allgather direct 150" "ialltoall bruck 100"; do
    read -r name way least <<<"$one"
    awk -v n="$name" -v w="$way" -v l="$least" '$2 == n && $3 == w {calls += $6} END {exit !(calls >= l)}' stderr ||
        fail "fewer than $least of $name by $way: $(cat stderr)"
done
# Where calls are to decide they open what was prepared as MPI began, or as communicators were made; or these were
# opened then. What no blocking function makes is not, and the report says so.
for policy in star star-basic budget; do
    for early in "" --early; do
        # shellcheck disable=SC2086 # a word or none
        run "$ranks" --adapt=$policy $early --verbose -- "$programs/nonblocking" alone 400 ||
            fail "alone, adapting $early, $policy: $(cat stdout stderr)"
        [ $policy$early = budget ] || ! grep -q 'try --early' stderr ||
            fail "alone, adapting $early, $policy: $(cat stderr)"
        grep -Eq "^cpm: ([0-9]+ nonblocking calls of process 0 |i[a-z_]+ )" stderr ||
            fail "alone, adapting $early, $policy: nothing is said of nonblocking calls: $(cat stderr)"
        [ $policy = budget ] || awk '$2 ~ /^i/ && $3 !~ /native|^[0-9]+$/ {calls[$2] += $6}
            END {exit !(calls["iallreduce"] >= 200 && calls["ineighbor_allgather"] >= 200 && calls["ialltoall"] >= 100)}' stderr ||
            fail "alone, adapting $early, $policy: too few were tried: $(cat stderr)"
    done
done
run "$ranks" --adapt=star --verbose -- "$programs/nonblocking" made 200 || fail "made: $(cat stdout stderr)"
grep -Eq '^cpm: 200 nonblocking calls of process 0 were MPI.s own: .*; try --early' stderr || fail "made: $(cat stderr)"
awk '$2 == "iallreduce" && $3 != "native" {n += $6} END {exit n < 400}' stderr || fail "too few were tried: $(cat stderr)"
# Also where no process knows what others give and get. If that changes again and again MPI's own routine runs them.
run "$ranks" --adapt=star --early --verbose -- "$programs/nonblocking" sizes 400 400 || fail "sizes: $(cat stdout stderr)"
for one in ialltoallv ialltoallw igatherv iscatterv; do
    awk -v n="$one" '$2 == n && $3 !~ /native|^[0-9]+$/ {calls += $6} END {exit calls < 200}' stderr ||
        fail "too few of $one of unknown sizes were tried: $(cat stderr)"
done
# Persistent ones, too, on what was prepared as MPI began.
if [ -n "$persistent" ]; then
    run "$ranks" --adapt=star --verbose -- "$programs/nonblocking" sizes 400 400 started || fail "started sizes: $(cat stdout stderr)"
    for one in ialltoallv ialltoallw; do
        awk -v n="$one" '$2 == n && $3 !~ /native|^[0-9]+$/ {calls += $6} END {exit calls < 200}' stderr ||
            fail "too few persistent $one were tried: $(cat stderr)"
    done
fi
run "$ranks" --adapt=star --early --verbose -- "$programs/nonblocking" sizes 600 1 || fail "sizes that change: $(cat stdout stderr)"
for one in ialltoallv ialltoallw igatherv iscatterv; do
    awk -v n="$one" '$2 == n && $3 !~ /native|^[0-9]+$/ {calls += $6} END {exit calls > 300}' stderr ||
        fail "$one of sizes that change is tried: $(cat stderr)"
done
for early in "" --early; do
    # shellcheck disable=SC2086
    run "$ranks" --adapt=star $early -- "$programs/nonblocking" ahead 30 || fail "ahead, adapting $early: $(cat stdout stderr)"
    for rounds in 4 20 40 60; do
        # shellcheck disable=SC2086
        run "$ranks" --adapt=star $early -- "$programs/nonblocking" ended $rounds || fail "ended $rounds $early: $(cat stdout stderr)"
    done
done
run "$ranks" -- "$programs/nonblocking" own 60 || fail "own operations with nothing forced: $(cat stdout stderr)"
is_right 4 allreduce:allgather-ring,reduce:chain,scan:chain,exscan:chain "$programs/nonblocking" own 60
is_right 1 allgather:ring "$programs/nonblocking" enter
is_right 1 allgather:bruck,barrier:linear "$programs/nonblocking" enter
for ((round = 0; round < rounds; round += step)); do
    forced=$(choose "$round" "${moves[@]}" "${reductions[@]}")$(direct_ones "$round")
    is_right 6 "$forced" "$programs/nonblocking" mixed "$calls" "$((round + 1))"
    # MPICH 4.0's own persistent gather is wrong from the second start on.
    [ -z "$persistent" ] || is_right 4 "${forced/gather:*,allgather/gather:binomial,allgather}" "$programs/nonblocking" persistent \
        "$((calls / 10))" "$round"
    [ "$round" = 0 ] || [ "$step" = 1 ] || continue
    is_right 3 "$(choose "$round" "${moves[@]}")$(direct_ones "$round")" "$programs/moves" "$ranks" nonblocking
    is_right 1 "$(choose "$round" "${reductions[@]}")" "$programs/reductions" "$ranks" nonblocking
    # Of types of one's own MPICH 4.0's persistent reductions end with a double free.
    [ -z "$persistent" ] ||
        is_right 3 "$(choose "$round" "${moves[@]}")$(direct_ones "$round")" "$programs/moves" "$ranks" persistent
done
[ -z "$persistent" ] || is_right 4 "$all_known" "$programs/nonblocking" persistent "$((calls / 10))" 7 all

# adapts LEAST POLICY [--early] PROGRAM...: a policy that tries nearly all does so with at least so many operations.
adapts() {
    local least=$1 policy=$2 early=
    shift 2
    [ "$1" != --early ] || { early=--early && shift; }
    # shellcheck disable=SC2086
    run "$ranks" --adapt="$policy" $early --report ways --format tsv -- "$programs/nonblocking" "$@" ||
        fail "--adapt=$policy $*: $(cat stdout stderr)"
    [ "$policy" = budget ] || [ "$(awk '$1 ~ /^i/ && $2 != "native" {print $1}' ways | sort -u | wc -l)" -ge "$least" ] ||
        fail "--adapt=$policy $*: too little was tried: $(cat ways)"
}

# Where calls decide all ranks try the same at the same call, also beside wrong calls, and where communicators come and
# go. By the policy that tries the most nearly every operation is tried.
adapts 8 star often 40
adapts 8 star mixed "$calls" 2
adapts 8 star-basic mixed "$calls" 3
adapts 8 budget mixed "$calls" 2
adapts 8 budget mixed 4000 12
adapts 8 budget often 60
for seed in 2 3; do
    adapts 8 star --early mixed "$calls" "$seed"
    adapts 8 budget --early mixed "$calls" "$seed"
done
adapts 8 star --early often 40
adapts 3 star --early own 200

# So do those that are started again and again, though each process starts them in another order, also about
# blocking calls.
if [ -n "$persistent" ]; then
    adapts 4 star starts "$calls" 1
    adapts 4 star-basic starts "$calls" 2
    adapts 4 budget starts "$calls" 3
    # Where no call blocks, or where some processes are late, they agree among themselves.
    adapts 4 star --early starts "$calls" 4 alone
    adapts 4 star-basic --early starts "$calls" 5 alone
    adapts 4 budget --early starts "$((4 * calls))" 6 alone
fi
finish
