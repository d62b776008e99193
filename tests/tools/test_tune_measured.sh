#!/usr/bin/env bash
# Decision tables from measurements: what a model plays is found, whatever is interrupted.
. "$(dirname "$0")/lib.sh"

# M1 of this model is 4096, from where on it plays time-outs; here everything is regular.
sed '/"M1"/,/}/s/4096/null/' lmo4.mod >regular.mod
some=(bcast:binomial bcast:chain:segment=8K bcast:linear gather:linear,gather:binomial allreduce:recursive-doubling)
tune() { "$cpm" tune --measure --machine regular.mod "$@"; }
rules() { sed -n '/"operations"/,$p' "$1"; }

# rule FILE SIZE: the algorithm that the only operation of a table has there
rule() {
    sed -nE 's/.*"from": ([0-9]+), "algorithm": "([^"]+)".*/\1 \2/p' "$1" | awk -v size="$2" '$1 <= size { name = $2 } END { print name }'
}

golden help_tune_measured tune --measure --help
golden tune_measured tune --measure --machine lmo4.mod bcast:binomial,bcast:chain:segment=8K,bcast:linear -m 1K:256K -o measured.json
golden tune_measured_table tune bcast:linear --measure --machine lmo4.mod -m 1K,64K --quiet

what_is_the_fastest_is_found() {
    works tune bcast -m 1K,64K,1M -o found.json
    for size in 1024 65536 1048576; do
        "$cpm" bench coll --machine regular.mod "bcast:$(rule found.json $size),bcast:native,bcast" -m $size --quiet >bench
        awk -v name="bcast:$(rule found.json $size)" '
            $2 == name { own = $3 }
            !/^#/ && (!least || $3 < least) { least = $3 }
            END { exit !(own && own <= 1.011 * least) }' bench ||
            fail "$size: $(rule found.json $size) is not the fastest: $(cat bench)"
    done
    grep -q '"method": "measured, all candidates, root 0"' found.json || fail "no method: $(cat found.json)"
    grep -q '"timing": "isolated"' found.json || fail "no timing: $(cat found.json)"
    works "$cpm" rules found.json
    works "$cpm" export --openmpi found.json -o found.rules
}

# The same choices, and less to measure.
a_model_spares_measurements() {
    works tune bcast gather -m 1K,64K -o all.json
    works tune regular.mod bcast gather -m 1K,64K -o some.json
    for size in 1024 65536; do
        [ "$(rule all.json $size)" = "$(rule some.json $size)" ] || fail "$size: $(rules all.json) $(rules some.json)"
    done
    [ $((3 * $(grep -c '^[bg]' some.meas))) -lt "$(grep -c '^[bg]' all.meas)" ] || fail "it spares too little: $(cat stderr)"
    grep -q 'candidates left out by the model' stderr || fail "it is not said: $(cat stderr)"
    grep -q '"model": "regular.mod"' some.json || fail "no model: $(cat some.json)"
}

# Times that are played take as long as they are: a budget ends between two of them.
a_budget_ends_it_and_what_was_measured_is_used() {
    works tune "${some[@]}" -m 1K:64K -o whole.json
    works tune "${some[@]}" -m 1K:64K -o parts.json --budget 0.02
    grep -Eq 'the budget of 0.02 s ended the run: [0-9]+ of 21 contests were not measured' stderr || fail "not said: $(cat stderr)"
    grep -q '"stopped": ' parts.json || fail "the table does not tell: $(cat parts.json)"
    ! cmp -s <(rules whole.json) <(rules parts.json) || fail "the budget was no limit"
    [ -n "$(rule parts.json 65536)" ] || fail "nothing was used: $(cat parts.json)"
    for budget in 0.05 0.1 100; do
        cp parts.meas before
        works tune "${some[@]}" -m 1K:64K -o parts.json --budget $budget --resume
        while read -r row; do
            grep -qxF -- "$row" parts.meas || fail "lost: $row"
        done < <(grep '^[a-z]*:' before)
    done
    cmp <(rules whole.json) <(rules parts.json) || fail "resumed: $(rules parts.json)"
    ! grep -q '"stopped": ' parts.json || fail "it has ended: $(cat parts.json)"
}

# 5 % noise, of which one in a hundred times is many times as long: equals are not told apart.
the_library_is_kept_where_nobody_leads_beyond_the_noise() {
    # The library's own is played by the same algorithm.
    works tune --noise 0.05 gather:linear -m 1K:64K -o noisy.json
    [ "$(grep -c '"algorithm": "native"' noisy.json)" = 7 ] || fail "left for nothing: $(cat noisy.json)"
    grep -q "library's own routine is kept" stderr || fail "it is not said: $(cat stderr)"
    grep -q '~' stdout || fail "nor marked: $(cat stdout)"
}

