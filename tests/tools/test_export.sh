#!/usr/bin/env bash
# Algorithms as GOAL text.
. "$(dirname "$0")/lib.sh"

golden help_export export --help
golden export_binomial export --goal bcast:binomial -n 5 -m 1000 --root 1
golden export_gather export --goal gather:chain -n 4 -m 2K -o -
golden export_bruck export --goal alltoall:bruck -n 3 -m 10
golden export_barrier export --goal barrier:dissemination -n 3
golden export_segments export --goal bcast:chain:segment=1K -n 3 -m 2500
golden export_alone export --goal scatter:linear -n 1
golden export_empty export --goal bcast:chain -n 3 -m 0

golden export_simgrid export --simgrid lmo4.mod
sed 's/"node1"/"node0"/; s/"node2"/"a<b"/' lmo4.mod >shared.mod
works "$cpm" export --simgrid shared.mod -o shared.xml
[ ! -s stdout ] || fail "prints besides: $(cat stdout)"
grep -q 'smpirun -np 4 -platform shared.xml' stderr || fail "does not say how to use it: $(cat stderr)"
for name in node0%0 node0%1 'a&#60;b' node3; do
    [ "$(grep -c "host id=\"$name\"" shared.xml)" = 1 ] || fail "no host $name"
    [ "$(grep -c "src=\"$name\"" shared.xml)" = 3 ] || fail "not all routes from $name"
done
refused 2 'lmo or lmo2 model, not those of hockney' "$cpm" export --simgrid hockney3.mod

works "$cpm" export --goal scatter:binomial -n 33 -o scatter.goal
[ ! -s stdout ] || fail "prints besides: $(cat stdout)"
grep -c '^rank' scatter.goal | grep -qx 33 || fail "not 33 ranks"
[ "$(grep -c ': send' scatter.goal)" = 32 ] || fail "not 32 messages"

grep -q 'txt2bin -i scatter.goal -o FILE.bin and LogGOPSim -f FILE.bin -S 2147483647$' stderr ||
    fail "does not say how to use it: $(cat stderr)"
grep -q 'longer ones for rendezvous' stderr || fail "does not say what -S is: $(cat stderr)"

