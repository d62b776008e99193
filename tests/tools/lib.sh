# What the tests of the command share. Sourced by test_*.sh, which are called as: bash SCRIPT CPM MPIEXEC
# shellcheck shell=bash
set -u
cpm=$(readlink -f "$1")
here=$(readlink -f "$(dirname "$0")")
work=$(mktemp -d)
trap '[ $BASHPID = $$ ] && rm -rf "$work"' EXIT # a job that is killed before it begins runs it, too
cd "$work" || exit 1
cp "$here"/data/* .
failures=0

# shellcheck disable=SC2034 # used where this file is sourced
mpiexec=("${2:-mpiexec}" -n)

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# golden NAME ARGUMENT...: what cpm prints, but for dates, and its exit code, is what
# expected/NAME.txt says.
# CPM_UPDATE_EXPECTED=1 writes that file instead: look at the difference before keeping it.
golden() {
    local name=$1
    shift
    {
        echo "\$ cpm $*"
        "$cpm" "$@" 2>stderr | sed '/"date": /d'
        echo "exit code ${PIPESTATUS[0]}"
        sed 's/^/stderr: /' stderr
    } >actual
    [ -z "${CPM_UPDATE_EXPECTED:-}" ] || cp actual "$here/expected/$name.txt"
    diff -u "$here/expected/$name.txt" actual || fail "$name"
}

# refused CODE PATTERN COMMAND...: the exit code, and exactly one line on stderr, which matches.
refused() {
    local code=$1 pattern=$2 got
    shift 2
    "$@" >stdout 2>stderr
    got=$?
    # What the launcher says about a failed process is not ours, and a busy machine is no failure.
    grep '^cpm' stderr | grep -v '^cpm: warning: \([^ ]*: when it was measured:\|host\|an empty message\|processes were moved\|for\) ' >ours
    [ "$got" = "$code" ] || fail "exit code $got, not $code: $*"
    [ "$(wc -l <ours)" = 1 ] || fail "not one line: $* : $(cat stderr)"
    grep -Eq -- "$pattern" ours || fail "no '$pattern': $* : $(cat stderr)"
}

# works COMMAND...: exit code 0; what it prints is in stdout and stderr.
works() {
    "$@" >stdout 2>stderr || fail "exit code $?: $* : $(cat stderr)"
}

# finds CODE COMMAND...: the exit code; what it prints is in stdout.
finds() {
    local code=$1 got
    shift
    "$@" >stdout 2>stderr
    got=$?
    [ "$got" = "$code" ] || fail "exit code $got, not $code: $* : $(cat stdout stderr)"
}

# clean COMMAND...: no control character, no byte that is not UTF-8; nothing of the kind is failed for.
clean() {
    "$@" >stdout 2>stderr
    case $? in
    0 | 1 | 2 | 3 | 4) ;;
    *) fail "exit code: $*: $(cat -v stderr)" ;;
    esac
    local stream
    for stream in stdout stderr; do
        ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' $stream || fail "control characters: $(cat -v <<<"$*"): $(cat -v $stream | head -3)"
        iconv -f UTF-8 -t UTF-8 $stream >/dev/null 2>&1 || fail "not UTF-8: $(cat -v <<<"$*")"
    done
}

# drawn FILE BYTES: is a picture, and more than an empty one.
drawn() {
    [ -s "$1" ] && [ "$(stat -c %s "$1")" -gt "$2" ] || fail "no picture $1"
    case $1 in
    *.png) head -c 4 "$1" | grep -q PNG ;;
    *.pdf) head -c 4 "$1" | grep -q %PDF ;;
    *.svg) grep -q '<svg' "$1" ;;
    esac || fail "$1 is something else"
}

# every_command OPTIONS: a line for each, with the files of those before; a model plays the cluster.
# OPTIONS: of those that estimate, for instance without R.
every_command() {
    local play="--machine lmo4.mod --noise 0.1 --quiet"
    cat <<END
measure -M lmo $play $1 -o m.meas
fit m.meas $1 -o m.mod --residuals
model $play -M hockney -o h.mod
model -M lmo $play --no-thresholds --estimator thesis -o t.mod
show m.mod
show m.mod --format json
predict m.mod scatter -m 1K
predict m.mod bcast --format tsv -m 1:1M
predict m.mod bcast --format json -m 1:1K
bench p2p $play -m 1K
bench coll $play bcast -m 1K --error 0.05 -o c.meas
bench coll $play bcast -m 1K --error 0.05 -o c.meas --resume
validate $play m.mod bcast -m 1K -o v.tsv
compare m.mod h.mod c.meas -o c.tsv
bench coll $play bcast -m 1K --error 0.05 --raw -o w.meas
compare w.meas w.meas -o w.tsv
doctor m.meas
diff m.mod t.mod
algorithms
completion bash
check bcast -n 2:5
draw bcast:binomial -n 5 -o tree.dot
draw bcast:binomial --model m.mod -m 1K -o run.svg
plot m.mod -o m.svg
tune m.mod bcast -m 1K:1M -o tune.json
tune --measure $play bcast:linear,bcast:binomial -m 1K --max-reps 20 -o measured.json
tune --verify $play tune.json --turns 4 -o verified.json
export --openmpi tune.json -o rules
rules tune.json -o tune.rules
rules tune.rules --explain bcast
export --simgrid m.mod -o platform.xml
export --goal bcast:binomial -n 4 -m 1K -o bcast.goal
map m.mod bcast:binomial -m 1K -o bcast.map
map m.mod scatterv:binomial --blocks 1K,64K,2K,2K
predict m.mod bcast:binomial -m 1K --map bcast.map
report m.mod m.meas c.meas tune.json -o page.html
manual
END
}

# leave_out_dates FOLDER: what depends on when its files were made.
leave_out_dates() {
    (cd "$1" && sed -i 's/[0-9-]\{10\}T[0-9:]\{8\}Z/DATE/g; /^\(# \| *"\)*date"*: /d; /sha256/d; /checksum/d; /^# resumed/d' -- *)
}

finish() {
    [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
    exit 0
}
