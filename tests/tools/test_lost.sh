#!/usr/bin/env bash
# Campaigns that lose a process: what was measured is on disk, and --resume completes the file.
#
# Nothing here depends on how fast the machine is: a debugger's tool stops rank 0 when a row has come
# to the disk, and what happens next happens before it goes on.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || { echo "skipped: no strace"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0 # the sanitizer does not look for leaks where it is traced

campaign=(measure -o long.meas --no-thresholds --quiet --min-reps 5 --max-reps 5)
cat >announced <<'END'
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
echo $$ >pid.$rank
happens=$1
shift
[ "$rank" != 0 ] || exec strace -D -qq -o trace -e trace=fdatasync \
    -e "inject=fdatasync:$happens:when=3" "$@"
exec "$@"
END

is_stopped() { [ -s pid.0 ] && grep -q '^State:.[Tt] ' "/proc/$(cat pid.0)/status" 2>/dev/null; }

# begins a campaign of 3 processes, and returns when it has measured something and rank 0 waits.
start_campaign() {
    rm -f long.meas* pid.*
    "${mpiexec[@]}" 3 bash announced signal=STOP "$cpm" "${campaign[@]}" "$@" >stdout 2>stderr &
    launcher=$!
    until grep -q 'SIGSTOP' trace 2>/dev/null && is_stopped; do
        kill -0 "$launcher" 2>/dev/null || { fail "it ended: $(cat stderr)"; return; }
        sleep 0.05
    done
    rm trace
}

# Where the launcher has not ended it already.
goes_on_measuring() { kill -CONT "$(cat pid.0)" 2>/dev/null; }

# A campaign that went on would hang the test, which has its own time limit.
ends_with_failure() {
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
    goes_on_measuring
    ends_with_failure "killed"
    goes_on "killed"
}

# Its patience is longer than the moments for which rank 0 is stopped before that.
a_stopped_process_is_named() {
    local rank=$1 host
    start_campaign --patience 2
    kill -STOP "$(cat "pid.$rank")"
    [ "$rank" = 0 ] || goes_on_measuring
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

# The roll is called while rank 0 waits for the disk, and all have a second to answer.
a_campaign_that_takes_long_is_left_alone() {
    rm -f long.meas*
    works "${mpiexec[@]}" 3 bash announced delay_enter=5s "$cpm" "${campaign[@]}" --patience 2
    grep -q DELAYED trace || fail "nothing took long"
}

# A launcher's processes get the signal from it; here rank 0 is told directly.
a_signal_says_where_the_measurements_are() {
    start_campaign
    kill -TERM "$(cat pid.0)"
    goes_on_measuring
    ends_with_failure "terminated"
    grep -q '^cpm measure: ended by SIGTERM; what was measured until then is in long.meas' stderr ||
        fail "no last words: $(cat stderr)"
    goes_on "terminated"
}

a_killed_process_ends_the_campaign_and_resume_completes_it
a_signal_says_where_the_measurements_are
[ -z "${CPM_TEST_QUICK:-}" ] || finish
a_stopped_process_is_named 2
a_stopped_process_is_named 0
a_campaign_that_takes_long_is_left_alone
finish
