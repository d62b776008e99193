#!/usr/bin/env bash
# From a machine that a model plays to the same model: measure, fit, and both in one.
. "$(dirname "$0")/lib.sh"

# same FILE.mod PARAMETER...: values within 0.1 % of those of $truth.
same() {
    local file=$1 parameter
    shift
    for parameter in "$@"; do
        "$cpm" show "$truth" --param "$parameter" >true_values
        "$cpm" show "$file" --param "$parameter" >values
        paste -d' ' true_values values | awk -v n="$(wc -l <true_values)" '
            { t = $(NF / 2 - 1); v = $(NF - 1); rows++ }
            !(v - t <= 1e-3 * t && t - v <= 1e-3 * t) { print "true " t ", estimated " v; bad = 1 }
            END { exit bad || rows != n || n < 3 }' || fail "$parameter of $file"
    done
}

truth=lmo4.mod
works "$cpm" measure --machine lmo4.mod --model lmo --no-thresholds --quiet -o lmo.meas
works "$cpm" fit --model lmo --no-thresholds lmo.meas -o fitted.mod
same fitted.mod C t L invbeta
works "$cpm" model -M lmo --machine lmo4.mod --no-thresholds --quiet -o modelled.mod
[ -s modelled.meas ] || fail "no measurements beside modelled.mod"
same modelled.mod C t L invbeta
works "$cpm" fit --no-thresholds lmo.meas
[ -s lmo.mod ] || fail "fit without -o"

# The usual model is lmo2; what was measured for another one is fitted to that.
works "$cpm" model --machine lmo4.mod --no-thresholds --quiet -o usual.mod
grep -q '"model": "lmo2"' usual.mod || fail "the usual model: $(grep '"model"' usual.mod)"
works "$cpm" measure -M hockney --machine lmo4.mod --quiet -o hockney.meas
works "$cpm" fit hockney.meas
grep -q '"model": "hockney"' hockney.mod || fail "fitted: $(grep '"model"' hockney.mod)"

# How well a model fits is said on standard output; published equations do not.
works "$cpm" fit --no-thresholds --residuals lmo.meas -o reported.mod
grep -Eq '^train +non-empty +12 +0\.00' stdout || fail "report: $(cat stdout)"
works "$cpm" model -M lmo --machine lmo4.mod --estimator thesis --no-thresholds --quiet -o thesis.mod
works "$cpm" fit --estimator thesis --no-thresholds --residuals thesis.meas
grep -q '^one-to-two (!)' stdout || fail "no contradiction: $(cat stdout)"
grep -q 'replies overlap; use --estimator joint' stdout || fail "not in words: $(cat stdout)"
refused 2 'both write to standard output' "$cpm" fit --residuals lmo.meas -o -

# A campaign that stopped goes on, and gives the same.
grep -v '^# duration' lmo.meas | head -n -5 >stopped.meas
works "$cpm" measure --machine lmo4.mod --model lmo --no-thresholds --quiet --resume -o stopped.meas
diff <(grep -v '^#' stopped.meas) <(grep -v '^#' lmo.meas) || fail "resumed"
works "$cpm" fit --no-thresholds stopped.meas -o stopped.mod
same stopped.mod C t L invbeta

# A budget: too small is one sentence, and what was measured is kept.
refused 1 'a budget of 0.001 s is too small for an estimate: .* take about .* --resume goes on' \
    "$cpm" measure -M lmo --machine lmo4.mod --no-thresholds --quiet --budget 0.001 -o budget.meas
grep -q '^roundtrip' budget.meas || fail "nothing was kept"
works "$cpm" measure -M lmo --machine lmo4.mod --no-thresholds --quiet --budget 1 --resume -o budget.meas
works "$cpm" fit --no-thresholds budget.meas -o budget.mod
same budget.mod C t L invbeta

# Without R the measurements stay, and the message says how to go on without thresholds.
CPM_R_MODULE=/nonexistent refused 1 'no-thresholds.*measurements are in r.meas' \
    "$cpm" model -M lmo --machine lmo4.mod --quiet -o r.mod
[ -s r.meas ] && [ ! -e r.mod ] || fail "without R"
CPM_R_MODULE=/nonexistent works "$cpm" fit --no-thresholds r.meas -o r.mod
same r.mod C t L invbeta

truth=hockney3.mod
works "$cpm" model --machine hockney3.mod -M hockney --quiet -o h.mod --meas other.meas
[ -s other.meas ] && [ ! -e h.meas ] || fail "--meas"
same h.mod alpha beta

# The model says where it comes from, and predicts what it was made of.
"$cpm" show fitted.mod | grep -q 'lmo.meas' || fail "no provenance"
works "$cpm" validate --machine lmo4.mod fitted.mod --max-error 0.001 --quiet
finish
