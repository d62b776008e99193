#!/bin/bash
# One check of a cluster, for cron and systemd: nightly.sh CLUSTER.mod HOSTS [FOLDER]
# HOSTS is a file of hosts for mpiexec. Metrics go into FOLDER (default: the node exporter's). The verdict is one line
# on standard output where something was found, and cron sends it as an e-mail. Of a healthy cluster nothing is said.
# Exit code: that of cpm health; 124 if it took longer than ten minutes.
set -u
[ $# -ge 2 ] || { echo "usage: nightly.sh CLUSTER.mod HOSTS [FOLDER]" >&2; exit 2; }
model=$1 hosts=$2 folder=${3:-/var/lib/node_exporter/textfile_collector}
name=$(basename "$model" .mod)

# Standard error is shown only where there is no verdict.
log=$(mktemp) && trap 'rm -f "$log"' EXIT
said=$(timeout 600 ${CPM_MPIEXEC:-mpiexec -f "$hosts" -ppn 1 -n "$(grep -c . "$hosts")"} "${CPM:-cpm}" health "$model" --line \
    ${CPM_OPTIONS:-} --prometheus "$folder/cpm_$name.prom" 2>"$log")
code=$?
case $code in
0) ;;
3 | 4) echo "$name: $said" ;;
*) echo "$name: no check was made, exit code $code" && cat "$log" ;;
esac
exit $code
