#!/usr/bin/env bash
# bench/reality of a simulated machine, which is predicted as it was measured; and of real ones in the folder that
# CPM_REALITY names, if there is one.
. "$(dirname "$0")/lib.sh"
reality=$here/../../bench/reality

mkdir -p data/simulated
works "$cpm" measure -M lmo2 --machine lmo4.mod --noise 0.01 --no-thresholds --quiet -o data/simulated/m4.meas
for operation in bcast reduce alltoall; do
    works "$cpm" bench coll --machine lmo4.mod --noise 0.01 --quiet $operation -m 64,4K,64K -o data/simulated/$operation-4.meas
done
works "$reality" data --cpm "$cpm" --format tsv
[ "$(head -n 1 stdout)" = "$(printf 'data\tfactor\twithin\tbias\tchosen\tworst\tdefault')" ] || fail "columns: $(cat stdout)"
awk -F '\t' 'NR == 2 { exit !($1 == "simulated-4" && $2 < 1.05 && $3 > 0.99 && $5 < 1.05) }' stdout || fail "it is not predicted: $(cat stdout)"

# What is wrong is seen: twice as slow as it was predicted.
awk '!/^#/ && NR > 1 && $1 ~ /:/ { for (k = 8; k <= 11; k++) $k *= 2 } 1' data/simulated/bcast-4.meas >twice
mkdir -p slow/machine
cp data/simulated/m4.meas slow/machine
cp twice slow/machine/bcast-4.meas
works "$reality" slow --cpm "$cpm" --format tsv
awk -F '\t' 'NR == 2 { exit !($2 > 1.8 && $4 < 0.6) }' stdout || fail "twice as slow is not seen: $(cat stdout)"

mkdir empty
"$reality" empty --cpm "$cpm" >stdout 2>stderr && fail "nothing is no data set"
grep -q 'no data set below empty' stderr || fail "no reason: $(cat stderr)"

if [ -n "${CPM_REALITY:-}" ]; then
    works "$reality" "$CPM_REALITY" --cpm "$cpm"
    cat stdout
fi
finish
