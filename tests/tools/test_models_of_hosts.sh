#!/usr/bin/env bash
# Models of hosts with several processes: shown, laid out anew, measured on a played machine.
. "$(dirname "$0")/lib.sh"

# hosts4.mod: two hosts with two processes each, 10 us and 10 ns a byte between them, 1 us and 1 ns inside.
# predicted MODEL ALGORITHM SIZE [OPTION...]: microseconds
predicted() {
    "$cpm" predict "$1" "$2" -m "$3" --format tsv "${@:4}" | awk '!/^#/ && $1 != "algorithm" {print $5}'
}

works "$cpm" show hosts4.mod
grep -q '4 processes on 2 hosts' stdout || fail "no hosts: $(cat stdout)"
grep -q 'message size 0 B, inside a host' stdout || fail "no inside: $(cat stdout)"

# A message inside a host takes 1 us and 1 ns a byte, one between hosts 10 us and 10 ns.
[ "$(predicted hosts4.mod bcast:linear 1000 --layout 1x2)" = 2 ] || fail "inside: $(predicted hosts4.mod bcast:linear 1000 --layout 1x2)"
[ "$(predicted hosts4.mod bcast:linear 1000 --layout 2x1)" = 20 ] || fail "between"
printf 'south\nnorth\n' >turned
[ "$(predicted hosts4.mod bcast:linear 1000 --layout turned)" = 20 ] || fail "by name"
# All processes of a host send to the other one: they share its link end.
four=$(predicted hosts4.mod alltoall:simple 100000 --layout 2x4) one=$(predicted hosts4.mod alltoall:simple 100000 --layout 2x1)
awk -v four="$four" -v one="$one" 'BEGIN {exit !(four > 15 * one && four < 17 * one)}' || fail "$four for 16 blocks, $one for 1"
# Who shares a host is known of observations, too.
works "$cpm" bench coll --machine hosts4.mod bcast:hosts bcast:binomial -m 1K --quiet -o observed.meas
works "$cpm" compare hosts4.mod observed.meas
grep -q 'lmo2  *0.0 %  *0.0 %' stdout || fail "not as played: $(cat stdout)"
# Two levels are candidates without being asked for.
works "$cpm" predict hosts4.mod bcast -m 1K
grep -q 'bcast:hosts' stdout || fail "no two levels: $(cat stdout)"
works "$cpm" tune hosts4.mod bcast -m 1K --layout 2x8 -o table.json
works "$cpm" tune hosts4.mod allreduce:hosts,bcast:hosts,allgather:2d:mesh=hosts -n 4 -m 1K,64K -o hosts.json
[ "$(grep -c '"algorithm": "\(hosts\|2d:mesh=hosts\)' hosts.json)" -ge 3 ] || fail "no two levels: $(cat hosts.json)"

printf 'north\nwest\n' >unknown
refused 2 '--layout: process 1 is on host west, which the model does not know' \
    "$cpm" predict hosts4.mod bcast --layout unknown
# A platform has hosts, not processes, and their memory.
works "$cpm" export --simgrid hosts4.mod -o hosts4.xml
grep -q 'hostfile that names the host of each process' stderr || fail "no word of hostfiles: $(cat stderr)"
[ "$(grep -c '<host id' hosts4.xml)" = 2 ] || fail "$(cat hosts4.xml)"
grep -q '<route src="north" dst="north" symmetrical="NO"><link_ctn id="inside0"/>' hosts4.xml || fail "$(cat hosts4.xml)"

# What it plays is measured and found again; of four processes on a host memory shows, too.
works "$cpm" model -M lmo2 --machine hosts4.mod --layout 2x4 --no-thresholds --quiet -o again.mod
grep -q '"layout": "8 processes on 2 hosts"' again.mod || fail "$(head -30 again.mod)"
grep -q 'memory: messages inside share that of 2 of 2 hosts' again.mod || fail "$(head -30 again.mod)"
for algorithm in bcast:binomial gather:linear alltoall:ring; do
    real=$(predicted hosts4.mod $algorithm 4K --layout 2x4 --no-intervals) seen=$(predicted again.mod $algorithm 4K --no-intervals)
    awk -v real="$real" -v seen="$seen" 'BEGIN {exit !(seen > 0.98 * real && seen < 1.02 * real)}' ||
        fail "$algorithm: $seen instead of $real"
done
finish
