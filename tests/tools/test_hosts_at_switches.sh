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
printf 'switch left\nswitch right\nlink left right\nlink right left\nhost north left\nhost south right\n' >loop.topology
refused 1 "loop.topology:4: a second link between 'right' and 'left' .the first is in line 3" measure --topology loop.topology -o no.mod
printf 'switch a\nswitch b\nswitch c\nlink a b\nlink b c\nlink c a\nhost north a\nhost south b\n' >loop.topology
refused 1 "loop.topology:6: the link between 'c' and 'a' closes a cycle" measure --topology loop.topology -o no.mod
printf 'switch a\nhost north a\nhost south a\nhost north a\n' >twice.topology
refused 1 "twice.topology:4: 'north' is already the name of the host of line 2" measure --topology twice.topology -o no.mod
[ ! -e no.mod ] && [ ! -e no.meas ] || fail "files of what was refused"

# Four switches in two rooms: a link between the rooms carries messages of several switches. No room is
# deeper for hosts that take no part.
rooms() {
    printf 'switch %s\n' hall left right a b c d
    printf 'link %s\n' 'left hall' 'right hall' 'a left' 'b left' 'c right' 'd right'
    printf 'host %s\n' "node000 a" "node001 $1" "node002 $2" "node003 $3"
}
python3 "$here/../lab/hosts_model.py" --hosts 4 --each 1 >four.mod || fail "no model"
deeper='more than two levels: messages of several switches share 2 of its links'
for switches in 'b c d' 'b c c' 'a c d' 'a b b'; do
    rooms $switches >rooms.topology
    works "$cpm" model -M lmo2 --machine four.mod --no-thresholds --quiet --topology rooms.topology -o rooms.mod
    if [ "$switches" = 'b c d' ]; then
        grep -q "$deeper" rooms.mod rooms.meas stdout stderr || fail "no note: $(cat stdout stderr)"
    else
        ! grep -q 'more than two levels' rooms.mod || fail "a note of $switches"
    fi
done

refused 1 'cannot resume: it was measured with a topology, and now there is none' measure --resume --meas two.meas -o no.mod
refused 1 'takes 4' measure --discover found.topology -o no.mod
[ ! -e found.topology ] || fail "a topology of what was refused"
refused 1 "'ring 4' is neither a file nor a shape; shapes are 'torus" measure --topology 'ring 4' -o no.mod
refused 1 "'torus 4' is a shape, which only cpm model and" "$cpm" predict four.mod alltoall --topology 'torus 4'
refused 1 "'torus 4' is a shape, which only cpm model and" "$cpm" tune four.mod alltoall --topology 'torus 4' -o no.json
[ ! -e no.mod ] && [ ! -e no.json ] || fail "something was written"
refused 2 'the switches are either known or to be found' measure --topology two.topology --discover found.topology
finish
