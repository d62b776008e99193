#!/usr/bin/env bash
# Decision tables from models.
. "$(dirname "$0")/lib.sh"

golden help_tune tune --help
golden tune tune lmo4.mod bcast:binomial,bcast:chain:segment=8K,bcast:scatter-ring \
    gather:linear,gather:split-barrier -n 3,4 -m 1K:1M
golden tune_for_openmpi tune lmo4.mod bcast reduce allreduce --for openmpi -m 0:1M
golden tune_commuting tune lmo4.mod reduce -n 4 --for openmpi --commuting -m 0:1M
golden tune_for_mpich tune lmo4.mod -n 3,4 --for mpich

# Without its irregular region, which is looked at below.
sed '/"M1"/,/}/s/4096/null/' lmo4.mod >regular.mod

# What the table says for a size that ends a class is as fast as the fastest that predict finds.
works "$cpm" tune regular.mod bcast -n 4 -m 1K:1M -o regular.json
for size in 1024 8192 65536 524288; do
    works "$cpm" predict regular.mod bcast -m "$size" --segments 1K,4K,16K,64K,256K --format tsv
    least=$(awk -F'\t' '!/^#/ && $5 + 0 > 0 && (!min || $5 < min) { min = $5 } END { print min }' stdout)
    chosen=$(sed -nE 's/.*"from": ([0-9]+), "algorithm": "([^"]+)".*/\1 \2/p' regular.json |
        awk -v size="$size" '$1 <= size { name = $2 } END { print name }')
    works "$cpm" predict regular.mod "bcast:$chosen" -m "$size" --format tsv
    awk -F'\t' -v least="$least" '!/^#/ && $5 + 0 > 0 { exit !($5 <= least * 1.000001) }' stdout ||
        fail "$size bytes: $chosen is slower than $least us: $(cat stdout)"
done

# A rule holds for all sizes of its class, not only for the one that it was decided by: segments of
# 65536 bytes wait for their receivers there, and those that other blocks are cut into do not.
crowd=$here/../../examples/models/gigabit16.mod
works "$cpm" tune "$crowd" bcast -n 16 -m 2500K:3M -o crowd.json
for size in 2593202 2877281; do
    chosen=$(sed -nE 's/.*"from": ([0-9]+), "algorithm": "([^"]+)".*/\1 \2/p' crowd.json |
        awk -v size="$size" '$1 <= size { name = $2 } END { print name }')
    works "$cpm" predict "$crowd" "bcast:$chosen" bcast:native --library mpich -m "$size" --format tsv
    awk -F'\t' -v name="bcast:$chosen" '$1 == name { own = $5 } $1 == "bcast:native" { native = $5 }
        END { exit !(own > 0 && own <= native) }' stdout ||
        fail "$size bytes: $chosen is slower than MPI's own routine: $(cat stdout)"
done

# What a program calls, as it calls it, and nothing else.
works "$cpm" tune lmo4.mod --profile app.profile -o called.json
grep -q '"timing": "as called"' called.json || fail "no timing: $(cat called.json)"
sed -nE 's/^    "([a-z_]+)": \{/\1/p' called.json | tr '\n' ' ' >tuned
[ "$(cat tuned)" = "bcast gatherv allgather barrier " ] || fail "tuned: $(cat tuned)"
grep -A3 '"bcast"' called.json | grep -q '"from": 4, .*"timing": "batch"' || fail "bcast: $(cat called.json)"
grep -A3 '"gatherv"' called.json | grep '"from"' | grep -q '"timing"' && fail "gatherv: $(cat called.json)"
refused 2 'no rule in the table: the program has no such calls' "$cpm" tune lmo4.mod reduce --profile app.profile -o no.json
refused 2 '--sizes and --profile' "$cpm" tune lmo4.mod --profile app.profile -m 1K -o no.json
sed 's/"timing": "batch"/"timing": "often"/' called.json >wrong.json
refused 1 'wrong.json:[0-9]+: .*"isolated" or "batch" as "timing", found often' "$cpm" rules wrong.json

