#!/bin/bash
# How wrong is a model on the nodes that it was measured on? sbatch -N 16 validate.sh [NAME]
# Makes NAME-validation.tsv; then cpm doctor names hosts that are unlike the rest.
#SBATCH --job-name=cpm-validate
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=00:15:00
#SBATCH --output=%x-%j.out
set -eu
name=${1:-cluster}

${CPM_SRUN:-srun --cpu-bind=cores} "${CPM:-cpm}" validate "$name.mod" ${CPM_OPTIONS:-} -o "$name-validation.tsv"
"${CPM:-cpm}" doctor "$name.mod" || case $? in 3 | 4) ;; *) exit 1 ;; esac # 3: there are some; 4: too few to compare
