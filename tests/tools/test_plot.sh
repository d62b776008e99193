#!/usr/bin/env bash
# Plots of every kind of file, in every format.
. "$(dirname "$0")/lib.sh"
command -v gnuplot >/dev/null || { echo "skipped: no gnuplot"; exit 77; }

"$cpm" validate --machine lmo4.mod lmo4.mod -m 1K,4K --noise 0.1 --quiet -o validation.tsv >/dev/null
"$cpm" bench coll --machine lmo4.mod scatter -m 0:64K:2K --noise 0.1 --quiet -o sweep.meas >/dev/null
"$cpm" bench p2p --machine lmo4.mod -m 1K --noise 0.1 --quiet -o p2p.meas >/dev/null

formats=(png pdf svg)
[ -z "${CPM_TEST_QUICK:-}" ] || formats=(svg)
for file in lmo4.mod hockney3.mod validation.tsv sweep.meas p2p.meas; do
    for format in "${formats[@]}"; do
        works "$cpm" plot $file -o plot.$format
        [ "$(cat stdout)" = plot.$format ] || fail "the name of the plot of $file"
        [ ! -s stderr ] || fail "plot of $file: $(cat stderr)"
        drawn plot.$format 4000
        rm plot.$format
    done
done

# What was varied is the axis: sizes, or the algorithms of one size, or the senders; the algorithms of an
# operation are in one panel.
labels() { "$cpm" plot "$1" -o labels.svg >/dev/null; sed -n 's/.*<text>\(.*\)<.text>.*/\1/p' labels.svg; }
has_label() { labels "$1" | grep -qx "$2" || fail "$1 shows no '$2'"; }
"$cpm" bench coll --machine lmo4.mod scatter,gather:linear -m 1K --quiet -o single.meas >/dev/null 2>&1
for label in 'size \[bytes\]' linear scatter binomial; do has_label sweep.meas "$label"; done
has_label p2p.meas sender
has_label single.meas gather:linear
has_label single.meas binomial
# Sizes have the same units on all axes, and regimes of sizes are steps.
has_label sweep.meas 32K
regimes=$here/../../examples/models/multicore8x4.mod
for label in 'message size \[bytes\]' 64K node3; do has_label "$regimes" "$label"; done
has_label "$here/../../examples/models/gigabit16.mod" 1420 # where a regime begins, between the ticks
[ "$(labels sweep.meas | grep -cx scatter)" = 1 ] || fail "more than one panel of scatter"

# That a parameter is 0 everywhere is no reason to complain.
works "$cpm" plot sockets8.mod -o labels.svg
[ ! -s stderr ] || fail "zeros: $(cat stderr)"

# Nor is that a parameter has a round value everywhere, or none in a regime.
sed '/"Cs": {/,/}/ s/\[[0-9][0-9.e, -]*\]/[2e-6, 2e-6]/' "$here/../../examples/models/gigabit16.mod" >round.mod
[ "$(grep -c '\[2e-6, 2e-6\]' round.mod)" -gt 1 ] || fail "no round values"
works "$cpm" plot round.mod -o labels.svg
[ ! -s stderr ] || fail "round values: $(cat stderr)"

# A name of a host is no format of numbers.
sed 's/"north"/"fe80::1%eth0"/g; s/"south"/"%s%n"/g' hosts4.mod >percent.mod
for label in 'fe80::1%eth0' '%s%n'; do has_label percent.mod "$label"; done
works "$cpm" draw bcast:binomial --model percent.mod -m 1K -o labels.svg
grep -q '%s%n: 2' labels.svg || fail "a name is a format in a time line"

mkdir plots
cp p2p.meas lmo4.meas
works "$cpm" plot lmo4.mod validation.tsv lmo4.meas -o plots
drawn plots/lmo4-meas.png 4000
drawn plots/lmo4.png 4000
drawn plots/validation.png 4000
works "$cpm" plot lmo4.mod
drawn lmo4.png 4000
refused 2 'not a folder' "$cpm" plot lmo4.mod validation.tsv -o one.png

