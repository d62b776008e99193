#!/usr/bin/env bash
# A model of a real TCP network: 4 hosts made of network namespaces, measured end to end.
# usage: netcluster.sh CPM. Exit code 77: cannot be run here.
set -eu
cpm=$(readlink -f "$1")
netcluster=$(readlink -f "$(dirname "$0")/netcluster/netcluster")

skip() {
    echo "skipped: $*"
    exit 77
}
[ "$(id -u)" = 0 ] || skip "only root can make network namespaces"
unshare -n true 2>/dev/null || skip "this machine gives no network namespaces"

# Names and addresses of our own, so that a cluster that somebody else has up stays untouched.
export NETCLUSTER_LAB=cpmt NETCLUSTER_NET=10.97.0
work=$(mktemp -d)
trap '"$netcluster" down >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
"$netcluster" up --hosts 4 --profile homogeneous-deep >"$work/up.log" 2>&1 ||
    skip "netcluster up failed: $(tail -n 1 "$work/up.log")"

"$netcluster" run --timeout 100 -n 4 -- "$cpm" model -M lmo --no-thresholds --min-reps 3 --max-reps 5 \
    --quiet -o "$work/cluster.mod"
"$cpm" show "$work/cluster.mod"

# The profile makes each host spend 100 us on every message it sends or receives.
"$cpm" show "$work/cluster.mod" --param C |
    awk '{ n++; if ($2 < 50e-6 || $2 > 400e-6) { print "process " $1 ": C is " $2 " s, not about 100 us"; bad = 1 } }
         END { if (n != 4) { print n " values of C, not 4"; bad = 1 } exit bad }'

# Three messages of 100 us each leave the root one after the other, and the last must still arrive.
"$cpm" predict "$work/cluster.mod" scatter:linear -m 1K --format tsv | tee "$work/predicted"
awk -F '\t' '!/^#/ { last = $5 } END { if (!(last > 300 && last < 5000)) { print "not a sane prediction: " last " us"; exit 1 } }' \
    "$work/predicted"
