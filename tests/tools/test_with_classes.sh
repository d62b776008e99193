#!/usr/bin/env bash
# Models of processes in classes: every subcommand takes them, and what is wrong with classes has one
# clear line.
. "$(dirname "$0")/lib.sh"

model() {
    "$cpm" model -M lmo --machine classes.mod --no-thresholds --quiet "$@"
}

golden classes_show show classes.mod
golden classes_predict predict classes.mod scatter:linear,scatter:binomial,scatter:chain -m 1K,64K
sed 's/4.0e-5\]/5.0e-5]/' classes.mod >slower.mod
golden classes_diff diff classes.mod slower.mod

measuring_with_classes_gives_the_classes_back() {
    works model --classes classes.txt -o fitted.mod
    works "$cpm" diff classes.mod fitted.mod
    grep -q 'the same' stdout || fail "not the same: $(cat stdout)"
    works "$cpm" fit --classes classes.txt fitted.meas --no-thresholds -o again.mod
    "$cpm" show fitted.mod --param L >one
    "$cpm" show again.mod --param L | cmp -s one - || fail "fit and model differ"
}

classes_are_found() {
    works model --classes auto -o found.mod
    grep -q 'class class1: 3 processes (0-2)' found.mod || fail "class1: $(grep class found.mod)"
    grep -q 'process 6 on host login is like no other' found.mod || fail "the odd one is not named"
    works "$cpm" diff classes.mod found.mod
    grep -q 'the same' stdout || fail "not the same: $(cat stdout)"
}

what_works_on_models_works_with_classes() {
    finds 4 "$cpm" doctor classes.mod
    works "$cpm" validate --machine classes.mod classes.mod scatter:linear -m 1K --quiet --max-error 1e-6
    if command -v gnuplot >/dev/null; then
        works "$cpm" plot classes.mod -o classes.png
        [ -s classes.png ] || fail "no picture"
    fi
}

wrong_classes_are_refused() {
    refused 1 'none.txt: cannot be read' model --classes none.txt -o x.mod
    printf 'thin* thin\nfat2 fat\n6 login\n' >few.txt
    refused 1 'few.txt: process 3 on host fat1 has no class' model --classes few.txt -o x.mod
    printf 'thin* thin\nbig* fat\n' >unknown.txt
    refused 1 "unknown.txt:2: no process is on host 'big\*'" model --classes unknown.txt -o x.mod
    printf 'thin*\n' >short.txt
    refused 1 'short.txt:1: expected a host' model --classes short.txt -o x.mod
    [ ! -e x.mod ] || fail "a model was written"
    [ ! -e x.meas ] || fail "a file of measurements was written, with none in it"
    sed 's/\[3, 4, 5\]/[3, 4]/' classes.mod >uncovered.mod
    refused 1 'uncovered.mod:7: process 5 is in none of the classes' "$cpm" show uncovered.mod
    works model --classes classes.txt -o fitted.mod
    refused 1 'round trips between all pairs are missing' "$cpm" fit --classes auto fitted.meas \
        --no-thresholds -o x.mod
    works "$cpm" fit fitted.meas -o again.mod # which says its classes
    works "$cpm" diff fitted.mod again.mod
    sed -i '/^# classes: /d' fitted.meas
    refused 1 'processes [0-9] and [0-9]: round trips' "$cpm" fit fitted.meas \
        --no-thresholds -o x.mod
}

measuring_with_classes_gives_the_classes_back
classes_are_found
what_works_on_models_works_with_classes
wrong_classes_are_refused
finish
