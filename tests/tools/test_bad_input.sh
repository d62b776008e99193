#!/usr/bin/env bash
# Whatever is wrong gets one clear line and a non-zero exit code, and leaves nothing half-written.
. "$(dirname "$0")/lib.sh"

no_such_command_is_refused() {
    refused 2 "modle: unknown command; did you mean 'model'" "$cpm" modle
    refused 2 'unknown command' "$cpm" bench cols
    refused 2 "what to do. .'cpm help' lists the commands" "$cpm"
}

misspelt_options_are_refused() {
    for command in model show predict validate plot 'bench p2p' 'bench coll' measure fit algorithms check doctor diff map; do
        # shellcheck disable=SC2086 # two words
        refused 2 "cpm $command: unknown option '--sise'" "$cpm" $command --sise 1K
    done
    refused 2 "unknown option '-y'" "$cpm" predict -y lmo4.mod scatter
    refused 2 "option --sizes needs a value" "$cpm" predict lmo4.mod scatter -m
    refused 2 "option --quiet takes no value" "$cpm" bench p2p --quiet=yes
    refused 2 'argument is missing' "$cpm" predict
    refused 2 'sizes must ascend, and 1 follows 1024' \
        "$cpm" predict lmo4.mod bcast -m 1K,1 --crossovers
    refused 2 'does not make 4 processes' "$cpm" predict lmo4.mod bcast:2d:mesh=3x2
    refused 2 'intervals: there are none with --crossovers' "$cpm" predict lmo4.mod bcast --intervals --crossovers
    refused 2 'intervals: there are none with --method formula' "$cpm" predict lmo4.mod bcast:linear --intervals --method formula
    refused 2 'it needs a tree' "$cpm" predict lmo4.mod bcast:tree
    refused 2 'segment=0' "$cpm" predict lmo4.mod bcast:chain:segment=0
    refused 2 "unexpected argument 'other.mod'" "$cpm" show lmo4.mod other.mod
}

values_that_do_not_parse_are_refused() {
    for size in 12Q -5 '' 1.5K 99999999999999999999 9999999999G 4K:1K 1K,; do
        refused 2 'cpm predict: --sizes: ' "$cpm" predict lmo4.mod scatter --sizes="$size"
    done
    refused 2 "root: '-1' is not" "$cpm" predict lmo4.mod scatter --root -1
    refused 2 "min-reps: 'five' is not" "$cpm" bench p2p --machine lmo4.mod --min-reps five
    refused 2 "noise: 'nan' is not" "$cpm" bench p2p --machine lmo4.mod --noise nan
    refused 2 'statistic: .*mode.*median' "$cpm" bench p2p --machine lmo4.mod --statistic mode
    refused 2 'timing: .*local.*root' "$cpm" bench p2p --machine lmo4.mod --timing local
    refused 2 'format: .*xml.*known: text' "$cpm" predict lmo4.mod scatter --format xml
    refused 2 'confidence' "$cpm" bench p2p --machine lmo4.mod --confidence 1.5
    refused 2 'reps|repetitions' "$cpm" bench p2p --machine lmo4.mod --min-reps 10 --max-reps 5
}

unknown_names_come_with_the_known_ones() {
    refused 2 'scater.*scatter' "$cpm" predict lmo4.mod scater:linear
    refused 2 'scater.*scatter' "$cpm" predict lmo4.mod scater
    refused 2 'fast.*linear, star, binomial' "$cpm" predict lmo4.mod scatter:fast
    refused 2 'scater.*scatter' "$cpm" bench coll --machine lmo4.mod scater
    refused 2 'native' "$cpm" predict lmo4.mod scatter:native
    refused 2 'unknown method' "$cpm" predict lmo4.mod scatter --method guess
    refused 2 'no formula' "$cpm" predict lmo4.mod scatter:chain --method formula
    refused 2 "unknown parameter 'X' of lmo; known are C, t, L" "$cpm" show lmo4.mod --param X
    refused 2 'scater.*scatter' "$cpm" algorithms scater
    refused 2 'omo.*lmo' "$cpm" model --machine lmo4.mod --model omo
    refused 2 'gap.*guess.*saturation' "$cpm" model --machine lmo4.mod --model plogp --gap guess
    refused 2 'guess.*joint' "$cpm" model -M lmo --machine lmo4.mod --estimator guess
}

