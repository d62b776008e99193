#!/usr/bin/env bash
# Hosts with several processes: the doctor names them and their processes, and pictures, tables and
# differences are of hosts.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

# cluster NAME OPTION...: NAME.mod is of 8 hosts with 4 processes, NAME.told what was planted there.
cluster() { python3 "$here/../lab/hosts_model.py" "${@:2}" >"$1.mod" 2>"$1.told" || fail "no model $1"; }

# measured NAME SEED [OPTION...]: NAME.mod plays the cluster of NAME-SEED.mod.
measured() {
    works "$cpm" model -M lmo2 --machine "$1.mod" --noise 0.05 --seed "$2" --min-reps 20 --max-reps 20 \
        --no-thresholds --quiet -o "$1-$2.mod" "${@:3}"
}

# names NAME: exactly what was planted.
names() {
    local named
    named=$(grep -oE '^(host [a-z0-9]+|process [0-9]+|switch s[0-9]|trunk s[0-9] -> s[0-9]|link|experiment)' stdout | sort)
    [ "$named" = "$(cut -d: -f1 "$1.told" | sort)" ] || fail "planted $(cat "$1.told"): $(cat stdout)"
}

cluster healthy
cluster faulty --fault memory --fault link-out --fault process
for name in healthy faulty; do measured $name 1; done
for suffix in mod meas; do
    finds 0 "$cpm" doctor healthy-1.$suffix
    finds 3 "$cpm" doctor faulty-1.$suffix
    names faulty
done
grep -q '^host .*: .*G_in 0.* ns/B, [12]\.[0-9]* times' stdout || fail "memory: $(cat stdout)"
grep -q '^host .*: .*Go 1.* ns/B, [12]\.[0-9]* times' stdout || fail "link end: $(cat stdout)"
grep -q "^process .*: overheads [12]\.[0-9]* times those of its host's others" stdout || fail "process: $(cat stdout)"

# Trunks of switches: with those of the others, or one way with the other. Of four switches three are few to tell how
# much trunks differ, so those are measured more precisely, for both ways to be sure.
cluster switches --switches 4 --fault trunk --topology switches.topology
cluster two-switches --switches 2 --fault trunk-up --topology two-switches.topology
cluster healthy-switches --switches 2 --topology healthy-switches.topology
for name in two-switches healthy-switches; do measured $name 1 --topology $name.topology; done
measured switches 1 --topology switches.topology --noise 0.02
for suffix in mod meas; do
    finds 3 "$cpm" doctor switches-1.$suffix
    names switches
    grep -q '^switch s[0-9]: Gu 1.* ns/B, [12]\.[0-9]* times the others.*; Gd 1.* ns/B, [12]\.[0-9]* times the others' stdout || fail "trunk: $(cat stdout)"
    finds 3 "$cpm" doctor two-switches-1.$suffix
    names two-switches
    grep -q '^trunk s[01] -> s[01]: Gu .* ns/B, [12]\.[0-9]* times the other way' stdout || fail "trunk: $(cat stdout)"
    finds 0 "$cpm" doctor healthy-switches-1.$suffix
    grep -q '^note: .*Whether both directions are slow cannot be told' stdout || fail "no note: $(cat stdout)"
done

# A model that was written by hand tells nothing of single processes.
finds 3 "$cpm" doctor faulty.mod
grep -q 'processes are not compared' stdout || fail "no note: $(cat stdout)"

# Too little to compare with, or not known.
cluster two --hosts 2
finds 4 "$cpm" doctor two.mod
grep -q '^cannot tell: among 2 hosts a fault of 2 times would not have been found' stdout || fail "two: $(cat stdout)"
unknown='null, null, null, null, null, null, null, null'
sed "s/\"G_in\": {\"unit\": \"s\/B\", \"value\": \[[^]]*\]/\"G_in\": {\"unit\": \"s\/B\", \"value\": [$unknown]/" healthy.mod >unknown.mod
cmp -s healthy.mod unknown.mod && fail "nothing replaced"
finds 0 "$cpm" doctor unknown.mod
grep -q 'G_in is not compared: it is not known' stdout || fail "unknown: $(cat stdout)"

# Differences are of hosts, whatever their processes; what one model does not know cannot be told.
finds 4 "$cpm" diff healthy.mod unknown.mod
grep -q '^  G_in: 8 values are known in one of the models only' stdout || fail "not measured: $(cat stdout)"
for pair in "healthy.mod healthy-switches.mod" "healthy-switches.mod healthy.mod"; do
    # shellcheck disable=SC2086 # two files
    finds 4 "$cpm" diff $pair --format tsv
    grep -qP '^Gu\tbetween\t0\t0\t0\t0\t2\t' stdout || fail "known in one only: $(cat stdout)"
done
for layout in 8x4 8x2; do
    works "$cpm" model -M lmo2 --machine healthy.mod --layout $layout --no-thresholds --quiet -o $layout.mod
done
finds 0 "$cpm" diff 8x4.mod 8x2.mod # two processes show the memory, too
finds 3 "$cpm" diff healthy-1.mod faulty-1.mod
grep -q 'invbeta_in of host node' stdout || fail "no host: $(cat stdout)"
grep -q 'messages inside a host take longer by' stdout || fail "no levels: $(cat stdout)"
refused 1 'models of 8 and of 2 hosts' "$cpm" diff healthy.mod two.mod

# Tables: levels apart, by name, and no longer than a person reads.
works "$cpm" show faulty-1.mod
grep -q '32 processes on 8 hosts, 4 on each' stdout || fail "head: $(cat stdout)"
grep -q 'share 8 of 8 outgoing' stdout || fail "note: $(cat stdout)"
cluster many --hosts 64
works "$cpm" show many.mod
[ "$(wc -l <stdout)" -lt 150 ] || fail "$(wc -l <stdout) lines"
works "$cpm" show many.mod --param G_in
[ "$(grep -c '^node0' stdout)" = 64 ] || fail "hosts: $(cat stdout)"

if command -v gnuplot >/dev/null; then
    cluster one --hosts 1 --each 2
    measured one 1
    for file in one-1 healthy-1 many; do
        works "$cpm" plot $file.mod -o $file.png
        [ ! -s stderr ] || fail "plot of $file: $(cat stderr)"
        drawn $file.png 4000
    done
    works "$cpm" plot healthy-1.mod -o healthy.svg
    grep -q 'node007' healthy.svg || fail "no names of hosts"
    finds 3 "$cpm" doctor faulty-1.mod -o doctor.svg
    [ ! -s stderr ] && grep -q 'Go of a host' doctor.svg || fail "doctor: $(cat stderr)"
    works "$cpm" draw bcast:hosts --model healthy-1.mod -o run.svg
    grep -q 'node003: 12' run.svg || fail "no hosts in the time line"
fi
works "$cpm" draw bcast:hosts --layout 4x4
[ "$(grep -c 'subgraph cluster_' stdout)" = 4 ] || fail "no clusters: $(cat stdout)"
printf 'alpha alpha be"ta be"ta\n' >named
works "$cpm" draw allgather:ring --layout named
grep -q 'label="be\\"ta"' stdout || fail "no name: $(cat stdout)"
finish
