#!/usr/bin/env bash
# A tuning library never kills the program: what is wrong with a model, a table or a name is one line
# on stderr, from whatever number of processes and communicators, and MPI's own collectives.
. "$(dirname "$0")/lib.sh"
models=$here/../tools/data
echo junk >junk.mod
echo '{' >junk.json
head -c 300 "$models/lmo4.mod" >cut.mod

then="MPI's own collectives are used"
# is_one_line PATTERN: the program ended well, and said only this.
is_one_line() {
    [ "$code" = 0 ] || fail "exit code $code, $1: $(cat stdout stderr)"
    [ "$(wc -l <stderr)" = 1 ] || fail "not one line, $1: $(cat stderr)"
    grep -Eq -- "^cpm: .*$1.*; $then" stderr || fail "no '$1': $(cat stderr)"
}

# says RANKS PATTERN OPTION...
says() {
    local n=$1 pattern=$2
    shift 2
    run "$n" "$@" -- "$programs/communicators" 2 9
    code=$?
    is_one_line "$pattern"
}

says 3 'a model of 4 processes, but the program has 3' --trust --model "$models/lmo4.mod"
says 4 'other hosts|host' --trust --model "$models/lmo4.mod"
says 4 'other hosts: rank 0 runs on .*, which it does not know' --trust --model "$models/hosts4.mod"
sed "s/north/$(hostname)/g; s/south/$(hostname)#1/g" "$models/hosts4.mod" >same.mod
says 3 "several of its hosts are called $(hostname): on which of them rank 0 runs" --trust --model same.mod
says 2 'nowhere.mod' --trust --model nowhere.mod
says 2 'junk.mod:1' --trust --model junk.mod
says 2 'cut.mod' --trust --model cut.mod
says 2 'nowhere.json' --trust --table nowhere.json
says 2 'junk.json' --trust --table junk.json
: >empty
for option in model table topology; do
    then="the program's calls decide without it"
    [ $option != topology ] || then="MPI's own collectives are used"
    says 2 'nowhere: cannot be read: No such file' --adapt --$option nowhere
    [ $option = topology ] || says 2 'nowhere: cannot be read: No such file' --$option nowhere
    [ -z "${CPM_TEST_QUICK:-}" ] || continue
    says 2 'empty: cannot be read: it is empty' --adapt --$option empty
    says 2 '\.: cannot be read: Is a directory' --adapt --$option .
done
says 2 '--layout .CPM_LAYOUT.: 3x2 are 6 processes, but the program has 2' --adapt --layout 3x2
says 2 "unknown algorithm 'fast' of bcast \(known: linear, " --force bcast:fast
says 2 "unknown operation 'bcost' \(known: bcast, " --force bcost:chain
says 2 'no algorithm is named' --force gather:split,bcast
says 2 'bcast:tree needs a tree,.*name another algorithm' --force gather:binomial,bcast:tree
says 2 '--layout .CPM_LAYOUT.: 2xx: is not like 4x8' --layout 2xx --force bcast:hosts
says 2 '--layout .CPM_LAYOUT.: nowhere' --layout nowhere --force bcast:hosts
says 4 '--layout .CPM_LAYOUT.: 3x2 are 6 processes, but the program has 4' --layout 3x2 --force bcast:hosts
says 2 'bcast is named twice' --force bcast:chain,gather:split,bcast:linear
says 2 'bcast:\* is named twice' --force 'bcast:chain,bcast:*:segment=8K,bcast:*:k=2'
says 2 'no operation is named' --force ,
says 2 "size 'x'" --force bcast:chain:segment=x

