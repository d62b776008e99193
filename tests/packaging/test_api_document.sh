#!/usr/bin/env bash
# The reference of doc/api.md is what the installed headers say.
# CPM_UPDATE_EXPECTED=1 writes it anew. usage: test_api_document.sh SOURCE_DIR BUILD_DIR
set -u
document=$(readlink -f "$1")/doc/api.md include=$(readlink -f "$2")/include/cpm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
begin='<!-- From here on made of the headers by tests/packaging/test_api_document.sh. -->'

# A header as Markdown: a section for each "---- Title ----", without what only the compiler needs.
reference() {
    printf '\n## %s\n' "cpm/$(basename "$1")"
    awk '
    function open_code() { if (!code) print "\n```c"; code = 1 }
    function close_code() { if (code) print "```"; code = 0; blank = 0 }
    /^#if defined/ { skip = 1 }
    skip { skip = !/^#endif/; next }
    /^#ifndef CPM_H$/ || /^#ifndef CPM_MPI_H$/ { head = 1; next } # up to the first section
    /^#(if|ifndef|ifdef|endif|include)/ || /^#define CPM_[A-Z_]*H$/ || /^#undef/ { next }
    /^extern "C"/ || /^}$/ || /clang-format/ { next }
    /^\/\* ---- .* ---- \*\/$/ { close_code(); head = 0; gsub(/^\/\* ---- | ---- \*\/$/, ""); print "\n### " $0; next }
    head { next }
    /^$/ { blank = 1; next }
    {
        if (sub(/^CPM_API /, "")) prototype = 1
        else if (prototype) sub(/^        /, "")
        if (/;$/) prototype = 0
        if (blank && code) print ""
        blank = 0
        open_code()
        print
    }
    END { close_code() }' "$1"
}

grep -qFx "$begin" "$document" || { echo "FAILED: doc/api.md lacks the line '$begin'" && exit 1; }
sed "\|^$begin\$|q" "$document" >"$work/api.md"
{
    reference "$include/cpm.h"
    reference "$include/cpm_mpi.h"
} >>"$work/api.md"
[ -z "${CPM_UPDATE_EXPECTED:-}" ] || cp "$work/api.md" "$document"
diff -u "$document" "$work/api.md" || { echo "FAILED: doc/api.md is not what the headers say" && exit 1; }
while read -r name; do
    grep -q "^[a-z].*\b$name(" "$work/api.md" || { echo "FAILED: doc/api.md lacks $name" && exit 1; }
done < <(sed 's/^? //;/^#/d' "$(dirname "$0")"/exports-cpm.txt "$(dirname "$0")"/exports-mpib.txt)
echo "doc/api.md is what the headers say"
