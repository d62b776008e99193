#!/usr/bin/env bash
# Schedules in MSCCL's XML are algorithms as those in files of CPM are: proved, predicted, drawn, exported, and
# executed. What is wrong in one is said in one line, with its place.
. "$(dirname "$0")/lib.sh"
cp "$here"/../fuzz/corpus/schedule/msccl_*.xml .

# operation FILE, processes FILE: what its head says.
operation() { sed -n '/<algo/s/.*coll="\([a-z_]*\)".*/\1/p' "$1" | sed 's/^broadcast$/bcast/'; }
processes() { sed -n '/<algo/s/.*ngpus="\([0-9]*\)".*/\1/p' "$1"; }

tried=0
for file in msccl_*.xml; do
    what=$(operation "$file"):@$file
    n=$(processes "$file")
    golden "export_${file%.xml}" export --schedule "$what" -n "$n"
    finds 0 "$cpm" check "$what" -n "$n"
    works "$cpm" draw "$what" -n "$n" -o x.svg
    works "$cpm" export --goal "$what" -n "$n" -o x.goal
    works "$cpm" export --schedule "$what" -n "$n" -o x.schedule
    tried=$((tried + 1))
    [ "$n" = 4 ] || continue
    works "$cpm" predict lmo4.mod "$what" -m 8K --no-intervals --format tsv
    xml=$(awk 'END {print $5}' stdout)
    works "$cpm" predict lmo4.mod "${what%%:*}:@x.schedule" -m 8K --no-intervals --format tsv
    [ "$xml" = "$(awk 'END {print $5}' stdout)" ] || fail "$file: $xml is predicted, converted another time"
done
[ "$tried" -ge 10 ] || fail "$tried files only"

# messages ALGORITHM: those of 4 processes.
messages() { "$cpm" export --schedule "$1" -n 4 | grep -v '^#' | sort; }
for pair in allgather:logical-ring,allgather_ring allreduce:rab1-doubling,allreduce_halving alltoall:simple,alltoall; do
    diff <(messages "${pair%,*}") <(messages "${pair%%:*}:@msccl_${pair#*,}.xml") || fail "not the messages of ${pair%,*}"
done

for file in msccl_allreduce_ring msccl_allgather_two msccl_reduce_scatter; do
    works "${mpiexec[@]}" 4 "$cpm" bench coll "$(operation $file.xml):@$file.xml" -m 1K --quiet --min-reps 3 --max-reps 3
done

# Of a running program process 0 alone reads the file; others get the list.
cat >move.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, all[4] = {0}, sum = 0, k;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (k = 0; k < 4; k++)
        sum = 10 * sum + all[k];
    if (rank == 3)
        printf("%d\n", sum);
    return MPI_Finalize();
}
END
if ! ldd "$cpm" | grep -q libasan && # nothing can be preloaded before it
    "${MPICC:-mpicc}" move.c -o move 2>/dev/null; then
    works "${mpiexec[@]}" 4 "$cpm" run --yield --force allgather:@msccl_allgather_two.xml -- ./move
    grep -qx 123 stdout || fail "executed: $(cat stdout stderr)"
    ! grep -q "own routine" stderr || fail "not executed: $(cat stderr)"
fi

# What is wrong.
change() { sed "$1" msccl_allreduce_ring.xml >wrong.xml; }
change 's/type="r"/type="nop"/'
refused 1 'wrong.xml: gpu [0-9] tb 0 step 5: sends to gpu [0-9] on channel 0, where gpu [0-9] has no such receive left' \
    "$cpm" check allreduce:@wrong.xml -n 4
change '0,/type="rrcs" srcbuf="i" srcoff="3"/s//type="rrcs" srcbuf="i" srcoff="2"/'
refused 1 'wrong.xml: gpu 0 tb 0 step 1: adds block 0.3 to block 0.2' "$cpm" check allreduce:@wrong.xml -n 4
sed 's/type="rrcs"/type="rcs"/' msccl_allreduce_ring.xml >wrong.xml
refused 1 'wrong.xml: it does not do what allreduce demands: rank' "$cpm" check allreduce:@wrong.xml -n 4
sed 's/coll="allreduce"/coll="custom"/' msccl_allreduce_ring.xml >wrong.xml
refused 1 "wrong.xml: algo: coll: 'custom' is none of" "$cpm" check allreduce:@wrong.xml -n 4
head -20 msccl_allreduce_ring.xml >wrong.xml
refused 1 'wrong.xml:[0-9]+: no XML: ' "$cpm" check allreduce:@wrong.xml -n 4
refused 2 'it is a schedule of allreduce, not of allgather' "$cpm" check allgather:@msccl_allreduce_ring.xml -n 4

# Nobody's memory is filled, and nobody's stack.
awk 'BEGIN {printf "<algo>"; for (i = 0; i < 1000000; i++) printf "<gpu>"}' >wrong.xml
refused 1 'more than 8 deep' "$cpm" check allreduce:@wrong.xml -n 4
awk 'BEGIN {printf "<algo>"; for (i = 0; i < 2000000; i++) printf "<gpu/>"; print "</algo>"}' >wrong.xml
refused 1 'more than 1500000 elements and attributes' "$cpm" check allreduce:@wrong.xml -n 4
for size in 'nchunksperloop="16777216"' 's_chunks="16777216"'; do
    sed "s/${size%%=*}=\"[0-9]*\"/$size/" msccl_allreduce_ring.xml >wrong.xml
    refused 1 'is too large to be followed' "$cpm" check allreduce:@wrong.xml -n 4
done
echo '<secret>12345</secret>' >wrong.xml
refused 1 'wrong.xml: no schedule: an XML document whose root is not' "$cpm" check allreduce:@wrong.xml -n 4
! grep -q 12345 stdout stderr || fail "a secret is shown: $(cat stderr)"

finish
