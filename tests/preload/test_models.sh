#!/usr/bin/env bash
# What two processes of this host measured says which algorithms any number of them take.
. "$(dirname "$0")/lib.sh"
quick=(--min-reps 3 --max-reps 5 --quiet)
"$mpiexec" -n 2 "$cpm" model -M lmo2 --no-thresholds -m 16K -o host.mod "${quick[@]}" >stdout 2>stderr ||
    fail "not measured: $(cat stdout stderr)"
run 3 --verbose --model host.mod -- "$cpm" bench coll bcast:native -m 1K "${quick[@]}" ||
    fail "not run: $(cat stdout stderr)"
grep -Eq '^cpm: bcast .* [0-9.]+ +[0-9.]+$' stderr || fail "not used: $(cat stdout stderr)"
finish
