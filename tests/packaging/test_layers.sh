#!/usr/bin/env bash
# A folder includes its own headers and those of the folders below it; applications include two. The
# guard of a header is its path.
# usage: test_layers.sh SOURCE_DIR BUILD_DIR
set -u
export LC_ALL=C
source=$(readlink -f "$1") build=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# An arrow goes from a folder to those directly below it.
declare -A below=([base]="" [collectives]="base" [measurements]="collectives" [models]="measurements"
    [estimators]="models" [diagnose]="estimators" [mapping]="models" [selection]="mapping"
    [tables]="selection" [adapt]="tables" [history]="tables" [libraries]="tables"
    [executor]="collectives" [hosts]="executor" [mpib]="measurements hosts"
    [cpm]="tables estimators mpib" [tuned]="cpm adapt history libraries" [tuned/comm]="tuned"
    [tuned/adapt]="tuned/comm" [tuned/report]="tuned/adapt" [tuned/call]="tuned/report" [tuned/preload]="tuned/call"
    [tools]="cpm diagnose adapt history libraries")

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# All that a folder may include.
reach() {
    local folder
    echo "$1"
    for folder in ${below[$1]}; do reach "$folder"; done
}

# Every include of a header of this tree: FILE:LINE:HEADER
includes() {
    grep -rnE --include='*.[ch]' --include='*.cpp' --include='*.def' '^ *# *include' "$1" |
        sed -nE 's/^([^:]*:[0-9]+): *# *include *["<]([^">]*)[">].*/\1:\2/p'
}

# Sets folder: that of a file as the graph has it, with those inside it where it has arrows of its own.
find_folder() {
    folder=${1%/*}
    [[ -n ${below[$folder]+known} ]] || folder=${1%%/*}
}

# check_folder FOLDER: of the current directory
check_folder() {
    local allowed file line header folder
    allowed=" $(reach "$1" | sort -u | xargs) "
    while IFS=: read -r file line header; do
        find_folder "$file"
        [[ $folder == "$1" ]] || continue
        find_folder "$header"
        [[ $header == ../* ]] && echo "$file:$line: includes $header: begin with the folder"
        [[ -n ${below[$folder]+known} && $allowed != *" $folder "* ]] &&
            echo "$file:$line: $1/ may not include $header, only$allowed"
    done < <(includes "$1")
}

# What applications see.
check_examples() {
    local file line header
    while IFS=: read -r file line header; do
        local to=${header%%/*}
        [[ $header == ../* || -n ${below[$to]+known} ]] || continue
        [[ $header == cpm/cpm.h || $header == cpm/cpm_mpi.h ]] ||
            echo "$file:$line: examples include cpm/cpm.h and cpm/cpm_mpi.h only, not $header"
    done < <(includes examples)
}

# The command is built without MPI, too: of it only tools/mpi/ knows MPI.
check_command() {
    local file line header
    while IFS=: read -r file line header; do
        case $header in
        mpi.h | mpib/* | executor/* | tuned/*)
            [[ $file == tools/mpi/* ]] || echo "$file:$line: only tools/mpi/ may include $header" ;;
        esac
    done < <(includes tools)
}

check_tree() {
    local folder
    for folder in "${!below[@]}"; do check_folder "$folder"; done
    check_examples
    check_command
}

# The guard of a header is its path: FILE: what is wrong. Applications know those of cpm/.
check_guards() {
    grep -rm2 --include='*.h' --exclude-dir=cpm -E '^#(ifndef|define) ' "${!below[@]}" | awk -F: '
        { want = toupper($1); gsub(/[^A-Z0-9]/, "_", want); sub(/^#[a-z]* /, "", $2) }
        $2 != "CPM_" want { print $1 ": its guard is " $2 ": name it CPM_" want }'
    grep -rL --include='*.h' --exclude-dir=cpm -E '^#ifndef ' "${!below[@]}" | sed 's/$/: has no guard/'
}

cd "$source" || exit 1
while read -r wrong; do fail "$wrong"; done < <(check_guards)
while read -r wrong; do fail "$wrong"; done < <(check_tree)
for header in cpm/*.h; do
    [[ $header == cpm/cpm.h || $header == cpm/cpm_mpi.h ]] || fail "$header is not for applications"
done
[ "$(cd "$build/include" && find . -type f | sort | xargs)" = "./cpm/cpm.h ./cpm/cpm_mpi.h" ] ||
    fail "there are other headers than those two in $build/include"
while IFS=: read -r file line header; do
    case $header in
    */*) [ "$header" = cpm/cpm.h ] || fail "$file:$line: $header is not installed" ;;
    esac
done < <(includes "$build/include")
c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only "$build/include/cpm/cpm.h" -x c++ 2>"$work/errors" ||
    fail "cpm.h in C++: $(cat "$work/errors")"
cc -std=c99 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only -x c "$build/include/cpm/cpm.h" 2>"$work/errors" ||
    fail "cpm.h in C99: $(cat "$work/errors")"

# The check itself: each of these has to be found.
mkdir -p "$work/tree"/tuned/{comm,adapt,report,call,preload}
mkdir -p "$work/tree"/{examples,base,collectives,measurements,models,estimators,diagnose,mapping,selection,tables,libraries,history,adapt,executor,hosts,mpib,cpm,tuned,tools}
cd "$work/tree" || exit 1
echo '#include "cpm/cpm.h"' >models/back.c
printf '/* */\n#include "tables/decision_table.h"\n' >estimators/across.h
echo '#include "models/model.h"' >mpib/across.c
echo '#include "../base/error.h"' >tools/up.c
echo '#include <base/error.h>' >examples/private.c
echo '#include "tuned/adapt/adapt.h"' >tuned/comm/up.c
mkdir tools/{measure,mpi}
echo '#include <mpi.h>' | tee tools/measure/mpi.c >tools/mpi/right.c
printf '#include "models/model.h"\n#include <cpm/cpm_mpi.h>\n' >tuned/right.c
printf '#include "tuned/comm/state.h"\n#include "adapt/adapt.h"\n' >tuned/adapt/right.c
check_tree >"$work/found"
for wrong in models/back.c:1 estimators/across.h:2 mpib/across.c:1 tools/up.c:1 examples/private.c:1 tuned/comm/up.c:1 tools/measure/mpi.c:1; do
    grep -q "^$wrong: " "$work/found" || fail "an include that is wrong, $wrong, is not found"
done
[ "$(wc -l <"$work/found")" = 7 ] || fail "right includes are refused: $(cat "$work/found")"

printf '#ifndef CPM_BASE_RIGHT_H\n#define CPM_BASE_RIGHT_H\n#endif\n' >base/right.h
printf '#ifndef CPM_MODELS_MOVED_H\n#define CPM_MODELS_MOVED_H\n#endif\n' >base/moved.h
[ "$(check_guards | cut -d: -f1 | sort -u | xargs)" = "base/moved.h estimators/across.h" ] ||
    fail "guards: $(check_guards)"

[ "$failures" = 0 ] && echo "includes form the graph"
exit "$((failures > 0))"
