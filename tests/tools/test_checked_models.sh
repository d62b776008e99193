#!/usr/bin/env bash
# A model is checked before it is written: collectives at the end of its campaign that nothing is fitted to.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

# Two clusters of 16 hosts with a process each: one switch; and a torus, which a model without --topology does not
# know.
python3 "$here/../lab/hosts_model.py" --hosts 16 --each 1 >right.truth || fail "no model"
"$cpm" model --machine right.truth --noise 0.01 --min-reps 5 --max-reps 5 --no-thresholds --topology 'torus 4x4' \
    -o shape.mod 2>stderr || fail "no torus: $(cat stderr)"
python3 - <<'END' || fail "no torus"
import json
torus, truth = json.load(open("shape.mod")), json.load(open("right.truth"))
truth["links"] = torus["links"]
fastest = min(v for row in truth["parameters"]["invbeta"]["value"][-1] for v in row if v > 0)
links = [fastest if "+" in name or "-" in name else None for name in torus["links"]]
truth["parameters"]["Gl"] = {"unit": "s/B", "value": links}
json.dump(truth, open("torus.truth", "w"))
END

# model TRUTH NAME [OPTION...]: NAME.mod is what cpm model makes where TRUTH plays the cluster.
model() {
    "$cpm" model --machine "$1.truth" --noise 0.02 --min-reps 10 --max-reps 20 --no-thresholds -o "$2.mod" "${@:3}"
}
said='cpm: check of the model: predictions of 4 collectives are off by [0-9.]* % on average, at worst [-+]'
bad='cpm: warning: in its own check the model is off by [0-9.]* % on average, at worst .*[.] It is not one of this machine'

a_right_model_says_how_right_it_is() {
    works model right right
    grep -q "$said" stderr && ! grep -q warning stderr || fail "not said: $(cat stderr)"
    works "$cpm" show right.mod
    grep -q '^check: off by [0-9.]* % on average, at worst [-+][0-9.]* % ([a-z:]*, [0-9]* bytes)$' stdout || fail "$(cat stdout)"
    works "$cpm" fit right.meas --no-thresholds -o again.mod
    grep -q "$said" stderr || fail "not said by fit: $(cat stderr)"
    cmp right.mod again.mod || fail "cpm fit gives another model"
    for suffix in mod meas; do finds 0 "$cpm" doctor right.$suffix; done
    works model right quiet --quiet
    ! grep -q check stderr || fail "not quiet: $(cat stderr)"
    works "$cpm" predict right.mod bcast:linear -m 64K --format tsv
    grep -q '^# check: off by ' stdout && [ ! -s stderr ] || fail "predict: $(cat stdout stderr)"
    works intervals_say_if_there_is_none right.mod
}

# Of how far the model is off they are only where that was checked; where there are none, nothing is said of them.
intervals_say_if_there_is_none() {
    sed 's/"checked": /"of_yesterday": /' "$1" >unchecked.mod
    local format line='^# intervals: of the parameters, not of how far the model is off: '
    for format in text tsv; do
        "$cpm" predict "$1" bcast:linear -m 64K --format $format | grep "$line" && return 1
        "$cpm" predict unchecked.mod bcast:linear -m 64K --format $format --no-intervals | grep "$line" && return 1
        "$cpm" predict unchecked.mod bcast:linear -m 64K --format $format | grep -q "$line" || return 1
    done
}

# half FILE.mod: half the interval of a prediction, in percent of it.
half() {
    "$cpm" predict "$1" alltoall:pair -m 64K --format tsv 2>/dev/null |
        awk -F'\t' '$1 == "alltoall:pair" { print int(100 * ($7 - $5) / $5) }'
}

a_wrong_one_says_so_and_what_to_try() {
    works model torus wrong --quiet
    grep -q "$bad" stderr && grep -q '^cpm: try --topology FILE, or a shape' stderr || fail "$(cat stderr)"
    works "$cpm" fit wrong.meas --no-thresholds -o again.mod
    grep -q "$bad" stderr || fail "not said by fit: $(cat stderr)"
    works "$cpm" show wrong.mod
    grep -q '^check: .*: it is not a model of its machine$' stdout || fail "$(cat stdout)"
    works "$cpm" predict wrong.mod alltoall:pair -m 64K
    grep -q '^cpm: warning: in its own check' stderr || fail "predict: $(cat stderr)"
    works "$cpm" draw alltoall:pair --model wrong.mod -m 64K -o wrong.svg
    grep -q '^cpm: warning: in its own check' stderr || fail "draw: $(cat stderr)"
    [ "$(half wrong.mod)" -ge 10 ] && [ "$(half right.mod)" -lt 5 ] || fail "intervals: $(half wrong.mod), $(half right.mod) %"
    for suffix in mod meas; do
        finds 4 "$cpm" doctor wrong.$suffix
        grep -q "^cannot tell: the model's own check shows" stdout || fail "doctor: $(cat stdout)"
        ! grep -qE '^(host|link|process|experiment)' stdout || fail "accused: $(cat stdout)"
    done
    works model torus told --topology 'torus 4x4'
    grep -q "$said" stderr || fail "with its topology: $(cat stderr)"
    finds 0 "$cpm" doctor told.mod
}

