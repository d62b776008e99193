#!/usr/bin/env bash
# What is taken to be Open MPI's own routine, and what the algorithms of its rules are taken to be, is what it
# does: each process sends and receives the same messages in the same order, and waits for as many at a time.
. "$(dirname "$0")/lib.sh"
tests=$(dirname "$cpm")/tests

"${mpiexec[0]}" --version 2>&1 | grep -Eq 'Open MPI|OpenRTE' || exit 77
ompi_info --version 2>/dev/null | grep -Eq ' v(4\.1|5\.0)\.' || { echo "neither Open MPI 4.1 nor 5.0"; exit 77; }
ldd "$tests/library_usual" | grep -q libasan && exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_coll=^sm,han,adapt
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # of 4.1, of 5.0
export OMPI_MCA_mpi_yield_when_idle=1
"${mpiexec[@]}" 1 true || exit 77

# agree PROCESSES [OPTION VALUE]... OPERATION BYTES...: of each operation and size one line is said.
agree() {
    local options
    options=$(printf '%s\n' "${@:2}" | grep -c '^--')
    timeout 100 "${mpiexec[@]}" "$1" "$tests/library_usual" "${@:2}" >said 2>stderr ||
        fail "$1 processes: ${*:2:4}: $(grep -A2 usual: stderr | head -9)"
    [ "$(wc -l <said)" = $((($# - 1) / 2 - options)) ] || fail "$1 processes: ${*:2:4}: $(cat said)"
}

# Sizes on both sides of thresholds, with counts that all of 2 to 9 processes divide.
few=(bcast scatter gather reduce allreduce allgather allgatherv alltoall alltoallv scatterv gatherv reduce_scatter)
usual() {
    local n=$1 operation count
    for operation in "${few[@]}"; do
        for count in 1 8 512 32768; do
            [ $((8 * count * n * n)) -gt 16777216 ] || echo "$operation $((8 * count * n))"
        done
    done
    echo barrier 0
}
for n in 3 4 6 8 9; do
    # shellcheck disable=SC2046 # words
    agree "$n" $(usual "$n")
done
# shellcheck disable=SC2046
agree 6 --root 2 $(usual 6)

# rules N: one of each collective's rules after the other, "ID OPERATION ALGORITHM FAN SEGMENT", where segments
# are parts of the block of 64 n doubles
rules() {
    local n=$1 pass id operation algorithm fan part bytes=$((512 * $1)) calls
    for pass in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
        printf '%s\n' "${ruled[@]}" | awk -v pass="$pass" '++seen[$1] == pass' >lines
        wc -l <lines >rules.conf
        calls=()
        while read -r id operation algorithm fan part; do
            printf '%d\n1\n0\n1\n0 %d %d %d\n' "$id" "$algorithm" "$fan" $((part ? bytes / part : 0)) >>rules.conf
            calls+=("$operation" "$bytes")
        done <lines
        OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/rules.conf \
            agree "$n" --rules rules.conf --root $((n / 2)) "${calls[@]}"
        paste -d' ' lines said | sed "s/^/$n /" >>mapped
    done
}
declare -a ruled=("7 bcast 1 0 0" "7 bcast 2 0 0" "7 bcast 2 3 0" "7 bcast 2 2 4" "7 bcast 3 0 4" "7 bcast 4 0 0"
    "7 bcast 4 0 4" "7 bcast 4 0 1" "7 bcast 5 0 0" "7 bcast 6 0 0" "7 bcast 6 0 4" "7 bcast 7 0 0" "7 bcast 8 0 0"
    "7 bcast 9 0 0" "11 reduce 1 0 0" "11 reduce 2 0 0" "11 reduce 2 3 4" "11 reduce 3 0 4" "11 reduce 4 0 4"
    "11 reduce 5 0 0" "11 reduce 7 0 0" "15 scatter 1 0 0" "15 scatter 2 0 0" "15 scatter 3 0 0" "9 gather 1 0 0"
    "9 gather 2 0 0" "9 gather 3 0 0" "0 allgather 2 0 0" "0 allgather 3 0 0" "0 allgather 4 0 0" "0 allgather 5 0 0"
    "1 allgatherv 2 0 0" "1 allgatherv 3 0 0" "1 allgatherv 4 0 0" "2 allreduce 3 0 0" "2 allreduce 4 0 0"
    "2 allreduce 6 0 0" "3 alltoall 1 0 0" "3 alltoall 2 0 0" "3 alltoall 3 0 0" "12 reduce_scatter 2 0 0"
    "12 reduce_scatter 3 0 0" "6 barrier 1 0 0" "6 barrier 3 0 0" "6 barrier 4 0 0" "6 barrier 6 0 0")
for n in 5 6 8 9; do
    rules "$n"
done
# What it falls back to where processes are no power of two, or odd in number, is known or left out; nothing else is.
grep :native mapped | grep -Ev '^[569] .* bcast 8 |^[59] .* (allgather 5|allgatherv 4) ' >left &&
    fail "left to the library: $(cat left)"
[ "$(wc -l <mapped)" = $((4 * ${#ruled[@]})) ] || fail "not all rules: $(wc -l <mapped)"
grep -q '^6 7 bcast 2 0 0 .* bcast:chain$' mapped || fail "a chain of fan 0: $(grep 'bcast 2 0' mapped)"
grep -q '^6 0 allgather 3 0 0 .* allgather:bruck$' mapped || fail "no power of two: $(grep 'allgather 3' mapped)"

# row N ID OPERATION "ALGORITHM FAN SEGMENT" OURS: a row that is not for all numbers of processes or elements.
row() {
    printf '1\n%d\n1\n0\n1\n0 %s\n' "$2" "$4" >row.conf
    OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/row.conf \
        agree "$1" --rules row.conf "$3" 960
    grep -qx "960 $5" said || fail "$3 $4 on $1: $(cat said)"
}
row 2 0 allgather "6 0 0" allgather:recursive-doubling
row 2 1 allgatherv "5 0 0" allgatherv:recursive-doubling
row 2 3 alltoall "5 0 0" alltoall:ring
row 2 6 barrier "5 0 0" barrier:recursive-doubling
for n in 5 6 8 9; do
    row "$n" 7 bcast "6 0 7" bcast:binomial-at-once
    row "$n" 7 bcast "6 0 12" bcast:binomial-at-once:segment=8
    row "$n" 7 bcast "5 0 13" bcast:binary-at-once:segment=16
    row "$n" 11 reduce "5 0 1000000" reduce:binomial:segment=1000000
done
# Files that it ignores, with a row that it would follow: its own decisions.
ignored() {
    printf '%s\n' "$@" >ignored.conf
    OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/ignored.conf \
        agree 5 bcast 64 bcast 65536
}
ignored 1 7 1 0 1 '1 1 0 0'
ignored 2 7 1 0 1 '0 1 0 0' 22 0
ompi_info --version | grep -q ' v4\.' && ignored rule-file-version-2 1 7 1 0 1 '0 1 0 0'
# An algorithm that it does not have, and one for other numbers of processes, end the program with the error's
# number. What mpiexec prints then is sometimes lost: Open MPI 4.1's ORTE trips over messages that come together.
for row in "7 10" "0 6"; do
    # shellcheck disable=SC2086 # words
    printf '1\n%s\n1\n0\n1\n0 %s 0 0\n' $row >refused.conf
    status=0
    OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/refused.conf \
        timeout 100 "${mpiexec[@]}" 5 "$tests/library_usual" bcast 64 allgather 64 >said 2>stderr || status=$?
    { [ "$status" != 0 ] && grep -q 'An error occurred in MPI_' stderr; } ||
        { [ "$status" -gt 1 ] && [ "$status" -lt 124 ] && ! grep -q usual: stderr; } ||
        fail "$row: status $status: $(cat stderr)"
done

# told ID ALGORITHM OURS PROCESSES BYTES: the library is told its algorithm, and compared with ours.
told() {
    printf '1\n%d\n1\n0\n1\n0 %d 0 0\n' "$1" "$2" >told.conf
    echo "$3" >ours.rules
    OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/told.conf \
        timeout 100 "${mpiexec[@]}" "$4" "$tests/library_usual" --rules ours.rules "${3%%:*}" "$5" >said 2>stderr
}
# An allreduce by a reduce and a bcast, which no rule of CPM's stands for: other numbers of processes, as few can
# run here, choose the same by other sizes.
told 2 2 allreduce:reduce-binary 8 8192 || fail "reduce and binary bcast: $(grep -A2 usual: stderr)"
told 2 2 allreduce:reduce-star 8 65536 || fail "reduce and linear bcast: $(grep -A2 usual: stderr)"
told 2 2 allreduce:reduce-knomial 32 4096 || fail "reduce and knomial bcast: $(grep -A2 usual: stderr)"
# On fewer elements than processes rings and Rabenseifner's algorithms are others, which no rule of CPM's asks for.
told 2 4 allreduce:recursive-doubling 5 8 || fail "a ring of one element: $(grep -A2 usual: stderr)"
told 11 7 reduce:linear-backwards 5 8 || fail "Rabenseifner's reduce of one element: $(grep -A2 usual: stderr)"
# That differences are found: another tree, another order, and the same messages one after the other or at once.
for other in "7 5 bcast:binomial-at-once" "7 6 bcast:hypercube" "7 1 bcast:linear" "7 5 bcast:binary" \
    "15 1 scatter:star" "11 1 reduce:linear" "9 1 gather:star" "2 2 allreduce:reduce-bcast"; do
    # shellcheck disable=SC2086 # words
    ! told $other 6 49152 || fail "not noticed: $other"
    grep -q '^    MPI ' stderr || fail "not compared: $other: $(cat stderr)"
done

# Open MPI 5 on hosts that have names of their own, in a network of their own with an address of 127.0.1: its
# daemons do not start where the loopback device is alone. Two levels.
cat >agent <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do shift; done
exec unshare -u bash -c "hostname $1; ${*:2}"
END
chmod +x agent
apart=(unshare -n)
[ "$(id -u)" = 0 ] || apart=(unshare -rn)
network='ip link set lo up && ip link add d0 type veth peer name d1 && ip link set d1 up &&
    ip addr add 127.0.1.1/24 dev d0 && ip link set d0 up'
# on_hosts HOSTS EACH OPERATION BYTES...
on_hosts() {
    local names
    names=$(seq -s, -f "h%g:$2" "$1")
    timeout 100 "${apart[@]}" bash -c "$network"' && exec "$@"' launch env -u PRTE_MCA_rmaps_default_mapping_policy OMPI_MCA_coll=^sm,adapt \
        OMPI_MCA_btl=self,tcp,sm OMPI_MCA_btl_tcp_if_exclude=none "${mpiexec[0]}" --bind-to none \
        --prtemca plm_ssh_agent "$PWD/agent" --prtemca prte_keep_fqdn_hostnames 1 --host "$names" \
        -n $(($1 * $2)) "$tests/library_usual" "${@:3}" >said 2>stderr ||
        fail "$1 hosts, $2 processes each: $(grep -aA2 usual: stderr | head -9)"
    [ "$(grep -c :hosts said)" = $((($# - 2) / 2)) ] || fail "$1 hosts, $2 processes each: $(cat said)"
}
levels=()
for bytes in 8 64 512 2048 16384 65536; do
    levels+=(bcast $bytes gather $bytes scatter $bytes)
done
if ompi_info --version | grep -q ' v5\.' && "${apart[@]}" bash -c "$network" 2>stderr; then
    for layout in "2 2" "2 3" "3 2" "2 4" "4 2" "3 3"; do
        # shellcheck disable=SC2086 # words
        on_hosts $layout "${levels[@]}"
    done
    on_hosts 2 2 allgather 8 allgather 4096
fi
finish