# Two racks that are on nobody's way: what matters is that they are known.
algorithms_that_follow_switches_compete() {
    works tune alltoall:topology,allgather:tslr -m 1K --topology two_racks.topology -o switched.json
    grep -q '^alltoall:topology ' switched.meas && grep -q '^allgather:tslr ' switched.meas || fail "not measured: $(cat switched.meas)"
    grep -q '"placement": "topology=' switched.json || fail "not said: $(cat switched.json)"
    refused 1 'none.topology: cannot be read' tune alltoall --topology none.topology -o no.json
}

where_nothing_that_was_named_applies_the_library_is_kept() {
    works tune bcast:linear alltoall:topology -m 1K -o named.json
    grep -A2 '"alltoall"' named.json | grep -q '"algorithm": "native"' || fail "not said: $(rules named.json)"
}

numbers_of_processes_have_tables_and_files_of_their_own() {
    works tune bcast:linear,bcast:binomial -n 2:4:1 -m 1K -o three.json
    for n in 2 3 4; do grep -q "\"$n\": \[" three.json || fail "no $n processes: $(cat three.json)"; done
    [ -s three.2.meas ] && [ -s three.3.meas ] && [ -s three.meas ] || fail "files: $(ls)"
    works tune bcast:linear,bcast:binomial -n 3 -m 1K -o one.json
    "$cpm" tune regular.mod bcast:linear,bcast:binomial -n 3 -m 1K -o predicted.json
    [ "$(rule one.json 1024)" = "$(rule predicted.json 1024)" ] || fail "of 3: $(cat one.json)"
}

calls_of_a_batch_are_measured_as_such() {
    works tune bcast:linear,bcast:chain -m 1K --timing batch --batch 20 -o batch.json
    grep -q '"timing": "batch of 20"' batch.json || fail "no timing: $(cat batch.json)"
    "$cpm" predict regular.mod bcast:linear -m 1K --timing batch --batch 20 --format tsv >predicted
    us=$(awk -F'\t' 'END { printf "%.2f", $5 }' predicted)
    grep -q "bcast:linear.* 1024 .*" batch.meas && awk '/^bcast:linear/ { exit !(1e6 * $9 - '"$us"' < 0.01 && '"$us"' - 1e6 * $9 < 0.01) }' batch.meas ||
        fail "not as predicted: $us us, $(grep '^bcast' batch.meas)"
    refused 2 'cannot resume: .*timing' tune bcast:linear,bcast:chain -m 1K -o batch.json --resume
}

# What a program calls, and nothing else; what takes it longest is measured first.
a_profile_says_what_to_measure() {
    works tune --profile app.profile -o app.json
    grep -q '"profile": "app.profile"' app.json || fail "no profile: $(cat app.json)"
    grep -q 'the program would spend' stderr || fail "no gain: $(cat stderr)"
    sed -nE 's/^ *\{"communicator".*"operation": "([a-z_]+)".*/\1/p' app.profile | sort -u >called
    sed -nE 's/^    "([a-z_]+)": \{/\1/p' app.json | sort -u >tuned
    [ -z "$(comm -13 called tuned)" ] && [ -s tuned ] || fail "others: $(cat called tuned)"
    works tune bcast:linear --profile app.profile -o app.json # which only one of its communicators calls
    [ "$(grep -c '^ *"[0-9]*": \[' app.json)" = 1 ] || fail "others: $(rules app.json)"
    refused 1 'no such calls of 2 to 4 processes' tune reduce --profile app.profile -o no.json
}

# Calls that follow each other at once in the program are measured so, others by themselves.
each_operation_is_measured_as_it_is_called() {
    works tune --profile app.profile -o called.json
    grep -q '"timing": "as called"' called.json || fail "no timing: $(cat called.json)"
    grep -A3 '"bcast"' called.json | grep -q '"timing": "batch"' || fail "bcast: $(rules called.json)"
    grep -A3 '"gatherv"' called.json | grep '"from"' | grep -q '"timing"' && fail "gatherv: $(rules called.json)"
    { grep -q '^gatherv' called.meas && grep -q '^bcast' called.batch.meas; } || fail "not so measured: $(ls)"
    grep -q '^bcast' called.meas && fail "bcast is measured by itself: $(cat called.meas)"
    rules called.json >first
    works tune --profile app.profile -o called.json --resume
    rules called.json | diff first - || fail "resumed: $(rules called.json)"
    works tune --profile app.profile --timing isolated -o called.json
    grep -q '"timing": "isolated"' called.json || fail "isolated: $(cat called.json)"
    sed 's/"back_to_back": [0-9]*/"back_to_back": 0/' app.profile >apart.profile
    works tune --profile apart.profile -o apart.json
    grep -q '"timing": "isolated"' apart.json || fail "none follows: $(cat apart.json)"
}

