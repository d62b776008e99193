#!/usr/bin/env bash
# cpm bench coll --guidelines: which guidelines a simulated library violates, by how much, and what mends them; the
# same from a file of measurements; cpm tune --measure, which tries what mends them.
. "$(dirname "$0")/lib.sh"
play=(--machine "$here/../../examples/models/gigabit16.mod" --quiet)
guide=("$cpm" bench coll --guidelines)

# row GUIDELINE SIZE: its row.
row() { awk -v what="$1" -v size="$2" 'index($0, what " ") == 1 && $0 ~ " " size " " { print; exit }' stdout | sed "s/^$1 *//"; }

# Without noise times are the model's, and the ratio is that of its predictions. The simulated library has binomial
# broadcasts, and linear scatters.
finds 3 "${guide[@]}" "${play[@]}" bcast -m 1K,16K
grep -Eq '^2 of 4 guidelines violated, 2 kept, 0 undecided$' stdout || fail "$(head -1 stdout)"
read -r size left right ratio _ verdict mended by <<<"$(row 'bcast <= scatter + allgather' 262144)"
cp stdout exact
[ "$size $verdict $mended" = "262144 violated bcast:scatter-doubling" ] || fail "not violated: $(cat stdout)"
# predicted ALGORITHM BYTES: microseconds.
predicted() { "$cpm" predict "${play[1]}" "$1" -m "$2" --format tsv | tail -n 1 | cut -f 5; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.999 * b - 0.01 && a < 1.001 * b + 0.01) }'; }
near "$left" "$(predicted bcast:binomial 256K)" || fail "left is $left, not $(predicted bcast:binomial 256K)"
awk -v l="$left" -v r="$right" -v x="$ratio" 'BEGIN { exit !(x > l / r - 0.006 && x < l / r + 0.006) }' || fail "ratio $ratio is not $left / $right"
awk -v l="$left" -v m="$(predicted bcast:scatter-doubling 256K)" -v x="${by//[()]/}" 'BEGIN { exit !(x > m / l - 0.006 && x < m / l + 0.006) }' ||
    fail "mended to $by, not as predicted"
read -r _ _ _ _ _ verdict mended _ <<<"$(row 'bcast <= 16 bcast of 16384 B' 262144)"
[ "$verdict $mended" = "kept -" ] || fail "split: $(cat stdout)"

# With noise, for all operations: the same verdicts, whatever the seed; and those of its file.
for seed in 1 2; do
    finds 3 "${guide[@]}" "${play[@]}" --noise 0.02 --seed $seed -o g$seed.meas
    sed -n '/violated\|kept/s/ \([0-9]*\)  .* \(violated\|kept\|cannot tell\) .*/ \1 \2/p' stdout | sort >verdicts$seed
    cp stdout measured$seed
done
cmp -s verdicts1 verdicts2 || fail "verdicts differ: $(diff verdicts1 verdicts2)"
[ "$(wc -l <verdicts1)" -ge 80 ] || fail "few guidelines: $(wc -l <verdicts1)"
for rule in 'bcast <= scatter + allgather' 'reduce <= reduce_scatter + gather' 'allgather <= alltoall' 'reduce_scatter <= allreduce'; do
    grep -q "^$rule .*violated" measured1 || fail "not violated: $rule"
done
finds 3 "${guide[@]}" g1.meas
diff stdout measured1 || fail "the file says something else"
for format in tsv json; do
    finds 3 "${guide[@]}" g1.meas --format $format
    grep -q 'bcast:scatter-doubling' stdout && grep -q 'violated' stdout || fail "$format: $(head -20 stdout)"
done
[ "$(finds 3 "${guide[@]}" g1.meas --format tsv; grep -vc '^#' stdout)" = $(($(wc -l <verdicts1) + 1)) ] || fail "rows of tsv"

# What others have measured, with every repetition.
works "$cpm" bench coll "${play[@]}" bcast:native,scatter:native,allgather:native -m 1K,16K --noise 0.02 --min-reps 20 --raw -o raw.meas
finds 3 "${guide[@]}" raw.meas
grep -q '^bcast <= scatter + allgather  *16384 .*violated' stdout || fail "raw.meas: $(cat stdout)"
works "$cpm" bench coll "${play[@]}" bcast:native,scatter:native,allgather:native -m 1K,16K -o summary.meas
refused 1 'summary.meas: there are no samples to test' "${guide[@]}" summary.meas
works "$cpm" bench coll "${play[@]}" bcast:binomial -m 1K --raw -o own.meas
refused 1 'own.meas: holds nothing that a guideline compares' "${guide[@]}" own.meas

# Exit codes: all kept; nothing can be told.
finds 0 "${guide[@]}" "${play[@]}" --noise 0.02 alltoall -m 1K,4K
grep -q '^0 of 4 guidelines violated, 4 kept' stdout || fail "$(head -1 stdout)"
finds 4 "${guide[@]}" "${play[@]}" --noise 0.5 alltoall -m 1K,2K --turns 5 --min-reps 1
grep -q '^0 of 4 guidelines violated, 0 kept, 4 undecided' stdout || fail "$(head -1 stdout)"
finds 0 "${guide[@]}" "${play[@]}" bcast -m 1K,16K --tolerance 2 # 2.02 times is fine then

refused 2 "own routines" "${guide[@]}" "${play[@]}" bcast:binomial
refused 2 'barrier: there is no guideline for it' "${guide[@]}" "${play[@]}" barrier
refused 2 'castb' "${guide[@]}" "${play[@]}" castb
refused 2 'name sizes above 0' "${guide[@]}" "${play[@]}" bcast -m 0
refused 1 '/nonexistent' "${guide[@]}" "${play[@]}" bcast -o /nonexistent/x.meas
refused 2 'turns: 4 is not in 5..10000' "${guide[@]}" "${play[@]}" bcast --turns 4
refused 2 'does not go with' "${guide[@]}" "${play[@]}" bcast --adaptive
refused 2 'does not go with' "${guide[@]}" "${play[@]}" bcast --resume -o g.meas

# tune: all that mends a guideline is among its candidates, and it says which one has.
works "$cpm" tune --measure "${play[@]}" bcast:scatter-doubling -m 256K -o one.json
works "$cpm" tune --measure --machine "${play[1]}" bcast:scatter-doubling -m 256K -o one.json
grep -q '^cpm: guideline bcast <= scatter + allgather: mended by bcast:scatter-doubling at 262144 B$' stderr || fail "tune: $(cat stderr)"
works "$cpm" tune --measure --machine lmo4.mod --quiet all -m 1K --max-reps 8 -o all.json
finds 3 "${guide[@]}" --machine lmo4.mod --quiet -m 1K -o g4.meas
[ "$(grep -c '^[a-z_]*:[a-z]' g4.meas)" -ge 20 ] || fail "few algorithms in g4.meas"
for name in $(sed -n '/:native /d; s/^\([a-z_]*:[a-z0-9-]*\) .*/\1/p' g4.meas | sort -u); do
    grep -q "^$name[ :]" all.meas || fail "$name is no candidate of cpm tune"
done

# Processes: one table, and all exit alike.
"${mpiexec[@]}" 2 "$cpm" bench coll --guidelines gather,alltoall -m 64 --turns 5 --min-reps 2 --quiet >stdout 2>stderr
case $? in 0 | 3 | 4) ;; *) fail "processes: $(cat stderr)" ;; esac
[ "$(grep -c '^gather <= allgather' stdout)" = 1 ] && [ "$(grep -c 'guidelines violated' stdout)" = 1 ] || fail "processes: $(cat stdout stderr)"
finish
