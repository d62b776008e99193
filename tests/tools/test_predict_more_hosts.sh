#!/usr/bin/env bash
# Layouts with more hosts than the model has: predicted where its hosts are alike, with what is
# assumed of the network; refused with a reason elsewhere.
. "$(dirname "$0")/lib.sh"
models=$here/../../examples/models

# warns PATTERN COMMAND...: exactly one line on stderr, which matches.
warns() {
    local pattern=$1
    shift
    works "$@"
    [ "$(wc -l <stderr)" = 1 ] || fail "not one line: $* : $(cat stderr)"
    grep -Eq -- "$pattern" stderr || fail "no '$pattern': $(cat stderr)"
}
assumed='12 hosts, all taken to be like the 2 that were measured, sharing nothing more'
beyond="^cpm: warning: predictions go beyond what was measured: $assumed\$"

# All that predict with a layout: one line each, and the same in the files.
for command in "predict hosts4.mod alltoall:bruck -m 1K" "tune hosts4.mod bcast -m 1K" \
    "map hosts4.mod bcast:tree -m 1K -o tree.map" "draw bcast:binomial --model hosts4.mod -m 1K -o tree.svg"; do
    # shellcheck disable=SC2086 # words
    warns "$beyond" "$cpm" $command --layout 12x2
done
warns "$beyond" "$cpm" predict hosts4.mod bcast:hosts -m 1K --layout 12x2 --placement cyclic -n 24 --format tsv
grep -q "^# extrapolated: $assumed" stdout || fail "not in TSV: $(cat stdout)"
warns "$beyond" "$cpm" predict hosts4.mod bcast:binomial -m 1K --layout 12x2 --format json
grep -q "\"extrapolated\": \"$assumed" stdout || fail "not in JSON: $(cat stdout)"
warns '5 processes on a host, of which at most 2 were measured; 12 hosts, ' \
    "$cpm" predict hosts4.mod bcast:binomial -m 1K --layout 12x5

# A simulated cluster of such hosts takes what is predicted.
warns "^cpm: warning: the simulated cluster goes beyond what was measured: $assumed" \
    "$cpm" bench coll --machine hosts4.mod alltoall:bruck allgather:ring -m 1K,16K --layout 12x2 --quiet -o twelve.meas
warns "$beyond" "$cpm" compare hosts4.mod twelve.meas --layout 12x2 --format tsv
awk -F '\t' '/^#/ { next } !("error" in at) { for (k = 1; k <= NF; k++) at[$k] = k; next }
             { rows++; if ($at["error"] > 1e-6 || $at["error"] < -1e-6) print }
             END { if (rows != 8) print rows, "rows" }' stdout >wrong
[ ! -s wrong ] || fail "$(cat wrong)"

# Of one process on each host, too; the first hosts of a model are not beyond it.
warns '20 hosts, all taken to be like the 8 ' "$cpm" predict alike8.mod bcast:binomial -m 1K --layout 20x1
works "$cpm" predict alike8.mod bcast:binomial -m 1K --layout 5x1 -n 5
[ ! -s stderr ] || fail "of five of eight: $(cat stderr)"
refused 1 'is a model of 8 processes and cannot predict for 20: give them a --layout' \
    "$cpm" predict alike8.mod bcast -m 1K -n 20

# What measured hosts differ by (7 % of a round trip inside), others may as well.
sed 's/"L_in": {\(.*\), 4e-7/"L_in": {\1, 5.5e-7/' hosts4.mod |
    sed 's/"L": {\(.*\)\]\]\]}/"L": {\1]]], "ci": [[[null, 1e-12], [1e-12, null]]]}/' >near.mod
warns "$beyond" "$cpm" predict near.mod bcast:binomial -m 1K --layout 12x2 --format tsv
grep -v '^#' stdout | awk -F '\t' 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    { share = ($at["high_us"] - $at["predicted_us"]) / $at["predicted_us"]; rows++
      if (!(share > 0.069 && share < 0.071)) print share }
    END { if (rows != 1) print rows, "rows" }' >wrong
[ ! -s wrong ] || fail "$(cat wrong stdout)"

# Of thousands of processes an operation leaves out what takes long to walk through; its name gets it.
"$cpm" predict alike8.mod bcast -m 1K --layout 4000x1 >stdout 2>stderr || fail "$(cat stderr)"
grep -q '^cpm predict: left out, with too many messages to walk through: bcast:scatter-ring. Name them' stderr || fail "$(cat stderr)"
grep -q 'bcast:binomial ' stdout && ! grep -q 'scatter-ring' stdout || fail "$(cat stdout)"
warns '4000 hosts, ' "$cpm" predict alike8.mod bcast:scatter-ring -m 1K --layout 4000x1
grep -q '^ *1024 ' stdout || fail "not the one that was named: $(cat stdout)"

# Unlike hosts and networks, names, one host.
refused 1 '--layout: hosts are not alike: the round trip of 1 bytes inside of node3 is 11 % faster than the median. Name' \
    "$cpm" predict "$models/multicore8x4.mod" bcast -m 1K --layout 512x12
refused 1 '--layout: hosts are not alike: the round trip of 1 bytes of node1 is 15 % slower than the median. Name' \
    "$cpm" predict lmo4.mod bcast -m 1K --layout 9x1
printf 'north north south south east east' >partly
refused 2 "process 4 is on host east, which the model does not know: name only its hosts, or none \(HOSTSxEACH\)" \
    "$cpm" predict hosts4.mod bcast -m 1K --layout partly
works "$cpm" model -M lmo2 --machine hosts4.mod --layout 1x4 --no-thresholds --quiet -o one.mod
refused 1 '--layout: a layout of 3 hosts, but the model has one and knows no network: measure several hosts' \
    "$cpm" predict one.mod bcast -m 1K --layout 3x4
refused 1 '--layout: a layout of 3 hosts, .*knows no network' "$cpm" tune one.mod bcast -m 1K --layout 3x4
works "$cpm" model -M interp --machine alike8.mod --no-thresholds --quiet -o interp.mod
refused 1 "model interp knows its 8 processes only as a whole" "$cpm" predict interp.mod bcast -m 1K --layout 9x1
finish
