#!/usr/bin/env bash
# Rules: checked, printed in one form, explained, and made of tables and Open MPI's rules.
. "$(dirname "$0")/lib.sh"

golden help_rules rules --help
golden rules rules example.rules
golden rules_explain rules example.rules --explain allreduce -m 16K -n 32 --hosts 4
golden rules_explain_ordered rules example.rules --explain allreduce -m 16K -n 31 --ordered
golden rules_explain_values rules example.rules --explain bcast -m 64 --values phase=2
golden rules_explain_none rules example.rules --explain alltoall
golden rules_explain_cannot rules example.rules --explain allgather -m 64K -n 6
golden rules_of_openmpi rules openmpi.rules

# A table as rules says the same, also once more.
works "$cpm" tune lmo4.mod -n 2:4:1 -o table.json
works "$cpm" rules table.json -o table.rules
[ ! -s stdout ] || fail "prints besides: $(cat stdout)"
works "$cpm" rules table.rules -o again.rules
cmp table.rules again.rules || fail "rules are others when read again"
works "$cpm" rules table.json --explain bcast -m 64K -n 4
mv stdout of_table
works "$cpm" rules table.rules --explain bcast -m 64K -n 4
cmp stdout of_table || fail "explained otherwise: $(cat stdout of_table)"

# What goes to Open MPI comes back.
works "$cpm" tune lmo4.mod bcast -n 4 --for openmpi -o bcast.json
works "$cpm" export --openmpi bcast.json -o bcast.conf
works "$cpm" rules bcast.conf
grep -o '"algorithm": "[^"]*"' bcast.json | sed 's/.*: "\(.*\)"/bcast:\1/' | sort -u >sent
grep -o 'bcast:[^ ]*' stdout | grep -v native | sed "s,:k=4,," | sort -u >returned
cmp sent returned || fail "not what was exported: $(cat sent returned)"

# is_refused PATTERN LINE...
is_refused() {
    local pattern=$1
    shift
    printf '%s\n' "$@" >x.rules
    refused 1 "x.rules:$pattern" "$cpm" rules x.rules -o out.rules
    [ ! -e out.rules ] || fail "something is written"
}
is_refused "1: 'bytes > 16384' never holds: bytes are 0 to 8191 there" \
    'if bytes < 8K and bytes > 16K' bcast:chain end
is_refused "2: 'hosts >= 4' never holds: hosts are 1 to 3 there" \
    'if processes < 4' 'if hosts >= 4' native end end
is_refused '3: bcast:linear is never chosen' bcast:chain '' bcast:linear
is_refused "1: unknown quantity 'size' \(known: operation, processes, hosts," 'if size > 3' native end
is_refused "2: unknown algorithm 'fast' of bcast \(known: linear," '# fast' bcast:fast
is_refused '2: the if of line 1 has no end' 'if root = 1' native
is_refused '1: there are no rules'
is_refused "2: the file ends where a number of communicator sizes should be" 1 7
refused 1 'nowhere.rules' "$cpm" rules nowhere.rules
refused 2 "no rule asks for value:day" "$cpm" rules example.rules --explain bcast --values day=3
refused 2 "'phase' is not like NAME=3" "$cpm" rules example.rules --explain bcast --values phase
refused 2 "unknown operation 'cast'" "$cpm" rules example.rules --explain cast
refused 2 '16 processes do not divide evenly over 3 hosts' "$cpm" rules example.rules --explain bcast --hosts 3
refused 2 '--root: 16 is not in 0..15' "$cpm" rules example.rules --explain bcast --root 16
refused 2 '--hosts: 0 is not in 1..16' "$cpm" rules example.rules --explain bcast --hosts 0
refused 2 '--hosts: 17 is not in 1..16' "$cpm" rules example.rules --explain bcast --hosts 17
# What a call never has, or what there is no call for, is not ignored.
golden rules_explain_alltoallv rules example.rules --explain alltoallv
refused 2 'rules do not see the sizes of alltoallv: omit --size' \
    "$cpm" rules example.rules --explain alltoallv -m 4K
refused 2 'barrier carries no data: omit --size' "$cpm" rules example.rules --explain barrier -m 4K
refused 2 'bcast combines nothing: omit --ordered' "$cpm" rules example.rules --explain bcast --ordered
refused 2 'allreduce has no root: omit --root' "$cpm" rules example.rules --explain allreduce --root 0
for option in '-m 1K:size' '-n 16:processes' '--hosts 4:hosts' '--root 0:root' '--ordered:ordered' '--values a=1:values'; do
    # shellcheck disable=SC2086 # the option and its value
    refused 2 "--${option#*:} needs --explain OP" "$cpm" rules example.rules ${option%:*}
done
# Open MPI's other forms.
golden rules_of_openmpi_json rules openmpi_rules.json
golden rules_of_openmpi_2 rules openmpi_2.rules
golden rules_of_mpich rules mpich_rules.json
echo '{ "rule_file_version": 3, "module": "tuned", "collectives": {} }' >empty.json
refused 1 'empty.json:1: there are no rules for any collective' "$cpm" rules empty.json
echo '{ "rule_file_version": 3, "module": "tuned",
 "collectives": { "bcast": [ { "rules": [ { "alg": 2, } ] } ] } }' >comma.json
refused 1 "comma.json:2: not JSON: .* near '}'" "$cpm" rules comma.json

finish
