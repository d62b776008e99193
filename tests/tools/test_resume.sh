#!/usr/bin/env bash
# --resume goes on only with what is measured in the same way: whatever changes a measurement is
# compared with the file's header and refused with both values, and the file stays as it is. More of
# the same goes on, and the header says so.
. "$(dirname "$0")/lib.sh"
sanitized= # R does not run with sanitizers
! ldd "$cpm" | grep -q libasan || sanitized=--no-thresholds

play=(--machine lmo4.mod --noise 0.02 --quiet)
sed 's/\[2\.54e-05/[3.54e-05/' lmo4.mod >slower.mod # its first process

# differs FILE PATTERN COMMAND...: it is refused, and FILE untouched.  code: what is wrong
# in a file is no wrong usage.
differs() {
    local file=$1 pattern=$2
    shift 2
    cp "$file" before
    refused "${code:-2}" "^cpm [a-z0-9 -]*: $file: cannot resume: $pattern" "$@" --resume
    cmp before "$file" || fail "touched: $*"
}

# ---- bench coll; its siblings below have the same header and the same rules

bench=("$cpm" bench coll "${play[@]}" bcast:linear -m 1K,4K -o c.meas)
works "${bench[@]}"
differs c.meas "its simulated machine is 'lmo noise 0.02 seed 1', now it is 'lmo noise 0.02 seed 2'" "${bench[@]}" --seed 2
differs c.meas "its simulated machine is '.* noise 0.02 .*', now it is '.* noise 0.03 " "${bench[@]}" --noise 0.03
differs c.meas "its simulated model's fingerprint is '[0-9a-f]*', now it is '" "${bench[@]}" --machine slower.mod
differs c.meas "its root is '0', now it is '1'" "${bench[@]}" --root 1
differs c.meas "its --serial is 'no', now it is 'yes'" "${bench[@]}" --serial
differs c.meas "its timing is 'max', now it is 'batch'" "${bench[@]}" --timing batch
differs c.meas "its statistic is 'median', now it is 'mean'" "${bench[@]}" --statistic mean
differs c.meas "its precision is '5 to 100 .*', now it is '6 to 100 " "${bench[@]}" --min-reps 6
differs c.meas "it was written without --raw" "${bench[@]}" --raw
differs c.meas "its sizes are '1024 4096', now they are '8192', without 1024; ask for" "${bench[@]}" -m 8K
differs c.meas "its sizes are '1024 4096', now they are '1024', without 4096; ask for" "${bench[@]}" -m 1K
sed -i.whole '/^# duration/d' c.meas # as if it had been stopped
differs c.meas "its collectives are 'bcast:linear', now they are 'scatter:linear', without bcast:linear" \
    "$cpm" bench coll "${play[@]}" scatter:linear -m 1K,4K -o c.meas
mv c.meas.whole c.meas
differs c.meas "its design is 'bench coll', now it is 'bench p2p'" "$cpm" bench p2p "${play[@]}" -m 1K,4K -o c.meas
differs c.meas "its (simulated machine|processes|hosts) (is|are)" "$cpm" bench coll --machine hosts4.mod --noise 0.02 --quiet bcast:linear -m 1K,4K -o c.meas

# More sizes and more algorithms: all of them are in the table and in the header, with each command.
works "${bench[@]}" --resume -m 1K,4K,8K bcast:chain
[ "$(grep -c '^bcast' c.meas)" = 6 ] || fail "more: $(cat c.meas)"
grep -q '^# command: .* -m 1K,4K ' c.meas || fail "the first command: $(grep '^#' c.meas)"
grep -q '^# command_2: .*--resume .*bcast:chain' c.meas || fail "the second command: $(grep '^#' c.meas)"
grep -q '^# sizes: 1024 4096 8192$' c.meas || fail "sizes: $(grep '^#' c.meas)"
grep -q '^# collectives: bcast:linear bcast:chain$' c.meas || fail "collectives: $(grep '^#' c.meas)"
differs c.meas "its sizes are '1024 4096 8192', now they are '1024 4096'" "${bench[@]}"

