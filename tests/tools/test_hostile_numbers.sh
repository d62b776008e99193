#!/usr/bin/env bash
# Numbers that are none, or near the limits of a double, are refused where they stand; no command
# prints a result that is not finite.
. "$(dirname "$0")/lib.sh"

works "$cpm" tune lmo4.mod bcast,gather -o table.json
works "$cpm" bench coll --machine lmo4.mod bcast,gather -m 1K,4K --quiet -o coll.meas
works "$cpm" model -M lmo --machine lmo4.mod --no-thresholds --meas all.meas -o all.mod

# finite COMMAND...: exit code 0 or 3 with finite numbers only, or 1 with one line.
finite() {
    "$@" >stdout 2>stderr
    case $? in
    0 | 3 | 4) ! grep -Eiqw -- '-?(nan|inf|infinity)|-?(nan|inf)[%,]' stdout || fail "not finite: $*: $(grep -Eiw 'nan|inf' stdout | head -3)" ;;
    1) [ "$(grep -c '^cpm' stderr)" = 1 ] || fail "not one line: $*: $(cat stderr)" ;;
    *) fail "exit code: $*: $(cat stderr)" ;;
    esac
}

# Every command that reads a model, F; pictures are of their own.
of_models=('show F' 'predict F' 'predict F --format json' 'predict F --method formula bcast:linear'
    'predict F bcast --crossovers' 'predict F -m 4095G bcast' 'tune F bcast' 'export --simgrid F'
    'map F bcast:tree -m 1K --budget 1' 'doctor F' 'diff F lmo4.mod' 'diff lmo4.mod F'
    'compare F coll.meas' 'validate --machine F F -m 1K --quiet bcast' 'bench p2p --machine F -m 1K --quiet'
    'bench coll --machine F -m 1K --quiet bcast' 'model --machine F --no-thresholds --quiet --meas m.meas -o m.mod'
    'draw bcast:linear --model F -o run.svg' 'plot F -o model.svg')

numbers_of_models_have_bounds() {
    local value command
    for value in 1e308 -1e308 1e31 1e-320 4.9e-324 1e-200 123456789012345678901234567890123456; do
        sed "s/5.39e-05/$value/" lmo4.mod >x.mod
        cmp -s x.mod lmo4.mod && fail "nothing replaced"
        for command in 'show F' 'predict F' 'tune F' 'doctor F' 'diff F lmo4.mod' 'plot F -o model.svg'; do
            # shellcheck disable=SC2086 # words
            refused 1 'x.mod:[0-9]+: .*(too (large|small|big)|negative)' "$cpm" ${command/F/x.mod}
        done
    done
    for value in nan NaN inf Infinity 1e400 0x1p-10 +1 1. .5 1e ; do
        sed "s/5.39e-05/$value/" lmo4.mod >x.mod
        refused 1 'x.mod:[0-9]+: ' "$cpm" predict x.mod
    done
}

# What is wrong is said with the numbers that were typed.
refused_numbers_are_those_that_were_given() {
    local value
    for value in 2147483647x2147483647 99999999999999999999x4 4x1048577; do
        refused 2 "layout: $value: at most 1048576 processes together" "$cpm" draw alltoall:ring --layout $value
    done
    sed 's/"processes": [0-9]*/"processes": 1.5/' lmo4.mod >x.mod
    refused 1 'x.mod:[0-9]+: expected a whole number as "processes", found a fraction' "$cpm" predict x.mod bcast
    sed 's/"version": 1/"version": 1.5/' lmo4.mod >x.mod
    refused 1 'x.mod:[0-9]+: expected a whole number as "version", found a fraction' "$cpm" predict x.mod bcast
}

