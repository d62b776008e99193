#!/usr/bin/env bash
# A schedule that is made is proved, takes what its head says, and is no slower than any algorithm; the same
# seed makes the same. What cannot be made is refused in one line, and nothing is left behind.
. "$(dirname "$0")/lib.sh"

# microseconds ALGORITHM SIZE: as lmo4.mod predicts it.
microseconds() {
    "$cpm" predict lmo4.mod "$1" -m "$2" --no-intervals --format tsv | awk 'END {printf "%.2f", $5}'
}

for operation in bcast scatter gather reduce allgather reduce_scatter allreduce alltoall barrier; do
    works "$cpm" synthesize lmo4.mod "$operation" -m 8K --attempts 3 -o "$operation.schedule"
    head -4 "$operation.schedule" | diff - stdout || fail "$operation: the head is not what is printed"
    made=$(sed -n 's/^# predicted: \([0-9.]*\) us.*/\1/p' "$operation.schedule")
    row=$(sed -n 's/^# predicted:.*) \([0-9.]*\) us,.*/\1/p' "$operation.schedule")
    bound=$(sed -n 's/^# no schedule takes less than \([0-9.]*\) us.*/\1/p' "$operation.schedule")
    awk -v m="$made" -v r="$row" -v b="$bound" 'BEGIN {exit !(b <= m && m <= r && b > 0)}' ||
        fail "$operation: $bound, $made, $row"
    [ "$(microseconds "$operation:@$operation.schedule" 8K)" = "$made" ] || fail "$operation: $made is not predicted"
    finds 0 "$cpm" check "$operation:@$operation.schedule" -n 4
    ! grep -q "it is a schedule\|it needs" stdout || fail "$operation: passed over: $(cat stdout)"
    works "$cpm" synthesize lmo4.mod "$operation" -m 8K --attempts 3 -o again
    cmp -s "$operation.schedule" again || fail "$operation: another schedule by the same seed"
    rm again
done
works "$cpm" synthesize lmo4.mod scatter --root 2 -m 1K --attempts 1
grep -q '^root 2$' stdout || fail "root: $(cat stdout)"
works "$cpm" draw allreduce:@allreduce.schedule -n 4 -o x.svg
works "$cpm" export --schedule bcast:@bcast.schedule -n 4
grep -v '^#' bcast.schedule | diff - <(grep -v '^#' stdout) || fail "exported it is another one"
works "$cpm" tune lmo4.mod gather gather:@gather.schedule -n 4 -m 8K -o table.json

works "$cpm" synthesize lmo4.mod allgather -m 8 --attempts 1 --unaided
grep -q '^# from \(gossip\|greedy\|routes\|steps\),' stdout || fail "unaided: $(head -4 stdout)"
refused 2 'nothing is known to begin with for scatter' "$cpm" synthesize lmo4.mod scatter -m 8 --unaided
refused 2 'a size is missing: -m SIZE' "$cpm" synthesize lmo4.mod bcast
refused 2 'several sizes need -o NAME.schedule' "$cpm" synthesize lmo4.mod bcast -m 1K,2K
refused 2 'several sizes need -o NAME.schedule' "$cpm" synthesize lmo4.mod bcast -m 1K,2K -o -
refused 2 'for one size; several give rules' "$cpm" synthesize lmo4.mod bcast -m 1K,2K --format tsv -o x.schedule
refused 2 'barrier carries no data: it has one size' "$cpm" synthesize lmo4.mod barrier -m 1K,2K -o x.schedule
refused 2 'the path is too long' "$cpm" synthesize lmo4.mod bcast -m 1K,2K -o "$(printf '%090d' 0).schedule"
refused 2 'is one of the files that are read' "$cpm" synthesize lmo4.mod bcast -m 1K,2K --attempts 1 -o lmo4.mod
refused 2 '^cpm synthesize: --root: 4 is not in 0\.\.3' "$cpm" synthesize lmo4.mod bcast -m 1K --root 4
refused 2 "unknown operation 'bcats'" "$cpm" synthesize lmo4.mod bcats -m 1K
refused 2 'scan' "$cpm" synthesize lmo4.mod scan -m 1K
refused 2 'neighbor_allgather' "$cpm" synthesize lmo4.mod neighbor_allgather -m 1K
refused 1 'No such file' "$cpm" synthesize none.mod bcast -m 1K
refused 2 'both write to standard output' "$cpm" synthesize lmo4.mod bcast -m 1K --format tsv -o -
refused 2 'lmo4.mod' "$cpm" synthesize lmo4.mod bcast -m 1K --attempts 1 -o lmo4.mod

