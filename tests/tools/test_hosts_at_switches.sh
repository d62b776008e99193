#!/usr/bin/env bash
# Switches of hosts: what a topology file and the hosts must agree about, and what a model keeps of it.
. "$(dirname "$0")/lib.sh"

# hosts4.mod: two hosts, north and south, with two processes each.
measure() {
    "$cpm" model -M lmo2 --machine hosts4.mod --no-thresholds --quiet "$@"
}

printf 'switch left\nswitch right\nlink left right\nhost south right\nhost north left\nhost west left\n' >two.topology
works measure --topology two.topology -o two.mod
works "$cpm" show two.mod
grep -q '^  left  *2 ' stdout || fail "no switch: $(cat stdout)"
grep -q '"left": \[0, 1\]' two.mod || fail "$(head -30 two.mod)"
works "$cpm" fit -M lmo2 --no-thresholds two.meas -o again.mod
cmp <(sed '/sha256/d' two.mod) <(sed '/sha256/d' again.mod) || fail "another model of the same measurements"

printf 'switch left\nhost south left\n' >without.topology
refused 1 "without.topology: process 0 is on host 'north', which is none of the 1 there; add a line 'host north SWITCH'" \
    measure --topology without.topology -o no.mod
printf 'switch north\nhost south north\n' >confused.topology
refused 1 "confused.topology:1: 'north' is a switch, but process 0 is on a host 'north'" \
    measure --topology confused.topology -o no.mod
printf 'switch left\nhost north right\n' >wrong.topology
refused 1 "wrong.topology:2: unknown switch 'right'" measure --topology wrong.topology -o no.mod
[ ! -e no.mod ] && [ ! -e no.meas ] || fail "files of what was refused"

refused 1 'cannot resume: it was measured with a topology, and now there is none' measure --resume --meas two.meas -o no.mod
refused 1 'takes 4' measure --discover found.topology -o no.mod
[ ! -e found.topology ] || fail "a topology of what was refused"
refused 2 'the switches are either known or to be found' measure --topology two.topology --discover found.topology
finish
