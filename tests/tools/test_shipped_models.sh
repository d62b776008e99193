#!/usr/bin/env bash
# The models that are shipped play clusters whose truth is measured and found again.
. "$(dirname "$0")/lib.sh"

models=$here/../../examples/models
for model in "$models"/*.mod; do
    works "$cpm" predict "$model" bcast scatter -m 1K
    grep -q "${model##*/}" "$models/README.md" || fail "$model is not explained"
done

# again NAME ERROR OPTION...: measured without noise, no prediction is off by more than ERROR
again() {
    local name=$1 error=$2
    shift 2
    works "$cpm" model --machine "$models/$name.mod" -M lmo2 --no-thresholds --quiet --min-reps 2 -o "$name.mod" "$@"
    for algorithm in bcast:binomial gather:linear allgather:ring; do
        for size in 1K 16K 256K; do
            real=$("$cpm" predict "$models/$name.mod" "$algorithm" -m "$size" --format tsv --no-intervals | awk '!/^#/ && $1 != "algorithm" {print $5}')
            seen=$("$cpm" predict "$name.mod" "$algorithm" -m "$size" --format tsv --no-intervals | awk '!/^#/ && $1 != "algorithm" {print $5}')
            awk -v real="$real" -v seen="$seen" -v error="$error" 'BEGIN {exit !(seen > (1 - error) * real && seen < (1 + error) * real)}' ||
                fail "$name: $algorithm of $size: $seen instead of $real"
        done
    done
}

again gigabit16 0.03
again multicore8x4 0.03
again infiniband128 0.03 --classes auto

finish
