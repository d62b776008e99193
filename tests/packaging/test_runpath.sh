#!/usr/bin/env bash
# Nothing that is built looks for libraries where somebody else may put them: every element of a run
# path is absolute or begins with $ORIGIN. An empty one stands for the current directory.
# usage: test_runpath.sh FOLDER...
set -u
export LC_ALL=C
files=0 failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Elements of a run path, each on a line of its own, the empty ones too.
elements() { readelf -d "$1" 2>/dev/null | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]$/\2/p' | tr ':' '\n'; }

check() {
    local element
    while IFS= read -r element; do
        [[ $element == /* || $element == '$ORIGIN' || $element == '$ORIGIN/'* ]] ||
            fail "$1: '$element' in its run path"
    done < <(elements "$1")
}

while IFS= read -r -d '' file; do
    [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] || continue
    files=$((files + 1))
    check "$file"
done < <(find "$@" -type f \( -perm -u+x -o -name '*.so*' \) -print0)
[ "$files" -ge 5 ] || fail "only $files programs and libraries below $*"
echo "$files files, $failures failures"
[ "$failures" = 0 ]
