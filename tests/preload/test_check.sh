#!/usr/bin/env bash
# CPM_CHECK=1: processes that differ in what they say of a call are named in one line, which is an error
# on all of them if the call blocks, whatever is chosen; right calls are as ever.
. "$(dirname "$0")/lib.sh"
export CPM_CHECK=1

# The launcher may lose what is said before a job ends: what processes say on standard error goes to the file said.
# shellcheck disable=SC2016 # expanded by each process
aside=(bash -c 'exec "$0" "$@" 2>>said')

# end_of LAUNCHER: waits for it. Open MPI 4.1's may wait for ever for its own thread after processes that
# gave up a call have ended (openpmix issue 1244). It is killed then.
end_of() {
    local k
    for ((k = 1; ; k++)); do
        kill -0 "$1" 2>&- || break
        sleep 0.05
        if [ $((k % 400)) = 0 ] && ! ps --ppid "$1" -o stat= | grep -qv '^Z'; then
            kill -KILL "$1"
        fi
    done
    wait "$1"
}

# run_wrong OPTION... -- PROGRAM...: as run 4.
run_wrong() {
    "$mpiexec" -n 4 "$cpm" run --yield "$@" >stdout 2>stderr </dev/null &
    end_of $!
}

# names CASE PATTERN OPTION...: rank 3 alone is wrong in that case of errors.c.
names() {
    local number=$1 pattern=$2
    shift 2
    rm -f said
    run_wrong "$@" -- "${aside[@]}" "$programs/errors" fatal "$number" 3 &&
        fail "case $number is not fatal: $(cat stdout)"
    grep -Eaq "^cpm: $pattern \(CPM_CHECK\)$" said || fail "no '$pattern', $*: $(head -5 said)"
    ! grep -q hangs said || fail "case $number hangs, $*"
}

# says PATTERN CASE [OPTION...]: that line alone is said in that case of unalike.c.
says() {
    local pattern=$1 case=$2
    shift 2
    rm -f said
    run_wrong "$@" -- "${aside[@]}" "$programs/unalike" "$case"
    [ "$(grep -ac '(CPM_CHECK)$' said)" = "${lines:-1}" ] || fail "$case, $*: not one line: $(head -5 said)"
    # Open MPI's own words may stand before it, without an end of their line.
    grep -Eaq "^(MPI Error in NBC subrequest 0x[0-9a-f]+ : [0-9]+)*cpm: $pattern \(CPM_CHECK\)$" said || fail "no '$pattern', $*: $(head -5 said)"
}

# is_quiet OPTION... -- PROGRAM...: right calls end, and nothing is said.
is_quiet() {
    run 4 "$@" || fail "$*: exit code $?: $(cat stdout stderr)"
    ! grep -q CPM_CHECK stderr || fail "$*: $(grep CPM_CHECK stderr)"
}

for option in --verbose --force=bcast:chain,allreduce:logical-ring; do
    names 42 'bcast: rank 3 says that a block has 8 bytes, rank 1 says 16' "$option"
    names 262 'allreduce: rank 3 says that a block has 8 bytes, rank 0 says 16' "$option"
    # Some libraries take it.
    names 256 'allreduce: rank 3 has (arguments that MPI does not take|another MPI_Op than rank 0)' \
        "$option"
    run 4 "$option" -- "$programs/moves" 2 || fail "right calls, $option: $(cat stdout stderr)"
done

# Which rank it is compared with depends on who comes first.
third='nonblocking call 3 on its communicator'
for option in --verbose --force=bcast:chain,allreduce:logical-ring,reduce:binomial,alltoallv:ring,scatterv:linear; do
    says "$third: rank 3 calls ibcast, rank [0-2] ireduce" operation "$option"
    says "ibcast, $third: rank 3 has root 1, rank [0-2] root 0" root "$option"
    says "iallreduce, $third: rank 3 has another MPI_Op than rank [0-2]" op "$option"
    says "ibcast, $third: rank 3 says that a block has 8 bytes, rank [0-2] says 4" size "$option"
    says "iallgather, $third: rank 3 sends itself 8 bytes and receives 4" type "$option"
    says "ireduce_scatter, $third: rank 3 says that the block of rank 1 has 8 bytes, rank [0-2] says 4" counts "$option"
    says "iscatterv, $third: rank 3 says that the block of rank 3 has 8 bytes, rank 0 says 4" scatterv "$option"
    says "igatherv, $third: rank 3 says that the block of rank 1 has 8 bytes, rank 1 says 4" gatherv "$option"
    says "ialltoallv, $third: rank 1 says that the block from rank 3 to rank 1 has 4 bytes, rank 3 says 8" alltoallv \
        "$option"
    says 'rank 3 has made 2 nonblocking calls on its communicator, rank 0 3' missing "$option"
    says 'allreduce: rank 3 has made 2 nonblocking calls on this communicator before, rank 0 3' step "$option"
    [ "$(grep -o MPI_ERR_ARG stdout | wc -l)" = 4 ] || fail "out of step is no error, $option: $(cat stdout)"
done

# Processes that wait for ever say it, too.
rm -f said
"$mpiexec" -n 4 "$cpm" run --yield -- "${aside[@]}" "$programs/unalike" missing wait >stdout 2>stderr & # not in a shell
launcher=$!
for ((k = 0; k < 600; k++)); do
    grep -qs CPM_CHECK said && break
    sleep 0.1
done
[ "$(cat said)" = 'cpm: rank 3 has made 2 nonblocking calls on its communicator, rank 0 3 (CPM_CHECK)' ] ||
    fail "those that wait say: $(cat said)"
kill $launcher
end_of $launcher

run 4 -- "$programs/unalike" persistent
if ! grep -q 'MPI has none' stdout; then
    says 'bcast: rank 3 has root 1, rank 0 root 0' persistent
    [ "$(grep -o MPI_ERR_ARG stdout | wc -l)" = 4 ] || fail "persistent calls that differ: $(cat stdout)"
    # MPICH 4.0's own are wrong from the second start on.
    is_quiet --force gather:binomial,allgather:ring -- "$programs/nonblocking" persistent 20 2
fi

lines=4
says 'rank [0-3] of MPI_COMM_WORLD has not completed 2 nonblocking calls by MPI_Wait or MPI_Test, the first: iallreduce' forget \
    --force allreduce:recursive-doubling
lines=1

for option in --verbose --adapt=star \
    --force=barrier:dissemination,bcast:binomial,allreduce:recursive-doubling,allgather:ring,alltoallv:ring; do
    for how in enter first "mixed 300 1 begun" "mixed 300 2 begun" "often 10"; do
        # shellcheck disable=SC2086 # several words
        is_quiet "$option" -- "$programs/nonblocking" $how
    done
done
# Calls to neighbours have as many counts as these are.
is_quiet --force neighbor_alltoall:direct -- "$programs/neighbours"

# One rank may have other sizes than before where the others have the same.
run 4 --force alltoallv:simple -- "$programs/adapting" changes || fail "sizes that change: $(cat stdout stderr)"
finish
