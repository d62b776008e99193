#!/usr/bin/env bash
# Decision tables in Open MPI and MPICH: what is exported, and that the library which the tests are
# built for follows it, by the numbers of messages of its collectives.
. "$(dirname "$0")/lib.sh"
tests=$(dirname "$cpm")/tests
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# run N OPERATION BYTES...: the numbers of messages, on one line.
run() {
    local n=$1
    shift
    LD_PRELOAD=$tests/libcount_sends.so timeout 100 \
        "${mpiexec[@]}" "$n" "${rules[@]}" "$tests/library_collectives" "$@" >counted 2>stderr ||
        fail "library_collectives on $n: $(cat stderr)"
    awk '{ print $3 }' counted | paste -sd ' '
}

# expect "NUMBERS" N OPERATION BYTES...
expect() {
    local numbers=$1 got
    shift
    got=$(run "$@")
    [ "$got" = "$numbers" ] || fail "$* takes '$got' messages, not '$numbers'"
}

# The same table with the algorithms as each library has them.
sed '/"bcast"/,/"scatter"/{s/"binomial/"binomial-at-once/;s/"chains/"chains-at-once/}
    s/"rabenseifner"/"rabenseifner-near"/;s/"rab1-doubling"/"rabenseifner-near"/' table.json >openmpi.json
sed 's/"rabenseifner"/"rabenseifner-near"/;s/"rab1-doubling"/"rabenseifner-folded"/' table.json >mpich.json

golden export_openmpi export --openmpi openmpi.json
golden export_openmpi_commuting export --openmpi openmpi.json --commuting
golden export_openmpi_json export --openmpi openmpi.json --release 6
# Both forms say the same.
for release in 4 5 6; do
    works "$cpm" export --openmpi openmpi.json --release $release -o "of$release"
    grep -q "use it with mpiexec .*of$release" stderr || fail "does not say how to use it: $(cat stderr)"
    works "$cpm" rules "of$release" -o "of$release.rules"
    cmp of4.rules "of$release.rules" || fail "release $release: other rules than of 4"
done
refused 2 "--release: '7' is none of Open MPI's that are known: 4, 5, 6" "$cpm" export --openmpi openmpi.json --release 7
refused 2 "--release: '6' is none of MPICH's that are known: 4, 5.1" "$cpm" export --mpich table.json --release 6
refused 2 '--release: is for --openmpi and --mpich' "$cpm" export --c table.json --release 5
# Where HAN runs, and where Open MPI's algorithms of one level do.
cat >by_hosts.json <<'END'
{"format": "cpm table", "version": 1, "operations": {
  "bcast": {"8": [{"from": 0, "algorithm": "binomial-at-once"}, {"from": 4096, "algorithm": "hosts"},
                  {"from": 65536, "algorithm": "hosts:segment=8K"}, {"from": 1048576, "algorithm": "chain:segment=8192"}],
            "32": [{"from": 1024, "algorithm": "scatter-ring"}, {"from": 8192, "algorithm": "native"}]},
  "gather": {"8": [{"from": 0, "algorithm": "binomial"}, {"from": 4096, "algorithm": "linear"}]},
  "scatter": {"8": [{"from": 0, "algorithm": "binomial"}, {"from": 4096, "algorithm": "chain"}]},
  "allreduce": {"8": [{"from": 0, "algorithm": "rab1-2d"}]},
  "alltoall": {"8": [{"from": 0, "algorithm": "bruck"}]}}}
END
golden export_han export --han by_hosts.json
works "$cpm" export --han by_hosts.json -o han.conf
grep -q 'use it with mpiexec .*--mca coll_han_dynamic_rules_filename han.conf$' stderr || fail "other use: $(cat stderr)"
# What Open MPI does otherwise it is not asked for: a tree whose sends wait for each other.
works "$cpm" export --openmpi table.json
! grep -qx '5000 6 0 0' stdout || fail "bcast:binomial is exported as Open MPI's: $(cat stdout)"
# Nor for what it does not do with these parameters, sizes or numbers of processes.
cat >edges.json <<'END'
{"format": "cpm table", "version": 1, "operations": {
  "bcast": {"40": [{"from": 0, "algorithm": "split-binary:segment=4096"},
                   {"from": 8192, "algorithm": "split-binary:segment=4096"},
                   {"from": 65536, "algorithm": "chains-at-once:k=33:segment=4096"},
                   {"from": 131072, "algorithm": "chains-at-once:k=32:segment=4096"}]},
  "allgather": {"40": [{"from": 0, "algorithm": "neighbor"}]}}}
END
golden export_edges export --openmpi edges.json
grep -q '2 of 5 rules name what Open MPI does not have' stderr || fail "not counted: $(cat stderr)"
grep -q '1 of 5 rules exchange with neighbors; on an odd number of processes Open MPI runs a logical ring' \
    stderr || fail "does not say what odd numbers run: $(cat stderr)"
