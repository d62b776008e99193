#!/usr/bin/env bash
# In every command one allocation fails, one after the other: the result is right or there is one line
# that says so; never a crash, and nothing half written. (cpm run allocates nothing; the library that it
# preloads has tests/preload/test_allocation.sh.)
# usage: test_allocation.sh CPM MPIEXEC [all]
. "$(dirname "$0")/lib.sh"
refuse=$(dirname "$cpm")/tests/librefuse.so
[ -e "$refuse" ] || { echo "no librefuse.so: not built with sanitizers"; exit 77; }
all=${3:-}

timeout=$(command -v timeout) programs=$PATH # where commands find others

run_refusing() {
    PATH=$programs REFUSE_ALLOCATION=$1 REFUSED=refused LD_PRELOAD=$refuse \
        "$timeout" 60 "$cpm" "${@:2}" >stdout 2>stderr
}

# What depends on when it was made.
timeless() { grep -v '^ *"\(date\|measurements_sha256\)": \|^# \(date\|command\(_[0-9]*\)\{0,1\}\|duration\|elapsed\|resumed\):\|^Written by CPM' "$1"; }

# Each third part more, quickly as many more; else each of the first 5, and then each fifth part
# more; or all.
next() {
    local part=3
    [ -z "${CPM_TEST_QUICK:-}" ] || part=1
    [ -z "$all" ] || part=5
    [ "${CPM_TEST_LENGTH:-1}" = 1 ] && [ -z "${dense:-}" ] || part=1000000000
    echo $(($1 + $1 / part + 1))
}

# Without rounds, and in any order: both depend on what was left to be measured.
measured() { timeless "$1" | sed 's/^\([a-z][^ ]*\( [^ ]*\)\{6\}\) [0-9]*/\1/' | sort; }

# judge CODE WHAT: as without failures, or one line of CPM's and no output, or a whole one: what is
# printed comes behind it.
judge() {
    sed -i '/^cpm: warning: predictions go beyond what was measured/d' stderr
    if [ "$1" = 0 ]; then
        cmp -s stdout wanted || fail "$2: another result: $(head -n 5 stderr)"
        [ ! -e wanted.out ] || [ "$(timeless out)" = "$(timeless wanted.out)" ] || fail "$2: another file"
    else
        [ "$1" = 1 ] || fail "$2: exit code $1: $(head -n 5 stderr)"
        [ "$(grep -c '^cpm ' stderr)" = 1 ] && [ "$(wc -l <stderr)" = 1 ] || fail "$2: not one line: $(head -n 5 stderr)"
        [ ! -e out ] || [ "$(timeless out)" = "$(timeless wanted.out)" ] || fail "$2: half a file after a failure"
    fi
    [ -z "$(ls -A "$TMPDIR")" ] || fail "$2: left in the temporary folder: $(ls -A "$TMPDIR")"
}

# Of a campaign that ended early all that was measured is kept, and resuming it measures the rest.
judge_campaign() {
    if [ "$1" != 0 ] && [ -e out ]; then
        mv out kept.meas
        "$cpm" "${@:3}" --resume -o kept.meas >/dev/null 2>resumed || fail "$2: not resumed: $(head -n 5 resumed)"
        [ "$(measured kept.meas)" = "$(measured wanted.out)" ] || fail "$2: resumed to something else"
        rm -f kept.meas*
    fi
    judge "$@"
}

# survives ARGUMENT...: the file that it writes, if any, is "out".
survives() {
    local k=1 code usual judge=judge
    case $1 in measure | bench) judge=judge_campaign ;; esac
    rm -f out wanted.out
    PATH=$programs "$cpm" "$@" >wanted 2>stderr
    usual=$?
    [ $usual = 0 ] || [ $usual = 4 ] || fail "$*: $(cat stderr)" # 4: the doctor cannot tell
    [ ! -e out ] || mv out wanted.out
    while :; do
        rm -f out out.* refused
        run_refusing "$k" "$@"
        code=$?
        [ $code != $usual ] || code=0
        $judge "$code" "$*, allocation $k" "$@"
        [ -e refused ] || break
        k=$(next "$k")
    done
    [ "$k" -gt 1 ] || fail "$*: nothing was refused"
}

# A picture has its own name in it, and gnuplot's files are elsewhere.
survives_plotting() {
    command -v gnuplot >/dev/null || return 0
    cp "$1" plotted
    survives plot plotted -o out.svg
    rm -f out.svg
}

# With tables instead of charts: the library is a file that is read.
survives_reporting() {
    local programs=$work/tmp
    CPM_CHART_JS='' survives report "$@" -o out
}