# M1 of this model is 4096: from there on a linear gather escalates.
works "$cpm" tune lmo4.mod gather:linear,gather:binomial -n 4 -m 4000:5000:100
grep -q '"from": 4096, "algorithm": "binomial"' stdout || fail "escalates: $(cat stdout)"
works "$cpm" tune regular.mod gather:linear,gather:binomial -n 4 -m 4000:5000:100
! grep -q '"algorithm": "binomial"' stdout || fail "binomial is not the fastest: $(cat stdout)"

# Operations with counts, if they are named, have rules of their own; a table without rules is none.
works "$cpm" tune lmo4.mod scatterv:linear,scatterv:binomial bcast:linear -n 4 -m 1K:64K
[ "$(grep -c '"scatterv": {\|"bcast": {' stdout)" = 2 ] || fail "no rules: $(cat stdout)"
refused 2 'alltoallv:simple: the sizes of its calls are unknown' "$cpm" tune lmo4.mod alltoallv:simple -o none.json
refused 2 'bcast:2d:x=native:y=native: lines by the MPI' "$cpm" tune lmo4.mod bcast:linear,bcast:2d:x=native:y=native -o none.json
refused 2 'there would be no rule in the table' "$cpm" tune lmo4.mod allgather:pair -n 3 -o none.json
[ ! -e none.json ] || fail "something is written"

# For calls that follow each other: the rules are what predict says of such, and files tell it.
golden tune_batch tune regular.mod bcast:linear,bcast:chain gather:binomial,gather:linear -n 4 -m 1K:64K --timing batch
works "$cpm" tune regular.mod bcast:linear,bcast:binomial,bcast:chain -n 4 -m 1K:1M --timing batch --batch 20 -o batch.json
grep -q '"timing": "batch of 20"' batch.json || fail "no timing: $(cat batch.json)"
for size in 1024 65536; do
    works "$cpm" predict regular.mod bcast:linear,bcast:binomial,bcast:chain -m "$size" --timing batch --batch 20 --format tsv
    fastest=$(awk -F'\t' '/^bcast/ && (!name || $5 < min) { min = $5; name = $1 } END { print name }' stdout)
    chosen=$(sed -nE 's/.*"from": ([0-9]+), "algorithm": "([^"]+)".*/\1 \2/p' batch.json |
        awk -v size="$size" '$1 <= size { name = $2 } END { print name }')
    [ "$fastest" = "bcast:$chosen" ] || fail "$size bytes: $chosen, but the fastest is $fastest"
done
works "$cpm" export --openmpi batch.json -o batch.rules
head -1 batch.rules | grep -q 'timing batch of 20$' || fail "Open MPI's file: $(head -1 batch.rules)"
grep -q 'not for isolated calls (timing: batch of 20)' stderr || fail "export: $(cat stderr)"
works "$cpm" export --openmpi regular.json -o regular.rules
! grep -q timing stderr regular.rules || fail "isolated: $(cat stderr)"

works "$cpm" tune lmo4.mod -o table.json
[ ! -s stdout ] || fail "prints besides: $(cat stdout)"
for n in 2 4; do
    [ "$(grep -c "\"$n\": \[" table.json)" = 11 ] || fail "not all operations for $n processes"
done

refused 2 '5 is not in 2..4' "$cpm" tune lmo4.mod -n 2,5
refused 2 '1 is not in 2..4' "$cpm" tune lmo4.mod -n 1
refused 2 'has not the root' "$cpm" tune lmo4.mod -n 2:4 --root 3
refused 2 'must ascend' "$cpm" tune lmo4.mod -m 4K,2K
refused 2 "unknown MPI library 'lam'" "$cpm" tune lmo4.mod --for lam
refused 2 'unknown operation' "$cpm" tune lmo4.mod broadcast
refused 1 'cannot be written' "$cpm" tune lmo4.mod -o nowhere/table.json
refused 1 'cannot be read' "$cpm" tune no.mod
finish
