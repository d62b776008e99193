#!/usr/bin/env bash
# doc/new-algorithm.md, followed to the letter in a copy of the tree: its file, its row, and then every test of
# the folder, of what is offered to try, and of what the command prints about small models.
# usage: test_new_algorithm.sh SOURCE_DIR MPI_C_COMPILER MPIEXEC
set -eu
source=$(readlink -f "$1") mpicc=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -C "$work" -xf -
cd "$work"
page=doc/new-algorithm.md

# The page's file, and its row behind the last one of the operation.
file=$(grep -o '^`collectives/algorithms/[a-z_]*\.c`' $page | head -n 1 | tr -d '`')
row=$(grep '^ROW(' $page)
operation=$(sed 's/^ROW("\([a-z_]*\)".*/\1/' <<<"$row")
[ -n "$file" ] && [ ! -e "$file" ] && [ "$(wc -l <<<"$row")" = 1 ]
awk '/^```c$/ {n++; inside = n == 1; next} /^```/ {inside = 0} inside' $page >"$file"
rows=collectives/algorithms/rows.def
last=$(grep -n "^ROW(\"$operation\"" $rows | tail -n 1 | cut -d: -f1)
while ! sed -n "${last}p" $rows | grep -q ')$'; do last=$((last + 1)); done
sed -i "${last}r /dev/stdin" $rows <<<"$row"

export CCACHE_BASEDIR=$work # a compiler cache knows the other files from the build that is tested
cmake --preset default -DMPI_C_COMPILER="$mpicc" -DMPIEXEC_EXECUTABLE="$mpiexec" >configured 2>&1 ||
    { cat configured; exit 1; }
build=build/default
cmake --build $build -j "$(nproc)" --target test_collectives test_adapt cpm_command >built 2>&1 ||
    { tail -n 30 built; exit 1; }
$build/cpm algorithms "$operation" | grep -q "$(cut -d'"' -f4 <<<"$row")" || { echo "FAILED: the row is not listed"; exit 1; }
tests=$($build/tests/test_collectives | paste -sd'|')
ctest --test-dir $build -R "^($tests|test_offer|test_golden)\$" --output-on-failure -j "$(nproc)"
