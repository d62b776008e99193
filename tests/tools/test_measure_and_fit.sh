#!/usr/bin/env bash
# cpm model gives, to the last digit, what cpm measure and then cpm fit give, which is told nothing:
# the file says what it was measured for. Whatever the model, and whatever it was asked for.
. "$(dirname "$0")/lib.sh"

play=(--noise 0.02 --seed 3 --max-reps 30 --quiet)
machine=lmo4.mod
thresholds=()
{ command -v R >/dev/null && ! ldd "$cpm" | grep -q libasan; } || thresholds=(--no-thresholds) # R does not run with sanitizers
printf '# one of three\n0 thin\n1-3 fat\n' >three.classes

# What depends on when and into which file it was measured.
values() { grep -v '"date": \|"command": \|"measurements": \|"measurements_sha256": ' "$1"; }

# same OPTION...
same() {
    rm -f one.* two.*
    works "$cpm" model --machine "$machine" "${play[@]}" "$@" -o one.mod
    works "$cpm" measure --machine "$machine" "${play[@]}" "$@" -o two.meas
    works "$cpm" fit two.meas -o two.mod
    diff <(values one.mod) <(values two.mod) >difference || fail "$*: $(head -5 difference)"
}

for model in hockney logp loggp plogp lmo "lmo --estimator thesis" "loggp --estimator plogp" lmo2 interp; do
    # shellcheck disable=SC2206 # words
    of=(-M $model)
    [[ $model != lmo* ]] || same "${of[@]}" "${thresholds[@]}"
    of+=(--no-thresholds)
    same "${of[@]}" --sizes 2K,64K --serial --statistic mean --raw
    same "${of[@]}" --sizes 8K --confidence 0.99 --classes three.classes --min-reps 8 --error 0.1
    same "${of[@]}" --classes auto --budget 60 --parameter-error 0.2
done
same -M plogp --gap saturation --sizes 8K
machine=$(dirname "$here")/../examples/models/multicore8x4.mod
same --no-thresholds --layout 3x2
same --no-thresholds --layout 2x3 --placement cyclic --sizes 8K
machine=$(dirname "$here")/../examples/models/gigabit16.mod
same -M lmo --classes auto --no-thresholds
same --sizes 1K --no-thresholds

# One that was resumed for more, too.
works "$cpm" measure --machine lmo4.mod "${play[@]}" -M hockney -m 1K,8K -o two.meas
works "$cpm" model --machine lmo4.mod "${play[@]}" -M hockney -m 1K,8K,64K --meas two.meas --resume -o one.mod
works "$cpm" fit two.meas -o two.mod
diff <(values one.mod) <(values two.mod) || fail "resumed"

# What is said against the file is done, and said.
works "$cpm" measure --machine lmo4.mod "${play[@]}" -M hockney -o usual.meas
works "$cpm" fit usual.meas --sizes 1K -o usual.mod
grep -q '^cpm: warning: usual.meas: was measured for sizes .usual., and is fitted for .1024.\. ' stderr ||
    fail "not said: $(cat stderr)"
works "$cpm" fit usual.meas -o usual.mod
! grep -q '^cpm: warning' stderr || fail "said for nothing: $(cat stderr)"
sed -i 's/^# sizes: .*/# sizes: many/' usual.meas
refused 1 "^cpm fit: usual.meas: '# sizes:' of its header: " "$cpm" fit usual.meas -o usual.mod
works "$cpm" measure --machine lmo4.mod "${play[@]}" -M lmo --no-thresholds --classes three.classes -o classes.meas
sed 's/^# classes: .*/# classes: 0 thin 1-3/' classes.meas >cut.meas
refused 1 "^cpm fit: cut.meas: '# classes:' of its header, rule:2: expected a host" "$cpm" fit cut.meas -o cut.mod
sed 's/^# classes: .*/# classes: 0 thin 1-4 fat/' classes.meas >many.meas
refused 1 "^cpm fit: many.meas: '# classes:' of its header, rule:2: there is no process 4" "$cpm" fit many.meas -o many.mod

# Models say of which level their intervals are: the one that was asked for, or that of the measurements they are made of.
level() { grep -q "\"confidence\": \"$2\"" "$1" || fail "no level $2 in $1: $(grep confidence "$1")"; }
works "$cpm" measure --machine lmo4.mod "${play[@]}" -M lmo --no-thresholds --confidence 0.99 -o level.meas
works "$cpm" fit level.meas -o level.mod
level level.mod 0.99
works "$cpm" fit level.meas --confidence 0.9 -o level.mod
level level.mod 0.9
works "$cpm" measure --machine lmo4.mod "${play[@]}" --no-thresholds --confidence 0.99 -o level2.meas
works "$cpm" fit level2.meas -o level2.mod
level level2.mod 0.99
refused 2 '^cpm fit: --confidence: intervals of lmo2 come from its measurements' \
    "$cpm" fit level2.meas --confidence 0.9 -o level2.mod
finish
