#!/usr/bin/env bash
# Campaigns that lose a process: what was measured is on disk, and --resume completes the file.
. "$(dirname "$0")/lib.sh"

# Long enough to be interrupted anywhere; start makes it known who is who.
campaign=(measure -o long.meas --no-thresholds --quiet --min-reps 2000 --max-reps 2000)
# shellcheck disable=SC2016 # for the inner shell
announce='echo $$ >pid.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}; exec "$0" "$@"'

rows() { grep -c '^[a-z]' long.meas 2>/dev/null || echo 0; }

# begins a campaign of 3 processes, and returns when it has measured something.
start_campaign() {
    rm -f long.meas* pid.*
    "${mpiexec[@]}" 3 bash -c "$announce" "$cpm" "${campaign[@]}" "$@" \
        >stdout 2>stderr &
    launcher=$!
    for _ in $(seq 400); do
        [ "$(rows)" -lt 2 ] || return
        sleep 0.05
    done
    fail "nothing is measured: $(cat stderr)"
}

ends_with_failure() {
    for _ in $(seq 300); do
        kill -0 "$launcher" 2>/dev/null || break
        sleep 0.1
    done
    kill -0 "$launcher" 2>/dev/null && fail "$1: it goes on" && kill "$launcher"
    wait "$launcher" && fail "$1: exit code 0"
}

goes_on() {
    local before
    before=$(grep '^[a-z]*[a-z] [0-9]' long.meas)
    [ -n "$before" ] || fail "$1: nothing was kept"
    grep -q '^# duration' long.meas && fail "$1: it was complete before"
    works "${mpiexec[@]}" 3 "$cpm" "${campaign[@]}" --resume
    works "$cpm" fit --no-thresholds long.meas -o long.mod
    grep -qF "$(tail -1 <<<"$before")" long.meas || fail "$1: its rows were lost"
}

a_killed_process_ends_the_campaign_and_resume_completes_it() {
    start_campaign
    kill -9 "$(cat pid.2)"
    ends_with_failure "killed"
    goes_on "killed"
}

a_stopped_process_is_named() {
    local rank=$1 host
    start_campaign --patience 1
    kill -STOP "$(cat "pid.$rank")"
    ends_with_failure "stopped"
    kill -KILL "$(cat "pid.$rank")" 2>/dev/null # where the launcher did not
    host=$(uname -n)
    grep -Eq "^cpm measure: rank $rank \($host\) does not answer any more" stderr ||
        fail "rank $rank is not named: $(cat stderr)"
    # Some launchers wake a stopped process to end it, which then has its own last words.
    [ "$(grep '^cpm measure' stderr | grep -vc 'ended by SIGTERM')" = 1 ] ||
        fail "more than a sentence: $(cat stderr)"
    grep -q 'in long.meas' stderr || fail "where is the file? $(cat stderr)"
    goes_on "stopped"
}

a_campaign_that_takes_long_is_left_alone() {
    works "${mpiexec[@]}" 3 "$cpm" "${campaign[@]}" --patience 0.2
}

# A launcher's processes get the signal from it; here rank 0 is told directly.
a_signal_says_where_the_measurements_are() {
    start_campaign
    kill -TERM "$(cat pid.0)"
    ends_with_failure "terminated"
    grep -q '^cpm measure: ended by SIGTERM; what was measured until then is in long.meas' stderr ||
        fail "no last words: $(cat stderr)"
    goes_on "terminated"
}

a_killed_process_ends_the_campaign_and_resume_completes_it
a_stopped_process_is_named 2
a_stopped_process_is_named 0
a_campaign_that_takes_long_is_left_alone
a_signal_says_where_the_measurements_are
finish