# A setting that means nothing is one line, too, of process 0, and changes nothing else.
remarks() {
    local pattern=$1
    shift
    "$mpiexec" -n 2 env "$@" "$cpm" run --yield -- "$programs/chosen" >stdout 2>stderr || fail "$*: $(cat stdout stderr)"
    [ "$(wc -l <stderr)" = 1 ] && grep -Eq -- "^cpm: $pattern\$" stderr || fail "not one line '$pattern': $(cat stderr)"
}
remarks 'CPM_LEARN: nothing is learnt where calls do not decide: set CPM_ADAPT=1, too' CPM_LEARN=lessons
remarks 'CPM_LEARN: with CPM_ADAPT=star nothing is learnt, only with CPM_ADAPT=1' CPM_ADAPT=star CPM_LEARN=lessons
remarks 'CPM_LEARN: with CPM_ADAPT=threshold nothing is learnt, only with CPM_ADAPT=1' CPM_ADAPT=threshold CPM_LEARN=lessons
remarks 'CPM_EARLY: calls do not decide: set CPM_ADAPT=1, too' CPM_EARLY=1 CPM_FORCE=bcast:chain
remarks "CPM_REPRODUCIBLE: 'foo' is neither 0 nor 1, and taken for 1" CPM_ADAPT=1 CPM_REPRODUCIBLE=foo
remarks "CPM_CHECK: 'yes' is neither 0 nor 1, and taken for 1" CPM_CHECK=yes
remarks "CPM_PLACEMENT needs CPM_LAYOUT" CPM_PLACEMENT=cyclic CPM_FORCE=bcast:chain
remarks "CPM_PROFILE: MPI's own collectives are watched: CPM_LEARN is not used" CPM_PROFILE=profile CPM_LEARN=lessons
remarks 'CPM_TRUST: there is nothing to trust: set CPM_MODEL or CPM_TABLE, too' CPM_TRUST=1
remarks "CPM_ADAPT: with CPM_TRUST .*: set one of them; MPI's own collectives are used" CPM_ADAPT=1 CPM_TRUST=1 CPM_MODEL="$models/lmo4.mod"
remarks "CPM_ADAPT: with CPM_RULES .*: set one of them; MPI's own collectives are used" CPM_ADAPT=1 CPM_RULES=none
[ ! -e lessons ] || fail "something was learnt"
"$mpiexec" -n 2 env CPM_LEARN= CPM_CHECK=0 CPM_REPRODUCIBLE=1 CPM_VERBOSE=0 "$cpm" run --yield -- "$programs/chosen" >stdout 2>stderr
[ ! -s stderr ] || fail "said: $(cat stderr)"
"$cpm" run --force bcast:chain --placement cyclic -- true 2>stderr
[ $? = 2 ] && grep -q -- '--placement needs --layout' stderr || fail "$(cat stderr)"

# What does not fit a communicator is said once for an operation, by name of the option; the rest runs.
run 3 --force allreduce:hosts,bcast:chain -v -- "$programs/chosen" || fail "$(cat stdout stderr)"
[ "$(grep -c "does not apply" stderr)" = 1 ] || fail "not once: $(cat stderr)"
grep -q "^cpm: --force (CPM_FORCE): allreduce:hosts does not apply to 3 processes: .*; MPI's own allreduce is used there" stderr ||
    fail "not said: $(cat stderr)"
grep -q '^cpm: bcast  *chain ' stderr || fail "not run: $(cat stderr)"

# The launcher of the other MPI, for a program of this one: one line of all says which to use, and nothing runs.
other_launcher=mpiexec.openmpi
! "$cpm" --version | grep -q 'Open MPI' || other_launcher=mpiexec.hydra
if command -v $other_launcher >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        $other_launcher -n 3 "$cpm" run --profile apart.json -- "$programs/chosen" >stdout 2>stderr &&
        fail "three programs of one process each: $(cat stdout)"
    grep '^cpm' stderr >ours
    [ "$(wc -l <ours)" = 1 ] && grep -Eq '^cpm run: the launcher started 3 processes, .* start it as mpiexec[^ ]* -n 3 cpm run' ours ||
        fail "another launcher: $(cat stderr)"
    [ ! -e apart.json ] || fail "a profile of a program that was not run"
fi

# Programs of the other kind of MPI library, whose functions mean something else.
other_mpi=openmpi
[[ $mpicc != *mpicc.openmpi ]] || other_mpi=mpich
if command -v "mpicc.$other_mpi" "mpiexec.$other_mpi" >/dev/null && [[ $mpicc = *mpicc.* ]]; then
    "mpicc.$other_mpi" -D_GNU_SOURCE -std=c17 -o moves "$here/moves.c" || fail "mpicc.$other_mpi"
    for force in '' bcast:chain; do
        CPM_FORCE=$force "mpiexec.$other_mpi" -n 2 "$cpm" run -- ./moves 2 >stdout 2>stderr
        code=$?
        grep '^cpm' stderr >ours && mv ours stderr # Open MPI 5 speaks of networks between which there is no way
        is_one_line 'was built for .*, but the program uses'
    done
fi
finish
