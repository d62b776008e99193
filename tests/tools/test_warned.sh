#!/usr/bin/env bash
# What was said while a file was measured is kept in it and in the model that is fitted to it, goes on
# with --resume, and is repeated, a line each, by whatever reads them.
. "$(dirname "$0")/lib.sh"

# ---- measured where it is said: two ranks on one processor

warning='host [^ ]* runs 2 ranks on 1 cores: times include waiting for a processor'
alone=(taskset -c "$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)")
crowded=("${alone[@]}" "${mpiexec[@]}" 2 "$cpm")
if command -v taskset >/dev/null && "${crowded[@]}" bench p2p -m 1K --max-reps 5 --quiet -o w.meas >stdout 2>stderr &&
    grep -q "cpm: warning: $warning" stderr; then
    [ "$(grep -c "^# warning: $warning\$" w.meas)" = 1 ] || fail "not kept: $(grep '^#' w.meas)"
    works "${crowded[@]}" bench p2p -m 1K,2K --max-reps 5 --quiet -o w.meas --resume
    [ "$(grep -c "^# warning.*: $warning\$" w.meas)" = 1 ] || fail "resumed: $(grep '^#' w.meas)"
    works "${crowded[@]}" model -M hockney -m 0,1K --max-reps 5 --quiet -o w.mod
    grep -Eq "^ *\"warning\": \"$warning\"" w.mod || fail "not in the model: $(cat w.mod)"
else
    echo "note: ranks cannot be put on one processor here: $(cat stderr)"
fi

# ---- whoever reads it: two warnings in a file of a machine that a model plays

works "$cpm" model --machine lmo4.mod --noise 0.02 --no-thresholds -M lmo --quiet -o a.mod
sed -i 's/^# duration:.*/# warning: host a: others used 1.2 of its 2 processors\n# warning_2: processes were moved\n&/' a.meas
works "$cpm" fit a.meas -o a.mod
said() { grep -c "^cpm: warning: $1: when it was measured: \(host a: others used 1.2 of its 2 processors\|processes were moved\)\$" stderr; }
[ "$(said a.meas)" = 2 ] || fail "fit: $(cat stderr)"
grep -q '"warning": "host a: others used 1.2 ' a.mod && grep -q '"warning_2": "processes were moved"' a.mod ||
    fail "not in the model: $(cat a.mod)"

works "$cpm" bench coll --machine lmo4.mod bcast:linear -m 1K --raw --quiet -o c.meas
sed -i 's/^# duration:.*/# warning: host a: others used 1.2 of its 2 processors\n&/' c.meas
repeats() {
    local times=$1 file=$2
    shift 2
    "$cpm" "$@" >stdout 2>stderr
    [ "$(said "$file")" = "$times" ] || fail "$*: $(cat stderr)"
}
repeats 2 a.mod predict a.mod bcast -m 1K
repeats 2 a.mod predict a.mod bcast -m 1K --format json
repeats 2 a.mod tune a.mod bcast -m 1K -o t.json
repeats 2 a.mod map a.mod bcast:binomial -m 1K
repeats 2 a.mod compare a.mod c.meas
repeats 1 c.meas compare a.mod c.meas
repeats 2 c.meas compare c.meas c.meas -o /dev/null
repeats 2 a.mod doctor a.mod
repeats 2 a.meas doctor a.meas
repeats 2 a.mod diff a.mod lmo4.mod
repeats 2 a.mod diff lmo4.mod a.mod
repeats 2 a.mod validate --machine lmo4.mod a.mod bcast:linear -m 1K --quiet
repeats 2 a.mod tune --measure --machine lmo4.mod a.mod bcast:linear -m 1K --quiet -o m.json
works "$cpm" show a.mod
grep -q '^warning: host a: others used' stdout && grep -q '^warning_2: processes were moved' stdout || fail "show: $(cat stdout)"
works "$cpm" show a.mod --format json
grep -q 'processes were moved' stdout || fail "show in JSON: $(cat stdout)"
if command -v gnuplot >/dev/null; then
    works "$cpm" report a.mod a.meas c.meas -o page.html
    [ "$(grep -c 'Warning when it was measured: host a: others used 1.2' page.html)" = 1 ] || fail "report"
    [ "$(grep -c 'Warning when it was measured: processes were moved' page.html)" = 1 ] || fail "report, the second"
fi

# A campaign that goes on keeps them.
works "$cpm" bench coll --machine lmo4.mod bcast:linear -m 1K,2K --raw --quiet -o c.meas --resume
[ "$(grep -c '^# warning: host a' c.meas)" = 1 ] || fail "resumed: $(grep '^#' c.meas)"
repeats 1 c.meas compare a.mod c.meas
repeats 0 lmo4.mod predict lmo4.mod bcast -m 1K
finish
