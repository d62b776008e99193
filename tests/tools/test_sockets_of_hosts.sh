#!/usr/bin/env bash
# Sockets of hosts: shown, laid out anew, compared, played and found again; those of real processes.
. "$(dirname "$0")/lib.sh"

# sockets8.mod: hosts4.mod with four processes on each host and two sockets, 2 us and 2 ns a byte between
# them; block by block on north, in turn on south.
# predicted MODEL LAYOUT: microseconds of 1000 bytes from the first process to all others
predicted() {
    "$cpm" predict "$1" bcast:linear -m 1000 --layout "$2" --format tsv --no-intervals |
        awk '!/^#/ && $1 != "algorithm" {print $5}'
}

works "$cpm" show sockets8.mod
grep -q 'message size 0 B, between sockets of a host' stdout || fail "no sockets: $(cat stdout)"
! grep -q 'sockets: ' stdout || fail "a fact of every process: $(cat stdout)"

# Two on north are on different sockets, as one of four is; the second of three on a socket is near.
[ "$(predicted sockets8.mod 1x2)" = 4 ] || fail "two: $(predicted sockets8.mod 1x2)"
[ "$(predicted sockets8.mod 1x3)" = 4.3 ] || fail "three: $(predicted sockets8.mod 1x3)"
printf 'south\nsouth\nsouth\n' >south
[ "$(predicted sockets8.mod south)" = 4 ] || fail "in turn: $(predicted sockets8.mod south)"

sed 's/8e-7, 8e-7/8e-7, 9e-7/' sockets8.mod >slower.mod
"$cpm" diff sockets8.mod slower.mod >stdout && fail "no difference: $(cat stdout)"
grep -q 'L_across of host south *0.80 us *0.90 us' stdout || fail "$(cat stdout)"
grep -A 3 'between sockets of a host take longer' stdout | grep -q 'south' || fail "$(cat stdout)"
grep -A 3 'inside a host take longer' stdout | grep -q '+0.0 % *-' || fail "$(cat stdout)"
works "$cpm" diff sockets8.mod sockets8.mod
works "$cpm" export --simgrid sockets8.mod -o sockets8.xml
grep -q 'between sockets' stderr || fail "no word of what a platform cannot tell: $(cat stderr)"

works "$cpm" model -M lmo2 --machine sockets8.mod --layout 2x8 --no-thresholds --quiet -o again.mod
grep -q '"sockets": "0 0 0 0 1 1 1 1 0 1 0 1 0 1 0 1"' again.mod || fail "$(head -40 again.mod)"
for layout in 1x2 2x4 2x8; do
    real=$(predicted sockets8.mod $layout) seen=$(predicted again.mod $layout)
    awk -v real="$real" -v seen="$seen" 'BEGIN {exit !(seen > 0.98 * real && seen < 1.02 * real)}' ||
        fail "$layout: $seen instead of $real"
done
# The header says it all: a fit is the same, and a campaign goes on only with the same sockets.
works "$cpm" fit again.meas -M lmo2 -o fitted.mod
[ "$(predicted fitted.mod 2x8)" = "$(predicted again.mod 2x8)" ] || fail "fitted: $(predicted fitted.mod 2x8)"
sed 's/^# sockets: 0 0/# sockets: 0 x/' again.meas >wrong.meas
refused 1 "the header's 'sockets' are not a number or - for each of 16 processes" "$cpm" fit wrong.meas -M lmo2 -o wrong.mod
sed '/^# sockets/d' again.meas >unbound.meas
refused 2 'cannot resume: processes were not bound to sockets' \
    "$cpm" model -M lmo2 --machine sockets8.mod --layout 2x8 --no-thresholds --quiet --resume -o unbound.mod

# Real processes on two sockets that hwloc makes up, each bound to one of its two processors.
readelf -d "$cpm" | grep -q 'NEEDED.*libhwloc' || {
    echo "built without hwloc"
    finish
}
taskset -c 0,1 true || {
    echo "fewer than two processors"
    finish
}
cat >bound <<'EOF'
#!/usr/bin/env bash
unset HWLOC_COMPONENTS # which has precedence
export HWLOC_SYNTHETIC='pack:2 core:1 pu:1' HWLOC_THISSYSTEM=1
exec taskset -c "$((${PMI_RANK:-$OMPI_COMM_WORLD_RANK} % 2))" "$@"
EOF
chmod +x bound
fast=(--no-thresholds -m 4K --min-reps 3 --max-reps 5 --quiet)
works "${mpiexec[@]}" 2 ./bound "$cpm" model -M lmo2 "${fast[@]}" -o two.mod
grep -q '^# sockets: 0 1$' two.meas || fail "$(head -20 two.meas)"
! grep -q '"across"' two.mod || fail "two levels of one pair: $(head -30 two.mod)"
works "${mpiexec[@]}" 4 ./bound "$cpm" model -M lmo2 "${fast[@]}" -o four.mod
grep -q '^# sockets: 0 1 0 1$' four.meas || fail "$(head -20 four.meas)"
grep -q '"sockets": \[0, 1, 0, 1\]' four.mod || fail "$(head -30 four.mod)"
grep -q 'between sockets of a host are a level of their own' four.mod || fail "$(head -30 four.mod)"
finish