# Where all was measured, algorithms may be others: the header has all of them.
works "${bench[@]}" --resume -m 1K,4K,8K
works "$cpm" bench coll "${play[@]}" scatter:linear -m 1K,4K,8K -o c.meas --resume
grep -q '^# collectives: bcast:linear bcast:chain scatter:linear$' c.meas || fail "collectives: $(grep '^#' c.meas)"

# ---- a file of before: what it does not say is named; its rows say the root

works "${bench[@]}"
sed -i '/^# \(root\|sizes\|collectives\|serial\|played\): /d' c.meas
differs c.meas "its root is '0', now it is '2'" "${bench[@]}" --root 2
works "${bench[@]}" --resume
[ "$(wc -l <stderr)" = 1 ] || fail "not one line: $(cat stderr)"
grep -q "^cpm: note: c.meas: its header does not say: simulated model's fingerprint, root, --serial, sizes, collectives; cannot tell whether" stderr ||
    fail "not said: $(cat stderr)"
grep -q "^# not_compared: simulated model's fingerprint, root, " c.meas || fail "not in the header: $(grep '^#' c.meas)"

# From then on it is known, but for lists, of which the first part may have had more.
differs c.meas "its simulated model's fingerprint is" "${bench[@]}" --machine slower.mod
differs c.meas "its --serial is 'no', now it is 'yes'" "${bench[@]}" --serial
works "${bench[@]}" --resume
[ "$(wc -l <stderr)" = 1 ] || fail "not one line: $(cat stderr)"
grep -q "^cpm: note: c.meas: its header does not say: sizes, collectives; cannot tell whether" stderr ||
    fail "the second time: $(cat stderr)"
grep -q "^# not_compared_2: sizes, collectives$" c.meas || fail "not in the header: $(grep '^#' c.meas)"

# ---- model and measure

model=("$cpm" model "${play[@]}" --no-thresholds -o m.mod)
works "${model[@]}" -M lmo
differs m.meas "its simulated machine is '.* seed 1', now it is '.* seed 7'" "${model[@]}" -M lmo --seed 7
differs m.meas "its simulated model's fingerprint is" "${model[@]}" -M lmo --machine slower.mod
differs m.meas "its design is 'lmo, joint, no thresholds', now it is 'hockney, regression, no thresholds'" "${model[@]}" -M hockney
differs m.meas "its design is 'lmo, joint, .*', now it is 'lmo, thesis, " "${model[@]}" -M lmo --estimator thesis
differs m.meas "its sizes are 'usual', now they are '1024', without usual" "${model[@]}" -M lmo -m 1K
differs m.meas "its design is 'lmo, joint, no thresholds', now it is 'lmo, joint, classes, " "${model[@]}" -M lmo --classes auto
works "$cpm" measure "${play[@]}" -M hockney -m 1K,8K -o h.meas
works "$cpm" measure "${play[@]}" -M hockney -m 1K,8K,16K -o h.meas --resume
differs h.meas "its sizes are '1024 8192 16384', now they are '1024'" "$cpm" measure "${play[@]}" -M hockney -m 1K -o h.meas
works "$cpm" measure "${play[@]}" -M plogp --no-thresholds --max-reps 5 -m 8K -o p.meas
differs p.meas "its --gap is 'roundtrips', now it is 'saturation'" \
    "$cpm" measure "${play[@]}" -M plogp --no-thresholds --max-reps 5 -m 8K --gap saturation -o p.meas
printf '0-1 a\n2-3 b\n' >two.classes
printf '0-2 a\n3 b\n' >other.classes
works "$cpm" measure "${play[@]}" -M lmo --no-thresholds --classes two.classes -o k.meas
differs k.meas "its --classes is '0-1 a 2-3 b', now it is '0-2 a 3-3 b'" \
    "$cpm" measure "${play[@]}" -M lmo --no-thresholds --classes other.classes -o k.meas