bad_models_are_refused() {
    sed 's/5.39e-05/-5.39e-05/' lmo4.mod >negative.mod
    sed 's/5.39e-05/NaN/' lmo4.mod >nan.mod
    sed 's/5.39e-05, //' lmo4.mod >short.mod
    sed 's/"version": 1/"version": 9/' lmo4.mod >version.mod
    head -c 700 lmo4.mod >cut.mod
    echo 'not JSON' >text.mod
    : >empty.mod
    for command in 'show F' 'predict F scatter' 'plot F' 'doctor F' 'diff F lmo4.mod' 'diff lmo4.mod F' 'bench p2p --machine F' \
        'validate --machine lmo4.mod F'; do
        for file in missing negative nan short version cut text empty; do
            # shellcheck disable=SC2086 # words
            refused 1 "$file.mod" "$cpm" ${command/F/$file.mod}
        done
    done
    refused 1 'negative.mod:[0-9]+: ' "$cpm" show negative.mod
    refused 1 'nan.mod:[0-9]+: ' "$cpm" show nan.mod
    refused 1 'cut.mod:[0-9]+: the model file ends too early: it was cut off' "$cpm" show cut.mod
    refused 1 'text.mod:1: not a model file: it holds something that cpm does not know' "$cpm" show text.mod
    works "$cpm" report lmo4.mod -o page.html
    works "$cpm" draw bcast:binomial -n 4 -o graph.dot
    works "$cpm" bench p2p --machine lmo4.mod -m 1K --quiet -o some.meas
    refused 1 'page.html:1: not a model file: it holds a page of cpm report' "$cpm" predict page.html bcast
    refused 1 'graph.dot:1: not a decision table: it holds a graph' "$cpm" export --openmpi graph.dot
    refused 1 'some.meas:1: not rules: it holds measurements' "$cpm" rules some.meas
    [ ! -e missing.png ] && [ ! -e cut.png ] || fail "a plot of a bad model was left"
}

bad_measurements_are_refused() {
    works "$cpm" bench p2p --machine lmo4.mod -m 1K,2K --quiet -o good.meas
    awk '/^roundtrip/ && !done { $9 = "-1e-5"; done = 1 } 1' good.meas >negative.meas
    awk '/^roundtrip/ && !done { $9 = "nan"; done = 1 } 1' good.meas >nan.meas
    awk '/^roundtrip/ && !done { NF = 6; done = 1 } 1' good.meas >short.meas
    sed '1s/1$/9/' good.meas >version.meas
    echo '{}' >json.meas
    head -n -3 good.meas >cut.meas
    head -c -3 good.meas >torn.meas
    for file in missing negative nan short version json cut torn; do
        refused 1 "$file.meas" "$cpm" fit -M hockney "$file.meas" -o new.mod
        [ ! -e new.mod ] || fail "a model of $file.meas was written"
    done
    refused 1 'cut.meas: is not complete' "$cpm" fit -M hockney cut.meas
    refused 1 'torn.meas: is not complete' "$cpm" fit -M hockney torn.meas
    refused 1 'negative.meas:[0-9]+: ' "$cpm" fit negative.meas
    refused 1 'nan.meas:[0-9]+: ' "$cpm" fit nan.meas
    # A campaign of round trips alone does not determine LMO.
    refused 1 '^cpm fit: good.meas: .*missing' "$cpm" fit -M lmo good.meas -o new.mod --no-thresholds
    [ ! -e new.mod ] || fail "a model of too few measurements was written"
}

