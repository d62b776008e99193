#!/usr/bin/env bash
# A program of the other kind of MPI than the library was built for runs unharmed and uncounted, and one
# line says so: linked with it, loading it while it runs, by either launcher or none. One that loads
# the right one is tuned, and one without MPI is left alone.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
own=mpich other=openmpi other_name='Open MPI'
[[ $mpicc != *mpicc.openmpi ]] || { own=openmpi other=mpich other_name=MPICH; }
if ! command -v "mpicc.$other" "mpiexec.$other" "mpicc.$own" >/dev/null || [[ $mpicc != *mpicc.* ]]; then
    echo "skipped: there is no second MPI here (mpicc.$other)"
    exit 77
fi
flags=(-D_GNU_SOURCE -std=c17)
cc "${flags[@]}" -o late "$here/late.c" -ldl || fail "late"
for kind in "$own" "$other"; do
    "mpicc.$kind" "${flags[@]}" -fPIC -shared -o "$kind.so" "$here/late_calls.c" || fail "$kind.so"
done
"mpicc.$other" "${flags[@]}" -o moves "$here/moves.c" || fail "moves"

# says COUNT PATTERN RANKS: so many lines of CPM's, which is that one, and RANKS processes are right.
says() {
    [ "$code" = 0 ] || fail "$what: exit code $code: $(cat stdout stderr)"
    [ "$(grep -c '^cpm:' stderr)" = "$1" ] || fail "$what: not $1 lines: $(cat stderr)"
    [ "$1" = 0 ] || grep -q "^cpm: libcpm-tuned.so was built for .*, but $2 $other_name.*Nothing is counted: take a cpm" stderr ||
        fail "$what: $(cat stderr)"
    grep -q "$3" stdout || fail "$what: not '$3': $(cat stdout)"
}

# runs LAUNCHER... -- OPTION...: the program $program.
runs() {
    local launcher=()
    while [ "$1" != -- ]; do launcher+=("$1") && shift; done
    shift
    what="${launcher[*]} $* $program"
    # shellcheck disable=SC2086 # a program and its argument
    timeout 100 "${launcher[@]}" "$cpm" run "$@" -- $program >stdout 2>stderr </dev/null
    code=$?
}

for options in '' '--force bcast:chain' '--adapt' '--profile profile.json'; do
    # shellcheck disable=SC2086 # options
    {
        program="./late ./$other.so"
        runs "mpiexec.$other" -n 2 -- $options
        says 1 'the launcher is that of' "^$other_name.*: 2 right"
        runs -- $options
        says 1 'the program uses' "^$other_name.*: 1 right"
        program="./moves 2"
        runs "mpiexec.$other" -n 2 -- $options
        says 1 'the program uses' '^0 differences'
    }
    [ ! -e profile.json ] || fail "$options: it was counted"
done

# A program that loads the right one.
program="./late ./$own.so"
runs "$mpiexec" -n 2 -- --yield --force bcast:chain -v
[ "$code" = 0 ] && grep -q '^cpm: bcast  *chain' stderr || fail "not tuned: $(cat stdout stderr)"
! grep -q 'was built for' stderr || fail "its own MPI is another: $(cat stderr)"
program=./late
runs -- --force bcast:chain
says 0 '' '^no MPI'

# mpi4py's way, where it is installed for the other one.
if python=$(command -v /usr/bin/python3) &&
    "$python" -c 'import sys; from mpi4py import MPI; sys.exit(MPI.Get_library_version()[:9] != "Open MPI "[:9])' 2>/dev/null </dev/null &&
    [ "$other" = openmpi ]; then
    # Rank 0 alone prints: launchers mix what several do.
    echo 'from mpi4py import MPI; c = MPI.COMM_WORLD; n = c.size; s = c.reduce(c.allreduce(c.rank)); c.rank or print("right" if s == n * n * (n - 1) // 2 else "wrong", n)' >p.py
    program="$python p.py"
    runs mpiexec.openmpi -n 2 --
    says 1 'the launcher is that of' '^right 2'
    runs --
    says 1 'the program uses' '^right 1'
else
    echo "not tried: mpi4py of $other_name"
fi
finish
