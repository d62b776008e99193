#!/usr/bin/env bash
# Models of hosts with several processes: shown, laid out anew, measured on a played machine.
. "$(dirname "$0")/lib.sh"

# Two hosts with two processes each: 10 us and 10 ns a byte between them, 1 us and 1 ns inside.
cat >two.mod <<'END'
{
  "format": "cpm model",
  "version": 1,
  "model": "lmo2",
  "processes": 4,
  "hosts": ["north", "north", "south", "south"],
  "classes": {"north": [0, 1], "south": [2, 3]},
  "sizes": [0],
  "inside": [0],
  "parameters": {
    "Cs": {"unit": "s", "value": [[3e-6, 3e-6]]},
    "ts": {"unit": "s/B", "value": [[0, 0]]},
    "Cr": {"unit": "s", "value": [[3e-6, 3e-6]]},
    "tr": {"unit": "s/B", "value": [[0, 0]]},
    "L": {"unit": "s", "value": [[[0, 4e-6], [4e-6, 0]]]},
    "invbeta": {"unit": "s/B", "value": [[[0, 1e-8], [1e-8, 0]]]},
    "Go": {"unit": "s/B", "value": [1e-8, 1e-8]},
    "Gi": {"unit": "s/B", "value": [1e-8, 1e-8]},
    "late": {"unit": "1", "value": 0},
    "Cs_in": {"unit": "s", "value": [[3e-7, 3e-7]]},
    "ts_in": {"unit": "s/B", "value": [[0, 0]]},
    "Cr_in": {"unit": "s", "value": [[3e-7, 3e-7]]},
    "tr_in": {"unit": "s/B", "value": [[0, 0]]},
    "L_in": {"unit": "s", "value": [[4e-7, 4e-7]]},
    "invbeta_in": {"unit": "s/B", "value": [[1e-9, 1e-9]]},
    "G_in": {"unit": "s/B", "value": [1e-9, 1e-9]}
  }
}
END
# predicted MODEL ALGORITHM SIZE [OPTION...]: microseconds
predicted() {
    "$cpm" predict "$1" "$2" -m "$3" --format tsv "${@:4}" | awk '!/^#/ && $1 != "algorithm" {print $5}'
}

works "$cpm" show two.mod
grep -q '4 processes on 2 hosts' stdout || fail "no hosts: $(cat stdout)"
grep -q 'message size 0 B, inside a host' stdout || fail "no inside: $(cat stdout)"

# A message inside a host takes 1 us and 1 ns a byte, one between hosts 10 us and 10 ns.
[ "$(predicted two.mod bcast:linear 1000 --layout 1x2)" = 2 ] || fail "inside: $(predicted two.mod bcast:linear 1000 --layout 1x2)"
[ "$(predicted two.mod bcast:linear 1000 --layout 2x1)" = 20 ] || fail "between"
printf 'south\nnorth\n' >turned
[ "$(predicted two.mod bcast:linear 1000 --layout turned)" = 20 ] || fail "by name"
# All processes of a host send to the other one: they share its link end.
four=$(predicted two.mod alltoall:simple 100000 --layout 2x4) one=$(predicted two.mod alltoall:simple 100000 --layout 2x1)
awk -v four="$four" -v one="$one" 'BEGIN {exit !(four > 15 * one && four < 17 * one)}' || fail "$four for 16 blocks, $one for 1"
# Two levels are candidates without being asked for.
works "$cpm" predict two.mod bcast -m 1K
grep -q 'bcast:hosts' stdout || fail "no two levels: $(cat stdout)"
works "$cpm" tune two.mod bcast -m 1K --layout 2x8 -o table.json

refused 1 '--layout: a layout of 3 hosts, but the model has 2' "$cpm" predict two.mod bcast --layout 3x2
printf 'north\nwest\n' >unknown
refused 1 '--layout: process 1 is on host west, which the model does not know' \
    "$cpm" predict two.mod bcast --layout unknown
refused 1 'several processes on a host cannot be written yet' "$cpm" export --simgrid two.mod

# What it plays is measured and found again; of four processes on a host memory shows, too.
works "$cpm" model -M lmo2 --machine two.mod --layout 2x4 --no-thresholds --quiet -o again.mod
grep -q '"layout": "8 processes on 2 hosts"' again.mod || fail "$(head -30 again.mod)"
grep -q 'memory: messages inside share that of 2 of 2 hosts' again.mod || fail "$(head -30 again.mod)"
for algorithm in bcast:binomial gather:linear alltoall:ring; do
    real=$(predicted two.mod $algorithm 4K --layout 2x4 --no-intervals) seen=$(predicted again.mod $algorithm 4K --no-intervals)
    awk -v real="$real" -v seen="$seen" 'BEGIN {exit !(seen > 0.98 * real && seen < 1.02 * real)}' ||
        fail "$algorithm: $seen instead of $real"
done
finish
