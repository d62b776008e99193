#!/usr/bin/env bash
# A disk that is full, or breaks, at any moment: each call that writes fails in turn, and files may
# grow to so many bytes only. Every command says so in one line and ends with an exit code; the file
# is the old one or the whole new one, and of measurements what was written before is kept.
# Every CPM_TEST_LENGTH (default 1) tenth of the moments is tried.
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || { echo "skipped: no strace, which lets system calls fail"; exit 77; }
! ldd "$cpm" | grep -q libasan || { echo "skipped: sanitizers do not run under strace"; exit 77; }

"$cpm" measure -M lmo --machine lmo4.mod --no-thresholds --quiet -o in.meas
"$cpm" bench coll --machine lmo4.mod bcast:linear,bcast:binomial -m 1K,4K --quiet -o coll.meas >/dev/null
# What outputs replace: of the same kind, and other than what is written anew.
"$cpm" validate --machine lmo4.mod --quiet lmo4.mod bcast -m 4K -o old.tsv >/dev/null
"$cpm" compare lmo4.mod coll.meas -o compared.tsv >/dev/null
"$cpm" export --openmpi table.json -o old.conf 2>/dev/null
"$cpm" export --simgrid lmo4.mod -o old.xml 2>/dev/null
"$cpm" export --goal bcast:linear -n 4 -o old.goal 2>/dev/null
"$cpm" map lmo4.mod bcast:binomial -m 4K -o old.map >/dev/null
"$cpm" draw bcast:linear -n 4 -o old.dot
"$cpm" manual -o old.1
for file in compared.tsv old.conf old.xml old.1; do echo '# older' >>$file; done
grep -v '^# duration' in.meas | head -n -5 >stopped.meas
inputs=$work/inputs
mkdir "$inputs" && mv ./* "$inputs" 2>/dev/null

# What is the same whenever it is written: models have a date and a checksum of their measurements.
# Rows of measurements that were resumed may come in other rounds.
timeless() {
    case $1 in
    *.meas) grep -v '^#' "$1" | awk '{ $8 = ""; print }' | sort ;;
    *) grep -Ev '"(date|measured)": |sha256|checksum' "$1" ;;
    esac
}

# begin OUTPUT OLD: a new folder with the inputs, OLD as an older output, and room for temporary files.
begin() {
    cd "$work" && rm -rf try && mkdir -p try/temporary && cd try || exit 1
    cp "$inputs"/* .
    [ "$2" = none ] || cp "$inputs/$2" "$1"
    export TMPDIR=$work/try/temporary
}

# Nothing but inputs, the outputs and kept measurements lies around.
expect_no_litter() {
    local name
    rmdir temporary || fail "$what: left $(ls temporary)"
    for name in *; do
        [[ -e $inputs/$name || $name = "$output" || $name = "${output%.*}.meas" || $name = *.meas.~?~ || $name = *.mod.~?~ ]] ||
            fail "$what: left $name"
    done
}

# The earlier measurements are there, and --resume completes the new ones. It refuses what was cut
# before anything was measured.
expect_measurements() {
    local meas=$1
    shift
    [ "$old" = stopped.meas ] || cmp -s "$meas" "$inputs/$old" || cmp -s "$meas.~1~" "$inputs/$old" ||
        fail "$what: the earlier measurements are lost"
    if [ "$old" != stopped.meas ] && cmp -s "$meas" "$inputs/$old"; then return; fi
    if ! grep -Eq '^[^ #]+ [0-9]+ -?[0-9]+ ' "$meas" && ! "$@" --resume >stdout 2>stderr; then
        [ "$(grep -c "^cpm.*$meas" stderr)" = 1 ] || fail "$what: --resume: $(cat stderr)"
        return
    fi
    works "$@" --resume
    timeless "$meas" | cmp -s - "$work/expected" || fail "$what: --resume makes something else"
}

expect_output() {
    case $output in
    none) ;;
    *.png) ;; # the plotter's
    *.meas) expect_measurements "$output" "$@" ;;
    *) cmp -s "$output" "$inputs/$old" || timeless "$output" | cmp -s - "$work/expected" ||
        fail "$what: $output is neither the old nor the new one" ;;
    esac
}

# judge CODE COMMAND...: what a command has left whose call failed, or did not.
judge() {
    local code=$1
    shift
    if [ "$code" = 0 ] || [ "$code" = 4 ]; then # 4: the doctor cannot tell
        [ "$output" = none ] || [[ $output = *.png ]] || timeless "$output" | cmp -s - "$work/expected" ||
            fail "$what: exit code 0, but $output is not written"
    else
        [ "$code" = 1 ] || fail "$what: exit code $code"
        [ "$(grep '^cpm' said | grep -vc '^cpm: note: the earlier ')" = 1 ] || fail "$what: not one line: $(cat said)"
        expect_output "$@"
    fi
    rm -f said trace stdout stderr
    expect_no_litter
}

# The K-th CALL fails. A line that cannot be said is not missed, nor what does not even begin.
failing_call() {
    local call=$1 k=$2 code
    shift 2
    begin "$output" "$old"
    strace -qq -o trace -e trace="$call" -e inject="$call:error=ENOSPC:when=$k" "$@" >stdout 2>said
    code=$?
    what="$call $k fails: ${*:2}"
    grep -q INJECTED trace || fail "$what: it did not"
    ! grep -q 'error while loading shared libraries' said || return
    moments=$((moments + 1))
    ! grep -q '^write(2,.*INJECTED' trace || echo cpm >said
    judge "$code" "$@"
}

# Files may have so many bytes; what is said goes through a pipe, which may have more.
no_room() {
    local bytes=$1
    shift
    begin "$output" "$old"
    (
        trap '' XFSZ # write fails instead
        prlimit --fsize="$bytes" "$@" >/dev/null
        echo "exit code $?" >&2
    ) 2>&1 | cat >said
    what="files of at most $bytes bytes: ${*:2}"
    moments=$((moments + 1))
    judge "$(sed -n 's/^exit code //p' said)" "$@"
}

# is_tried K N: the first, the last, and every so many of the others.
is_tried() { [ "$1" -le 2 ] || [ "$1" -gt $(($2 - 3)) ] || [ $(($1 % step)) = 0 ]; }

calls=(write fsync fdatasync link rename renameat2 ftruncate close)
each_call_fails() {
    local call k n
    begin "$output" "$old"
    strace -qq -o "$work/all" -e trace="$(IFS=, && echo "${calls[*]}")" "$@" >stdout 2>stderr ||
        [ $? = 4 ] || fail "$*: $(cat stderr)"
    for call in "${calls[@]}"; do
        n=$(grep -c "^$call(" "$work/all")
        for ((k = 1; k <= n; k++)); do
            ! is_tried $k "$n" || failing_call "$call" "$k" "$@"
        done
    done
}

# breaks_anywhere OUTPUT OLD COMMAND...: OLD is the input that lies where the output goes.
breaks_anywhere() {
    output=$1 old=$2 moments=0
    shift 2
    local bytes size
    begin "$output" "$old"
    "$@" >stdout 2>stderr || [ $? = 4 ] || fail "$*: $(cat stderr)" # 4: the doctor cannot tell
    size=$(stat -c %s "$output" 2>/dev/null)
    if [[ $output = none || $output = *.png ]]; then size=0; else timeless "$output" >"$work/expected"; fi
    each_call_fails "$@"
    for ((bytes = 0; bytes < size; bytes += 1 + step * size / 100)); do no_room "$bytes" "$@"; done
    [ "$moments" -gt 0 ] || fail "nothing failed: $*"
    total=$((total + moments))
}

step=$((10 / ${CPM_TEST_LENGTH:-1})) total=0
[ "$step" -gt 0 ] || step=1
play=(--machine lmo4.mod --quiet)
breaks_anywhere o.mod hockney3.mod "$cpm" fit --no-thresholds in.meas -o o.mod
breaks_anywhere o.meas in.meas "$cpm" measure "${play[@]}" --no-thresholds -M hockney -o o.meas
breaks_anywhere o.meas in.meas "$cpm" bench p2p "${play[@]}" -m 1K,2K -o o.meas
breaks_anywhere o.meas in.meas "$cpm" bench coll "${play[@]}" bcast -m 1K -o o.meas
breaks_anywhere o.meas stopped.meas "$cpm" measure -M lmo "${play[@]}" --no-thresholds --resume -o o.meas
breaks_anywhere o.mod hockney3.mod "$cpm" model "${play[@]}" --no-thresholds -M hockney -o o.mod
breaks_anywhere o.tsv old.tsv "$cpm" validate "${play[@]}" lmo4.mod bcast -m 1K -o o.tsv
breaks_anywhere o.tsv compared.tsv "$cpm" compare lmo4.mod coll.meas -o o.tsv
breaks_anywhere o.json table.json "$cpm" tune lmo4.mod bcast -m 1K:64K -o o.json
breaks_anywhere o.conf old.conf "$cpm" export --openmpi table.json -o o.conf
breaks_anywhere o.xml old.xml "$cpm" export --simgrid lmo4.mod -o o.xml
breaks_anywhere o.goal old.goal "$cpm" export --goal bcast:binomial -n 40 -m 1K -o o.goal
breaks_anywhere o.map old.map "$cpm" map lmo4.mod bcast:binomial -m 1K -o o.map
breaks_anywhere o.dot old.dot "$cpm" draw bcast:binomial -n 9 -o o.dot
breaks_anywhere o.1 old.1 "$cpm" manual -o o.1
for command in 'show lmo4.mod' 'predict lmo4.mod bcast' 'predict lmo4.mod bcast --format json' \
    'doctor lmo4.mod' 'doctor in.meas' 'diff lmo4.mod lmo4.mod' algorithms \
    'algorithms --format json' 'check bcast' 'tune lmo4.mod bcast' 'export --openmpi table.json' \
    'draw bcast:binomial -n 5' manual; do
    # shellcheck disable=SC2086 # words
    breaks_anywhere none none "$cpm" $command
done
if [ "$step" -lt 10 ] && command -v gnuplot dot >/dev/null; then # slow
    breaks_anywhere o.png none "$cpm" plot lmo4.mod -o o.png
    breaks_anywhere o.png none "$cpm" draw bcast:binomial -n 5 -o o.png
    breaks_anywhere o.png none "$cpm" draw bcast:binomial --model lmo4.mod -o o.png
fi
echo "$total moments"
finish
