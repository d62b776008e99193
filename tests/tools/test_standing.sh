#!/usr/bin/env bash
# Which algorithms are as fast as the fastest, and whether two runs differ: by tests of ranks.
. "$(dirname "$0")/lib.sh"

bench() { works "$cpm" bench coll --machine lmo4.mod --quiet "$@"; }

# standing ALGORITHM: what stands behind it in the last table
standing() { awk -v name="$1" '$2 == name { print $7, $8 }' stdout | xargs; }

# Times without noise are all equal: 170 us of linear, 228 of binomial and what is played as native.
an_algorithm_stands_where_its_times_are() {
    bench bcast:binomial,bcast:linear,bcast:native,scatter:linear,gather:linear,gather:binomial -m 1K
    [ "$(standing bcast:linear)" = fastest ] || fail "linear: $(cat stdout)"
    [ "$(standing bcast:binomial)" = slower ] || fail "binomial: $(cat stdout)"
    [ "$(standing bcast:native)" = slower ] || fail "native: $(cat stdout)"
    [ "$(standing scatter:linear)" = - ] || fail "alone: $(cat stdout)"
    bench bcast:binomial,bcast:native -m 1K
    [ "$(standing bcast:binomial)" = fastest ] || fail "the first of equal ones: $(cat stdout)"
    [ "$(standing bcast:native)" = 'as fast' ] || fail "the second of equal ones: $(cat stdout)"
    bench scatter -m 1K --noise 0.05 --min-reps 5 --max-reps 5
    [ "$(standing scatter:chain)" = 'too few' ] || fail "5 of 15: $(cat stdout)"
    bench scatter -m 1K --noise 0.05 --min-reps 20
    [ "$(standing scatter:chain)" = slower ] || fail "20 of 15: $(cat stdout)"
    [ "$(standing scatter:linear)" = fastest ] || [ "$(standing scatter:linear)" = 'as fast' ] ||
        fail "linear of 15: $(cat stdout)"
}

# Of what a campaign before it measured without --raw only the summary is known.
# As the help says: 5 repetitions do not tell among all algorithms of an operation, 10 do.
ten_repetitions_tell_among_all_algorithms() {
    for reps in 5 10; do
        works "$cpm" bench coll --machine lmo4.mod --quiet -m 1K --noise 0.001 --min-reps $reps --max-reps $reps
        grep -v '^#' stdout | grep -c 'too few$' >few$reps
    done
    [ "$(cat few5)" -gt 0 ] || fail "5 are enough"
    [ "$(cat few10)" = 0 ] || fail "10 are too few"
}

without_repetitions_nothing_is_compared() {
    bench bcast:binomial,bcast:linear -m 1K -o short.meas
    bench bcast:binomial,bcast:linear -m 1K,2K -o short.meas --resume
    [ "$(standing bcast:linear)" = '- fastest' ] || fail "resumed: $(cat stdout)"
    bench bcast:binomial,bcast:linear -m 1K --raw -o long.meas
    bench bcast:binomial,bcast:linear -m 1K,2K --raw -o long.meas --resume
    [ "$(standing bcast:linear)" = 'fastest fastest' ] || fail "resumed with --raw: $(cat stdout)"
}

# The same machine twice, and one whose broadcasts are 10 % slower.
runs_are_compared() {
    local some=scatter:linear,scatter:binomial,bcast:linear,bcast:native
    bench $some -m 1K,16K --noise 0.05 --min-reps 30 --raw -o a.meas
    bench $some -m 1K,16K --noise 0.05 --min-reps 30 --seed 2 --raw -o b.meas
    awk '/ samples$/ { print; rows = 1; next }
        rows && /^bcast/ { n = split($NF, t, ","); s = ""
            for (k = 1; k <= n; k++) s = s (k > 1 ? "," : "") sprintf("%.12g", 1.1 * t[k])
            for (k = 9; k <= 16; k++) $k = sprintf("%.12g", 1.1 * $k)
            $NF = s }
        { print }' b.meas >slower.meas
    golden runs_same compare a.meas b.meas
    golden runs_slower compare a.meas slower.meas
    golden runs_tsv compare a.meas slower.meas bcast scatter:binomial --format tsv
    works "$cpm" compare a.meas slower.meas -o runs.tsv
    [ "$(grep -c '^bcast.*yes$' runs.tsv)" = 4 ] || fail "the table: $(cat runs.tsv)"

    bench $some -m 1K,16K --noise 0.05 --max-reps 5 --raw -o few.meas
    works "$cpm" compare few.meas few.meas
    grep -q '^# 0 of 8 differ at a level of 5 %; 8 have too few repetitions (--min-reps) to tell$' stdout ||
        fail "few: $(cat stdout)"
    for seed in 1 2; do
        bench scatter:linear -m 1K --noise 1 --seed $seed --min-reps 8 --max-reps 8 --raw -o wild$seed.meas
    done
    works "$cpm" compare wild1.meas wild2.meas
    grep -q '^scatter:linear .*cannot tell$' stdout || fail "wild: $(cat stdout)"
    grep -q '^# 0 of 1 differ at a level of 5 %; of 1 it cannot be told: ' stdout || fail "wild: $(cat stdout)"
    bench scatter:linear,gather:linear -m 1K --raw -o other.meas
    works "$cpm" compare a.meas other.meas
    grep -q '^# in A only: 7$' stdout && grep -q '^# in B only: 1$' stdout ||
        fail "what is in one only: $(cat stdout)"
}

what_cannot_be_compared_is_refused() {
    bench scatter:linear -m 1K -o short.meas.2
    refused 1 'short.meas.2: lacks the repetitions, .*: measure with --raw' "$cpm" compare a.meas short.meas.2
    refused 1 'short.meas.2: lacks the repetitions, .*: measure with --raw' "$cpm" compare short.meas.2 a.meas
    bench gather:linear -m 3K --raw -o gather.meas
    refused 1 'a.meas and gather.meas have no collective in common' "$cpm" compare a.meas gather.meas
    refused 1 'no collective in common of these' "$cpm" compare a.meas b.meas gather
    refused 2 "unknown operation 'broadcast'" "$cpm" compare a.meas b.meas broadcast
    refused 2 'without --formulas' "$cpm" compare a.meas b.meas --formulas
    sed 's/^# timing: max/# timing: root/' a.meas >root.meas
    refused 2 "root.meas: its timing is 'root', but in a.meas it is 'max'" "$cpm" compare a.meas root.meas
    works "$cpm" bench coll --machine hosts4.mod --layout 2x4 --quiet scatter:linear -m 1K --raw -o eight.meas
    refused 1 'eight.meas: has 8 processes, but a.meas has 4' "$cpm" compare a.meas eight.meas
    sed 's/^\(# placement: \).*/\1map=0123456789ab/' a.meas >placed.meas
    refused 2 "placed.meas: its placement is 'map=" "$cpm" compare a.meas placed.meas
    sed 's/,[^,]*$/,nan/' a.meas >nan.meas
    refused 1 'nan.meas:[0-9]*: ' "$cpm" compare a.meas nan.meas
    refused 2 'no model is given' "$cpm" compare a.meas a.meas b.meas
    refused 1 'nothing.mod: cannot be read' "$cpm" compare a.meas b.meas nothing.mod
}

an_algorithm_stands_where_its_times_are
ten_repetitions_tell_among_all_algorithms
without_repetitions_nothing_is_compared
runs_are_compared
what_cannot_be_compared_is_refused
finish