# What is named and cannot be measured is said.
what_is_left_out_is_told() {
    works tune alltoall:topology alltoallv bcast -m 1,1K -o left.json
    [ "$(grep -c ': left out: ' stderr)" = 2 ] || fail "not told: $(cat stderr)"
    grep -q 'left out: alltoall:topology does not apply to 4 processes: it needs a topology' stderr &&
        grep -q 'left out: alltoallv: the sizes of its calls are unknown' stderr || fail "not told: $(cat stderr)"
}

# Nobody plays what the library does on groups.
lines_by_the_library_are_measured_where_there_is_one() {
    works "${mpiexec[@]}" 4 "$cpm" tune --measure gather:2d -m 1 --max-reps 8 --quiet -o lines.json
    grep -q '^gather:2d:x=native:y=native ' lines.meas || fail "not measured: $(cat lines.meas)"
    works tune gather:2d -m 1 -o played.json
    ! grep -q 'native:y' played.meas || fail "played: $(cat played.meas)"
    grep -q '^gather:2d:x=star:y=star ' played.meas || fail "usual algorithms only: $(cat played.meas)"
}

real_processes_tune_what_they_run_on() {
    works "${mpiexec[@]}" 3 "$cpm" tune --measure bcast:linear,scatterv:linear,barrier -n 2,3 -m 1,1K --max-reps 8 --quiet -o real.json
    for name in bcast scatterv barrier; do grep -q "\"$name\"" real.json || fail "no $name: $(cat real.json)"; done
    [ -s real.meas ] && [ -s real.2.meas ] || fail "files: $(ls)"
    grep -q '^# processes: 2$' real.2.meas || fail "of two: $(head real.2.meas)"
    grep -q '"hosts": ' real.json || fail "no hosts: $(cat real.json)"
}

what_was_killed_goes_on() {
    "${mpiexec[@]}" 2 bash -c 'echo $$ >pid.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; exec "$@"' - \
        "$cpm" tune --measure gather -m 1,1K --max-reps 8 --quiet -o killed.json >said 2>&1 &
    until [ "$(grep -c '^[a-z]*:' killed.meas 2>/dev/null)" -gt 3 ] 2>/dev/null || ! kill -0 $! 2>/dev/null; do sleep 0.02; done
    kill -KILL "$(cat pid.0)" 2>/dev/null
    wait $!
    sed '$d' killed.meas | grep '^[a-z]*:' >before
    works "${mpiexec[@]}" 2 "$cpm" tune --measure gather -m 1,1K --max-reps 8 --quiet -o killed.json --resume
    while read -r row; do grep -qxF -- "$row" killed.meas || fail "lost: $row"; done <before
    [ -s before ] && grep -q '"gather"' killed.json || fail "resumed: $(cat killed.json)"
}

bad_input_is_refused_before_anything_is_measured() {
    refused 2 "unknown operation|neither an operation" tune broadcast -o no.json
    refused 1 'no.mod: cannot be read' tune no.mod bcast -o no.json
    refused 1 'the model is one of 3 processes, and these are 4' tune hockney3.mod bcast -o no.json
    refused 2 '5 is not in 2..4' tune -n 2,5 -o no.json
    refused 2 'has not the root' tune -n 2:4 --root 3 -o no.json
    refused 1 'cannot be written' tune bcast -o nowhere/table.json
    refused 1 'no.profile' tune --profile no.profile -o no.json
    refused 2 'must ascend' tune bcast -m 4K,2K -o no.json
    refused 2 '--resume needs --output' tune bcast --resume
    refused 2 '--sizes and --profile' tune --profile app.profile -m 1K -o no.json
    refused 2 '--within: 0.5 is less than 1' tune bcast --within 0.5 -o no.json
    refused 2 '--batch: is for --timing batch' tune bcast --batch 20 -o no.json
    refused 2 'unknown timing' tune bcast --timing max -o no.json
    refused 1 'needs at least 2 processes' "$cpm" tune --measure bcast -o no.json
    refused 2 'an argument is missing' "$cpm" tune
    [ ! -e no.json ] && [ ! -e no.meas ] || fail "half-written: $(ls)"
}

what_is_the_fastest_is_found
a_model_spares_measurements
a_budget_ends_it_and_what_was_measured_is_used
the_library_is_kept_where_nobody_leads_beyond_the_noise
algorithms_that_follow_switches_compete
where_nothing_that_was_named_applies_the_library_is_kept
numbers_of_processes_have_tables_and_files_of_their_own
calls_of_a_batch_are_measured_as_such
a_profile_says_what_to_measure
each_operation_is_measured_as_it_is_called
what_is_left_out_is_told
lines_by_the_library_are_measured_where_there_is_one
real_processes_tune_what_they_run_on
what_was_killed_goes_on
bad_input_is_refused_before_anything_is_measured
finish
