#!/usr/bin/env bash
# What two processes of this host measured says which algorithms any number of them take.
. "$(dirname "$0")/lib.sh"
quick=(--min-reps 3 --max-reps 5 --quiet)
"$mpiexec" -n 2 "$cpm" model -M lmo2 --no-thresholds -m 16K -o host.mod "${quick[@]}" >stdout 2>stderr ||
    fail "not measured: $(cat stdout stderr)"
run 3 --verbose --trust --model host.mod -- "$cpm" bench coll bcast:native -m 1K "${quick[@]}" ||
    fail "not run: $(cat stdout stderr)"
grep -Eq '^cpm: bcast .* [0-9.]+ +[0-9.]+$' stderr || fail "not used: $(cat stdout stderr)"

# On which sockets processes are bound is looked up, not taken to be as measured: there the first two
# were on one, where a send takes a 200th.
taskset -c 0,1 true || finish
readelf -d "$cpm" | grep -q 'NEEDED.*libhwloc' || finish # built without
cat >bound <<'EOF'
#!/usr/bin/env bash
unset HWLOC_COMPONENTS # which has precedence
export HWLOC_SYNTHETIC='pack:2 core:1 pu:1' HWLOC_THISSYSTEM=1
exec taskset -c "$(($1 ? ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} % 2 : 0))" "${@:2}"
EOF
chmod +x bound
host=$(sed -n 's/.*"hosts": \["\([^"]*\)".*/\1/p' host.mod)
sed "s/north/$host/g; s/\"sockets\": .*/\"sockets\": [0, 0, 0, 1, 0, 1, 0, 1],/; s/6e-7, 6e-7/6e-5, 6e-5/" \
    "$here/../tools/data/sockets8.mod" >sockets.mod
# expected APART: ms of the broadcasts of two processes on one socket, or on two
expected() {
    "$mpiexec" -n 2 ./bound "$1" "$cpm" run --yield --verbose --trust --model sockets.mod -- \
        "$cpm" bench coll bcast:native -m 1K "${quick[@]}" >stdout 2>stderr || fail "not run: $(cat stdout stderr)"
    awk '/^cpm: bcast/ {sum += $NF} END {print sum}' stderr
}
near=$(expected 0) apart=$(expected 1)
awk -v near="$near" -v apart="$apart" 'BEGIN {exit !(near > 0 && apart > 50 * near)}' ||
    fail "on one socket $near ms, on two $apart"
finish
