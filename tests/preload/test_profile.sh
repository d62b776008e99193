#!/usr/bin/env bash
# Profiles: every call is there, like communicators together, whatever processes take part; a program
# that does not come to its end leaves none.
. "$(dirname "$0")/lib.sh"

run 4 --profile profile -- "$programs/kinds" 20 || fail "exit code $?: $(cat stdout stderr)"
[ ! -s stderr ] || fail "it says: $(cat stderr)"
cat >look.py <<'PYTHON'
import json, sys
profile, slow, expected = json.load(open(sys.argv[1])), "slow" in sys.argv[1], sys.argv[2:]
assert (profile["format"], profile["version"], profile["processes"]) == ("cpm profile", 1, 4), profile
assert len(profile["hosts"]) == 4 and profile["left_out"] == 0, profile
assert 0 < profile["collectives"] < profile["seconds"], profile
members = [c["processes"] for c in profile["communicators"]]
assert members == [[int(i) for i in m] for m in expected], members
for number, processes in enumerate(members):
    n = len(processes)
    calls = [c for c in profile["calls"] if c["communicator"] == number]
    found = [(c["operation"], c.get("root"), c["bytes"], c["calls"]) for c in calls]
    assert found == [("bcast", n - 1, 1000, 20), ("gatherv", 0, 100, 20), ("allgatherv", None, 100, 20),
                     ("allreduce", None, 4, 20), ("barrier", None, 0, 20)], found
    assert all(0 < c["mean"] and abs(c["total"] - 20 * c["mean"]) <= 1e-4 * c["total"] for c in calls), calls
    assert all(c["between"] >= 0 and 0 <= c["back_to_back"] <= 20 for c in calls), calls
    for c in calls:
        assert 0 < c["least"] <= c["mean"] * 1.0001 and c["mean"] <= c["most"] * 1.0001, c
        assert c["least_at"] in processes and c["most_at"] in processes, (c, processes)
    # Calls that do not count came later than half of what is soon, by the classes of times: they alone
    # take so much of the time between calls. How busy the machine is does not matter, nor how short a
    # rank's own part of a call is.
    for c in calls:
        soon = max(0.1 * c["mean"], 2.048e-6)
        apart = c["calls"] - c["back_to_back"] - 1 # a mean over processes, rounded down
        assert apart * soon / 2 <= c["between"] * c["calls"] * 1.001, c
        # What comes after 20 ms comes soon only where calls take 200.
        assert not slow or c["operation"] != "bcast" or c["back_to_back"] == 0 or c["mean"] > 0.2, c
PYTHON
python3 look.py profile 0123 123 || fail "$(cat profile)"
run 4 --profile quiet -- "$programs/kinds" 20 quiet
python3 look.py quiet 123 || fail "quiet: $(cat quiet)"
run 4 --profile slow -- "$programs/kinds" 20 slow
python3 look.py slow 0123 123 || fail "slow: $(cat slow)"

# The report counts as many.
run 4 --profile again --report report --format tsv -- "$programs/kinds" 20
python3 look.py again 0123 123 || fail "with a report: $(cat again stderr)"
[ "$(awk '$1 == "bcast" {print $2, $3, $5}' report)" = "native 1000 20" ] || fail "report: $(cat report)"

for end in abort kill; do
    run 4 --profile "$end" -- "$programs/kinds" 2 "$end" && fail "$end: exit code 0"
    [ -z "$(ls "$end"* 2>/dev/null)" ] || fail "$end: left behind: $(ls "$end"*)"
done

# says CODE PATTERN: of the run before
says() {
    [ "$code" = "$1" ] || fail "exit code $code, not $1: $(cat stdout stderr)"
    [ "$(wc -l <stderr)" = 1 ] || fail "not one line: $(cat stderr)"
    grep -Eq -- "^cpm.*$2" stderr || fail "no '$2': $(cat stderr)"
}
run 2 --profile /dev/full -- "$programs/kinds" 2
code=$? && says 0 '/dev/full: cannot be written: '
CPM_MODEL=nowhere run 2 --profile other -- "$programs/kinds" 2
code=$? && says 0 'CPM_MODEL is not used'
"$cpm" run --profile profile --model nowhere -- true 2>stderr
code=$? && says 2 '--profile .*omit --model'

# All ways to begin.
fortran=${mpicc/mpicc/mpifort}
if command -v gfortran >/dev/null && command -v "$fortran" >/dev/null; then
    for binding in mpi mpi_f08; do
        for begin in 'MPI_Init(e)' 'MPI_Init_thread(MPI_THREAD_MULTIPLE, given, e)'; do
            cat >begin.f90 <<FORTRAN
program begin
  use $binding
  integer :: x = 1, given, e
  call $begin
  call MPI_Bcast(x, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
end program
FORTRAN
            "$fortran" -o begin begin.f90 || fail "$binding: not compiled"
            run 2 --profile begun -- ./begin || fail "$binding: $(cat stderr)"
            grep -q '"operation": "bcast", "root": 0, "bytes": 4, "calls": 1,' begun || fail "$binding, $begin: $(cat stderr begun)"
            rm -f begun
        done
    done
fi
finish
