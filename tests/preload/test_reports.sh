#!/usr/bin/env bash
# Reports: what was run, as text, TSV and JSON; a file is there as a whole or not at all, and what is
# wrong with it is one line and no matter of the program's.
. "$(dirname "$0")/lib.sh"
program=("$programs/communicators" 2 450)

# calls OPERATION ALGORITHM: of the report as TSV on standard input
calls() { awk -F'\t' -v o="$1" -v a="$2" '$NF == "operations" && $1 == o && $2 == a {n += $5} END {print n + 0}'; }

for format in text tsv json; do
    run 3 --force bcast:chain --report "report.$format" --format "$format" -- "${program[@]}" || fail "$format: $(cat stderr)"
    [ ! -s stderr ] || fail "$format: $(cat stderr)"
done
all=$(calls bcast chain <report.tsv)
[ "$all" -gt 400 ] || fail "$all broadcasts: $(cat report.tsv)"
[ "$(awk '$1 == "bcast" && $2 == "chain" {n += $5} END {print n}' report.text)" = "$all" ] || fail "text: $(cat report.text)"
python3 "$here/../tools/look_at_formats.py" "$here/../../doc/formats.md" 'run --report' report.tsv report.json --some ||
    fail "columns: $(cat report.tsv)"
python3 - "$all" <<'PYTHON' || fail "JSON: $(cat report.json)"
import json, sys
report = json.load(open("report.json"))
assert report["format"] == "cpm report" and report["version"] == 1, report
rows = [r for r in report["operations"] if (r["operation"], r["algorithm"]) == ("bcast", "chain")]
assert sum(r["calls"] for r in rows) == int(sys.argv[1]), rows
assert all(r["from"] <= r["bytes"] <= r["to"] < max(2 * r["from"], 1) and r["spent_ms"] > 0 for r in rows), rows
PYTHON

# The same on standard error, and both.
run 3 --force bcast:chain --verbose --report both -- "${program[@]}" || fail "both: $(cat stderr)"
diff <(echo '# cpm report' && sed 's/^cpm: //' stderr) both || fail "they differ"
[ "$(ls both*)" = both ] || fail "left behind: $(ls both*)"

# says CODE PATTERN: of the run before
says() {
    [ "$code" = "$1" ] || fail "exit code $code, not $1: $(cat stdout stderr)"
    grep '^cpm' stderr >ours # a launcher says something of its own of a failed process
    [ "$(wc -l <ours)" = 1 ] || fail "not one line: $(cat stderr)"
    grep -Eq -- "^cpm.*$2" ours || fail "no '$2': $(cat stderr)"
}
program=("$programs/chosen")
run 2 --report /dev/full -- "${program[@]}"
code=$? && says 0 '/dev/full: cannot be written: '
run 2 --report nowhere/report -- "${program[@]}"
code=$? && says 1 'nowhere/report: cannot be written: '
"$cpm" run --format tsv -- true 2>stderr
code=$? && says 2 '--format needs --report FILE'
"$cpm" run --report report --format xml -- true 2>stderr
code=$? && says 2 "--format: unknown format 'xml'"
CPM_FORMAT=json run 2 -- "${program[@]}"
code=$? && says 0 'CPM_FORMAT: there is no report to be json: name its file in CPM_REPORT'
CPM_FORMAT=xml run 2 --report report.text -- "${program[@]}"
code=$? && says 0 "CPM_FORMAT: unknown format 'xml' \(known: text, tsv, json\); the report will be text"

# The program's exit code is its own, and one that is aborted leaves no file.
cat >ends.c <<'C'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5), sleep(60); /* MPICH 4.2 returns from it */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 3;
}
C
"$mpicc" -o ends ends.c || fail "$mpicc"
run 2 --report /dev/full -- ./ends
code=$? && [ "$code" = 3 ] || fail "exit code $code, not 3: $(cat stderr)"
run 2 --report aborted -- ./ends abort && fail "not aborted"
[ -z "$(ls aborted* 2>/dev/null)" ] || fail "left behind: $(ls aborted*)"
# Sizes that not all processes know are those that process 0 knows.
run 3 --adapt -v -- "$cpm" bench coll gatherv:native,alltoallv:native -m 1K --min-reps 5 --max-reps 5 --quiet ||
    fail "adapting: $(cat stderr)"
for operation in gatherv alltoallv; do
    awk -v o=$operation '$2 == o && $4 == 1024 && $5 == 1024 && $7 == 1024 {found = 1} END {exit !found}' stderr ||
        fail "not the size of $operation: $(cat stderr)"
done
finish
