#!/usr/bin/env bash
# cpm doctor and cpm diff: three faults planted among 16 like hosts are named, a healthy cluster is not.
. "$(dirname "$0")/lib.sh"

# cluster FAULTY: a model of 16 like hosts. With FAULTY 1, process 5 has doubled overheads, process 9
# 3 times the latency, and the link of 2 and 12 half the bandwidth.
cluster() {
    awk -v bad="$1" '
        # Departs by a few per cent; depends on both ends alike.
        function near(base, a, b) { return base * (1 + 0.04 * sin(17 * (a + b) + 29 * a * b)) }
        function is(a, b, x, y) { return bad && (a == x && b == y || a == y && b == x) }
        function L(a, b) { return a == b ? 0 : near(25e-6, a, b) * (bad && (a == 9 || b == 9) ? 3 : 1) }
        function B(a, b) { return a == b ? 0 : near(1e-8, a, b + 1) * near(1, b, a + 1) * (is(a, b, 2, 12) ? 2 : 1) }
        function row(what, i,    j, s) {
            for (j = 0; j < 16; j++)
                s = s (j ? ", " : "") sprintf("%.6g", what == "L" ? L(i, j) : B(i, j))
            return "[" s "]"
        }
        function table(what,    i, s) {
            for (i = 0; i < 16; i++)
                s = s (i ? ", " : "") row(what, i)
            return "[" s "]"
        }
        function list(base, twist,    i, s) {
            for (i = 0; i < 16; i++)
                s = s (i ? ", " : "") sprintf("%.6g", near(base, i, twist) * (bad && i == 5 ? 2 : 1))
            return "[" s "]"
        }
        BEGIN {
            for (i = 0; i < 16; i++)
                hosts = hosts (i ? ", " : "") "\"n" i "\""
            printf "{\"format\": \"cpm model\", \"version\": 1, \"model\": \"lmo\", \"processes\": 16,"
            printf "\"hosts\": [%s], \"parameters\": {\n", hosts
            printf "\"C\": {\"unit\": \"s\", \"value\": %s},\n", list(3e-5, 3)
            printf "\"t\": {\"unit\": \"s/B\", \"value\": %s},\n", list(5e-9, 7)
            printf "\"L\": {\"unit\": \"s\", \"value\": %s},\n", table("L")
            printf "\"invbeta\": {\"unit\": \"s/B\", \"value\": %s},\n", table("B")
            for (i = 0; i < 3; i++)
                printf "%s\"%s\": {\"unit\": \"B\", \"value\": null}\n", i ? "," : "", substr("S M1M2", 2 * i + 1, i ? 2 : 1)
            print "}}"
        }'
}
cluster 0 >healthy.mod
cluster 1 >faulty.mod

# names_exactly_these_three: what is planted, a line each, and nothing else.
names_exactly_these_three() {
    grep -q '^process 5 (host n5): C .*; t ' stdout || fail "process 5: $(cat stdout)"
    grep -q '^process 9 (host n9): L of its links' stdout || fail "process 9: $(cat stdout)"
    grep -q '^link 2 <-> 12 (hosts n2 and n12): invbeta' stdout || fail "link 2, 12: $(cat stdout)"
    grep -q '^3 found among 16 processes' stdout || fail "not three: $(cat stdout)"
}

golden doctor_healthy doctor healthy.mod
golden doctor_faulty doctor faulty.mod
golden doctor_few doctor lmo4.mod
golden help_doctor doctor --help
golden help_diff diff --help
golden diff diff healthy.mod faulty.mod -m 1K,64K
golden diff_same diff lmo4.mod lmo4.mod

# Two kinds of hosts, in the second of which one is 4 times as slow.
awk 'function of(i) { return i < 8 ? 3e-5 : 4e-5 }
    /^"C":/ { for (i = s = ""; i < 16; i++) s = s (i ? ", " : "") of(i); $0 = "\"C\": {\"unit\": \"s\", \"value\": [" s "]}," } 1' \
    healthy.mod >kinds.mod
