#!/usr/bin/env bash
# The stress program with random algorithms forced, and with a model:
# stress.sh CPM MPIEXEC PROGRAM RANKS CALLS [SEED...]. A hang ends by the program's own alarm. With
# STRESS_ERRORS=1 in the environment wrong calls are mixed in: what is forced is never MPI's own
# routine, what a model chooses may be.
# CPM_TEST_LENGTH (default 1) times as many calls.
set -u
length=${CPM_TEST_LENGTH:-1}
cpm=$1 mpiexec=$2 program=$3 ranks=$4 calls=$(($5 * length)) alarm=$((60 * length))
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# One algorithm for each operation, without those that need a tree or a topology; and, as a root is
# wrong alone, those of gather in which others wait for it.
random_force() {
    RANDOM=$1
    local operation names list=()
    for operation in bcast scatter gather reduce reduce_scatter allgather alltoall allreduce scan exscan \
        barrier; do
        mapfile -t names < <("$cpm" algorithms "$operation" |
            awk -v o="$operation" '$1 == o && !/ a (tree|topology)[ ,]/{print o ":" $2}' |
            grep -Ev "${STRESS_ERRORS:+^gather:(linear-sync|linear-sync-in-two|split-barrier)\$|}^\$")
        list+=("${names[RANDOM % ${#names[@]}]}")
    done
    (IFS=, && echo "${list[*]}")
}

# try WHAT ERRORS OPTION...
try() {
    local what=$1 errors=$2
    shift 2
    if "$mpiexec" -n "$ranks" "$cpm" run --yield "$@" -- "$program" "$calls" "$seed" "$alarm" \
        ${STRESS_ERRORS:+$errors} >"$work/out" 2>&1 &&
        grep -q "^$calls calls, 0 wrong" "$work/out"; then
        echo "ok      seed $seed $what"
    else
        echo "FAILED  seed $seed $what"
        grep -v yaksa "$work/out" | head -20
        failed=1
    fi
}

# Two hosts of different sizes.
for ((rank = 0; rank < ranks; rank++)); do echo "h$((rank * rank % 3))"; done >"$work/layout"

# A heterogeneous model of as many processes on this host.
"$mpiexec" -n "$ranks" "$cpm" model -M lmo --no-thresholds --quiet --max-reps 5 -o "$work/here.mod" || exit 1
for seed in "${@:-1}"; do
    forced=$(random_force "$seed")
    try "$forced" kept --force "$forced" --layout "$work/layout"
    try "a model" dropped --trust --model "$work/here.mod"
done
exit $failed
