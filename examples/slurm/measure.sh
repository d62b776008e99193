#!/bin/bash
# Measures the nodes of a job and fits the model lmo2: sbatch -N 16 measure.sh [NAME]
# Makes NAME.meas and NAME.mod (cluster) in the folder it was submitted in. A job that was cut off is
# submitted again: the campaign goes on where it ended.
#SBATCH --job-name=cpm-measure
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=00:30:00
#SBATCH --output=%x-%j.out
set -eu
name=${1:-cluster}
resume=()
[ ! -e "$name.meas" ] || resume=(--resume)

# Without --no-thresholds also the thresholds of gathers and scatters are measured; fitting them needs R.
# With several processes on each node (--ntasks-per-node=4) also messages inside nodes are measured.
${CPM_SRUN:-srun --cpu-bind=cores} "${CPM:-cpm}" measure -M lmo2 --no-thresholds "${resume[@]}" ${CPM_OPTIONS:-} -o "$name.meas"
"${CPM:-cpm}" fit -M lmo2 "$name.meas" -o "$name.mod"
"${CPM:-cpm}" show "$name.mod"