sed '/^"C":/s/4e-05\(, 4e-05, 4e-05\]\)/16e-05\1/' kinds.mod >slow.mod
for kinds in kinds slow; do
    works "$cpm" model -M lmo --machine $kinds.mod --noise 0.02 --min-reps 20 --max-reps 20 --no-thresholds \
        --quiet -o $kinds-1.mod
done
finds 0 "$cpm" doctor kinds-1.mod
grep -q '^note: processes are of 2 kinds in C: 8 of about 30 us, 8 of about 40 us$' stdout || fail "kinds: $(cat stdout)"
grep -q '^healthy: nothing is slower than its kind among 16 processes; a fault of 2 times would have been found' stdout || fail "kinds: $(cat stdout)"
finds 3 "$cpm" doctor slow-1.mod
grep -q '^process 13 (host n13): C 1[56].*, [34]\.[0-9]* times the others of the nearest kind' stdout || fail "slow: $(cat stdout)"
grep -q '^1 found among 16' stdout || fail "slow: $(cat stdout)"

# One between the kinds may be of another: what helps is said, and not to ask for less.
awk 'function of(i) { return i == 15 ? 4.6e-5 : i < 8 ? 3e-5 : 6e-5 }
    /^"C":/ { for (i = s = ""; i < 16; i++) s = s (i ? ", " : "") of(i); $0 = "\"C\": {\"unit\": \"s\", \"value\": [" s "]}," } 1' \
    healthy.mod >apart.mod
works "$cpm" model -M lmo --machine apart.mod --noise 0.02 --min-reps 20 --max-reps 20 --no-thresholds --quiet -o apart-1.mod
finds 4 "$cpm" doctor apart-1.mod
grep -q '^cannot tell: some of 16 processes are of none of the kinds; measure more processes: they show which are of a kind$' stdout ||
    fail "apart: $(cat stdout)"

for seed in 1 2 3; do
    for cluster in healthy faulty; do
        works "$cpm" model -M lmo --machine $cluster.mod --noise 0.05 --seed $seed --min-reps 20 \
            --max-reps 20 --no-thresholds --raw --quiet -o $cluster-$seed.mod
    done
    for suffix in mod meas; do
        finds 0 "$cpm" doctor healthy-$seed.$suffix
        finds 3 "$cpm" doctor faulty-$seed.$suffix
        names_exactly_these_three
    done
done
finds 0 "$cpm" diff healthy-1.mod healthy-2.mod
finds 3 "$cpm" diff healthy-1.mod faulty-2.mod
grep -q 'C of process 5 (n5)' stdout || fail "C of process 5: $(cat stdout)"
finds 4 "$cpm" doctor faulty.mod --min-effect 5
finds 0 "$cpm" doctor faulty.mod --min-effect 5 --fault 8

# What has no interval is not judged: every C tripled is not "the same", nor is it called a change.
sed '/"C": {/,/}/s/"ci": .*/"ci": null/' healthy-1.mod >blind.mod
awk '/"C": {/ { inside = 1 } inside && /"value"/ {
         match($0, /\[.*\]/); n = split(substr($0, RSTART + 1, RLENGTH - 2), v, ",")
         for (i = s = ""; ++i <= n; ) s = s (i > 1 ? "," : "") sprintf("%.9g", 3 * v[i])
         $0 = "      \"value\": [" s "],"; inside = 0 } 1' blind.mod >tripled.mod
finds 4 "$cpm" diff blind.mod tripled.mod
grep -q '^cannot tell: ' stdout || fail "no verdict: $(cat stdout)"
grep -q '^  C: 16 of 16 values differ, but have no interval' stdout || fail "not named: $(cat stdout)"
finds 4 "$cpm" diff blind.mod tripled.mod --format json
grep -q '"verdict": "cannot tell"' stdout || fail "no verdict in JSON: $(cat stdout)"
finds 4 "$cpm" diff blind.mod tripled.mod --format tsv
grep -q '^# verdict: cannot tell' stdout || fail "no verdict in TSV: $(cat stdout)"
finds 3 "$cpm" diff blind.mod faulty-2.mod
grep -q '^note: cannot tell of C: ' stdout || fail "no note: $(cat stdout)"
finds 4 "$cpm" diff healthy.mod healthy-1.mod # one without any interval
finds 0 "$cpm" diff tripled.mod tripled.mod
grep -q '^the same: all values are equal$' stdout || fail "not equal: $(cat stdout)"
! grep -q uncertainty stdout || fail "uncertainty of what is equal: $(cat stdout)"

