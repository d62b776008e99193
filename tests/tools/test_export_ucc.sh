#!/usr/bin/env bash
# A decision table for UCC: what the file says, and that what it names sends what the table's
# algorithms send, by messages that UCC was seen to send.
. "$(dirname "$0")/lib.sh"

cat >ucc.json <<'END'
{"format": "cpm table", "version": 1, "operations": {
  "bcast": {"4": [{"from": 0, "algorithm": "binomial"}, {"from": 64, "algorithm": "knomial-at-once:k=2"},
                  {"from": 128, "algorithm": "knomial-at-once:k=4"}, {"from": 65536, "algorithm": "chain:segment=8192"}],
            "8": [{"from": 1024, "algorithm": "knomial-at-once:k=4"}, {"from": 8192, "algorithm": "native"}]},
  "gather": {"8": [{"from": 0, "algorithm": "binomial"}]},
  "reduce": {"8": [{"from": 0, "algorithm": "knomial:k=3"}, {"from": 4096, "algorithm": "rabenseifner-near"}]},
  "allreduce": {"8": [{"from": 0, "algorithm": "recursive-doubling"}, {"from": 8192, "algorithm": "logical-ring"}],
                "12": [{"from": 0, "algorithm": "recursive-doubling"}, {"from": 8192, "algorithm": "logical-ring"}]},
  "allgather": {"6": [{"from": 0, "algorithm": "bruck"}, {"from": 64, "algorithm": "bruck"},
                      {"from": 1024, "algorithm": "neighbor"}]},
  "alltoall": {"8": [{"from": 0, "algorithm": "spreading-simple"}, {"from": 512, "algorithm": "ring"}]}}}
END
golden export_ucc export --ucc ucc.json
works "$cpm" export --ucc ucc.json -o ucc.conf
grep -q 'use it with mpiexec .*-x UCC_CONFIG_FILE=ucc.conf$' stderr || fail "other use: $(cat stderr)"
grep -q '6 of 17 rules name what UCC does not have or cannot express' stderr || fail "not counted: $(cat stderr)"
grep -q '1 of 17 rules exchange with neighbors; on an odd number of processes UCC runs a logical ring' stderr ||
    fail "does not say what odd numbers run: $(cat stderr)"
works "$cpm" show ucc.conf
grep -q 'a configuration of UCC' stdout || fail "show does not know it: $(cat stdout)"
works "$cpm" export --ucc ucc.json -o ucc.conf # it is made again
refused 1 'not a decision table' "$cpm" export --ucc lmo4.mod
refused 2 '--release: is for --openmpi and --mpich' "$cpm" export --ucc ucc.json --release 1

# ours ALGORITHM N BYTES: FROM>TO:BYTES of each message, sorted.
ours() {
    works "$cpm" export --goal "$1" -n "$2" -m "$3"
    awk '$1 == "rank" { to = $2 } $2 == "recv" { sub("b", "", $3); print $5 ">" to ":" $3 }' stdout | sort
}

seen=0
while read -r algorithm name n bytes messages; do
    diff <(ours "$algorithm" "$n" "$bytes") <(tr ' ' '\n' <<<"$messages" | sort) >difference ||
        fail "$algorithm of $n processes is not UCC's $name: $(cat difference)"
    printf '{"format": "cpm table", "version": 1, "operations": {"%s": {"%s": [{"from": 0, "algorithm": "%s"}]}}}' \
        "${algorithm%%:*}" "$n" "${algorithm#*:}" >one.json
    works "$cpm" export --ucc one.json
    grep -qx "UCC_TL_UCP_TUNE = ${algorithm%%:*}:0-inf:\[$n-inf\]:inf:@$name" stdout ||
        fail "$algorithm of $n processes is exported as $(cat stdout)"
    seen=$((seen + 1))
done < <(grep -v '^#' ucc_messages.txt)
[ "$seen" = 56 ] || fail "$seen algorithms were compared, not 56"
