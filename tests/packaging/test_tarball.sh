#!/usr/bin/env bash
# usage: test_tarball.sh SOURCE BUILD MPICC
# What cpack makes of the sources holds every tracked file and nothing else, also where the sources lie
# below a folder called build and their path has letters that patterns read otherwise.
source=$1 build=$2 mpicc=$3
git -C "$source" rev-parse 2>/dev/null || { echo "skipped: not a git repository"; exit 77; }
here=$(mktemp -d "$build/tests/tarball.XXXXXX") || exit
trap 'rm -rf "$here"' EXIT
copy="$here/build/c++ (copy)"
mkdir -p "$copy/build" "$copy/quickstart-output" &&
    git -C "$source" ls-files -z | tar -C "$source" -c --null -T - | tar -C "$copy" -x &&
    touch "$copy/quickstart-output/left-out" &&
    cmake -S "$copy" -B "$copy/build/tried" -DCPM_TESTS=OFF "-DMPI_C_COMPILER=$mpicc" >"$here/log" &&
    cpack --config "$copy/build/tried/CPackSourceConfig.cmake" -B "$here" >>"$here/log" || { cat "$here/log"; exit 1; }
diff <(git -C "$source" ls-files | grep -v '^\.git' | sort) \
    <(tar -tf "$here"/cpm-*.tar.gz | grep -v '/$' | sed 's,^[^/]*/,,' | sort)
