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
refused 2 "without.topology: process 0 is on host 'north', which is none of the 1 there; add a line 'host north SWITCH'" \
    measure --topology without.topology -o no.mod
printf 'switch north\nhost south north\n' >confused.topology
refused 2 "confused.topology:1: 'north' is a switch, but process 0 is on a host 'north'" \
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

# Four switches in two rooms: links between the rooms carry messages of several switches. They are nobody's
# for hosts that take no part.
rooms() {
    printf 'switch %s\n' hall left right a b c d
    printf 'link %s\n' 'left hall' 'right hall' 'a left' 'b left' 'c right' 'd right'
    printf 'host %s\n' "node000 a" "node001 $1" "node002 $2" "node003 $3"
}
python3 "$here/../lab/hosts_model.py" --hosts 4 --each 1 >four.mod || fail "no model"
inner='left>hall 0-1 > 2-3 | hall>right 0-1 > 2-3 | right>hall 2-3 > 0-1 | hall>left 2-3 > 0-1'
for switches in 'b c d' 'b c c' 'a c d' 'a b b'; do
    rooms $switches >rooms.topology
    works "$cpm" model -M lmo2 --machine four.mod --no-thresholds --quiet --topology rooms.topology -o rooms.mod
    if [ "$switches" = 'b c d' ]; then
        grep -Fq "links: $inner" rooms.meas || fail "no inner links: $(head -40 rooms.meas)"
        grep -q '"left>hall": "0-1 > 2-3"' rooms.mod || fail "no inner link: $(grep -A 5 links rooms.mod)"
    else
        ! grep -q '^# links:' rooms.meas || fail "links of $switches"
    fi
done

# The same rooms, as Slurm has them, and cabled twice, as ibnetdiscover prints it.
cat >rooms.conf <<'END'
# topology.conf
SwitchName=hall Switches=left,right
SwitchName=left Switches=a,b
SwitchName=right Switches=c,d
SwitchName=a Nodes=node[000,010]
SwitchName=b Nodes=node001.cluster.org
switchname=c nodes=node002
SwitchName=d Nodes=node[003-004] LinkSpeed=900
END
works "$cpm" model -M lmo2 --machine four.mod --no-thresholds --quiet --topology rooms.conf -o slurm.mod
grep -q '^# switches: a b c d$' slurm.meas || fail "switches: $(grep switches slurm.meas)"
grep -Fq "links: $inner" slurm.meas || fail "no inner links: $(grep links slurm.meas)"
sed '/^SwitchName=b/d; s/a,b/a/' rooms.conf >three.conf
refused 2 "three.conf: process 1 is on host 'node001', which is none of the 5 of Slurm's topology.conf" \
    "$cpm" model -M lmo2 --machine four.mod --quiet --topology three.conf -o no.mod
sed 's/a,b/a,hall/' rooms.conf >loop.conf
refused 1 "loop.conf:[23]: switch '(hall|left)' is below itself: a loop" \
    "$cpm" model -M lmo2 --machine four.mod --quiet --topology loop.conf -o no.mod
{
    printf '#\n# Topology file: generated on Mon Jan  5 12:00:00 2026\n#\n'
    for s in 0 1; do
        printf '\nvendid=0x2c9\nSwitch\t36 "S-%s"\t\t# "leaf%s" base port 0 lid 1 lmc 0\n' $s $s
        printf '[%s]\t"H-%s"[1](9) \t\t# "node00%s HCA-1" lid 1 4xQDR\n' \
            1 $((2 * s)) $((2 * s)) 2 $((2 * s + 1)) $((2 * s + 1))
        printf '[%s]\t"S-%s"[%s]\t\t# "leaf%s" lid 1 4xQDR\n' 3 $((1 - s)) 3 $((1 - s)) 4 $((1 - s)) 4 $((1 - s))
    done
    for h in 0 1 2 3; do
        printf '\nCa\t1 "H-%s"\t\t# "node00%s HCA-1"\n' $h $h
        printf '[1](9) \t"S-%s"[%s]\t\t# lid 1 lmc 0 "leaf" lid 1 4xQDR\n' $((h / 2)) $((h % 2 + 1))
    done
} >fabric.txt
works "$cpm" model -M lmo2 --machine four.mod --no-thresholds --topology fabric.txt -o ib.mod
grep -q 'note: fabric.txt does not say which of several ways messages take' stderr || fail "no note: $(cat stderr)"
grep -Fq 'leaf0>leaf1:2 0-1 > 3' ib.meas || fail "no links: $(grep links ib.meas)"
grep -q 'ways messages take in the topology is assumed' ib.mod || fail "no note in the model"
sed 's/"S-1"\[4\]/"S-1"[5]/' fabric.txt >torn.txt
refused 1 "torn.txt:10: port 4 of 'S-0' is cabled to port 5 of 'S-1', which says nothing of it" \
    "$cpm" model -M lmo2 --machine four.mod --quiet --topology torn.txt -o no.mod