# gigabit LogGP: 0.8 ns for a byte are 1, or 800 ps.
pairs='[[0, T, T], [T, 0, T], [T, T, 0]]'
cat >loggp.mod <<END
{"format": "cpm model", "version": 1, "model": "loggp", "processes": 3, "hosts": ["a", "b", "c"],
 "parameters": {"L": {"unit": "s", "value": ${pairs//T/5e-6}}, "o": {"unit": "s", "value": [1e-6, 1e-6, 1e-6]},
 "g": {"unit": "s", "value": ${pairs//T/2e-6}}, "G": {"unit": "s/B", "value": ${pairs//T/8e-10}}}}
END
works "$cpm" export --goal bcast:linear -n 3 --model loggp.mod -o bcast.goal
grep -q -- '-S 2147483647 -L 5000 -o 1000 -g 2000 -G 1, in nanoseconds$' stderr || fail "parameters: $(cat stderr)"
grep -q 'rounding moves parameters by up to 25 %: --picoseconds' stderr || fail "not told of rounding: $(cat stderr)"
works "$cpm" export --goal bcast:linear -n 3 --model loggp.mod --picoseconds -o bcast.goal
grep -q -- '-L 5000000 -o 1000000 -g 2000000 -G 800, in picoseconds$' stderr || fail "parameters: $(cat stderr)"
! grep -q rounding stderr || fail "rounding: $(cat stderr)"
refused 2 'LogGOPSim needs a loggp model, not lmo' "$cpm" export --goal bcast:linear -n 3 --model lmo4.mod
sed 's/5e-6/5e-3/g' loggp.mod >slow.mod
refused 2 'L is too long for LogGOPSim in picoseconds' "$cpm" export --goal bcast:linear --model slow.mod --picoseconds
refused 2 "the unit of --model's parameters" "$cpm" export --goal bcast:linear --picoseconds
refused 2 '--model: is for --goal' "$cpm" export --simgrid lmo4.mod --model loggp.mod

# A host for hwloc: what it reads back are the times of messages inside sockets, and between them.
golden export_hwloc export --hwloc sockets8.mod --host south
works "$cpm" export --hwloc sockets8.mod -o north.xml
[ ! -s stdout ] || fail "prints besides: $(cat stdout)"
grep -q 'the host is north; --host names another one' stderr || fail "does not say which host: $(cat stderr)"
grep -q 'lstopo -i north.xml --distances' stderr || fail "does not say how to use it: $(cat stderr)"
works "$cpm" export --hwloc sockets8.mod -o north.xml # may be made again
# matrix FILE NAME OBJECTS: the rows as hwloc reads them
matrix() {
    HWLOC_XML_VERBOSE=1 lstopo-no-graphics -i "$1" --distances 2>&1 | awk -v name="name $2 " -v what=" $3 " '
        /matrix/ { on = index($0, name) && index($0, what); next }
        on && $1 != "index" { $1 = ""; print }' | tr -s '\n' ' '
}
if command -v lstopo-no-graphics >/dev/null; then
    [ "$(matrix north.xml MessageLatency NUMANodes)" = ' 1000 2000 2000 1000 ' ] ||
        fail "latency of nodes: $(lstopo-no-graphics -i north.xml --distances 2>&1)"
    [ "$(matrix north.xml MessageBandwidth NUMANodes)" = ' 954 477 477 954 ' ] ||
        fail "bandwidth of nodes: $(lstopo-no-graphics -i north.xml --distances 2>&1)"
    [ "$(matrix north.xml MessageLatency Cores)" = ' 0 1000 2000 2000 1000 0 2000 2000 2000 2000 0 1000 2000 2000 1000 0 ' ] ||
        fail "latency of cores: $(lstopo-no-graphics -i north.xml --distances 2>&1)"
    sed 's/"sockets": .*/"sockets": [0, 0, 3, 3, 0, 3, 0, 3],/' sockets8.mod >gap.mod
    works "$cpm" export --hwloc gap.mod -o gap.xml
    [ "$(matrix gap.xml MessageLatency NUMANodes)" = ' 1000 2000 2000 1000 ' ] ||
        fail "sockets 0 and 3: $(lstopo-no-graphics -i gap.xml --distances 2>&1)"
    # 40 processes on one host of any name, of a model that knows no levels.
    awk 'function all(value,   i, j) {
            for (i = 0; i < 40; i++) for (j = 0; j < 40; j++) printf "%s%s", j ? ", " : i ? "], [" : "[[", i == j ? 0 : value
            printf "]]" }
        BEGIN { printf "{\"format\": \"cpm model\", \"version\": 1, \"model\": \"hockney\", \"processes\": 40, \"hosts\": ["
        for (i = 0; i < 40; i++) printf "%s\"a<&b\"", i ? ", " : ""
        printf "], \"parameters\": {\"alpha\": {\"unit\": \"s\", \"value\": "; all("2e-6")
        printf "}, \"beta\": {\"unit\": \"s/B\", \"value\": "; all("1e-9"); print "}}}" }' >one.mod
    works "$cpm" export --hwloc one.mod -o one.xml
    grep -q 'tells no sockets apart: all cores are on one NUMA node' stderr || fail "sockets: $(cat stderr)"
    [ "$(hwloc-info -i one.xml 2>&1 | grep -c ' 40 Core ')" = 1 ] || fail "no 40 cores: $(hwloc-info -i one.xml 2>&1)"
    [ "$(matrix one.xml MessageLatency Cores | tr ' ' '\n' | grep -c 2000)" = 1560 ] || fail "not all pairs"
fi
refused 2 "no process of the model is on 'west'" "$cpm" export --hwloc sockets8.mod --host west
refused 2 'no two processes of the model are on one host: measure' "$cpm" export --hwloc lmo4.mod -o none.xml
[ ! -e none.xml ] || fail "something is written"
refused 2 '--host: is for --hwloc' "$cpm" export --simgrid lmo4.mod --host node0

refused 2 '--goal, --han, --hwloc, --openmpi, --mpich, --schedule, --simgrid or --ucc' "$cpm" export bcast:linear
refused 2 'name one algorithm' "$cpm" export --goal bcast
refused 2 '--size: is for --goal' "$cpm" export --simgrid lmo4.mod -m 1M
refused 2 'at least 1 process' "$cpm" export --goal bcast:linear -n 0
refused 2 'root 9' "$cpm" export --goal bcast:linear -n 4 --root 9
refused 1 'cannot be written' "$cpm" export --goal bcast:linear -o nowhere/x.goal
finish