refused 1 'not a decision table' "$cpm" export --openmpi lmo4.mod
refused 1 'not a decision table' "$cpm" export --mpich lmo4.mod
refused 1 "MPICH 4" "$cpm" export --mpich table.json --mpich-library table.json
refused 1 'cannot be read' "$cpm" export --mpich table.json --mpich-library no.so
refused 1 'cannot be written' "$cpm" export --openmpi table.json -o nowhere/rules.conf

"${mpiexec[@]}" 1 true || exit 77
if "${mpiexec[0]}" --version 2>&1 | grep -Eq 'Open MPI|OpenRTE'; then
    library=openmpi
    rules=(--oversubscribe --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any)
else
    library=mpich
    rules=()
fi
ldd "$tests/library_collectives" | grep -q 'libasan' && finish # nothing can be preloaded before it
[ "$(run 2 bcast 8)" = 1 ] || { echo "messages do not go through UCX, or cannot be counted"; exit 77; }

works "$cpm" export --$library $library.json -o rules
grep -q 'of 22 rules name' stderr || fail "not counted: $(cat stderr)"
grep -q "use it with.*rules$" stderr || fail "does not say how to use it: $(cat stderr)"

case $library in
openmpi)
    rules+=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$PWD/rules")
    ;;
mpich)
    export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$PWD/rules
    ;;
esac

# Around the sizes at which rules change, whatever the library calls a size.
expect '15 15 3 3 11' 4 bcast 104 bcast 4992 bcast 5000 bcast 50000 bcast 200000
expect '12 12 8 8' 4 allgather 104 allgather 992 allgather 1000 allgather 3992
expect '16 8' 4 sum-allreduce 7992 sum-allreduce 8000
# Fewer processes than in the table, and between its numbers.
expect '2 2' 3 bcast 104 bcast 50000
expect '24 20' 5 bcast 104 allgather 104
# Results, also where an algorithm of the table does not apply.
all=(scatter 96 gather 96 alltoall 80 reduce 8000 reduce 80 allreduce 80 allreduce 8000 allgather 2000
    reduce_scatter_block 80 reduce_scatter_block 8000 sum-reduce 80 sum-reduce 8000 bcast 200000)
for n in 1 2 3 4 5 7; do
    run "$n" "${all[@]}" >numbers
    [ "$(wc -w <numbers)" = 13 ] || fail "not all on $n processes: $(cat counted)"
done

case $library in
openmpi)
    expect '8 12' 4 alltoall 96 alltoall 104
    # Segments and several chains.
    expect '35 10 15' 6 bcast 5992 bcast 6000 bcast 12000
    ;;
mpich)
    expect '8 16' 4 alltoall 96 alltoall 104
    expect '12 8' 4 sum-reduce_scatter_block 1016 sum-reduce_scatter_block 1024
    expect '11 3' 4 sum-reduce 7992 sum-reduce 8000
    expect '35 5' 6 bcast 5992 bcast 6000
    # Without what loses on a simulated machine, MPICH's own binomial tree is there instead.
    sed '/"M1"/,/}/s/4096/null/' lmo4.mod >regular.mod
    MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE='' works "$cpm" tune --verify --machine regular.mod rules --quiet -o kept.json
    grep -q '^bcast .* scatter-ring .* loses$' stdout && grep -q '^bcast .* scatter-doubling .* gains$' stdout ||
        fail "other verdicts: $(cat stdout)"
    MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$PWD/kept.json expect '3 3 11' 4 bcast 104 bcast 4992 bcast 200000
    # What it says is read as rules.
    for case in bcast:4992:scatter-ring bcast:5000:binomial bcast:200000:scatter-doubling alltoall:96:bruck \
        alltoall:104:spreading-simple; do
        IFS=: read -r operation bytes algorithm <<<"$case"
        works "$cpm" rules rules --explain "$operation" -m "$bytes" -n 4
        grep -q ": $algorithm\$" stdout || fail "explained as $(cat stdout)"
    done
    # As release 5.1 reads it: the same for communicators of one level.
    works "$cpm" export --mpich mpich.json --release 5.1 -o named.json
    grep -q 'use it with MPIR_CVAR_COLL_SELECTION_JSON_FILE=named.json' stderr || fail "other use: $(cat stderr)"
    ! grep -Eq 'intra_smp|=yes|=any|=pow2|hierarchy' named.json || fail "as of release 4: $(grep -E 'smp|=' named.json | head -5)"
    for operation in bcast reduce allreduce allgather alltoall reduce_scatter; do
        for n in 2 3 4 6 7 16; do
            for bytes in 64 1K 4K 16K 100K 1M; do
                for file in rules named.json; do
                    "$cpm" rules $file --explain $operation -m $bytes -n $n 2>stderr | sed 's/.*: //'
                done
            done
        done
    done >explained
    [ "$(wc -l <explained)" = 432 ] || fail "not all: $(wc -l <explained)"
    paste -d' ' - - <explained | awk '$1 != $2' >other
    [ ! -s other ] || fail "in release 5.1 other algorithms: $(head -3 other)"
    # The whole tree is there, and decisions of the library are kept.
    for collective in bcast gatherv ibcast scan neighbor_alltoall; do
        grep -q "\"collective=$collective\"" rules || fail "$collective is missing"
    done
    ;;
esac
finish
