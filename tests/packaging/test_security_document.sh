#!/usr/bin/env bash
# doc/security.md names every variable of the environment that the sources read. usage: ... SOURCE_DIR
set -u
cd "$1" || exit 1
failed=0
folders=(base collectives measurements models estimators diagnose mapping selection tables libraries history adapt cpm executor hosts mpib tuned tools)

# Literal names, and those of tables: words in capitals.
names() {
    grep -rhoE '(getenv|value_of)\("[A-Z_]+"' --include='*.c' --include='*.cpp' "${folders[@]}"
    grep -rhE -A 3 'names\[\] = \{' tools/measure/session.c tuned/preload/library.c | grep -oE '"[A-Z_]{4,}"'
    grep -rhoE 'getenv\([a-z][a-z_*]*\)' --include='*.c' "${folders[@]}" | sort -u |
        grep -vxE 'getenv\((\*names|rank|name|names)\)' | sed 's/.*/"unknown &"/'
}

all=$(names | grep -oE '"[^"]+"' | tr -d '"' | sort -u)
[ "$(wc -l <<<"$all")" -ge 10 ] || { echo "FAILED: too few variables were found: $all"; failed=1; }
while read -r name; do
    grep -qF "\`$name\`" doc/security.md || { echo "FAILED: doc/security.md lacks $name"; failed=1; }
done <<<"$all"
exit $failed