# Without intervals what --min-effect leaves out may be errors; with them the sentence keeps to it.
finds 4 "$cpm" diff healthy.mod faulty.mod --min-effect 9
grep -q '^  C: 1 of 16 values differ by less than --min-effect, and have no interval$' stdout || fail "small: $(cat stdout)"
finds 4 "$cpm" diff healthy.mod faulty.mod --min-effect 9 --format tsv
grep -qP '^C\tbetween\t16\t0\t1\t' stdout || fail "small: $(cat stdout)"
finds 0 "$cpm" diff healthy-1.mod healthy-2.mod --min-effect 4
grep -q '^the same: nothing changed beyond its uncertainty by 400 % or more. A value 5 times as large, or a message of 5 times as long,' stdout || fail "effect: $(head -1 stdout)"

# Campaigns of a machine with two kinds of hosts, for both models, link ends and regimes included.
machine=$here/../../examples/models/gigabit16.mod
for kind in lmo lmo2; do
    for seed in 5 6; do
        works "$cpm" model -M $kind --machine "$machine" --noise 0.02 --seed $seed --no-thresholds --quiet -o $kind-$seed.mod
    done
    finds 0 "$cpm" diff $kind-5.mod $kind-6.mod
    grep -q '^the same: nothing changed beyond its uncertainty. A value three times as large' stdout || fail "$(head -1 stdout)"
done

# Ranks that share one processor.
sed 's/"hosts": /"provenance": {"binding": "0-1 0-1 0 0 1 1 2 2 3 3 4 4 5 5 6 6"}, "hosts": /; s/"n[123]"/"n0"/g' \
    healthy.mod >crowded.mod
finds 3 "$cpm" doctor crowded.mod
grep -q '^host n0: 4 processes on 2 processors' stdout || fail "crowded: $(cat stdout)"

if command -v gnuplot >/dev/null; then
    for format in png pdf svg; do
        finds 3 "$cpm" doctor faulty.mod -o doctor.$format
        [ ! -s stderr ] && [ "$(stat -c %s doctor.$format)" -gt 4000 ] || fail "doctor.$format: $(cat stderr)"
    done
    finds 4 "$cpm" doctor hockney3.mod -o few.png
    [ ! -s stderr ] || fail "few.png: $(cat stderr)"
fi

refused 1 'missing.mod' "$cpm" doctor missing.mod
refused 2 'lmo4.mod: .*|png, .pdf or .svg' "$cpm" doctor lmo4.mod -o x.gif
refused 1 '/nonexistent/x.png' "$cpm" doctor lmo4.mod -o /nonexistent/x.png
refused 2 "alpha: '1' is not between 0 and 1" "$cpm" doctor lmo4.mod --alpha 1
refused 2 "fault: '1' is not above 1" "$cpm" doctor lmo4.mod --fault 1
refused 2 "min-effect: '-1' is not" "$cpm" doctor lmo4.mod --min-effect -1
refused 1 'models of 4 and of 16 processes' "$cpm" diff lmo4.mod healthy.mod
refused 1 'two kinds, lmo and hockney' "$cpm" diff lmo4.mod hockney3.mod
sed 's/node2/other2/' lmo4.mod >moved.mod
refused 1 "moved.mod: .*other hosts.*process 2 is on 'node2'" "$cpm" diff lmo4.mod moved.mod
refused 2 'argument is missing' "$cpm" diff lmo4.mod
head -n 40 faulty-1.meas >cut.meas
refused 1 'cut.meas: is not complete' "$cpm" doctor cut.meas
finish
