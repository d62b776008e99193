#!/usr/bin/env bash
# Times of other blocks, another map or another topology are times of another thing.
. "$(dirname "$0")/lib.sh"

blocks=(--blocks 1K,64K,2K,2K)
works "$cpm" bench coll --machine lmo4.mod scatterv:linear,gatherv:binomial "${blocks[@]}" -m 1K,16K \
    --quiet -o blocks.meas
works "$cpm" map lmo4.mod scatter:binomial -m 16K -o scatter.map
works "$cpm" bench coll --machine lmo4.mod scatter:binomial --map scatter.map -m 16K --quiet -o map.meas
works "$cpm" bench coll --machine lmo4.mod scatter:binomial -m 16K --quiet -o plain.meas
grep -q '^# placement: blocks=[0-9a-f]\{12\}$' blocks.meas || fail "blocks: $(head -20 blocks.meas)"
grep -q '^# placement: map=[0-9a-f]\{12\}$' map.meas || fail "map: $(head -20 map.meas)"
grep -q '^# placement: plain$' plain.meas || fail "plain: $(head -20 plain.meas)"

# exact MODEL ARGUMENT...: the model that played the machine has no error.
exact() {
    works "$cpm" compare "$@" --format tsv
    awk -F'\t' 'NR > 1 && $1 !~ /^#/ && $1 !~ /homogeneous/ && $9 + 0 == $9 && ($9 > 1e-6 || $9 < -1e-6) {
        print; bad = 1 } END { exit bad }' stdout || fail "$*: $(cat stdout)"
}
exact lmo4.mod blocks.meas "${blocks[@]}"
exact lmo4.mod map.meas --map scatter.map
exact lmo4.mod plain.meas
works "$cpm" validate lmo4.mod --machine lmo4.mod scatterv:linear "${blocks[@]}" -m 16K --quiet
grep -Eq '^scatterv:linear +16384 .* [+-]0\.0 %' stdout || fail "validate: $(cat stdout)"

refused 2 "blocks.meas: its collectives were measured with the placement 'blocks=.*', and here it is 'plain'" \
    "$cpm" compare lmo4.mod blocks.meas
refused 2 "'blocks=.*', and here it is 'blocks=.*'" "$cpm" compare lmo4.mod blocks.meas --blocks 4,3,2,1
refused 2 "map.meas: .*'map=.*', and here it is 'plain'" "$cpm" compare lmo4.mod map.meas
refused 2 "plain.meas: .*'plain', and here it is 'map=" \
    "$cpm" compare lmo4.mod plain.meas --map scatter.map
refused 2 "map.meas: .*'plain'" "$cpm" fit map.meas --model interp -o interp.mod
[ ! -e interp.mod ] || fail "a model was written"

again=("$cpm" bench coll --machine lmo4.mod scatterv:linear -m 1K,16K,32K --quiet --resume -o blocks.meas)
refused 2 "cannot resume: its placement is 'blocks=.*', now it is 'plain'" "${again[@]}"
refused 2 "cannot resume: its placement is 'blocks=.*', now it is 'blocks=" "${again[@]}" --blocks 1,2,3,4
works "${again[@]}" "${blocks[@]}"
exact lmo4.mod blocks.meas "${blocks[@]}"

# Files of before do not say it, but which command made them.
sed '/^# placement: /d' plain.meas >old.meas
exact lmo4.mod old.meas
sed '/^# placement: /d' blocks.meas >old.meas
refused 2 "old.meas: does not say with which --map, --blocks, --topology and --layout" \
    "$cpm" compare lmo4.mod old.meas "${blocks[@]}"
line=$(sed -n "s/.*add the line '\(# placement: [^']*\)'.*/\1/p" stderr)
sed "1a$line" old.meas >said.meas
exact lmo4.mod said.meas "${blocks[@]}"
cp old.meas blocks.meas
refused 2 "cannot resume: it does not say" "${again[@]}" "${blocks[@]}"
finish
