#!/bin/bash
# Runs a program with faster collectives, of which a model says what to try first: sbatch -N 16 run.sh NAME ./app ARGUMENTS...
# The report of what was chosen, and how long it took, is NAME-report.txt. Without a model (NAME.mod is
# not there) the program's own calls decide alone (--adapt).
#SBATCH --job-name=cpm-run
#SBATCH --exclusive
#SBATCH --time=01:00:00
#SBATCH --output=%x-%j.out
set -eu
[ $# -ge 2 ] || { echo "usage: sbatch run.sh NAME PROGRAM [ARGUMENT]..." >&2; exit 2; }
name=$1
shift
by=(--adapt)
[ ! -e "$name.mod" ] || by=(--model "$name.mod")

${CPM_SRUN:-srun --cpu-bind=cores} "${CPM:-cpm}" run "${by[@]}" --report "$name-report.txt" -- "$@"
