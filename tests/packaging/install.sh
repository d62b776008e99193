#!/usr/bin/env bash
# Installs into a fresh prefix and builds and runs the examples from there, as an outside project would:
# with find_package(cpm), and with pkg-config.
# usage: install.sh BUILD_DIR MPI_C_COMPILER MPIEXEC
set -eux
build=$(readlink -f "$1") mpicc=$2 mpiexec=$3
mpicxx=${mpicc/mpicc/mpicxx}
examples=$(readlink -f "$(dirname "$0")/../../examples")
document=$(readlink -f "$(dirname "$0")/../../doc/api.md")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log"

# The installed command, the man page, and nothing in the way of a move of the whole prefix.
mv "$prefix" "$work/moved"
prefix=$work/moved
"$prefix/bin/cpm" --version
bash "$(dirname "$0")/test_runpath.sh" "$prefix"
test -s "$prefix/share/man/man1/cpm.1"
test -n "$(find "$prefix/share/cpm/gnuplot" -name '*.gp')"
for model in gigabit16 multicore8x4 infiniband128; do
    "$prefix/bin/cpm" predict "$prefix/share/cpm/models/$model.mod" bcast:binomial -m 1K | grep bcast:binomial
done
python3 - "$prefix/share/doc/cpm" <<'END'
import pathlib, re, sys

folder = pathlib.Path(sys.argv[1])
pages = sorted(folder.rglob("*.md"))
links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s]+)", page.read_text())]
dead = [f"{page.relative_to(folder)}: {link}" for page, link in links
        if "://" not in link and not (page.parent / link).exists()]
print(len(pages), "pages,", len(links), "links")
sys.exit("dead links: " + ", ".join(dead) if dead or not links else 0)
END
"$mpiexec" -n 3 "$prefix/bin/cpm" model -M lmo --no-thresholds --quiet -o "$work/three.mod"

# Copied, so that nothing of the source tree is found by accident.
cp -r "$examples" "$work/examples"

# Two headers, which need nothing else and nobody to be careful; and one library, not two.
(cd "$prefix/include" && find . -type f) | sort | xargs | grep -x './cpm/cpm.h ./cpm/cpm_mpi.h'
for header in cpm cpm_mpi; do
    echo "#include <cpm/$header.h>" >"$work/alone.c"
    cp "$work/alone.c" "$work/alone.cpp"
    "$mpicc" -std=c99 -Wall -Wextra -Werror -pedantic-errors -fsyntax-only -I"$prefix/include" "$work/alone.c"
    "$mpicxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -DOMPI_SKIP_MPICXX -I"$prefix/include" "$work/alone.cpp"
done
if ldd "$(find "$prefix" -name libmpib.so)" | grep libcpm; then exit 1; fi

find_cpm() { PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name cpm.pc)") pkg-config "$@"; }
library=$(dirname "$(find "$prefix" -name libcpm.so)")
cd "$work"
# shellcheck disable=SC2046 # words
cc -std=c17 -o predict examples/predict.c $(find_cpm --cflags --libs cpm)
LD_LIBRARY_PATH=$library ./predict three.mod 64K | grep '^fastest: '
[ -z "${CPM_TEST_QUICK:-}" ] || exit 0 # the rest compiles what calls the same libraries

cmake -S "$work/examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
cmake --build "$work/build" -j 2
"$work/build/predict" "$work/three.mod" 64K | grep '^fastest: scatter:'
"$work/build/predict" "$(dirname "$0")/../tools/data/hosts4.mod" 64K 2x8 | grep "^fastest: scatter:"
"$work/build/predict_cpp" "$work/three.mod" 64K >"$work/predicted"
grep -x 'C of process 2 on .*: .* s' "$work/predicted"
grep '^fastest: scatterv:' "$work/predicted"
"$mpiexec" -n 3 "$work/build/measure_custom" 4K | grep -c '^ *[0-9]' | grep -x 3

