#!/usr/bin/env bash
# What the calls of a program cost by a model, and would cost; profiles that are none are refused.
. "$(dirname "$0")/lib.sh"

golden predict_profile predict lmo4.mod --profile app.profile
golden predict_profile_tsv predict lmo4.mod --profile app.profile --format tsv
golden predict_profile_json predict lmo4.mod --profile app.profile --format json

# Functions that CPM does not take are named, those that took longest first.
sed '$d' app.profile | sed '$s/\]/], "others": [{"function": "MPI_Scan", "calls": 8, "seconds": 0.001},\
    {"function": "MPI_Iallreduce", "calls": 4000, "seconds": 0.25}]\n}/' >scans.profile
works "$cpm" predict lmo4.mod --profile scans.profile
grep -qxF '# CPM does not take these, which took 0.251 s more: MPI_Iallreduce (4000 calls, 0.25 s), MPI_Scan (8 calls, 0.001 s)' \
    stdout || fail "does not name what is left to MPI: $(cat stdout)"
works "$cpm" predict lmo4.mod --profile scans.profile --format tsv
grep -qE $'\t8\t+MPI_Scan\t0.001\tothers$' stdout || fail "not in the table: $(cat stdout)"
works "$cpm" predict lmo4.mod --profile scans.profile --format json
python3 "$here/look_at_formats.py" "$here/../../doc/formats.md" 'predict --profile' - stdout || fail "columns"

# A model of more processes is taken where it knows the hosts; one of as many, whatever its hosts; one
# of hosts is laid out.
sed 's/node3"/node7"/' app.profile >part.profile
works "$cpm" predict alike8.mod --profile part.profile
sed 's/node3"/elsewhere"/' app.profile >others.profile
refused 1 'others.profile: has 4 processes, some on hosts that the model of 8 processes lacks' "$cpm" predict alike8.mod --profile others.profile
refused 1 'app.profile: has 4 processes, some on hosts that the model of 3 processes lacks' "$cpm" predict hockney3.mod --profile app.profile
works "$cpm" predict lmo4.mod --profile others.profile
works "$cpm" predict sockets8.mod --layout 2x2 --profile app.profile
sed 's/"node[0-9]"/"south"/g' app.profile >south.profile
works "$cpm" predict hosts4.mod --profile south.profile

# What cannot be is said with its line.
# wrong PATTERN SED
wrong() {
    sed "$2" app.profile >wrong.profile
    refused 1 "wrong.profile:$1" "$cpm" predict lmo4.mod --profile wrong.profile
}
refused 1 'nowhere: cannot be read' "$cpm" predict lmo4.mod --profile nowhere
refused 1 'lmo4.mod:2: not a profile: "format" is "cpm model", not "cpm profile"' "$cpm" predict lmo4.mod --profile lmo4.mod
head -c 700 app.profile >cut.profile
refused 1 'cut.profile:20: ' "$cpm" predict lmo4.mod --profile cut.profile
wrong '3: version 2 of the format is not known, only 1' 's/"version": 1/"version": 2/'
wrong "6: unknown (library|MPI library) 'lam'" 's/"library": "mpich"/"library": "lam"/'
wrong '9: "processes": 0 is not in 1..1048576' '9s/4/0/'
wrong '10: hosts' '9s/4/5/'
wrong '10: expected a host.s name, found' '10s/"node0"/0/'
wrong '11: "seconds": -1 is negative' '11s/2.5/-1/'
wrong '15: "size": 5 is not in 1..4' '15s/4/5/'
wrong '15: process 1 is there twice' '15s/0, 1/1, 1/'
wrong '16: expected a process from 0 to 3' '16s/3, 1/4, 1/'
wrong '19: "communicator": 2 is not in 0..1' '19s/"communicator": 0/"communicator": 2/'
wrong "19: unknown operation 'bcost'" '19s/bcast/bcost/'
wrong '19: "root": 4 is not in 0..3' '19s/"root": 3/"root": 4/'
wrong '19: expected a whole number as "root", found nothing' '19s/"root": 3, //'
wrong '21: alltoallv has no root' '21s/"bytes"/"root": 0, "bytes"/'
wrong '19: "calls": 0 is below 1' '19s/"calls": 210/"calls": 0/'
wrong '19: "back_to_back": 200 is not in 0..20' '19s/"calls": 210/"calls": 20/'
wrong '19: "mean": 1e[+]40 is too large' '19s/0.00025/1e40/'
wrong '19: "bytes": 1e[+]20 is too large' '19s/"bytes": [0-9]*/"bytes": 1e20/'

sed 's/"calls": 8/"calls": 0/' scans.profile >wrong.profile
refused 1 'wrong.profile:[0-9]*: "calls": 0 is below 1' "$cpm" predict lmo4.mod --profile wrong.profile
sed 's/{"function": "MPI_Scan", "calls": 8, "seconds": 0.001}/7/' scans.profile >wrong.profile
refused 1 'wrong.profile:[0-9]*: expected calls of a function, found a number' "$cpm" predict lmo4.mod --profile wrong.profile

refused 2 '--profile names the calls itself: omit OP' "$cpm" predict lmo4.mod bcast --profile app.profile
refused 2 '--profile names the calls itself: omit --sizes' "$cpm" predict lmo4.mod --profile app.profile -m 1K
refused 2 '--profile names the calls itself: omit --timing' "$cpm" predict lmo4.mod --profile app.profile --timing batch
finish
