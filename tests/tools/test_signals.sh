#!/usr/bin/env bash
# A measuring command that is ended by a signal, or that nobody listens to any more, keeps what it
# has measured and says in one line how to go on; and then it does. What is ignored stays ignored.
#
# The signal comes when the third round has come to the disk: a debugger's tool sends it.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || { echo "skipped: no strace"; exit 77; }
export ASAN_OPTIONS=detect_leaks=0 # the sanitizer does not look for leaks where it is traced

play=(--machine lmo4.mod --noise 0.02 --quiet)
at_third() {
    { strace -qqq -o trace -e trace=fdatasync -e "inject=fdatasync:signal=$1:when=3" "${@:2}" >stdout 2>stderr; } 2>/dev/null
}

# ended SIGNAL WORDS FILE COMMAND...
ended() {
    local signal=$1 words=$2 file=$3 code
    shift 3
    rm -f "$file"
    at_third "$signal" "$@"
    code=$?
    [ $code != 0 ] || fail "exit code 0 after SIG$signal: $*"
    [ "$(wc -l <stderr)" = 1 ] || fail "not one line: $*: $(cat stderr)"
    grep -q "^cpm [a-z0-9 -]*: $words; what was measured until then is in $file, and the same command with --resume goes on" stderr ||
        fail "SIG$signal: $*: $(cat stderr)"
    ! grep -q '^# duration' "$file" || fail "complete: $*"
    grep -v '^#' "$file" >before
    [ "$(wc -l <before)" -gt 1 ] || fail "nothing was kept: $*"
    works "$@" --resume
    [ "$(grep -vc '^#' "$file")" -gt "$(wc -l <before)" ] && grep -v '^#' "$file" | head -n "$(wc -l <before)" | cmp - before ||
        fail "not gone on: $*"
    grep -q '^# duration' "$file" || fail "not complete: $*"
}

words=("HUP:ended by SIGHUP .*" "INT:interrupted" "TERM:ended by SIGTERM" "PIPE:nobody reads what it prints any more .*")
for one in "${words[@]}"; do
    ended "${one%%:*}" "${one#*:}" m.meas "$cpm" measure -M hockney "${play[@]}" -o m.meas
    ended "${one%%:*}" "${one#*:}" c.meas "$cpm" bench coll "${play[@]}" bcast:linear -m 1:1K -o c.meas
done
ended HUP 'ended by SIGHUP .*' m.meas "$cpm" model -M hockney "${play[@]}" -o m.mod
ended HUP 'ended by SIGHUP .*' p.meas "$cpm" bench p2p "${play[@]}" -m 1:1K -o p.meas
ended HUP 'ended by SIGHUP .*' v.meas "$cpm" validate "${play[@]}" m.mod bcast:linear -m 1:1K --meas v.meas
ended HUP 'ended by SIGHUP .*' u.meas "$cpm" tune --measure "${play[@]}" bcast:linear,bcast:chain -m 1:1K -o u.json

# nohup: ignored at the start, and from then on.
works nohup strace -qqq -o trace -e trace=fdatasync -e inject=fdatasync:signal=HUP:when=3 \
    "$cpm" measure -M hockney "${play[@]}" -o n.meas
grep -q SIGHUP trace || fail "no signal was sent"

# When all is measured and printed, who does not read it ends the command, as any other in a pipe,
# without a word; where SIGPIPE is ignored, the failed write says where the measurements are.
unread() {
    rm -f q.meas
    mkfifo fifo
    { "$cpm" bench coll "${play[@]}" bcast:linear -m 1:1K -o q.meas >fifo 2>stderr; echo $? >code; } 2>/dev/null &
    exec 9<fifo
    exec 9<&-
    wait
    rm fifo
    [ "$(cat code)" != 0 ] || fail "exit code 0 though nobody reads"
    grep -q '^# duration' q.meas || fail "not measured to the end"
}
unread
[ ! -s stderr ] || fail "words for who has read enough: $(cat stderr)"
trap '' PIPE
unread
[ "$(wc -l <stderr)" = 1 ] && grep -q 'standard output cannot be written.*; what was measured until then is in q.meas, ' stderr ||
    fail "with SIGPIPE ignored: $(cat stderr)"
trap - PIPE

# What is printed while it is measured has gone where it was sent.
{ at_third PIPE "$cpm" measure -M hockney "${play[@]}" -o -; } && fail "exit code 0"
grep -q '^roundtrip' stdout && grep -q 'nobody reads .*; what was measured until then was written to standard output$' stderr ||
    fail "to standard output: $(cat stderr)"
finish
