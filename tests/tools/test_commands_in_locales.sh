#!/usr/bin/env bash
# Every command prints and reads the same where numbers have a comma, also with R in it, and where
# there is no locale.
. "$(dirname "$0")/lib.sh"
mkdir locales
localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 2>stderr ||
    { echo "FAILED: no locale with a comma can be made (Debian: apt install locales): $(cat stderr)"; exit 1; }
export LOCPATH=$work/locales
[ "$(LC_ALL=de_DE.UTF-8 printf %.1f 0,5)" = 0,5 ] || fail "this locale has no comma"

sanitized= # R does not start in a process with the address sanitizer
! ldd "$cpm" | grep -q libasan || sanitized=--no-thresholds

# session FOLDER LOCALE
session() {
    mkdir "$1" && cp ./*.mod ./*.json "$1"
    (
        cd "$1" || exit 1
        export LC_ALL=$2
        while read -ra command; do
            "$cpm" "${command[@]}" </dev/null || echo "exit code $?: ${command[*]}"
        done < <(every_command "$sanitized")
    ) >"$1/said" 2>&1
    leave_out_dates "$1"
}

session point C.UTF-8
session comma de_DE.UTF-8
session none C
for other in comma none; do
    diff -r point $other >differences || fail "$other: other results: $(head -20 differences)"
done
! grep '^exit code [^34]' point/said || fail "commands fail"
[ "$(grep -c '[0-9]\.[0-9]' point/m.mod)" -gt 10 ] || fail "no numbers: $(cat point/m.mod)"
finish
