#!/usr/bin/env bash
# Topology files, and what the algorithms that follow them do.
. "$(dirname "$0")/lib.sh"

golden topology_predict predict lmo4.mod alltoall:topology,alltoall:topology-barrier,allgather:tslr -m 1K --topology two_racks.topology
golden topology_phases export --goal alltoall:topology -n 4 -m 1K --topology two_racks.topology
golden topology_ring draw allgather:tslr -n 4 --topology two_racks.topology

those_that_need_a_topology_are_there_only_with_one() {
    works "$cpm" predict lmo4.mod alltoall -m 1K
    grep -q 'alltoall:ring-light' stdout || fail "no ring-light: $(cat stdout)"
    ! grep -q 'alltoall:topology' stdout || fail "without a topology: $(cat stdout)"
    works "$cpm" predict lmo4.mod alltoall -m 1K --topology two_racks.topology
    grep -q 'alltoall:topology-barrier' stdout || fail "with a topology: $(cat stdout)"
    refused 2 'does not apply to 4 processes: it needs a topology' "$cpm" predict lmo4.mod alltoall:topology
}

measurements_are_compared_along_the_same_topology() {
    works "$cpm" bench coll --machine lmo4.mod alltoall:topology -m 1K --topology two_racks.topology -o t.meas -q
    works "$cpm" compare lmo4.mod t.meas --topology two_racks.topology
    grep -Eq '^lmo +0\.0 %' stdout || fail "compare: $(cat stdout)"
    works "$cpm" validate --machine lmo4.mod lmo4.mod allreduce:rab1-tslr -m 1K --topology two_racks.topology -q
    refused 2 "placement 'topology=.*', and here it is 'plain'" "$cpm" compare lmo4.mod t.meas
}

# wrong PATTERN LINE...; code: what is wrong in a file is no wrong usage
wrong() {
    local pattern=$1
    shift
    printf '%s\n' "$@" >bad.topology
    refused "${code:-1}" "$pattern" "$cpm" predict lmo4.mod alltoall --topology bad.topology
}

wrong_files_are_refused_with_their_line() {
    wrong 'bad.topology:1: the file ends without' ''
    wrong 'bad.topology:3: unknown switch .b' 'switch a' 'host h a' 'link a b'
    wrong 'bad.topology:2: .a. is already the name' 'switch a' 'host a a'
    wrong 'bad.topology:4: a second link between .b. and .a. .the first is in line 3' 'switch a' 'switch b' 'link a b' 'link b a'
    wrong 'bad.topology:6: .* closes a cycle' 'switch a' 'switch b' 'switch c' 'link a b' 'link b c' 'link c a'
    wrong 'bad.topology:3: .b. is not connected' 'switch a' 'host h a' 'switch b' 'host i b'
    wrong 'bad.topology:2: expected .switch NAME' 'switch a' 'router b'
    code=2 wrong 'hosts for 1 to 1 processes, not for 4' 'switch a' 'host h a'
    refused 1 'none.topology: cannot be read: No such file' "$cpm" predict lmo4.mod alltoall --topology none.topology
}

a_table_may_say_that_switches_are_followed() {
    printf 'switch a\nhost h a\n' >one.topology
    works "$cpm" tune lmo4.mod alltoall:topology allgather:tslr -n 3,4 -m 1K --topology two_racks.topology -o table.json
    grep -q '"algorithm": "topology"' table.json || fail "no alltoall: $(cat table.json)"
    grep -q '"algorithm": "tslr"' table.json || fail "no allgather: $(cat table.json)"
    grep -q '"placement": "topology=' table.json || fail "not said: $(cat table.json)"
    refused 2 'does not apply to .* processes: it needs a topology' "$cpm" tune lmo4.mod alltoall:topology
    works "$cpm" tune lmo4.mod alltoall:topology bcast -n 4 -m 1K -o some.json
    grep -q 'tune: left out: alltoall:topology does not apply to 4 ' stderr || fail "not told: $(cat stderr)"
    ! grep -q '"alltoall"' some.json && grep -q '"bcast"' some.json || fail "rules: $(cat some.json)"
    refused 2 'hosts for 1 to 1 processes, not for 4' "$cpm" tune lmo4.mod --topology one.topology
    refused 1 'none.topology: cannot be read' "$cpm" tune lmo4.mod --topology none.topology
}

switches_that_a_model_knows_need_no_file() {
    printf 'switch left\nswitch right\nlink left right\nhost south right\nhost north left\n' >two.topology
    works "$cpm" model -M lmo2 --machine hosts4.mod --no-thresholds --quiet --topology two.topology -o two.mod
    works "$cpm" predict two.mod alltoall -m 64K
    grep -q 'alltoall:topology' stdout || fail "predict: $(cat stdout)"
    works "$cpm" tune two.mod alltoall:topology -n 4 -m 1K -o table.json
    grep -q '"algorithm": "topology"' table.json || fail "tune: $(cat table.json)"
}

# As in cpm run: several processes may be on one of its hosts.
measured_processes_are_on_the_hosts_that_are_called_as_theirs() {
    printf 'switch a\nhost %s a\nhost another a\n' "$(hostname)" >here.topology
    works "${mpiexec[@]}" 3 "$cpm" tune --measure allgather:tslr -m 1 --max-reps 8 --topology here.topology -o here.json
    grep -q '^allgather:tslr ' here.meas || fail "not measured: $(cat here.meas)"
    ! grep -q 'in order' stderr || fail "by order: $(cat stderr)"
    works "${mpiexec[@]}" 2 "$cpm" tune --measure allgather:tslr -m 1 --max-reps 8 --topology two_racks.topology -o order.json
    grep -q "two_racks.topology is called '$(hostname)': they are taken to be the processes in order" stderr ||
        fail "not told: $(cat stderr)"
}

those_that_need_a_topology_are_there_only_with_one
measured_processes_are_on_the_hosts_that_are_called_as_theirs
a_table_may_say_that_switches_are_followed
switches_that_a_model_knows_need_no_file
measurements_are_compared_along_the_same_topology
wrong_files_are_refused_with_their_line
finish
