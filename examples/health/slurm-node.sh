#!/bin/bash
# A node checks itself, for slurm.conf:
#   HealthCheckProgram=/usr/local/libexec/cpm/slurm-node.sh
#   HealthCheckInterval=3600
#   HealthCheckNodeState=IDLE
# It compares messages inside the node (memory, processors) with a reference of this node, which is made once:
#   mpiexec -n 4 cpm model -o /var/lib/cpm/NODE.mod
# A node that is slower is drained. Slurm ends such a program after 60 seconds. The links between nodes are checked by a
# job (slurm-job.sh).
set -u
node=${SLURMD_NODENAME:-$(hostname -s)}
model=${CPM_FOLDER:-/var/lib/cpm}/$node.mod
[ -e "$model" ] || exit 0 # nothing to compare with

said=$(timeout 50 ${CPM_MPIEXEC:-mpiexec -n 4} "${CPM:-cpm}" health "$model" --line --budget 20 ${CPM_OPTIONS:-} 2>/dev/null)
[ $? = 3 ] || exit 0 # 0: healthy. All else says nothing of the node.
${CPM_SCONTROL:-scontrol} update NodeName="$node" State=DRAIN Reason="cpm health: $said"
