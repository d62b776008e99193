#!/usr/bin/env bash
# cpm --help, cpm CMD --help and the man page name the same subcommands and options.
. "$(dirname "$0")/lib.sh"

"$cpm" manual -o cpm.1 || fail "no man page"
sed 's/\\-/-/g; s/\\f[BRI]//g' cpm.1 >manual

commands=$("$cpm" --help | sed -n '/^commands:/,/^$/s/^  \(bench p2p\|bench coll\|tune --[a-z]*\|[a-z]*\) .*/\1/p')
in_manual=$(sed -n 's/^\.SS \(mpiexec -n N \)\{0,1\}cpm \(.*\) \[OPTIONS\].*/\2/p' manual)
[ "$commands" = "$in_manual" ] || fail "commands: help $commands, manual $in_manual"
[ "$(wc -w <<<"$commands")" -ge 10 ] || fail "few commands: $commands"

while read -r command; do
    # shellcheck disable=SC2086 # two words
    "$cpm" $command --help >help || fail "no help of $command"
    in_help=$(grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' help | grep -oE -- '--[a-z-]+')
    in_manual=$(awk -v c="cpm $command [OPTIONS]" '/^\.SS/ { on = index($0, c) } on' manual |
        grep -A1 '^\.TP' | grep -oE -- '--[a-z-]+')
    [ -n "$in_help" ] && [ "$in_help" = "$in_manual" ] ||
        fail "options of $command: help $in_help, manual $in_manual"
    grep -q '^example:' help || fail "no example of $command"
    # What the help names is accepted: an option without its value is missing a value, not unknown.
    for option in $in_help; do
        # shellcheck disable=SC2086
        "$cpm" $command "$option" --help >/dev/null 2>stderr </dev/null
        ! grep -q 'unknown option' stderr || fail "$command does not know its own $option"
    done
done <<<"$commands"

"$cpm" --version | grep -q '^cpm [0-9]' || fail "no version"
if command -v man >/dev/null; then
    man --warnings -l cpm.1 2>&1 >/dev/null | grep . && fail "man complains"
fi
finish
