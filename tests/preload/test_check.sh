#!/usr/bin/env bash
# CPM_CHECK=1: processes that differ in what they say of a call are named in one line, which is an error
# on all of them, whatever is chosen; right calls are as ever.
. "$(dirname "$0")/lib.sh"
export CPM_CHECK=1

# names CASE PATTERN OPTION...: rank 3 alone is wrong in that case of errors.c.
names() {
    local number=$1 pattern=$2
    shift 2
    rm -f said # the launcher may lose what is said before a job ends: that goes to a file
    # shellcheck disable=SC2016 # expanded by each process
    run 4 "$@" -- bash -c 'exec "$0" "$@" 2>>said' "$programs/errors" fatal "$number" 3 &&
        fail "case $number is not fatal: $(cat stdout)"
    grep -Eaq "^cpm: $pattern \(CPM_CHECK\)$" said || fail "no '$pattern', $*: $(head -5 said)"
    ! grep -q hangs said || fail "case $number hangs, $*"
}

for option in --verbose --force=bcast:chain,allreduce:logical-ring; do
    names 42 'bcast: rank 3 says that a block has 8 bytes, rank 1 says 16' "$option"
    names 262 'allreduce: rank 3 says that a block has 8 bytes, rank 0 says 16' "$option"
    # Some libraries take it.
    names 256 'allreduce: rank 3 has (arguments that MPI does not take|another MPI_Op than rank 0)' \
        "$option"
    run 4 "$option" -- "$programs/moves" 2 || fail "right calls, $option: $(cat stdout stderr)"
done

# One rank may have other sizes than before where the others have the same.
run 4 --force alltoallv:simple -- "$programs/adapting" changes || fail "sizes that change: $(cat stdout stderr)"
finish