# Thresholds may be added: a larger design of the same; not taken away.
if command -v R >/dev/null; then
    works "$cpm" measure "${play[@]}" -M lmo --max-reps 10 --resume -o t.meas
    differs t.meas "its design is 'lmo, joint', now it is 'lmo, joint, no thresholds'" \
        "$cpm" measure "${play[@]}" -M lmo --max-reps 10 --no-thresholds -o t.meas
    works "$cpm" measure "${play[@]}" -M lmo --max-reps 10 --no-thresholds -o t.meas
    works "$cpm" measure "${play[@]}" -M lmo --max-reps 10 --resume -o t.meas
    grep -q '^# design: lmo, joint$' t.meas || fail "design: $(grep '^#' t.meas)"
    # shellcheck disable=SC2086 # an option or none
    works "$cpm" fit $sanitized t.meas -o t.mod
    [ "$(grep -c '^# command' t.meas)" = 2 ] && grep -q '"command_2": ' t.mod || fail "commands: $(cat t.mod)"
fi

# ---- bench p2p, validate, tune --measure

works "$cpm" bench p2p "${play[@]}" -m 1K,4K -o q.meas
differs q.meas "its simulated machine is" "$cpm" bench p2p "${play[@]}" --seed 4 -m 1K,4K -o q.meas
differs q.meas "its sizes are '1024 4096', now they are '4096'" "$cpm" bench p2p "${play[@]}" -m 4K -o q.meas
works "$cpm" bench p2p "${play[@]}" -m 1K,2K,4K -o q.meas --resume

validate=("$cpm" validate "${play[@]}" m.mod bcast:linear --meas v.meas)
works "${validate[@]}" -m 1K
differs v.meas "its root is '0', now it is '3'" "${validate[@]}" -m 1K --root 3
differs v.meas "its simulated machine is" "${validate[@]}" -m 1K --noise 0
works "${validate[@]}" -m 1K,2K --resume

tune=("$cpm" tune --measure "${play[@]}" bcast:linear,bcast:chain --max-reps 8 -o u.json)
works "${tune[@]}" -m 1K
rm u.json
differs u.meas "its simulated machine is" "${tune[@]}" -m 1K --seed 9
differs u.meas "its root is '0', now it is '1'" "${tune[@]}" -m 1K --root 1
differs u.meas "its sizes are '1024', now they are '4096'" "${tune[@]}" -m 4K
[ ! -e u.json ] || fail "a table of nothing"
works "${tune[@]}" -m 1K,4K --resume

# ---- links inside the network are those of the topology that it was measured with

links=("$cpm" model "${play[@]}" --min-reps 5 --max-reps 5 --no-thresholds -m 1K,64K)
works "${links[@]}" --topology 'torus 2x2' -o shape.mod
works "${links[@]}" -o plain.mod
differs shape.meas "its links are 'node0 .*', now they are '" "${links[@]}" --topology 'torus 4' -o shape.mod
differs shape.meas 'it was measured with a topology, and now there is none' "${links[@]}" -o shape.mod
differs plain.meas 'it was measured without a topology, and now there is one' "${links[@]}" --topology 'torus 2x2' -o plain.mod
sed -i '/^# duration/d; s/^# check: .*/# check: gather/' shape.meas
if grep -q '^# check: gather$' shape.meas; then
    code=1 differs shape.meas "the header's check is wrong: .* found 'gather'" "${links[@]}" --topology 'torus 2x2' -o shape.mod
else
    fail "no check in $(grep '^#' shape.meas)"
fi

# ---- over MPI, on all ranks

mpi=("${mpiexec[@]}" 2 "$cpm" bench p2p --max-reps 5 --quiet -o r.meas)
works "${mpi[@]}" -m 1K --noise 0.1
for other in "-m 1K" "-m 1K --noise 0.1 --seed 2" "-m 4K --noise 0.1"; do
    cp r.meas before
    # shellcheck disable=SC2086 # words
    "${mpi[@]}" $other --resume >stdout 2>stderr && fail "exit code 0: $other"
    [ "$(grep -c "^cpm bench p2p: r.meas: cannot resume: its .*, now " stderr)" = 1 ] || fail "$other: $(cat stderr)"
    cmp before r.meas || fail "touched: $other"
done
works "${mpi[@]}" -m 1K,2K --noise 0.1 --resume
finish