numbers_of_measurements_have_bounds() {
    local value column
    for value in nan inf -inf 1e308 1e31 1e-320 0x1p-10 +1 1e 1,5 "''" 1e400 1e-400x; do
        for column in 9 11 14 15; do
            awk -v v="$value" -v c=$column '/^roundtrip/ && !done { $c = v; done = 1 } 1' all.meas >x.meas
            refused 1 'x.meas:[0-9]+: ' "$cpm" fit x.meas -o none.mod
            refused 1 'x.meas:[0-9]+: ' "$cpm" plot x.meas
        done
    done
    for value in +4 04 4.0 0x4 1048577 99999999999999999999 -4 0 ''; do
        sed "s/^# processes: .*/# processes:  $value/" all.meas >x.meas
        refused 1 'x.meas:[0-9]+: ' "$cpm" fit x.meas -o none.mod
    done
    for value in +0 00 0x0 0.0 -1 1073741825; do
        awk -v v="$value" '/^roundtrip/ && !done { $8 = v; done = 1 } 1' all.meas >x.meas
        refused 1 "x.meas:[0-9]+: round: '[+]?${value#+}' is not" "$cpm" fit x.meas -o none.mod
    done
    for value in 1e308 nan 1e-320 -1; do
        sed "s/^# duration: .*/# duration: $value/" all.meas >x.meas
        refused 1 'x.meas:[0-9]+: duration' "$cpm" fit x.meas -o none.mod
    done
    [ ! -e none.mod ] || fail "a model was written"
}

numbers_of_tables_have_bounds() {
    local key value
    for key in ' 4' +4 04 4.0 0x4 '4 ' '' 0 -4 4e0 2147483648 99999999999999999999; do
        sed "s/\"4\":/\"$key\":/" table.json >x.json
        refused 1 'x.json:[0-9]+: .*is not a number of processes' "$cpm" export --openmpi x.json
    done
    for value in 1e308 1e-320 -1 1e400 nan '"1"'; do
        sed "s/\"seconds\": [^}]*/\"seconds\": $value/" table.json >x.json
        refused 1 'x.json:[0-9]+: ' "$cpm" export --openmpi x.json
    done
    for value in -1 1.5 1e3 99999999999999999999 '"1"'; do
        sed "s/\"from\": [0-9]*/\"from\": $value/" table.json >x.json
        refused 1 'x.json:[0-9]+: ' "$cpm" export --openmpi x.json
    done
    sed 's/"from": [1-9][0-9]*/"from": 9223372036854775807/' table.json >x.json
    finite "$cpm" export --openmpi x.json
    ! grep -q '^9223372036854775807' stdout || fail "a size that Open MPI cannot read"
}

# What is allowed, at its limits, and all of it at once.
results_are_finite() {
    local value command
    for value in 0 1e30 1e-100; do
        sed -E "s/[0-9.]+e-[0-9]+/$value/g" lmo4.mod >x.mod
        cp lmo4.mod hom.mod
        for command in "${of_models[@]}"; do
            # shellcheck disable=SC2086 # words
            finite "$cpm" ${command//F/x.mod}
            rm -f m.meas*
        done
        sed -E "s/[0-9.]+e-[0-9]+/$value/g" coll.meas >x.meas
        finite "$cpm" compare lmo4.mod x.meas -o x.tsv
        [ ! -e x.tsv ] || ! grep -Eiqw 'nan|inf' x.tsv || fail "not finite in the table of $value"
        sed -E "s/[0-9.]+e-[0-9]+/$value/g" all.meas >x.meas
        finite "$cpm" fit x.meas --residuals -o y.mod
        finite "$cpm" doctor x.meas
        finite "$cpm" plot x.meas -o x.svg
        rm -f x.tsv y.mod
    done
}

numbers_of_options_have_bounds() {
    local value
    for value in nan inf 1e308 1e-320 -1 '' x; do
        refused 2 'cpm bench p2p: --noise' "$cpm" bench p2p --machine lmo4.mod --noise "$value"
        refused 2 'cpm model: --budget' "$cpm" model -M lmo --machine lmo4.mod --budget "$value"
        refused 2 'cpm map: --budget' "$cpm" map lmo4.mod bcast:tree -m 1 --budget "$value"
        refused 2 'cpm doctor: --min-effect' "$cpm" doctor lmo4.mod --min-effect "$value"
    done
    refused 2 'k=\+4' "$cpm" check bcast:knomial:k=+4
}

numbers_of_models_have_bounds
refused_numbers_are_those_that_were_given
numbers_of_measurements_have_bounds
numbers_of_tables_have_bounds
results_are_finite
numbers_of_options_have_bounds
finish
