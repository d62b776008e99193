#!/usr/bin/env bash
# Pages for users: commands that they name have the options that they are given, and links lead somewhere.
# usage: test_documents.sh SOURCE_DIR CPM
set -u
cpm=$(readlink -f "$2")
cd "$1" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Commands between back quotes, and those that are indented, one a line: cpm COMMAND ...
commands() {
    { grep -oE '`[^`]*`' "$1" | tr -d '`'; grep -E '^    ' "$1"; } | grep -oE '\bcpm [a-z].*'
}

# The name of a command's help: two words of bench; what stands behind -- is a program's.
check_command() {
    local page=$1 words=${2%% -- *} name option
    read -r -a name <<<"$words"
    [ "${name[1]}" != bench ] || name[1]="bench_${name[2]:-coll}"
    [ -e "$work/${name[1]}" ] || "$cpm" ${name[1]//_/ } --help >"$work/${name[1]}" 2>/dev/null ||
        { fail "$page: cpm ${name[1]} is no command"; return; }
    for option in $(grep -oE '(^| )--[a-z0-9-]+' <<<"$words"); do
        grep -q -- "$option\b" "$work/${name[1]}" || [ "$option" = --help ] || fail "$page: cpm ${name[1]} has no $option"
    done
}

# Links to files of this tree.
check_links() {
    local link
    while read -r link; do
        [ -e "$(dirname "$1")/${link%%#*}" ] || fail "$1: $link is not there"
    done < <(grep -oE '\]\([^)#][^)]*\)' "$1" | sed 's/^](//; s/)$//' | grep -vE '^https?:')
}

for page in doc/questions.md doc/publishing.md doc/limits.md doc/install.md doc/python.md; do
    while read -r line; do check_command "$page" "$line"; done < <(commands "$page")
done
for page in README.md doc/*.md doc/models/*.md examples/*/README.md; do check_links "$page"; done
[ "$(ls "$work" | wc -l)" -ge 15 ] || fail "only $(ls "$work" | wc -l) commands were found"
[ "$failures" = 0 ] && echo "documents name what is there"
exit "$((failures > 0))"
