#!/usr/bin/env bash
# Decision tables as routines in C: what is exported, that it compiles without warnings, and that
# its results are those of MPI's own routines, bit by bit, for all algorithms.
. "$(dirname "$0")/lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpicc=${MPICC:-mpicc}

# table VARIANT: rules for 2 to 5 processes, of each operation for all of its algorithms, from size
# to size; segmented ones get room for many segments. Of scatterv, gatherv, alltoallv and barrier,
# which know no sizes, there is one, another one for each number of processes.
table() {
    "$cpm" algorithms | grep -v '^neighbor_\|^alltoallw ' | awk -v variant="$1" '
        function add(operation, name, room) {
            names[operation, count[operation] + 0] = name
            rooms[operation, count[operation]++ + 0] = room
        }
        function rules(operation, n,    k, from, line, one, which) {
            one = operation ~ /^(scatterv|gatherv|alltoallv|barrier)$/
            for (k = 0; k < count[operation] && !(one && k); k++) {
                which = k
                if (one)
                    which = (4 * variant + n) % count[operation]
                line = line sprintf("%s{\"from\": %d, \"algorithm\": \"%s\"}",
                    (k ? ", " : ""), from, names[operation, which])
                from += rooms[operation, k]
            }
            return line
        }
        function put(name,    n) {
            printf "%s\n\"%s\": {", comma, name
            for (n = 2; n <= 5; n++)
                printf "%s\n\"%d\": [%s]", (n > 2 ? "," : ""), n, rules(name, n)
            printf "}"
            comma = ","
        }
        NR > 1 && $2 !~ /^tree$/ && !/topology|several hosts/ {
            add($1, $2, 60)
            if (/ segment[, ]/ && $2 != "circulant-segments")
                # The messages of circulant, and of circulant-segments, do not repeat themselves from segment to segment.
                add($1, $2 ":segment=" (16 + 4 * variant) * ($2 == "circulant" ? 8 : 1), 500)
            if ($1 ~ /^(scatter|gather)$/ && $2 ~ /^(linear|star|split)/ ||
                $1 == "alltoall" && $2 !~ /^(2d|3d|recursive-doubling|bruck)$/)
                add($1 "v", $2, 60)
        }
        END {
            print "{\"format\": \"cpm table\", \"version\": 1, \"operations\": {"
            for (name in count) put(name)
            print "}}"
        }'
}

# compiles ARGUMENT...: without a word.
compiles() {
    "$mpicc" -std=c99 -Wall -Wextra -pedantic -Werror "$@" 2>stderr || fail "$*: $(cat stderr)"
}