# Names of files are names of files, whatever gnuplot, a shell or an option parser would make of them.
"$cpm" bench coll --machine lmo4.mod scatter:linear,scatter:binomial -m 1K,4K --quiet -o c.meas >/dev/null
"$cpm" compare lmo4.mod hockney3.mod c.meas -o c.tsv >/dev/null 2>&1 ||
    "$cpm" compare lmo4.mod c.meas -o c.tsv >/dev/null
names=("'; system \"touch ran\"" - '<touch ran;cat v' '|touch ran;' '$data')
[ -z "${CPM_TEST_QUICK:-}" ] || names=("${names[0]}")
for name in "${names[@]}"; do
    for file in lmo4.mod validation.tsv c.tsv p2p.meas; do
        cp -- $file "./$name.${file#*.}"
        works "$cpm" plot "$work/$name.${file#*.}" -o "$name.svg"
        drawn "./$name.svg" 4000
        [ "$name" = - ] || works "$cpm" plot "$name.${file#*.}"
        rm -f -- "./$name".*
    done
    works "$cpm" draw scatter:binomial --model lmo4.mod -m 1K -o "$name.png"
    works "$cpm" draw scatter:binomial -n 4 -o "$name.svg"
    rm -f -- "./$name".*
    [ ! -e ran ] || fail "$name: a command was run"
    rm -f ran
done

# Nor is the folder for temporary files anything but a folder.
hostile="it's; touch ran; '\"\`touch ran\`"
mkdir "$hostile"
for command in 'plot lmo4.mod' 'draw scatter:binomial -n 4 -o few.svg'; do
    # shellcheck disable=SC2086 # words
    TMPDIR="$work/$hostile" works "$cpm" $command
    [ ! -s stderr ] || fail "$command: $(cat stderr)"
done
TMPDIR="$work/$hostile" "$cpm" doctor hockney3.mod -o few.svg >stdout 2>stderr
[ $? = 4 ] && [ ! -s stderr ] || fail "doctor: $(cat stderr)" # 4: too few to compare
[ ! -e ran ] || fail "a folder's name was run"

# Nothing is left in the folder for temporary files, nor a half picture beside an earlier one, also where a
# signal ends the command, or a reader leaves. The plotter that has begun is ended, too.
mkdir temporary pictures bin
TMPDIR=$work/temporary works "$cpm" plot lmo4.mod
[ -z "$(ls temporary)" ] || fail "plot data left behind"
mkfifo begun
exec 9<>begun # a command that never begins to draw must not be waited for
cat >bin/gnuplot <<'END'
#!/bin/sh
for out; do case $out in *.svg) echo half >"$out"; esac; done
echo $$ >begun
exec sleep 1000
END
chmod +x bin/gnuplot
ln bin/gnuplot bin/dot

# interrupted SIGNAL COMMAND...
interrupted() {
    local signal=$1 plotter code earlier='<svg>earlier</svg>'
    shift
    echo "$earlier" >pictures/x.svg
    PATH=$work/bin:$PATH TMPDIR=$work/temporary env --default-signal="$signal" "$cpm" "$@" -o pictures/x.svg \
        >stdout 2>stderr &
    read -t 100 -r plotter <&9 || fail "$*: nothing is drawn: $(cat stderr)"
    kill "-$signal" $!
    wait $! 2>/dev/null
    code=$?
    [ $code = $((128 + $(kill -l "$signal"))) ] || fail "$*: exit code $code after $signal"
    [ -z "$(ls temporary)" ] || fail "$* left $(ls temporary) after $signal"
    [ "$(ls pictures) $(cat pictures/x.svg)" = "x.svg $earlier" ] || fail "$* left $(ls pictures) after $signal"
    ! kill -0 "$plotter" 2>/dev/null || fail "$*: the plotter goes on after $signal"
    rm -rf temporary/*
}
for signal in INT TERM HUP; do interrupted $signal plot lmo4.mod; done
TMPDIR=$work/temporary "$cpm" report lmo4.mod -o - | head -c 1 >one
[ -z "$(ls temporary)" ] || fail "a report whose reader leaves left $(ls temporary)"
interrupted TERM doctor lmo4.mod
interrupted TERM draw bcast:binomial
interrupted TERM draw bcast:binomial --model lmo4.mod -m 1K
finish
