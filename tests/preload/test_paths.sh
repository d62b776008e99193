#!/usr/bin/env bash
# The library is preloaded from a folder with whatever name, though LD_PRELOAD ends names at blanks and
# colons; what cannot be preloaded is said. What is preloaded already begins with MPI as it does without CPM.
. "$(dirname "$0")/lib.sh"
libraries=$(dirname "$cpm")/lib

# takes_from NAME: CPM in a folder of that name is run from there, and runs the program's collectives.
takes_from() {
    local folder=$work/$1
    mkdir -p "$folder"
    cp "$cpm" "$libraries"/lib*.so* "$folder"
    local cpm=$folder/cpm
    "$cpm" run -- cat /proc/self/maps >maps 2>stderr || fail "$1: $(cat stderr)"
    grep -qF "$(readlink -f "$folder")/libcpm-tuned.so" maps || fail "not preloaded from '$1'"
    run 2 --verbose --force bcast:chain -- "$programs/communicators" 5 9 || fail "$1: $(cat stderr)"
    grep -q '^cpm: bcast  *chain ' stderr || fail "without effect in '$1': $(cat stderr)"
    # A program that is started by another, as by a script.
    "$cpm" run -- bash -c 'cat /proc/self/maps' >maps 2>stderr || fail "$1: $(cat stderr)"
    grep -qF "$(readlink -f "$folder")/libcpm-tuned.so" maps || fail "'$1': not for a child"
    [ ! -s stderr ] || fail "'$1': $(cat stderr)"
}

cat >tool.c <<'end'
#include <mpi.h>
#include <stdio.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    fprintf(stderr, "tool: MPI begins\n");
    return PMPI_Init_thread(argc, argv, required, provided);
}
end
"$mpicc" -shared -fPIC tool.c -o tool.so || fail "the tool cannot be built"
LD_PRELOAD=$work/tool.so run 2 --verbose --force bcast:chain -- "$programs/communicators" 5 9 || fail "tool: $(cat stderr)"
[ "$(grep -c '^tool: MPI begins$' stderr)" = 2 ] || fail "another tool does not begin with MPI: $(cat stderr)"
grep -q '^cpm: bcast  *chain ' stderr || fail "without effect in front of a tool: $(cat stderr)"

for name in plain 'a blank' a:colon 'a dollar $LIB' ': $ORIGIN'; do takes_from "$name"; done
finish
