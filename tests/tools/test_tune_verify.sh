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

# ---- MPICH's selection files

# verdicts FILE: each row without its figures.
verdicts() { awk '/^[a-z]/ { print $1, $2, $3, $4, $5, $NF }' "$1"; }

cat >for_mpich.json <<'END'
{"format": "cpm table", "version": 1, "operations": {
  "bcast": {"3": [{"from": 0, "algorithm": "scatter-ring"}],
            "4": [{"from": 0, "algorithm": "scatter-ring"}, {"from": 65536, "algorithm": "scatter-doubling"},
                  {"from": 131072, "algorithm": "native"}]},
  "allgather": {"4": [{"from": 16, "algorithm": "logical-ring"}]},
  "reduce": {"4": [{"from": 100, "algorithm": "rabenseifner-near"}]},
  "reduce_scatter": {"4": [{"from": 1024, "algorithm": "pairwise"}]}}}
END

# As the table that it was made of, but where the library runs the same.
mpich_files_are_read() {
    works "$cpm" export --mpich for_mpich.json -o mpich.json
    works "$cpm" tune --verify "${play[@]}" for_mpich.json --quiet
    verdicts stdout | grep -v '^allgatherv' >want
    works "$cpm" tune --verify "${play[@]}" mpich.json --quiet -o mpich.kept
    verdicts stdout | grep -v '^allgatherv' >got
    [ ! -s stderr ] || fail "it says: $(cat stderr)"
    diff want got || fail "not the verdicts of the table"
    grep -q 'loses$' got && grep -q 'gains$' got || fail "all lose, or all gain: $(cat got)"
    grep -q '^allgatherv 4 ' <(verdicts stdout) || fail "MPICH follows allgather's rules in allgatherv: $(cat stdout)"
}

# The same file, of which the same is left.
what_loses_is_left_out_of_mpich_files() {
    for collective in bcast gatherv ibcast scan neighbor_alltoall; do
        grep -q "\"collective=$collective\"" mpich.kept || fail "$collective is missing"
    done
    works "$cpm" tune --verify "${play[@]}" mpich.kept --quiet
    verdicts stdout | grep -v '^allgatherv' >left
    diff <(grep -v 'loses$' got) left || fail "what is left"
    works "$cpm" tune --verify "${play[@]}" mpich.kept --quiet -o again.json
    cmp mpich.kept again.json || fail "nothing loses, and something was left out"
    # What was not tried stays: rules for 3 processes.
    python3 - <<'END' || fail "of 3 processes"
import json
old, new = (json.load(open(f))["collective=bcast"]["comm_type=intra"] for f in ("mpich.json", "mpich.kept"))
assert old["comm_size<=3"] == new["comm_size<=3"] and old["comm_size=any"] != new["comm_size=any"]
END
}

# bcast TEST...: a file that has only that. The library: binomial below 8 processes.
by_hand() {
    printf '{"collective=bcast": {"comm_type=intra": {%s}}}\n' "$1" >by_hand.json
}

# Only those sizes are left to the library at which it takes something else, and that loses.
other_sizes_stay() {
    local name=MPIR_Reduce_intra_reduce_scatter_gather
    echo '{"collective=reduce": {"algorithm='$name'": {}}}' >by_hand.json
    works "$cpm" tune --verify "${play[@]}" by_hand.json --quiet -o kept
    [ "$(verdicts stdout)" = 'reduce 4 0 1024 rabenseifner-near loses' ] || fail "by hand: $(cat stdout stderr)"
    python3 -c 'import json, sys
tree = json.load(open("kept"))["collective=reduce"]
assert list(tree) == ["avg_msg_size<=2048", "avg_msg_size=any"], tree
assert tree["avg_msg_size=any"] == {"algorithm=" + sys.argv[1]: {}}, tree' $name || fail "sizes"
    refused 1 'kept: it names no algorithm for 4 processes' "$cpm" tune --verify "${play[@]}" kept
}

