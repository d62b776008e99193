#!/bin/bash
# Checks the nodes of a job against the model of the cluster: sbatch -N 16 slurm-job.sh CLUSTER.mod
# Every night: scrontab -e, with the line
#   30 3 * * * sbatch -N 16 slurm-job.sh CLUSTER.mod
# The nodes that the job does not get are no finding (--subset).
#SBATCH --job-name=cpm-health
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=00:10:00
#SBATCH --output=%x-%j.out
set -u
[ $# = 1 ] || { echo "usage: sbatch slurm-job.sh CLUSTER.mod" >&2; exit 2; }
${CPM_SRUN:-srun --cpu-bind=cores} "${CPM:-cpm}" health "$1" --subset --junit "${1%.mod}-health.xml" ${CPM_OPTIONS:-}
