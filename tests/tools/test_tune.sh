#!/usr/bin/env bash
# Decision tables from models.
. "$(dirname "$0")/lib.sh"

golden help_tune tune --help
golden tune tune lmo4.mod bcast:linear,bcast:linear:segment=8K,bcast:binary:segment=8K gather:linear,gather:binomial -n 3,4 -m 1K:1M
golden tune_for_openmpi tune lmo4.mod bcast reduce allreduce --for openmpi -m 0:1M
golden tune_commuting tune lmo4.mod reduce -n 4 --for openmpi --commuting -m 0:1M
golden tune_for_mpich tune lmo4.mod -n 3,4 --for mpich

# Without its irregular region, which is looked at below.
sed '/"M1"/,/}/s/4096/null/' lmo4.mod >regular.mod

# What the table says is what predict finds to be the fastest from the same size on.
works "$cpm" predict regular.mod bcast -m 1K:1M --segments 8K,64K --crossovers
awk '!/^#/ { sub(/^bcast:/, "", $2); print $1, $2 }' stdout >predicted
works "$cpm" tune regular.mod bcast -n 4 -m 1K:1M
sed -nE 's/.*"from": ([0-9]+), "algorithm": "([^"]+)".*/\1 \2/p' stdout | head -n -1 >tuned
[ -s predicted ] || fail "nothing predicted"
diff -u predicted tuned || fail "predict finds others"

# M1 of this model is 4096: from there on (sizes are right to 1 %) a linear gather escalates.
works "$cpm" tune lmo4.mod gather:linear,gather:binomial -n 4 -m 4000:5000:100
grep -q '"from": 4100, "algorithm": "binomial"' stdout || fail "escalates: $(cat stdout)"
works "$cpm" tune regular.mod gather:linear,gather:binomial -n 4 -m 4000:5000:100
! grep -q '"algorithm": "binomial"' stdout || fail "binomial is not the fastest: $(cat stdout)"

works "$cpm" tune lmo4.mod -o table.json
[ ! -s stdout ] || fail "prints besides: $(cat stdout)"
for n in 2 4; do
    [ "$(grep -c "\"$n\": \[" table.json)" = 9 ] || fail "not all operations for $n processes"
done

refused 1 '5 is not in 2..4' "$cpm" tune lmo4.mod -n 2,5
refused 1 '1 is not in 2..4' "$cpm" tune lmo4.mod -n 1
refused 1 'has not the root' "$cpm" tune lmo4.mod -n 2:4 --root 3
refused 2 'must ascend' "$cpm" tune lmo4.mod -m 4K,2K
refused 1 "unknown MPI library 'lam'" "$cpm" tune lmo4.mod --for lam
refused 1 'unknown operation' "$cpm" tune lmo4.mod broadcast
refused 1 'cannot be written' "$cpm" tune lmo4.mod -o nowhere/table.json
refused 1 'cannot be read' "$cpm" tune no.mod
finish