wrong_numbers_of_processes_are_refused() {
    refused 1 'needs at least 3 processes, got 1: start it as mpiexec[^ ]* -n 4 cpm model' "$cpm" model -M lmo
    refused 1 'needs at least 3 processes, got 1: start it as mpiexec' "$cpm" measure -M lmo
    refused 1 'needs at least 2 processes, got 1: start it as mpiexec' "$cpm" model --model hockney
    refused 1 'needs at least 2 processes, got 1' "$cpm" bench p2p
    refused 1 'needs at least 2 processes, got 1' "$cpm" bench coll
    refused 1 'lmo4.mod.* 4 processes.* 1' "$cpm" validate lmo4.mod
    refused 1 'hockney3.mod.* 3 processes.* 4' "$cpm" validate --machine lmo4.mod hockney3.mod
    refused 1 'lmo4.mod.* 4 processes.* 5' "$cpm" predict lmo4.mod scatter -n 5
    [ ! -e cluster.mod ] && [ ! -e cluster.meas ] || fail "files of a campaign that never was"
}

roots_out_of_range_are_refused() {
    refused 2 '--root: 4 is not in 0..3' "$cpm" predict lmo4.mod scatter --root 4
    refused 2 '--root: 4 is not in 0..3' "$cpm" bench coll --machine lmo4.mod --root 4
    refused 2 '--root: 4 is not in 0..3' "$cpm" validate --machine lmo4.mod lmo4.mod --root 4
}

outputs_that_cannot_be_written_are_refused_before_measuring() {
    for output in /nonexistent/x .; do
        refused 1 "$output" "$cpm" model -M lmo --machine lmo4.mod -o $output
        refused 1 "$output" "$cpm" model -M lmo --machine lmo4.mod -o x.mod --meas $output
        refused 1 "$output" "$cpm" measure -M lmo --machine lmo4.mod -o $output
        refused 1 "$output" "$cpm" bench p2p --machine lmo4.mod -o $output
        refused 1 "$output" "$cpm" validate --machine lmo4.mod lmo4.mod -o $output
        [ ! -s stdout ] || fail "measured for $output"
    done
    [ ! -e x.mod ] || fail "a model without measurements"
    refused 1 '/nonexistent/x.png' "$cpm" plot lmo4.mod -o /nonexistent/x.png
    refused 2 'png, .pdf or .svg' "$cpm" plot lmo4.mod -o x.gif
}

a_full_disk_is_reported() {
    [ -c /dev/full ] || return
    refused 1 'No space left' "$cpm" bench p2p --machine lmo4.mod -o /dev/full
    refused 1 '/dev/full.*No space left' "$cpm" validate --machine lmo4.mod lmo4.mod bcast --quiet -o /dev/full
    "$cpm" show lmo4.mod >/dev/full 2>stderr && fail "show on a full disk"
    grep -q '^cpm show: .*cannot be written' stderr || fail "show on a full disk: $(cat stderr)"
}

large_errors_are_reported_when_asked() {
    refused 1 '--max-error: bcast:linear is off' "$cpm" validate --machine lmo4.mod lmo4.mod \
        bcast:linear --noise 0.3 --max-error 0.0001 --quiet
    works "$cpm" validate --machine lmo4.mod lmo4.mod bcast:linear --max-error 0.0001 --quiet
    refused 1 'more than 0 %' "$cpm" validate --machine lmo4.mod lmo4.mod bcast:linear --noise 0.3 \
        --max-error 0 --quiet
}

plots_say_what_is_missing() {
    refused 1 'is neither a model nor measurements' "$cpm" plot "$here/lib.sh"
    CPM_GNUPLOT_DIR=$work refused 1 'CPM_GNUPLOT_DIR: there is no model.gp' "$cpm" plot lmo4.mod
    PATH=/nonexistent "$cpm" plot lmo4.mod 2>stderr && fail "plots without gnuplot"
    grep -q 'gnuplot is not installed' stderr || fail "no gnuplot: $(cat stderr)"
}

