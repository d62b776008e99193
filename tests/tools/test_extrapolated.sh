#!/usr/bin/env bash
# Predictions that go beyond what was measured say so, and their intervals hold what is not known.
. "$(dirname "$0")/lib.sh"
truth=$here/../../examples/models/multicore8x4.mod

play() {
    works "$cpm" model -M lmo2 --machine "$truth" --noise 0.02 --no-thresholds --quiet "$@"
}
play --layout 1x2 -o sharing.mod
play --layout 1x4 -o four.mod

# warns PATTERN COMMAND...: exactly one line on stderr, which matches.
warns() {
    local pattern=$1
    shift
    works "$@"
    [ "$(wc -l <stderr)" = 1 ] || fail "not one line: $* : $(cat stderr)"
    grep -Eq -- "^cpm: warning: predictions go beyond what was measured: $pattern" stderr || fail "no '$pattern': $(cat stderr)"
}

# Two processes of a host that share its memory show how fast it is.
asked=(allreduce:recursive-doubling allgather:ring bcast:binomial alltoall:pair -m 1K,16K,64K --combine bytes)
warns '32 processes on a host, of which at most 2 were measured$' \
    "$cpm" predict sharing.mod "${asked[@]}" --layout 1x32 --format tsv
grep -v '^#' stdout >many
warns '32 processes on a host, of which at most 4 were measured' \
    "$cpm" predict "$truth" "${asked[@]}" --layout 1x32 --format tsv
# 10 %: of noise of 2 %, among 32 processes
grep -v '^#' stdout | paste - many |
    awk -F '\t' 'NR > 1 && ($1 != $9 || $3 != $11) { print "rows differ"; exit }
                 NR > 1 && ($5 < 0.9 * $13 || $5 > 1.1 * $13) { print $1, $3, $5, "is not", $13 }
                 END { if (NR != 13) print NR, "lines" }' >wrong
[ ! -s wrong ] || fail "$(cat wrong)"

# Two that do not fill it do not show whether many do: what these would take lies within.
python3 - "$truth" >roomy-truth.mod <<'end' || fail "no truth with a faster memory"
import json
import sys
with open(sys.argv[1]) as f:
    m = json.load(f)
m["parameters"]["G_in"]["value"] = [value / 2 for value in m["parameters"]["G_in"]["value"]]
json.dump(m, sys.stdout)
end
truth=roomy-truth.mod
play --layout 1x2 -o pair.mod
shared='whether their messages share what they use is not known'
warns "32 processes on a host, of which at most 2 were measured, and $shared" \
    "$cpm" predict pair.mod "${asked[@]}" --layout 1x32 --format tsv
cp stdout guessed
grep -q "^# extrapolated: 32 processes on a host, .*$shared" guessed || fail "not in TSV: $(cat guessed)"
warns '32 processes on a host, of which at most 4 were measured' \
    "$cpm" predict "$truth" "${asked[@]}" --layout 1x32 --format tsv
# 3 %: intervals are of 95 %
grep -v '^#' stdout | paste - <(grep -v '^#' guessed) |
    awk -F '\t' 'NR > 1 && ($1 != $9 || $3 != $11) { print "rows differ"; exit }
                 NR > 1 && ($5 < 0.97 * $14 || $5 > 1.03 * $15) { print $1, $3, $5, "is not within", $14, $15 }
                 END { if (NR != 13) print NR, "lines" }' >wrong
[ ! -s wrong ] || fail "$(cat wrong)"
warns "32 processes" "$cpm" predict pair.mod bcast:binomial -m 64K --layout 1x32
grep -Eq '^ *65536 +[0-9.]+ \([0-9.]+\.\.[0-9.]+\)$' stdout || fail "no range: $(cat stdout)"
warns "32 processes" "$cpm" predict pair.mod bcast:binomial -m 64K --layout 1x32 --format json
grep -q '"extrapolated": "32 processes' stdout || fail "not in JSON: $(cat stdout)"
warns "8 processes" "$cpm" tune pair.mod bcast -m 1K --layout 1x8 -n 8 -o table.json

# Between two hosts with one process each the same of link ends.
play --layout 2x2 -o pairs.mod
warns "8 processes on a host, of which at most 2 were measured" "$cpm" predict pairs.mod bcast:binomial -m 1K --layout 2x8

# What was measured is not commented on.
works "$cpm" predict four.mod bcast:binomial -m 1K,64K --layout 1x4
[ ! -s stderr ] || fail "of four: $(cat stderr)"
grep -q '+-' stdout || fail "no interval: $(cat stdout)"
works "$cpm" predict pair.mod bcast:binomial -m 1K
[ ! -s stderr ] || fail "of two: $(cat stderr)"

# Sizes far beyond the largest message.
warns 'blocks of 67108864 bytes, and messages were measured up to [0-9]+' "$cpm" predict four.mod bcast:binomial -m 64M
warns 'blocks of 4194304 bytes' "$cpm" tune four.mod bcast -o table.json # up to which it looks by default
works "$cpm" tune four.mod bcast -m 0:1M -o table.json
! grep -q beyond stderr || fail "up to 1M: $(cat stderr)"
warns 'blocks of 67108864 bytes' "$cpm" map four.mod bcast:tree -m 64M -o tree.map
sed 's/"bytes": [0-9.]*/"bytes": 67108864/' app.profile >large.profile
sed 's/"node[0-9]"/"elsewhere"/g' large.profile >others.profile
warns 'blocks of 67108864 bytes' "$cpm" predict four.mod --profile others.profile
warns 'blocks of 67108864 bytes' "$cpm" tune four.mod --profile others.profile -o table.json
for size in 8M 1K; do
    works "$cpm" bench coll --machine "$truth" --layout 1x4 bcast:binomial -m $size --quiet -o $size.meas
done
warns 'blocks of 8388608 bytes' "$cpm" compare four.mod 8M.meas
works "$cpm" compare four.mod 1K.meas
[ ! -s stderr ] || fail "of what was measured: $(cat stderr)"
finish
