#!/usr/bin/env bash
# Notes of a model whose campaign ended early: what was not measured is not told as seen.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

# Eight hosts with a process each: at two switches of which the hosts fill the trunks, and in a torus.
python3 "$here/../lab/hosts_model.py" --hosts 8 --each 1 --switches 2 --topology two.topology >two.truth || fail "no model"
python3 "$here/../lab/hosts_model.py" --hosts 8 --each 1 >torus.truth || fail "no model"
play=(--noise 0.02 --max-reps 5 --no-thresholds --quiet)
works "$cpm" model --machine two.truth "${play[@]}" -o alone.mod
works "$cpm" model --machine two.truth "${play[@]}" --topology two.topology -o told.mod
works "$cpm" model --machine torus.truth "${play[@]}" --topology 'torus 4x2' -o torus.mod

# without NAME AWK: notes are those of a fit to NAME.meas without the rows of which this is true.
without() {
    awk "!/^[a-z-]* [0-9]/ || !($2)" "$1.meas" >cut.meas
    works "$cpm" fit cut.meas -o cut.mod
    works "$cpm" show cut.mod
    sed -n '/^notes:/,$p' stdout >notes
}
# notes SENTENCE: it is one of them, to its end.
notes() {
    grep -qx "  $1" notes || fail "no '$1': $(cat notes)"
}
trunk='$1 == "crowded-burst" && $7 < 16'
link='$1 == "crowded-burst" && $7 >= 16'
alone='which of the two is the slower cannot be told'

what_is_complete_says_nothing_of_it() {
    without told 0
    notes 'link ends: messages share 8 of 8 outgoing and 8 of 8 incoming ones'
    notes "switches: messages share the trunks up of 2 and down of 2 of 2; $alone"
    without torus 0
    notes 'network: messages share [0-9]* of [0-9]* links inside it'
}

link_ends() {
    without told '$1 == "two-to-one" || $1 == "train"'
    notes 'link ends: whether messages share them was not measured'
    without told '$1 == "two-to-one"'
    notes 'link ends: messages share 8 of 8 outgoing ones; whether they share incoming ones was not measured'
    without told '$1 == "train"'
    notes 'link ends: messages share 8 of 8 incoming ones; whether they share outgoing ones was not measured'
    without told '$1 == "two-to-one" && $2 > 2'
    notes 'link ends: messages share 8 of 8 outgoing and 8 of 8 incoming ones; 8 and 3 were measured, and others are taken to be alike'
}

trunks() {
    without told "$trunk"
    notes 'switches: whether messages share trunks was not measured'
    without told "$trunk && \$2 < 4"
    notes "switches: messages share the trunks up of 1 and down of 1 of 2; 1 of 2 trunks were measured; $alone"
}

links() {
    without torus "$link"
    notes 'network: whether messages share [1-9][0-9]* of [0-9]* links inside it was not measured'
    without torus "$link && \$2 < 3"
    notes 'network: messages share [0-9]* of [0-9]* links inside it; of [0-9]* on which pairs can meet [1-9][0-9]* were measured'
}

messages_measured_again() {
    without alone 0
    notes 'messages of different hosts share links inside the network: hosts seem to be at 2 switches. [1-9][0-9]* experiments with bytes were measured again apart'
    without alone '$1 != "crowded-burst" && $5 == 2'
    notes 'messages of different hosts share links inside the network: hosts seem to be at 2 switches. Messages with bytes were not measured again apart'
}

# Whatever the budget: notes and measurements agree.
agree() {
    local said=$1 kind=$2
    grep -q "$said" brief.mod && ! grep -q "^$kind " brief.meas && fail "$budget s: '$said' without $kind: $(cat stderr)"
}
budgets() {
    local budget seen=0
    for budget in 2 3 5 7 10 12 20; do
        "$cpm" model --machine two.truth "${play[@]}" --force --budget $budget -o brief.mod 2>stderr || continue
        seen=$((seen + 1))
        agree 'link ends: messages share' two-to-one
        agree 'switches: messages share' crowded-burst
        agree 'experiments with bytes were measured again apart' '[a-z-]* [0-9]* [0-9]* -1 2'
        agree 'experiments with bytes were measured again one by one' '[ls][a-z-]* [0-9]* [0-9]* -1 3'
    done
    [ $seen -ge 4 ] || fail "too small: $seen"
}

what_is_complete_says_nothing_of_it
link_ends
trunks
links
messages_measured_again
budgets
finish
