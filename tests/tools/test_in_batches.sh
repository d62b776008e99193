#!/usr/bin/env bash
# Calls that follow each other at once: measured, predicted, and kept apart from isolated ones.
. "$(dirname "$0")/lib.sh"

names=bcast:linear,bcast:chain:segment=1K,gather:binomial,allgather:logical-ring
golden bench_batch bench coll --machine lmo4.mod bcast:linear bcast:chain -m 1K,64K --timing batch --quiet
golden predict_batch predict lmo4.mod bcast:linear bcast:chain -m 1K,64K --timing batch
golden validate_batch validate lmo4.mod --machine lmo4.mod bcast:linear -m 1K,64K --timing batch --batch 20 --quiet

# What is measured is what is predicted, of batches of any length.
for batch in "" "--batch 3" "--batch 40"; do
    # shellcheck disable=SC2086 # two words
    works "$cpm" validate lmo4.mod --machine lmo4.mod $names -m 1,1K,64K,1M --timing batch $batch --quiet --max-error 1e-6
done

# The file says it, and whoever reads it predicts the same or refuses it.
"$cpm" bench coll --machine lmo4.mod $names -m 1K,64K --timing batch --quiet -o batch.meas >/dev/null
"$cpm" bench coll --machine lmo4.mod $names -m 1K,64K --timing batch --batch 20 --quiet -o 20.meas >/dev/null
"$cpm" bench coll --machine lmo4.mod $names -m 1K,64K --quiet -o isolated.meas >/dev/null
grep -qx '# timing: batch' batch.meas || fail "no timing: $(head -20 batch.meas)"
grep -qx '# timing: batch of 20' 20.meas || fail "no timing: $(head -20 20.meas)"
for file in batch 20; do
    works "$cpm" compare lmo4.mod $file.meas --formulas --format tsv
    awk -F'\t' '$1 !~ /homogeneous/ && $9 + 0 == $9 && ($9 > 1e-6 || $9 < -1e-6) { bad = 1 } END { exit bad }' stdout ||
        fail "errors of what played the machine: $(cat stdout)"
done
works "$cpm" compare lmo4.mod 20.meas
grep -q 'timing batch of 20$' stdout || fail "compare does not tell: $(cat stdout)"
refused 2 "isolated.meas: its timing is 'isolated', but 'batch' in those before it" \
    "$cpm" compare lmo4.mod batch.meas isolated.meas
refused 2 "20.meas: its timing is 'batch of 20', but 'batch' in those before it" \
    "$cpm" compare lmo4.mod batch.meas 20.meas
refused 2 'batch.meas: cannot resume: .*timing' \
    "$cpm" bench coll --machine lmo4.mod $names -m 1K,64K --quiet -o batch.meas --resume
refused 1 'batch.meas: its collectives follow each other' "$cpm" fit batch.meas -M interp -o none.mod
[ ! -e none.mod ] || fail "a model of a batch"
sed 's/^# timing: .*/# timing: batch of many/' batch.meas >many.meas
refused 1 "many.meas: the timing 'batch of many' does not name" "$cpm" compare lmo4.mod many.meas

works "$cpm" predict lmo4.mod bcast:linear -m 1K --timing batch --format json
grep -q '"timing": "batch"' stdout || fail "json: $(cat stdout)"
works "$cpm" predict lmo4.mod bcast:linear -m 1K --timing batch --batch 5 --format tsv
grep -qx '# timing: batch of 5' stdout || fail "tsv: $(cat stdout)"
works "$cpm" validate lmo4.mod --machine lmo4.mod bcast -m 1K,64K --timing batch --quiet -o batch.tsv
grep -qx '# timing: batch' batch.tsv || fail "validate's table: $(head -4 batch.tsv)"
! command -v gnuplot >/dev/null || works "$cpm" plot batch.tsv -o batch.png
works "$cpm" predict lmo4.mod bcast -m 1K:1M --timing batch --crossovers
grep -q 'timing batch' stdout || fail "crossovers: $(cat stdout)"

refused 2 '--batch: is for --timing batch' "$cpm" predict lmo4.mod bcast --batch 5
refused 2 '--buffers: a simulated cluster has none' "$cpm" bench coll --machine lmo4.mod bcast --buffers same
refused 2 "unknown state of buffers 'frozen'" "$cpm" bench coll --machine lmo4.mod bcast --buffers frozen
refused 2 '--buffers cold: only the first call' "$cpm" bench coll bcast --timing batch --buffers cold
refused 2 '--batch: is for --timing batch' "$cpm" bench coll --machine lmo4.mod bcast --batch 5 --timing max
refused 2 'batch: .*from 1 to' "$cpm" predict lmo4.mod bcast --timing batch --batch 0
refused 2 'batch: .*from 1 to' "$cpm" predict lmo4.mod bcast --timing batch --batch 1000001
refused 2 'timing: .*known: isolated, batch' "$cpm" predict lmo4.mod bcast --timing global
refused 2 'models are fitted to isolated calls' "$cpm" model -M lmo --machine lmo4.mod --timing batch -o none.mod
refused 2 'models are fitted to isolated calls' "$cpm" measure -M lmo --machine lmo4.mod --timing batch -o none.meas
refused 2 'formulas predict isolated calls' "$cpm" predict lmo4.mod bcast:linear --timing batch --method formula
refused 2 'formulas predict isolated calls' \
    "$cpm" validate lmo4.mod --machine lmo4.mod bcast:linear --timing batch --method formula

# With MPI.
works "${mpiexec[@]}" 2 "$cpm" bench coll bcast:binomial,bcast:native -m 1K --timing batch --batch 3 --quiet \
    --min-reps 2 --max-reps 3 -o mpi.meas
grep -qx '# timing: batch of 3' mpi.meas || fail "MPI: $(head -20 mpi.meas)"
finish
