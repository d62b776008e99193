#!/usr/bin/env bash
# What a model or table says is tried in the program's calls and kept where these confirm it; it is run
# unseen only where it is trusted: by --trust, or as a table that was measured here. MPI's clock is played
# (tests/libraries/play_clock.c): broadcasts by MPI's own routine take five times as long as others.
. "$(dirname "$0")/lib.sh"
clock=$5
host=$(uname -n)

# plays CALLS OPTION...: four processes broadcast so often.
plays() {
    local calls=$1
    shift
    "$mpiexec" -n 4 env LD_PRELOAD="$clock" "$cpm" run --yield --report told --format json "$@" -- \
        "$programs/adapting" bcasts "$calls" >stdout 2>stderr || fail "$*: $(cat stdout stderr)"
}

# told CONDITION: of the algorithms by which broadcasts were run, and of what was chosen at last.
told() {
    python3 -c 'import json, sys
report = json.load(open("told"))
run = {r["algorithm"]: r["calls"] for r in report["operations"] if r["operation"] == "bcast"}
chosen = [r["chosen"] for r in report.get("adapted", []) if r["operation"] == "bcast"]
sys.exit(not eval(sys.argv[1]))' "$1" || fail "not $1: $(cat told stderr)"
}

# table PROVENANCE: for 4 processes, and fewer.
table() {
    echo '{"format": "cpm table", "version": 1, "provenance": {'"$1"'}, "operations": {"bcast": {'
    echo '"2": [{"from": 0, "algorithm": "chain", "seconds": 1e-6}],'
    echo '"4": [{"from": 0, "algorithm": "chain", "seconds": 1e-6}]}}}'
}
run 2 --profile profile -- "$programs/chosen" || fail "$(cat stdout stderr)"
library=$(sed -n 's/.*"mpi": "\(.*\)",$/\1/p' profile)
measured='"method": "measured, all candidates, root 0", "machine": "mpi"'
table '"method": "walk through lmo, root 0"' >predicted.json
table "$measured, \"mpi\": \"$library\", \"hosts\": \"$host $host $host $host\"" >here.json
table "$measured, \"mpi\": \"$library\", \"hosts\": \"$host $host $host elsewhere\"" >elsewhere.json
table "$measured, \"mpi\": \"$library\", \"hosts\": \"$host $host\"" >fewer.json
table "$measured, \"mpi\": \"Other MPI\", \"hosts\": \"$host $host $host $host\"" >other.json
sed -E "s/\"(hosts)\": \[.*\]/\"\1\": [\"$host\", \"$host\", \"$host\", \"$host\"]/" \
    "$here/../tools/data/lmo4.mod" >own.mod

# Of few calls nothing is known: MPI's own routine runs.
for by in --model\ own.mod --table\ predicted.json; do
    # shellcheck disable=SC2086 # two words
    plays 20 $by
    [ ! -s stderr ] || fail "said: $(cat stderr)"
    told 'set(run) == {"native"}'
    # shellcheck disable=SC2086
    plays 6000 $by
    told 'len(run) > 1 and chosen and chosen[0] != "native"'
    [ "$by" = '--model own.mod' ] || told '"% of the time in collectives saved (" in report["summary"][0]["summary"]'
    [ "$by" = '--model own.mod' ] || told '" times as fast, saves " in report["summary"][1]["summary"]'
    # shellcheck disable=SC2086
    plays 20 --trust $by
    told '"native" not in run and not chosen'
    # shellcheck disable=SC2086
    plays 20 --compare $by
    told 'len(run) == 2 and not chosen'
done
CPM_MODEL=own.mod plays 6000
told 'chosen and chosen[0] != "native"'
CPM_MODEL=own.mod CPM_TRUST=1 plays 20
told '"native" not in run and not chosen'
plays 20 --model own.mod --force gather:split # its gaps
told '"native" not in run and not chosen'

# A table is trusted where it was measured, unless the calls are to decide.
plays 20 --table here.json
[ ! -s stderr ] || fail "said: $(cat stderr)"
told 'set(run) == {"chain"} and not chosen'
for option in --adapt --reproducible '--learn learnt'; do
    # shellcheck disable=SC2086
    plays 20 $option --table here.json
    told 'set(run) == {"native"}'
done
# watched FILE REASON
watched() {
    plays 20 --table "$1"
    told 'set(run) == {"native"}'
    [ "$(wc -l <stderr)" = 1 ] && grep -q "^cpm: note: .*$1: it was $2, so the program's calls try its choices$" stderr ||
        fail "$1: $(cat stderr)"
}
watched elsewhere.json "not measured with process 3 on $host"
watched fewer.json "not measured with process 2 on $host"
sed '/"4":/d; s/1e-6}\],/1e-6}]}}}/' here.json >two.json
watched two.json 'not measured with 4 processes'
watched other.json 'measured with another MPI library'
plays 20 --trust --table elsewhere.json
told 'set(run) == {"chain"}'

# Communicators of other processes than it was measured with are watched.
run 4 --table here.json -v -- "$programs/communicators" 2 || fail "communicators: $(cat stdout stderr)"
[ ! -s stdout ] || grep -q '^0 differences' stdout || fail "communicators: $(cat stdout)"

# How many calls were timed is said where some are only counted.
"$mpiexec" -n 2 env LD_PRELOAD="$clock" "$cpm" run --yield --adapt -v -- "$programs/adapting" passed 3000 \
    >stdout 2>stderr || fail "$(cat stdout stderr)"
grep -Eq '^cpm: [1-8][0-9]{3} of 9000 calls were timed; the others are taken to be like them$' stderr ||
    fail "not told what was timed: $(head -5 stderr)"

# is_refused PATTERN OPTION...: in one line.
is_refused() {
    local pattern=$1
    shift
    "$cpm" run "$@" -- true 2>stderr
    [ $? = 2 ] && [ "$(wc -l <stderr)" = 1 ] && grep -q -- "^cpm run: $pattern" stderr || fail "$*: $(cat stderr)"
}
is_refused '--trust needs --model or --table' --trust
is_refused '--trust needs --model or --table' --trust --force bcast:chain
is_refused '--adapt and --trust exclude each other' --trust --adapt --model own.mod
is_refused '--trust: omit --learn' --trust --learn learnt --model own.mod
is_refused '--trust: omit --reproducible' --trust --reproducible --table here.json
is_refused '--early needs --adapt' --early --force bcast:chain
is_refused '--early needs --adapt' --early --trust --model own.mod
is_refused "--profile watches MPI's own collectives" --trust --model own.mod --profile profile
finish
