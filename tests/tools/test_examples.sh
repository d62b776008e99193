#!/usr/bin/env bash
# Every example of the help runs; a model plays the cluster where mpiexec is said.
. "$(dirname "$0")/lib.sh"

# The examples say cpm and mpiexec, and work on the files of the one before.
mkdir bin
ln -s "$cpm" bin/cpm
cp "$here"/../measurements/data/osu_latency-7.5.txt osu_latency.txt
for month in october november december; do cp lmo4.mod $month.mod; done
cp sockets8.mod node.mod # of hosts with several processes
printf '#!/bin/sh\nshift 2\nexec "$@" --quiet --machine %s/lmo4.mod\n' "$work" >bin/mpiexec
chmod +x bin/mpiexec
PATH=$work/bin:$PATH

# R does not start in a process with the address sanitizer, and a program without it cannot be given a
# library that has it.
sanitized=
! ldd "$cpm" | grep -q libasan || sanitized=--no-thresholds

examples=0
while read -r command; do
    # shellcheck disable=SC2086 # two words
    cpm $command --help | sed '1,/^example:/d' >examples
    [ -s examples ] || fail "no example of $command"
    while read -r line; do
        [[ ! $sanitized || ! $line =~ "cpm run" ]] || continue
        [[ ! $line =~ cpm\ (model|measure|fit) ]] || line="$line $sanitized"
        bash -c "$line" >out 2>err </dev/null
        code=$?
        # Four processes are too few for cpm doctor to tell, and cpm health asks it, too.
        [ $code = 0 ] || [[ $line =~ cpm\ (doctor|health) && $code = 4 ]] || fail "$line: $(cat err)"
        examples=$((examples + 1))
    done <examples
done < <(cpm --help | sed -n '/^commands:/,/^$/s/^  \(bench p2p\|bench coll\|[a-z]*\) .*/\1/p')
[ "$examples" -ge 10 ] || fail "only $examples examples"
finish