what_was_stopped_before_its_check_is_checked_when_it_goes_on() {
    works model right whole
    grep -v '^# duration\|^allgather:\|^alltoall:\|^gather:\|^reduce:' whole.meas >part.meas
    grep -v '^# check' part.meas >before.meas # of a campaign that knew no check
    for name in part before; do
        works model right $name --resume
        [ "$(grep -c '^# check: allgather' $name.meas)" = 1 ] || fail "$name: $(grep '^# check' $name.meas)"
        [ "$(grep -cv '^#' $name.meas)" = "$(grep -cv '^#' whole.meas)" ] || fail "$name: other experiments"
        works "$cpm" show $name.mod
        grep -q '^check: off by ' stdout || fail "$name: not checked"
    done
}

where_time_is_short_it_is_left_out_and_said() {
    works model right short --budget 4
    grep -q 'the budget left no time to check the model' stderr || fail "not said: $(cat stderr)"
    ! grep -q 'to find the links' stderr || fail "there are none to find: $(cat stderr)"
    works "$cpm" show short.mod
    grep -q '^check: not made, for lack of time$' stdout || fail "$(cat stdout)"
    finds 0 "$cpm" doctor short.mod
}

and_links_that_were_not_found_are_said() {
    python3 - <<'END' || fail "no line between sites"
import json
truth = json.load(open("right.truth"))
truth["links"] = {"there": "0-7 > 8-15", "back": "8-15 > 0-7"}
truth["parameters"]["Gl"] = {"unit": "s/B", "value": [2e-8, 2e-8]}
for rows in truth["parameters"]["invbeta"]["value"]:
    for i in range(16):
        for j in range(16):
            rows[i][j] = 2e-8 if (i < 8) != (j < 8) else rows[i][j]
json.dump(truth, open("sites.truth", "w"))
END
    works "$cpm" model --machine sites.truth --no-thresholds --max-reps 5 --budget 11 -o sites.mod
    grep -q 'no time to check the model, nor to \(ask whether hosts\|find the links\)' stderr || fail "not said: $(cat stderr)"
}

# Of one host: without what shows that they share its memory the model is wrong.
two_processes_are_checked() {
    works model right two --layout 2x1
    grep -q "$said" stderr && ! grep -q warning stderr || fail "two hosts: $(cat stderr)"
    python3 "$here/../lab/hosts_model.py" --hosts 1 --each 2 >host.truth || fail "no host"
    works model host pair
    grep -q "$said" stderr && ! grep -q warning stderr || fail "one host: $(cat stderr)"
    grep -v '^crowded-exchange ' pair.meas >without.meas
    works "$cpm" fit without.meas --no-thresholds -o without.mod
    grep -q "$bad" stderr || fail "not found: $(cat stderr)"
    works "$cpm" measure -M lmo --machine right.truth --layout 4x1 --quiet -o lmo.meas
    ! grep -q '^# check' lmo.meas || fail "another model is checked"
}

links_are_shown_with_who_uses_them() {
    works model torus shown --topology 'torus 4x4'
    works "$cpm" show shown.mod
    grep -q '^  node0+0  *0 > 1-2,5-6,9-10,13-14; 3 > 1,5,9,13  *[0-9.]* +- [0-9.]*$' stdout &&
        grep -qE '^  [0-9]+ links that no messages are known to share: --full$' stdout ||
        fail "$(grep -A3 '^  link ' stdout)"
    ! grep -q '^links: \|^  node0 ' stdout || fail "what says nothing: $(grep '^links: \|^  node0 ' stdout)"
    works "$cpm" show shown.mod --full
    grep -q '^  node0  .* [.][.][.]  *unknown$' stdout || fail "--full: $(grep '^  node0 ' stdout)"
}

a_check_that_cannot_be_read_is_refused() {
    sed 's/"checked": "[^,]*,/"checked": "allgather:bruck@32768,/' wrong.mod >broken.mod
    cmp -s wrong.mod broken.mod && fail "nothing broken"
    for command in show doctor 'predict -m 1K'; do
        refused 1 'broken.mod:[0-9]*: "checked": expected .ALGORITHM@BYTES ERROR HALF' "$cpm" $command broken.mod
    done
    sed 's/^# check: .*/# check: allgather:bruck@/' right.meas >broken.meas
    refused 1 "broken.meas: the header's check is wrong: expected 'ALGORITHM@BYTES ...', found 'allgather:bruck@'" \
        "$cpm" fit broken.meas -o never.mod
    [ ! -e never.mod ] || fail "written"
}

a_right_model_says_how_right_it_is
a_wrong_one_says_so_and_what_to_try
what_was_stopped_before_its_check_is_checked_when_it_goes_on
where_time_is_short_it_is_left_out_and_said
and_links_that_were_not_found_are_said
two_processes_are_checked
links_are_shown_with_who_uses_them
a_check_that_cannot_be_read_is_refused
finish
