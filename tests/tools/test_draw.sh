#!/usr/bin/env bash
# Pictures of algorithms and of predicted runs.
. "$(dirname "$0")/lib.sh"

golden help_draw draw --help
golden draw_tree draw scatter:binomial -n 16
golden draw_upwards draw gather:linear -n 5 --root 2 -o -
golden draw_chain draw bcast:chain -n 6
golden draw_rounds draw allgather:recursive-doubling -n 4
golden draw_signals draw barrier:dissemination -n 3
golden draw_pieces draw bcast:chain:segment=1K -n 3 -m 4K
golden draw_alone draw bcast:linear -n 1

refused 2 'ends with .png, .pdf or .svg' "$cpm" draw bcast:linear -o tree.jpg
refused 2 'time line' "$cpm" draw bcast:linear --model lmo4.mod
refused 2 'at least 1 process' "$cpm" draw bcast:linear -n 0
refused 2 'name one algorithm' "$cpm" draw bcast
refused 2 'unknown algorithm' "$cpm" draw bcast:butterfly
refused 2 'root 7' "$cpm" draw bcast:linear -n 4 --root 7
refused 1 'has 4 processes, not 5' "$cpm" draw bcast:linear --model lmo4.mod -n 5 -o run.svg
refused 2 'a picture cannot show 4032 messages.*-n' "$cpm" draw alltoall:ring -n 64 -o many.svg
refused 2 'a picture cannot show 1023 messages' "$cpm" draw bcast:binomial -n 1024 -o many.svg
refused 2 'a picture cannot show' "$cpm" draw bcast:chain:segment=1 -m 1K --model lmo4.mod -o many.svg
python3 - many.mod <<'PYTHON'
import json, sys
alike = lambda unit, value: {"unit": unit, "value": [[value]]}
json.dump({"format": "cpm model", "version": 1, "model": "hockney", "processes": 600,
           "hosts": ["node%03d" % i for i in range(600)], "classes": {"all": list(range(600))}, "provenance": {},
           "notes": [], "parameters": {"alpha": alike("s", 1e-5), "beta": alike("s/B", 1e-9)}}, open(sys.argv[1], "w"))
PYTHON
refused 2 'a time line cannot show 600 processes.*-n' "$cpm" draw bcast:binomial --model many.mod -o many.svg
[ ! -e many.svg ] || fail "something of too many messages or processes"
works "$cpm" draw alltoall:ring -n 64 -o many.dot
refused 1 'cannot be written' "$cpm" draw bcast:linear -o nowhere/tree.svg

# What dot reads it can lay out.
if command -v dot >/dev/null; then
    for format in png pdf svg; do
        works "$cpm" draw gather:binomial -n 11 -o tree.$format
        [ "$(cat stdout)" = tree.$format ] || fail "the name of the picture"
        [ ! -s stderr ] || fail "tree.$format: $(cat stderr)"
        drawn tree.$format 2000
    done
    # Nobody looks at, or prints, what is larger than a sheet of A0, be it wide or high; earlier pictures stay.
    for format in png svg; do
        works "$cpm" draw bcast:chain -n 48 -o large.$format
        cp large.$format earlier.$format
        for wide in 'bcast:chain -n 64' 'bcast:linear -n 256' 'allgather:recursive-doubling -n 128'; do
            # shellcheck disable=SC2086 # words
            refused 2 'a picture of [0-9]+ x [0-9]+ cm is too large to be read.*-n.*dot' "$cpm" draw $wide -o large.$format
            cmp large.$format earlier.$format || fail "$wide: something of a picture that is too large"
        done
    done
    [ "$(grep -c '<ellipse' tree.svg)" = 11 ] || fail "not 11 processes in tree.svg"
    [ "$(grep -c 'class="edge"' tree.svg)" = 10 ] || fail "not 10 edges in tree.svg"
fi
# laid_out FILE: dot takes all graphs of it without a word.
laid_out() {
    count=$(grep -c ^digraph "$1")
    [ "$count" -ge 25 ] || fail "$1 has only $count algorithms"
    dot -Tplain "$1" 2>stderr | grep -c '^graph' | grep -qx "$count" || fail "not $count layouts of $1"
    [ ! -s stderr ] || fail "dot complains about $1: $(head -3 stderr)"
}

if command -v dot >/dev/null; then
    for algorithm in $("$cpm" algorithms | awk 'NR > 1 { print $1 ":" $2 }'); do
        "$cpm" draw "$algorithm" -n 8 -o one.dot 2>/dev/null || continue
        cat one.dot >>"$(grep -q layout=nop2 one.dot && echo rounds || echo trees).dot"
    done
    laid_out trees.dot
    laid_out rounds.dot
fi
"$cpm" draw bcast:chain -n 3 -o chain.dot || fail "no chain.dot"
"$cpm" draw bcast:chain -n 3 | diff - chain.dot || fail "chain.dot is not what goes to standard output"

if command -v gnuplot >/dev/null; then
    for model in lmo4 hockney3; do
        for format in png pdf svg; do
            works "$cpm" draw scatter:binomial --model $model.mod -m 64K -o run.$format
            [ ! -s stderr ] || fail "run.$format: $(cat stderr)"
            drawn run.$format 3000
            rm run.$format
        done
    done
    works "$cpm" draw scatter:binomial --model lmo4.mod -n 3 -o run.svg
    works "$cpm" draw bcast:binomial --model lmo4.mod -n 1 -o run.svg
    works "$cpm" draw bcast:binomial --model many.mod -n 400 -o run.svg
    height=$(sed -n 's/.* height="\([0-9]*\)".*/\1/p' run.svg | head -1)
    [ "$height" -gt 1000 ] && [ "$height" -lt 4500 ] || fail "a time line of 400 processes is $height high"
    rm run.svg
fi
finish