refused 2 'cannot resume: it was measured with a topology, and now there is none' measure --resume --meas two.meas -o no.mod
refused 1 'takes 4' measure --discover found.topology -o no.mod
[ ! -e found.topology ] || fail "a topology of what was refused"
refused 2 "'ring 4' is neither a file nor a shape; shapes are 'torus" measure --topology 'ring 4' -o no.mod
refused 2 "'torus 4' is a shape, which only cpm model and" "$cpm" predict four.mod alltoall --topology 'torus 4'
refused 2 "'torus 4' is a shape, which only cpm model and" "$cpm" tune four.mod alltoall --topology 'torus 4' -o no.json
[ ! -e no.mod ] && [ ! -e no.json ] || fail "something was written"
refused 2 'the switches are either known or to be found' measure --topology two.topology --discover found.topology
# Where round trips show other switches than the topology tells, both are shown. What it tells in less detail, or in
# more, is no contradiction.
python3 "$here/../lab/hosts_model.py" --hosts 8 --each 1 >alike.truth || fail "no model"
python3 - <<'END' || fail "no switches"
import json
truth = json.load(open("alike.truth"))
for rows in truth["parameters"]["L"]["value"]:
    for i in range(8):
        for j in range(8):
            rows[i][j] = 2e-5 + 1e-5 * (i // 4 != j // 4) if i != j else rows[i][j]
json.dump(truth, open("switches.truth", "w"))
END
# told NAME SWITCH...: of node000, node001, ...
told() {
    local name=$1 host=0 switch
    printf 'switch core\nswitch a\nswitch b\nswitch c\nlink a core\nlink b core\nlink c core\n' >"$name.topology"
    for switch in "${@:2}"; do printf 'host node00%d %s\n' $((host++)) "$switch" >>"$name.topology"; done
    works "$cpm" model --machine switches.truth --noise 0.02 --no-thresholds --topology "$name.topology" -o "$name.mod"
}
told as_it_is a a a a b b b b
! grep -q contradict stderr || fail "as it is: $(cat stderr)"
told in_detail a a b b c c c c
! grep -q contradict stderr || fail "in detail: $(cat stderr)"
told shifted b a a a a b b b
grep -q "^cpm: warning: round trips contradict the topology: '.*' and '.*' are at one switch there" stderr || fail "shifted: $(cat stderr)"

# Models without switches and links say that they do not use them: they are what they are without a topology.
values() {
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["parameters"])' "$1"
}
unused() {
    local line="$1 model $type, which knows neither switches nor links: use --model lmo2"
    [ "$(grep '^cpm: warning' stderr)" = "cpm: warning: $line" ] || fail "$type: not '$line': $(cat stderr)"
}
left_out() {
    echo "the topology of the measurements is left out: model $type knows neither switches nor links"
}
for type in hockney lmo; do
    play=(-M $type --machine four.mod --no-thresholds --quiet)
    works "$cpm" model "${play[@]}" -o plain.mod
    ! grep -q topology stderr plain.mod || fail "$type: a topology that is not there: $(cat stderr)"
    for topology in 'torus 2x2' rooms.topology; do
        works "$cpm" model "${play[@]}" --topology "$topology" -o told.mod
        unused '--topology does not change'
        [ "$(values told.mod)" = "$(values plain.mod)" ] || fail "$type: another model with '$topology'"
        works "$cpm" fit told.meas -o again.mod
        grep -q "^cpm: note: $(left_out)\$" stderr && cmp told.mod again.mod || fail "$type: fit: $(cat stderr)"
        works "$cpm" show told.mod
        grep -q "^  $(left_out)\$" stdout || fail "$type: show: $(cat stdout)"
    done
    works "$cpm" measure "${play[@]}" --topology rooms.topology -o told.meas
    unused '--topology does not change'
    works "$cpm" measure "${play[@]}" --discover found.topology -o found.meas
    unused 'what --discover finds does not change'
    [ -s found.topology ] || fail "$type: nothing is written"
done
type=hockney
works "$cpm" fit -M hockney told.meas -o again.mod # measured for lmo
grep -q "^cpm: note: $(left_out)\$" stderr || fail "fit of another model: $(cat stderr)"
works "$cpm" model --machine four.mod --no-thresholds --quiet --topology 'torus 2x2' -o told.mod
! grep -q 'neither switches' stderr told.mod || fail "lmo2 knows links: $(cat stderr)"

finish