# Several sizes: a file for each at which something beats all algorithms, and rules that choose among them.
works "$cpm" synthesize lmo4.mod bcast -m 1M,1,64K --attempts 2 -o many.schedule
cp stdout many.rules
[ "$(grep -c '^# cpm schedule: bcast' many.rules)" = 3 ] || fail "not three heads: $(cat many.rules)"
ls many-*.schedule | diff - <(printf '%s\n' many-1M.schedule many-64K.schedule) || fail "other files"
works "$cpm" synthesize lmo4.mod bcast -m 64K --attempts 2 -o one.schedule
cmp -s one.schedule many-64K.schedule || fail "alone another schedule is found"
fastest=$(sed -n '3s/.*the fastest algorithm (\([^)]*\)).*/\1/p' many.rules)
for case in "1 $fastest" '255 '"$fastest" '256 @many-64K.schedule' '64K @many-64K.schedule' '1M @many-1M.schedule'; do
    works "$cpm" rules many.rules --explain bcast -m "${case% *}" -n 4
    grep -q ": ${case#* }\$" stdout || fail "$case: $(cat stdout)"
done
for call in '-m 2M -n 4' '-m 64K -n 5' '-m 64K -n 4 --root 1'; do
    # shellcheck disable=SC2086 # words
    works "$cpm" rules many.rules --explain bcast $call
    ! grep -q 'many-' stdout || fail "$call: $(cat stdout)"
done
ldd "$cpm" | grep -q libasan || # nothing can be preloaded before it
    works "${mpiexec[@]}" 4 "$cpm" run --rules many.rules -- true

# What is no schedule is not shown, and nobody waits for a pipe.
echo 'password: 12345' >secret
mkfifo pipe
refused 1 'secret:1: no schedule: it does not begin with' "$cpm" predict lmo4.mod bcast:@secret -m 1K
! grep -q 12345 stdout stderr || fail "a secret is shown: $(cat stderr)"
refused 1 'pipe: cannot be read: not a regular file' timeout 20 "$cpm" predict lmo4.mod bcast:@pipe -m 1K
refused 1 'dev/zero: cannot be read: not a regular file' timeout 20 "$cpm" predict lmo4.mod bcast:@/dev/zero -m 1K

# A file that is wrong is named wherever it is used.
sed '$d' bcast.schedule >short.schedule
sed 's/ -> / => /' bcast.schedule >typed.schedule
for command in "predict lmo4.mod OP -m 1K" "check OP -n 4" "draw OP -n 4" "bench coll --machine lmo4.mod OP -m 1K --quiet" \
    "tune lmo4.mod OP -n 4 -m 1K -o x.json" "export --goal OP -n 4"; do
    # shellcheck disable=SC2086 # words
    refused 1 'short.schedule: it does not do what bcast demands: rank' "$cpm" ${command/OP/bcast:@short.schedule}
    # shellcheck disable=SC2086
    refused 1 'typed.schedule:[0-9]*: expected ' "$cpm" ${command/OP/bcast:@typed.schedule}
    # shellcheck disable=SC2086
    refused 1 'none.schedule: cannot be read: No such file' "$cpm" ${command/OP/bcast:@none.schedule}
done
finds 2 "$cpm" check bcast:@bcast.schedule -n 5
grep -q "5: it needs 4 processes" stdout || fail "of 5: $(cat stdout)"
refused 2 'it is a schedule of 4 processes, not of 5' "$cpm" export --goal bcast:@bcast.schedule -n 5
refused 2 'it is a schedule of bcast, not of gather' "$cpm" predict lmo4.mod gather:@bcast.schedule -m 1K
finish