# A small table, whole.
works "$cpm" export --c routines.json -o small.c
grep -q 'bcast, 4 processes, from 16384 bytes: chain:segment=8192' small.c || fail "no comment"
grep -q 'alltoall:pair, 6 processes, from 0 bytes: .* power of two' small.c || fail "no note"
grep -q '3 of 7 rules are left' stderr || fail "not counted: $(cat stderr)"
works "$cpm" export --c routines.json --prefix My -n 4 -o my.c
grep -q '#define CPM_ROUTINE(routine) My_##routine' my.c || fail "no prefix"
grep -q ' 6 processes' my.c && fail "rules of other numbers of processes"
for only in bcast alltoall reduce barrier gatherv reduce_scatter allgatherv scan exscan; do
    cat >only.json <<END
{"format": "cpm table", "version": 1, "operations": {"$only": {"4": [{"from": 0, "algorithm": "$(
        "$cpm" algorithms $only | awk 'NR == 2 { print $2 }')"}]}}}
END
    works "$cpm" export --c only.json -o only.c
    compiles -O2 -c only.c -o only.o
    compiles -DCPM_AS_MPI -c only.c -o only.o
done

# What follows the rules of another, and cannot, is no rule that is left.
cat >differ.json <<'END'
{"format": "cpm table", "version": 1, "operations": {"scatter": {"2": [
    {"from": 0, "algorithm": "split:k=2"}, {"from": 1024, "algorithm": "linear"}]}}}
END
works "$cpm" export --c differ.json -o differ.c
grep -q 'scatterv:native, 2 processes, .* the rules of scatter differ by size, which only the root knows here' differ.c ||
    fail "not told: $(grep scatterv differ.c)"
! grep -q 'rules are left' stderr || fail "counted: $(cat stderr)"

# Messages that do not repeat themselves from segment to segment, of blocks of any number of segments.
cat >circulant.json <<'END'
{"format": "cpm table", "version": 1, "operations": {"allgatherv": {"3": [
    {"from": 0, "algorithm": "circulant-segments:segment=64"}]}}}
END
refused 2 'nothing in the table that a routine could run: allgatherv:circulant-segments:segment=64, .*segment to segment' \
    "$cpm" export --c circulant.json -o circulant.c

# What is wrong.
refused 2 'routines.json: the table has no rules for 3 processes, but for 4, 6' \
    "$cpm" export --c routines.json -n 3
refused 2 'is not in 1..1024' "$cpm" export --c routines.json -n 0
refused 2 "'7x' cannot begin the name" "$cpm" export --c routines.json --prefix 7x
refused 2 "MPI_Bcast is MPI's own" "$cpm" export --c routines.json --prefix MPI
refused 1 'not a decision table' "$cpm" export --c lmo4.mod
refused 1 'cannot be written' "$cpm" export --c routines.json -o nowhere/routines.c
sed 's/"6"/"2000"/' routines.json >large.json
refused 2 '2000 processes, and routines are for at most 1024' "$cpm" export --c large.json -o x.c
echo '{"format": "cpm table", "version": 1, "operations": {}}' >empty.json
refused 2 'the table has no rules' "$cpm" export --c empty.json -o x.c
echo '{"format": "cpm table", "version": 1, "operations":
    {"bcast": {"4": [{"from": 0, "algorithm": "native"}]}}}' >native.json
refused 2 "only MPI's own" "$cpm" export --c native.json -o x.c
echo '{"format": "cpm table", "version": 1, "operations":
    {"alltoall": {"512": [{"from": 0, "algorithm": "2d"}]}}}' >wide.json
refused 1 'larger than 16 MiB' "$cpm" export --c wide.json -o x.c
[ ! -e x.c ] || fail "something was written"

"${mpiexec[@]}" 1 true || exit 77
tests=$(dirname "$cpm")/tests
yield=$(dirname "$cpm")/lib/libcpm-yield.so
ldd "$cpm" | grep -q libasan && yield= # nothing can be preloaded before it
variants=(0 1)
[ -z "${CPM_TEST_QUICK:-}" ] || variants=(0)
for variant in "${variants[@]}"; do
    table $variant >table.json
    works "$cpm" export --c table.json -o exported.c
    grep -v 'waits\? for messages\|sizes that not all\|whose sizes\|a power of two\|an even n\|use it with\|are left' \
        stderr && fail "something is left to MPI"
    compiles -c exported.c
    compiles -I. "$here/../libraries/compare_routines.c" exported.o -o compare
    works timeout 100 "${mpiexec[@]}" 5 env LD_PRELOAD="$yield" ./compare $variant 30
    grep -q 'all are the same' stdout || fail "variant $variant: $(cat stdout)"
done
compiles -DCPM_AS_MPI -I. "$here/../libraries/compare_routines.c" exported.c -o compare
works timeout 100 "${mpiexec[@]}" 5 env LD_PRELOAD="$yield" ./compare 9 10
grep -q 'all are the same' stdout || fail "as MPI's own: $(cat stdout)"

# Schedules made for one root run from there, and MPI's own routine from elsewhere.
printf 'operation gather\nprocesses 4\nroot 2\n0 0 -> 1 0\n1 1 -> 2 0-1\n0 3 -> 2 3\n' >gather.schedule
printf 'operation reduce\nprocesses 4\nroot 3\n0 2 +> 3 0\n0 0 +> 1 0\n1 1 +> 3 0\n' >reduce.schedule
cp "$here"/../fuzz/corpus/schedule/msccl_*.xml .
cat >rooted.json <<'END'
{"format": "cpm table", "version": 1, "operations": {
    "bcast": {"4": [{"from": 0, "algorithm": "@msccl_broadcast.xml"}]},
    "scatter": {"2": [{"from": 0, "algorithm": "@msccl_scatter.xml"}]},
    "gather": {"4": [{"from": 0, "algorithm": "@gather.schedule"}]},
    "reduce": {"4": [{"from": 0, "algorithm": "@reduce.schedule"}]}}}
END
works "$cpm" export --c rooted.json -o exported.c
grep -q '1 of 6 rules are left' stderr || fail "more is left to MPI than a gatherv that passes blocks on: $(cat stderr)"
grep -q 'reduce, 4 processes, from 0 bytes: @reduce.schedule, from root 3 only' exported.c || fail "does not say the root"
compiles -DCPM_AS_MPI -I. "$here/../libraries/compare_routines.c" exported.c -o compare
works timeout 100 "${mpiexec[@]}" 5 env LD_PRELOAD="$yield" ./compare 3 30
grep -q 'all are the same' stdout || fail "from one root: $(cat stdout)"
cat >roots.c <<'END'
#include <mpi.h>
#include <stdio.h>
#define CPM_DECLARATIONS
#include "exported.c"
static int own;
int __real_PMPI_Gather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);
int __wrap_PMPI_Gather(const void *send, int sent, MPI_Datatype a, void *recv, int received, MPI_Datatype b,
                       int root, MPI_Comm comm)
{
    own++;
    return __real_PMPI_Gather(send, sent, a, recv, received, b, root, comm);
}
int main(int argc, char **argv)
{
    int rank, root, all[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (root = 0; root < 4; root++, own = 0) {
        CPM_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, MPI_COMM_WORLD);
        if (rank == 1)
            printf("%d %d\n", root, own);
    }
    return MPI_Finalize();
}
END
compiles -c exported.c
compiles roots.c exported.o -Wl,--wrap=PMPI_Gather -o roots
works timeout 100 "${mpiexec[@]}" 4 env LD_PRELOAD="$yield" ./roots
diff stdout <(printf '0 1\n1 1\n2 0\n3 1\n') || fail "from other roots"
finish