# Collectives by a model that is read, and by one that is estimated.
"$mpiexec" -n 3 "$work/build/tuned" 64K "$work/three.mod" | grep '^model lmo of 3 processes: bcast of 65536 '
"$mpiexec" -n 2 "$work/build/matmul" 40 --budget 60 --repetitions 1 | grep -c '^native \|^model ' | grep -x 2

# Rows in proportion to speeds: 64 * (1, 2, 0.5) / 3.5, the largest remainder gets the last one.
echo 1 2 0.5 >"$work/speeds"
"$mpiexec" -n 3 "$work/build/matmul" 64 "$work/three.mod" --speeds "$work/speeds" --repetitions 2 >"$work/product"
sed -n 's/^# process .*, \([0-9]*\) rows$/\1/p' "$work/product" | xargs | grep -x '18 37 9'
grep -c '^native \|^model ' "$work/product" | grep -x 2
if "$mpiexec" -n 2 "$work/build/matmul" 64 "$work/three.mod" 2>"$work/refused"; then exit 1; fi
grep 'matmul: .*processes' "$work/refused"

# Programs that know nothing of CPM compute the same with what a model chooses.
for by in rows columns columns-bcast; do
    "$mpiexec" -n 3 "$prefix/bin/cpm" run --trust --model "$work/three.mod" -- "$work/build/jacobi" $by 96 100 |
        grep "^$by, 96 unknowns, 3 processes: .* off by [0-9.]*e-1[0-9] after 100\$"
done
"$mpiexec" -n 3 "$prefix/bin/cpm" run --trust --model "$work/three.mod" -- "$work/build/adams" 96 50 |
    grep '^96 equations, 4 stages, 3 processes: .* off by [0-9.]*e-0[7-9] after 50$'

# shellcheck disable=SC2046
c++ -std=c++17 -o predict_cpp examples/predict.cpp $(find_cpm --cflags --libs cpm)
LD_LIBRARY_PATH=$library ./predict_cpp three.mod 64K | grep '^fastest: '
# shellcheck disable=SC2046
"$mpicc" -std=c17 -o measure_custom examples/measure_custom.c $(find_cpm --cflags --libs mpib)
LD_LIBRARY_PATH=$library "$mpiexec" -n 2 ./measure_custom 4K | grep -c '^ *[0-9]' | grep -x 1
# shellcheck disable=SC2046
"$mpicc" -std=c17 -o tuned examples/tuned.c $(find_cpm --cflags --libs mpib)
LD_LIBRARY_PATH=$library "$mpiexec" -n 3 ./tuned 1K three.mod | grep '^the first bcast took '

# The programs of the document. one LANGUAGE: its block of that language that has a main
one() {
    awk -v fence="\`\`\`$1" '$0 == fence { text = ""; inside = 1; next }
        /^```/ { if (inside && text ~ /int main/) { printf "%s", text; exit } inside = 0 }
        inside { text = text $0 "\n" }' "$document"
}
one c >document.c
one cpp >document.cpp
# shellcheck disable=SC2046
c++ -std=c++17 -Wall -Wextra -Werror -o document_cpp document.cpp $(find_cpm --cflags --libs cpm)
LD_LIBRARY_PATH=$library ./document_cpp three.mod | grep '^a pipeline: .* s; bcast:.* s$'
# shellcheck disable=SC2046
"$mpicc" -std=c99 -Wall -Wextra -Werror -o document_c document.c $(find_cpm --cflags --libs mpib)
LD_LIBRARY_PATH=$library CPM_VERBOSE=1 "$mpiexec" -n 3 ./document_c three.mod 2>&1 | grep '^cpm: bcast '
LD_LIBRARY_PATH=$library CPM_VERBOSE=1 "$mpiexec" -n 2 ./document_c 2>&1 | grep 'needs at least 3 processes'
LD_LIBRARY_PATH=$library CPM_VERBOSE=1 "$mpiexec" -n 3 ./document_c >estimated 2>&1
grep '^cpm: bcast ' estimated
