#!/usr/bin/env bash
# A root that says another length than all others, on the other side of a boundary between two
# algorithms, does not wait for ever.
# usage: test_lengths.sh CPM MPIEXEC PROGRAMS MPI_C_COMPILER
. "$(dirname "$0")/lib.sh"

cat >table.json <<'END'
{"format": "cpm table", "version": 1, "operations": {
"scatter": {"2": [{"from": 0, "algorithm": "binomial"}, {"from": 512, "algorithm": "linear"}]},
"gather": {"2": [{"from": 0, "algorithm": "binomial"}, {"from": 512, "algorithm": "linear"}]},
"reduce": {"2": [{"from": 0, "algorithm": "binomial"}, {"from": 512, "algorithm": "linear"}]},
"barrier": {"2": [{"from": 0, "algorithm": "dissemination"}]}}}
END

# returns OPERATION OTHERS OWN SIDES
returns() {
    run 4 --trust --table table.json -- "$programs/lengths" "$@" && grep -qx '0 differences' stdout ||
        fail "$*: $(grep -v UCX stdout stderr | head -5)"
}

for lengths in '16 256' '256 16'; do
    # shellcheck disable=SC2086 # two words
    {
        returns gather $lengths both
        returns gather $lengths sent
        returns gather $lengths received
        returns reduce $lengths both
        returns scatter $lengths received
    }
done
finish