mpich_files_may_be_written_by_people() {
    local ring='"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}' two='"algorithm=MPIR_Bcast_intra_binomial": {}'
    by_hand "\"avg_msg_size <= 999\": {$two}, \"avg_msg_size=any\": {$ring}"
    works "$cpm" tune --verify "${play[@]}" by_hand.json --quiet -o kept
    [ "$(verdicts stdout)" = 'bcast 4 1000 1000 scatter-ring loses' ] || fail "by hand: $(cat stdout stderr)"
    refused 1 'kept: it names no algorithm for 4 processes' "$cpm" tune --verify "${play[@]}" kept
    # What has no counterpart, and tests that only MPICH can answer.
    by_hand '"avg_msg_size<100": {"algorithm=MPIR_Bcast_intra_tree": {}}, "avg_msg_size=any": {'"$ring"'}'
    works "$cpm" tune --verify "${play[@]}" by_hand.json --quiet
    grep -q 'by_hand.json: bcast: MPIR_Bcast_intra_tree has no counterpart in cpm: it is not tried' stderr || fail "not said: $(cat stderr)"
    [ "$(verdicts stdout)" = 'bcast 4 100 100 scatter-ring loses' ] || fail "behind it: $(cat stdout)"
    by_hand '"avg_msg_size<100": {'"$ring"'}, "is_node_consecutive=yes": {'"$two"'}'
    works "$cpm" tune --verify "${play[@]}" by_hand.json --quiet
    grep -q 'by_hand.json: bcast: is_node_consecutive=yes depends on what cpm does not know' stderr || fail "not said: $(cat stderr)"
    [ "$(verdicts stdout)" = 'bcast 4 0 99 scatter-ring loses' ] || fail "before it: $(cat stdout)"
    # MPICH itself would stop.
    by_hand '"avg_msg_size<100": {'"$ring"'}'
    refused 1 'by_hand.json: bcast of 100 bytes by 4 processes comes to no algorithm' "$cpm" tune --verify "${play[@]}" by_hand.json
    echo '{"collective=bcast": ' >by_hand.json
    refused 1 'by_hand.json:[12]: not a selection file of MPICH' "$cpm" tune --verify "${play[@]}" by_hand.json
    refused 1 'is not a library of MPICH 4' "$cpm" tune --verify "${play[@]}" mpich.json --mpich-library table.json
}

programs_read_verdicts() {
    works "$cpm" tune --verify "${play[@]}" table.json --quiet --format tsv
    [ "$(awk -F'\t' '$1 == "gather" { print $3, $4, $5, $NF }' stdout)" = '100 100 chain loses' ] || fail "TSV: $(cat stdout)"
    works "$cpm" tune --verify "${play[@]}" table.json --quiet --format json
    python3 -c 'import json, sys
rows = json.load(open("stdout"))["rows"]
sys.exit([r["verdict"] for r in rows if r["operation"] == "gather"] != ["loses"])' || fail "JSON: $(cat stdout)"
    refused 2 '--format and -o - would both' "$cpm" tune --verify "${play[@]}" table.json --format tsv -o -
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
    refused 2 '--root: 4 is not in 0..3' "$cpm" tune --verify "${play[@]}" table.json --root 4
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
if "$cpm" export --mpich for_mpich.json -o mpich.json 2>stderr; then
    mpich_files_are_read
    what_loses_is_left_out_of_mpich_files
    other_sizes_stay
    mpich_files_may_be_written_by_people
else # a build with another MPI
    grep -q 'is not a library of MPICH 4' stderr || fail "no export: $(cat stderr)"
fi
programs_read_verdicts
who_cannot_know_says_so
calls_are_as_the_table_says
bad_input_is_refused
exports_keep_gains
if "${mpiexec[@]}" 1 true; then
    printf 'bcast:linear\n' >real.rules
    works "${mpiexec[@]}" 2 "$cpm" tune --verify real.rules --quiet --turns 4 --min-reps 2 -o real.json
    grep -Eq '^bcast +2 +0 +1024 +linear .* 4 +(gains|loses|cannot tell)$' stdout || fail "two processes: $(cat stdout)"
    by_hand '"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}'
    [ ! -e mpich.kept ] || MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$PWD/mpich.json refused 2 \
        'MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE is set' "${mpiexec[@]}" 2 "$cpm" tune --verify by_hand.json
fi
finish
