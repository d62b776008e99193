#!/usr/bin/env bash
# cpm tune --verify: what a file names against the library's own routine; and what exports keep.
. "$(dirname "$0")/lib.sh"

# M1 of this model is 4096, from where on it plays time-outs; here everything is regular.
sed '/"M1"/,/}/s/4096/null/' lmo4.mod >regular.mod
play=(--machine regular.mod)
golden help_tune_verify tune --verify --help

# row FILE OPERATION FROM: gain, verdict
row() { awk -v o="$2" -v from="$3" '$1 == o && $3 == from { print $6, $NF }' "$1"; }

cat >table.json <<'END'
{"format": "cpm table", "version": 1, "operations": {
  "bcast": {"2": [{"from": 0, "algorithm": "linear"}],
            "4": [{"from": 0, "algorithm": "linear"}, {"from": 65536, "algorithm": "chain"},
                  {"from": 131072, "algorithm": "native"}]},
  "gather": {"4": [{"from": 100, "algorithm": "chain"}]}}}
END

# The same machine, which plays the same times, says who is faster.
verdicts_are_those_of_the_machine() {
    works "$cpm" tune --verify "${play[@]}" table.json --quiet -o kept.json
    mv stdout said
    while read -r operation from bytes algorithm; do
        "$cpm" bench coll "${play[@]}" "$operation:$algorithm,$operation:native" -m "$bytes" --quiet >bench
        want=$(awk -v name="$operation:$algorithm" '$2 == name { own = $3 } $2 ~ /native/ { native = $3 }
            END { printf "%.1f%% %s", 100 * (1 - own / native), own < native ? "gains" : "loses" }' bench)
        [ "$(row said "$operation" "$from")" = "$want" ] || fail "$operation from $from: not $want: $(cat said)"
    done <<<'bcast 0 1024 linear
bcast 65536 65536 chain
gather 100 100 chain'
    [ "$(grep -c '^[bg]' said)" = 3 ] || fail "not three rows: $(cat said)"
}

# A rule that loses is the library's; what was not tried stays.
what_loses_is_left_out() {
    loses=$(awk '$NF == "loses"' said | wc -l)
    [ "$loses" -ge 1 ] || fail "nothing loses: $(cat said)"
    [ "$(grep -c '"native"}' kept.json)" = $((loses + 1)) ] || fail "not $loses left out: $(cat kept.json)"
    grep -A1 '"2": \[' kept.json | grep -q '{"from": 0, "algorithm": "linear"}' || fail "of 2 processes: $(cat kept.json)"
    grep -q '"algorithm": "linear", "native": .*"least_gain": 0\.' kept.json || fail "no gain: $(cat kept.json)"
    grep -q '"verified": "in 10 turns on 4 processes' kept.json || fail "it does not say so: $(cat kept.json)"
    works "$cpm" rules kept.json
}

# Open MPI's rules and people's name the same.
other_files_are_read() {
    echo 'gather:chain' >some.rules
    printf '1\n7\n1\n4\n1\n0 1 0 0\n' >rules.conf # bcast: algorithm 1
    works "$cpm" tune --verify "${play[@]}" some.rules --quiet
    [ "$(row stdout gather 0 | awk '{ print $2 }')" = loses ] || fail "rules: $(cat stdout)"
    works "$cpm" tune --verify "${play[@]}" rules.conf --quiet -o -
    grep -q '{"from": 0, "algorithm": "star", .*"measured": 2}' stdout || fail "Open MPI's: $(cat stdout)"
}

who_cannot_know_says_so() {
    works "$cpm" tune --verify "${play[@]}" table.json --quiet --budget 0.001
    [ "$(grep -c 'cannot tell$' stdout)" = 3 ] || fail "it tells: $(cat stdout)"
    grep -q 'the budget allowed fewer than 4 turns' stderr || fail "not said: $(cat stderr)"
    works "$cpm" tune --verify "${play[@]}" table.json --quiet --noise 0.8 --seed 3 --min-reps 1 --turns 4
    grep -q 'cannot tell$' stdout || fail "noise is no matter: $(cat stdout)"
    sed 's/linear/hosts/' table.json >hosts.json
    works "$cpm" tune --verify "${play[@]}" hosts.json --quiet
    row stdout bcast 0 | grep -q 'run$' || fail "levels without hosts: $(cat stdout)"
}

calls_are_as_the_table_says() {
    sed 's/"operations"/"provenance": {"timing": "batch"}, "operations"/' table.json >batch.json
    works "$cpm" tune --verify "${play[@]}" batch.json --quiet
    grep -q 'not for isolated calls (timing: batch)' stderr || fail "not said: $(cat stderr)"
    works "$cpm" tune --verify "${play[@]}" batch.json --quiet --timing batch
    [ ! -s stderr ] || fail "it says: $(cat stderr)"
}

bad_input_is_refused() {
    refused 1 'none.json: ' "$cpm" tune --verify "${play[@]}" none.json
    refused 2 '--turns: 3 is not in 4..10000' "$cpm" tune --verify "${play[@]}" table.json --turns 3
    refused 1 '--root: 4 is not in 0..3' "$cpm" tune --verify "${play[@]}" table.json --root 4
    echo '{"format": "cpm table", "version": 1, "operations": {"bcast": {"8": [{"from": 0, "algorithm": "linear"}]}}}' >eight.json
    refused 1 'it names no algorithm for 4 processes' "$cpm" tune --verify "${play[@]}" eight.json
    refused 1 'needs at least 2 processes' "$cpm" tune --verify table.json
}

# Rules are written that surely gain, or that nobody measured.
exports_keep_gains() {
    cat >measured.json <<'END'
{"format": "cpm table", "version": 1, "operations": {"bcast": {"4": [
  {"from": 1, "algorithm": "binomial-at-once", "seconds": 1e-4, "native": 2e-4, "least_gain": 0.4, "measured": 9},
  {"from": 1024, "algorithm": "star", "seconds": 1e-4, "native": 1.1e-4, "least_gain": -0.01, "measured": 9},
  {"from": 2048, "algorithm": "chain", "seconds": 1e-4, "measured": 2},
  {"from": 4096, "algorithm": "chain", "seconds": 1e-4, "native": 2e-4, "least_gain": 0.4, "measured": 9},
  {"from": 8192, "algorithm": "star", "seconds": 1e-4}]}}}
END
    works "$cpm" export --openmpi measured.json -o measured.conf
    sed -n '/^4 /,$p' measured.conf | tail -n +3 >lines
    diff - lines <<'END' || fail "other rules: $(cat measured.conf)"
0 0 0 0
1 6 0 0
1024 0 0 0
2048 3 0 0
8192 1 0 0 # predicted
END
    grep -q '1 of 5 rules are not surely faster than Open MPI' stderr || fail "not said: $(cat stderr)"
    grep -q '1 of 5 rules are predicted, not measured' stderr || fail "not said: $(cat stderr)"
    works "$cpm" tune --measure "${play[@]}" bcast -m 1K,64K --quiet -o played.json
    grep -q '"least_gain": 0\.' played.json || fail "no gain in a measured table: $(cat played.json)"
}

verdicts_are_those_of_the_machine
what_loses_is_left_out
other_files_are_read
who_cannot_know_says_so
calls_are_as_the_table_says
bad_input_is_refused
exports_keep_gains
if "${mpiexec[@]}" 1 true; then
    printf 'bcast:linear\n' >real.rules
    works "${mpiexec[@]}" 2 "$cpm" tune --verify real.rules --quiet --turns 4 --min-reps 2 -o real.json
    grep -Eq '^bcast +2 +0 +1024 +linear .* 4 +(gains|loses|cannot tell)$' stdout || fail "two processes: $(cat stdout)"
fi
finish
