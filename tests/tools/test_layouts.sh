#!/usr/bin/env bash
# Layouts of processes on hosts, for the commands that take them.
. "$(dirname "$0")/lib.sh"

printf 'b a\nc\ta b\n' >names
printf 'b a b a\n' >four
refused 1 "nowhere" "$cpm" check bcast:hosts --layout nowhere
refused 2 '--layout: 4x: is not like 4x8' "$cpm" check bcast:hosts --layout 4x
refused 2 '--layout: 0 hosts with 4 processes each: expected at least 1' "$cpm" check bcast:hosts --layout 0x4
refused 2 '--layout: .*at most 1048576 processes' "$cpm" check bcast:hosts --layout 99999x99999
refused 2 "--layout: unknown placement 'random' \(known: block, cyclic\)" "$cpm" check bcast:hosts --layout 2x2 --placement random
refused 2 '--layout: names: says itself where each process is, not cyclic' \
    "$cpm" check bcast:hosts --layout names --placement cyclic
refused 2 '--placement needs --layout' "$cpm" check bcast:hosts --placement cyclic
refused 1 '--layout: 3x2 are 6 processes, not 4, and the model knows nothing of messages inside a host: measure ' "$cpm" predict lmo4.mod bcast:hosts --layout 3x2
# Host files of both MPIs say the same as names.
printf '# machines\nb slots=2\na slots=1 # small\n\nc max_slots=9\n' >openmpi.hosts
printf 'b:2\na\nc:1\n' >mpich.hosts
printf 'b b a c' >plain.hosts
works "$cpm" check bcast:hosts --layout plain.hosts
cp stdout expected_proof
for file in openmpi.hosts mpich.hosts; do
    works "$cpm" check bcast:hosts --layout $file
    cmp stdout expected_proof || fail "$file: $(cat stdout)"
done
echo 'b cores=2' >bad.hosts
refused 1 "bad.hosts: expected the name of a host, HOST:N or HOST slots=N, found 'cores=2'" "$cpm" check bcast:hosts --layout bad.hosts
echo 'b:99999999' >bad.hosts
refused 1 'bad.hosts: b: expected 1 to [0-9]+ processes, found 99999999' "$cpm" check bcast:hosts --layout bad.hosts

# Such a model is one of its processes where they were measured; without names of hosts they may be anywhere.
refused 1 '--layout: 2x2 puts processes 0 and 1 on one host, but they were measured on node0 and node1. The model knows nothing of messages inside a host' \
    "$cpm" predict lmo4.mod bcast -m 1K --layout 2x2
refused 1 '--layout: four puts processes 0 and 2 on one host' "$cpm" model --machine lmo4.mod --layout four -o again.mod
sed 's/"node3"/"node2"/' lmo4.mod >shared4.mod
refused 1 '--layout: 4x1 puts processes 2 and 3 on two hosts, but they were measured on one, node2' \
    "$cpm" predict shared4.mod bcast -m 1K --layout 4x1
works "$cpm" predict lmo4.mod bcast:binomial -m 1K --layout 4x1
sed 's/"node[0-3]"/""/g' lmo4.mod >anywhere.mod && mv anywhere.mod lmo4.mod
refused 2 'leaders=3: the host of process 0 has only 2' \
    "$cpm" predict lmo4.mod bcast:hosts:leaders=3 -m 1K --layout 2x2
refused 2 'needs several hosts with several processes, and it is not known which' \
    "$cpm" predict lmo4.mod bcast:hosts -m 1K
refused 2 'needs several hosts with several processes \(those that do' \
    "$cpm" predict lmo4.mod bcast:hosts -m 1K --layout 4x1
refused 2 'outer=halving: is no algorithm of bcast' "$cpm" check bcast:hosts:outer=halving --layout 2x2
refused 2 'that of process 0 has 2, that of process 2 has 1' "$cpm" draw bcast:2d:mesh=hosts --layout names

# As many processes as the layout has; all algorithms of an operation have two levels then.
works "$cpm" check bcast allreduce --layout names
[ "$(awk '!/^#/ && $2 == 5' stdout | grep -c ':hosts ')" = 2 ] || fail "not for 5: $(cat stdout)"
works "$cpm" draw gather:hosts --layout names -o levels.dot
grep -q 'gather:hosts, 5 processes' levels.dot || fail "not 5 processes: $(cat levels.dot)"
works "$cpm" export --goal allgather:hosts -n 6 -m 1K --layout 3x2 -o levels.goal
grep -q '^num_ranks 6' levels.goal || fail "no goal: $(head -5 levels.goal)"
works "$cpm" predict lmo4.mod bcast -m 1K --format tsv
! grep -q 'bcast:hosts' stdout || fail "two levels, and no layout: $(cat stdout)"
works "$cpm" predict lmo4.mod bcast -m 1K --format tsv --layout four
grep -q 'bcast:hosts' stdout || fail "a layout, and no two levels: $(cat stdout)"

# On the same hosts two spellings of a layout are one.
for layout in "2x2 --placement cyclic" four; do
    # shellcheck disable=SC2086 # two words
    "$cpm" predict lmo4.mod alltoall:hosts:leaders=2 -m 1K,64K --format tsv --layout $layout | grep -v '^#'
done >both
[ "$(sort both | uniq -d | wc -l)" -ge 2 ] && [ "$(sort both | uniq -u | wc -l)" = 0 ] || fail "$(cat both)"

# Times of one layout are not those of another; who did not know it measured the same.
works "$cpm" bench coll --machine lmo4.mod allgather:hosts,allgather:bruck -m 1K --layout four --quiet -o levels.meas
grep -q '^# placement: hosts=[0-9a-f]\{12\}$' levels.meas || fail "$(head -20 levels.meas)"
works "$cpm" compare lmo4.mod levels.meas --layout 2x2 --placement cyclic
refused 2 "'hosts=.*', and here it is 'plain'" "$cpm" compare lmo4.mod levels.meas
refused 2 "'hosts=.*', and here it is 'hosts=" "$cpm" compare lmo4.mod levels.meas --layout 2x2
works "$cpm" bench coll --machine lmo4.mod allgather:bruck -m 1K --quiet -o plain.meas
works "$cpm" compare lmo4.mod plain.meas --layout 2x2

# MPI has all processes on one host here, unless it is told otherwise.
bench=("${mpiexec[@]}" 4 "$cpm" bench coll --quiet --max-reps 5 -m 1K)
refused 2 'needs several hosts with several processes \(those that do' "${bench[@]}" bcast:hosts
works "${bench[@]}" bcast:hosts,allreduce:hosts:leaders=2,alltoall:2d:mesh=hosts --layout 2x2
[ "$(grep -c ':hosts\|mesh=hosts' stdout)" = 3 ] || fail "not three: $(cat stdout)"

# MPICH can play several hosts itself.
if [[ ${mpiexec[0]} != *openmpi* ]]; then
    export MPIR_CVAR_NUM_CLIQUES=2
    works "${bench[@]}" bcast:hosts:leaders=2 -o two.meas
    works "${bench[@]}" bcast:hosts:leaders=2 --layout 2x2 --placement cyclic -o same.meas
    [ "$(grep '^# placement: hosts=' two.meas)" = "$(grep '^# placement: ' same.meas)" ] || fail "$(head two.meas)"
fi
finish