# One rank has no memory: no rank hangs, none succeeds unless all do, and what was measured is kept.
rank_survives() {
    local rank=$1 k=1 code
    shift
    while :; do
        rm -f out out.~* refused
        REFUSE_ALLOCATION=$k REFUSED=refused timeout 60 "${mpiexec[@]}" 3 bash -c \
            '[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" != "$0" ] || export LD_PRELOAD=$1; shift; exec "$@"' \
            "$rank" "$refuse" "$cpm" "$@" -o out >stdout 2>stderr
        code=$?
        [ -e refused ] || break
        judge_rank "$code" "$*, rank $rank, allocation $k" "$@"
        k=$((k + k / 2 + 1))
    done
    [ "$k" -gt 1 ] || fail "$*: nothing was refused to rank $rank"
}

judge_rank() {
    [ "$1" != 124 ] || fail "$2: hangs"
    [ "$1" = 0 ] && return
    grep -q '^cpm ' stderr || fail "$2: exit code $1 without a word: $(head -n 5 stderr)"
    [ ! -e out ] || "${mpiexec[@]}" 3 "$cpm" "${@:3}" --resume -o out >stdout 2>stderr ||
        fail "$2: not resumed: $(head -n 5 stderr)"
}

each_rank_survives() {
    local rank few="--quiet --min-reps 2 --max-reps 2"
    for rank in 0 1; do
        rank_survives $rank measure $few -M hockney --no-thresholds -m 0,1K
        rank_survives $rank bench p2p $few -m 1K
        rank_survives $rank bench coll $few bcast:binomial,gather:linear -m 1K
        rank_survives $rank tune --measure $few bcast:binomial,gather:linear -n 2,3 -m 1K
    done
}

mkdir tmp
export TMPDIR=$work/tmp
"$cpm" measure -M lmo --machine lmo4.mod --no-thresholds --quiet -o in.meas || fail "no measurements"
survives algorithms bcast
survives show lmo4.mod
survives predict lmo4.mod scatter:binomial bcast:chain:segment=8K -m 1K,64K
works "$cpm" model -M lmo2 --machine "$here/../../examples/models/multicore8x4.mod" --layout 1x2 --no-thresholds --quiet -o pair.mod
# With dense=1 each allocation: those that count processes are few.
dense=1 survives predict pair.mod bcast:binomial -m 1K --layout 1x8 --format tsv
survives check bcast:chain:segment=8K -n 5
survives draw scatter:binomial -n 5
survives export --goal bcast:binomial -n 6 -m 64K -o out
survives map lmo4.mod scatterv:tree --blocks 1K,64K,2K,2K -o out
survives tune lmo4.mod bcast -m 1K -o out
survives tune --measure --machine lmo4.mod --quiet bcast:binomial,gather:linear -m 1K,64K -o out
echo 'bcast:linear' >verified.rules
survives tune --verify --machine lmo4.mod --quiet verified.rules --turns 4 -o out
printf '{"collective=bcast":{"comm_type=intra":{"algorithm=MPIR_Bcast_intra_%s":{}}}}\n' binomial >library.so
sed s/binomial/scatter_ring_allgather/ library.so >mpich.json
survives tune --verify --machine lmo4.mod --quiet mpich.json --mpich-library library.so --turns 4 -o out
survives fit --model lmo in.meas -o out
survives diff lmo4.mod lmo4.mod
play="--machine lmo4.mod --quiet --no-thresholds --max-reps 2 --min-reps 2"
survives measure -M lmo $play -o out
survives measure -M lmo $play --raw -M hockney -o out
[ "${CPM_TEST_LENGTH:-1}" != 1 ] || survives measure $play -M plogp -o out # has too many for all
survives model -M lmo $play -o out
survives bench p2p --machine lmo4.mod --quiet -m 1K -o out
survives bench coll --machine lmo4.mod --quiet bcast:binomial,gather:linear -m 1K,4K -o out
"$cpm" bench coll --machine lmo4.mod --quiet bcast:binomial,gather:linear -m 1K,4K -o coll.meas >/dev/null ||
    fail "no collectives"
survives compare lmo4.mod coll.meas -o out
"$cpm" bench coll --machine lmo4.mod --quiet --noise 0.05 bcast:binomial,gather:linear -m 1K --raw -o raw.meas \
    >/dev/null || fail "no repetitions"
survives compare raw.meas raw.meas -o out
survives validate --machine lmo4.mod --quiet lmo4.mod bcast -m 1K,4K -o out
survives_reporting lmo4.mod coll.meas table.json app.profile
survives doctor in.meas
survives doctor lmo4.mod
survives_plotting in.meas
survives_plotting lmo4.mod
[ -z "$all" ] || each_rank_survives
finish
