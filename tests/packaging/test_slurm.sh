#!/usr/bin/env bash
# The job scripts of examples/slurm under a Slurm of their own: one node, this machine, and no
# authentication, in a folder that is removed. Skipped where it cannot start.
# usage: test_slurm.sh SOURCE_DIR BUILD_DIR
set -u
scripts=$(readlink -f "$1")/examples/slurm models=$(readlink -f "$1")/examples/models build=$(readlink -f "$2")
skip() {
    echo "skipped: $*"
    exit 77
}
PATH=$PATH:/usr/sbin
for program in slurmctld slurmd sbatch srun squeue; do
    command -v "$program" >/dev/null || skip "$program is not there (slurm-wlm)"
done
[ "$(id -u)" = 0 ] || skip "only root can start a node"

work=$(mktemp -d)
daemons=()
end() {
    [ ${#daemons[@]} = 0 ] || kill "${daemons[@]}" 2>/dev/null
    wait
    rm -rf "$work"
}
trap end EXIT
port=$((20000 + $$ % 20000))
cores=$(nproc)
mkdir "$work"/{state,spool}
cat >"$work/slurm.conf" <<END
ClusterName=cpm
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=pmi2
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=node0 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$((cores > 2 ? cores : 2)) State=UNKNOWN
PartitionName=all Nodes=node0 Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
export SLURM_CONF=$work/slurm.conf
slurmctld -D -i -f "$SLURM_CONF" >"$work/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -N node0 -f "$SLURM_CONF" >"$work/slurmd.log" 2>&1 &
daemons+=($!)
for ((k = 0; k < 50; k++)); do
    sinfo -h -o %t 2>/dev/null | grep -q idle && break
    sleep 0.2
done
sinfo -h -o %t 2>/dev/null | grep -q idle ||
    skip "Slurm does not start here: $(cat "$work"/slurm*.log | grep -m 1 -E 'error|fatal')"

# Measuring is played, since this is no cluster; the program is an MPI program of two processes.
export CPM=$build/cpm
cd "$work" || exit 1
# Whether job JOB ends well within two minutes; sbatch --wait looks every ten seconds only.
ends_well() {
    local k state
    for ((k = 0; k < 600; k++)); do
        state=$(scontrol show job -o "$1" | sed -n 's/.* JobState=\([A-Z]*\) .*/\1/p')
        case $state in
        PENDING | CONFIGURING | RUNNING | COMPLETING) sleep 0.2 ;;
        *) break ;;
        esac
    done
    [ "$state" = COMPLETED ]
}

# submit TASKS SCRIPT ARGUMENT...: waits for the job, prints what it printed
submit() {
    local tasks=$1 script=$2 job
    shift 2
    rm -f "$work/out"
    if ! job=$(sbatch --parsable -N 1 -n "$tasks" --ntasks-per-node="$tasks" --output="$work/out" \
        "$scripts/$script" "$@" 2>"$work/submitted") || ! ends_well "$job"; then
        echo "FAILED: $script: $(cat "$work/submitted" "$work/out" 2>/dev/null)"
        tail -n 5 "$work"/slurmctld.log
        return 1
    fi
    cat "$work/out"
}
export CPM_OPTIONS="--quiet --machine $models/gigabit16.mod --noise 0.02"
submit 1 measure.sh laptop >measured || { cat measured; exit 1; }
grep 'LMO extended (heterogeneous), 16 processes' measured || exit 1
submit 1 validate.sh laptop >validated || { cat validated; exit 1; }
test -s laptop-validation.tsv || exit 1
rm laptop.mod # it is not one of two processes
submit 2 run.sh laptop "$CPM" bench coll bcast:native -m 1K --quiet --max-reps 5 -o chosen.meas || exit 1
grep -x '# processes: 2' chosen.meas && test -s laptop-report.txt || exit 1
echo "the job scripts work"