# A file that takes the place of a closed stream would get what is said there.
closed_streams_do_not_end_in_measurements() {
    "$cpm" model -M lmo --machine lmo4.mod --no-thresholds -o closed.mod 2>&- >/dev/null ||
        fail "cannot run without a standard error"
    works "$cpm" fit closed.meas --no-thresholds -o again.mod
    ! grep -q '^cpm' closed.meas || fail "words in measurements: $(grep '^cpm' closed.meas)"
    "$cpm" model -M lmo --machine lmo4.mod --no-thresholds --quiet -o closed.mod <&- >/dev/null 2>stderr ||
        fail "cannot run without a standard input: $(cat stderr)"
    "$cpm" show lmo4.mod >&- 2>stderr && fail "prints to a closed stream"
    grep -q 'standard output cannot be written' stderr || fail "closed: $(cat stderr)"
}

two_campaigns_do_not_write_one_file() {
    local one two
    "$cpm" bench coll --machine lmo4.mod bcast -m 1:4M --min-reps 300 --max-reps 300 --quiet \
        -o both.meas >/dev/null 2>one &
    one=$!
    for two in {1..200}; do [ -s both.meas ] && break || sleep 0.02; done
    "$cpm" bench coll --machine lmo4.mod scatter -m 1K --quiet -o both.meas >/dev/null 2>two
    two=$?
    wait $one || fail "the first campaign: $(cat one)"
    if [ $two = 1 ]; then # else the first was over before the second began
        grep -q '^cpm bench coll: both.meas: another campaign is writing it' two || fail "$(cat two)"
        [ "$(wc -l <two)" = 1 ] || fail "not one line: $(cat two)"
        ! grep -q '^scatter:' both.meas || fail "rows of the second"
    fi
    works "$cpm" compare lmo4.mod both.meas
}

# The model goes into a pipe, so that the first job stands at its fit until somebody reads.
a_model_is_fitted_to_what_its_own_campaign_measured() {
    local one second
    mkfifo fitted.mod
    "$cpm" model -M lmo --machine lmo4.mod --no-thresholds --meas held.meas -o fitted.mod 2>one >/dev/null &
    one=$!
    for second in {1..500}; do grep -qs '^# duration' held.meas && break || sleep 0.02; done
    cp held.meas before.meas
    for second in '' --resume; do
        # shellcheck disable=SC2086 # nothing, or an option
        refused 1 'held.meas: another campaign is writing it' "$cpm" model -M lmo --machine lmo4.mod \
            --no-thresholds --noise 0.1 --meas held.meas -o second.mod --quiet $second
        refused 1 'held.meas: another campaign is writing it' "$cpm" measure -M lmo --machine lmo4.mod \
            -M hockney -o held.meas --quiet $second
    done
    cmp held.meas before.meas || fail "the second job changed the measurements"
    [ ! -e second.mod ] || fail "a model of the second job"
    cat fitted.mod >one.mod
    wait $one || fail "the first job: $(cat one)"
    grep -q "$(sha256sum <before.meas | cut -d' ' -f1)" one.mod || fail "fitted to something else"
    works "$cpm" model -M lmo --machine lmo4.mod --no-thresholds --noise 0.1 --meas held.meas -o second.mod --quiet
    cmp held.meas.~1~ before.meas || fail "the measurements of the first job are lost"
    rm fitted.mod
    refused 2 'must be a file' "$cpm" model -M lmo --machine lmo4.mod --meas -
}

no_such_command_is_refused
misspelt_options_are_refused
values_that_do_not_parse_are_refused
unknown_names_come_with_the_known_ones
bad_models_are_refused
bad_measurements_are_refused
wrong_numbers_of_processes_are_refused
roots_out_of_range_are_refused
outputs_that_cannot_be_written_are_refused_before_measuring
a_full_disk_is_reported
closed_streams_do_not_end_in_measurements
two_campaigns_do_not_write_one_file
a_model_is_fitted_to_what_its_own_campaign_measured
large_errors_are_reported_when_asked
plots_say_what_is_missing
finish
