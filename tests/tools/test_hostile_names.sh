#!/usr/bin/env bash
# Names of hosts, files, classes and notes break no format, and nothing they hold reaches a terminal
# as it is: of what is printed every byte is printable, a newline, or one of UTF-8.
. "$(dirname "$0")/lib.sh"

# As JSON has them, for hosts, notes, classes and provenance.
names=('a b' 'a\nb' '\u001b[31mred\u001b[0m' '\u0007\u0008\r' '\"quoted\"' "it's" '#remark' 'a;b' '<host>&amp;' '\\back' '\u202eabc'
    '%s%n' '$HOME' '`id`' '{}[],:' 'größe' '\t' '-o' '/../x' 'a,b=c' '\u009b31m')

model_with() { # NAME
    local name=${1//\\/\\\\}
    name=${name//&/\\&}
    sed -e "s|\"node[0-9]*\"|\"$name\"|g" -e "s|\"notes\": \[|&\"$name\",|" -e "s|\"provenance\": {|&\"$name\": \"$name\",|" lmo4.mod |
        sed -e 's|,\],|],|; s|,},|},|'
}

names_in_models() {
    local name
    for name in "${names[@]}"; do
        model_with "$name" >x.mod
        works "$cpm" show x.mod
        for command in 'show x.mod' 'predict x.mod bcast -m 1K' 'doctor x.mod' 'diff x.mod lmo4.mod' \
            'map x.mod bcast:tree -m 1K --budget 5 -o x.map' 'export --simgrid x.mod -o x.xml' 'tune x.mod bcast -o x.json' \
            'model --machine x.mod --no-thresholds --meas y.meas -o y.mod' 'fit y.meas --no-thresholds -o z.mod' 'show z.mod' \
            'predict x.mod bcast:tree --map x.map' 'export --openmpi x.json -o x.conf' 'show missing.mod'; do
            # shellcheck disable=SC2086 # words
            clean "$cpm" $command
        done
        works "$cpm" show z.mod
        works "$cpm" predict x.mod bcast:tree --map x.map
        ! command -v xmllint >/dev/null || xmllint --nonet --noout x.xml 2>/dev/null || fail "XML of $name"
        python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' x.xml 2>/dev/null || ! command -v python3 >/dev/null || fail "XML of $name"
        rm -f y.* z.* x.*
    done
}

names_of_files() {
    local name
    for name in $'a\nb' $'\033[31m' $'\a' $'\xff' 'a b' '#x' 'a;b' '<x>' '"' "'" '%s' $'\xe2\x80\xae'; do
        cp lmo4.mod "$name.mod"
        clean "$cpm" predict "$name.mod" bcast
        clean "$cpm" predict "$name.mod" bcast --crossovers
        clean "$cpm" show "$name.none"
        clean "$cpm" "$name"
        clean "$cpm" map "$name.mod" bcast:tree -m 1K --budget 5 -o x.map
        works "$cpm" predict lmo4.mod bcast:tree --map x.map
        clean "$cpm" tune "$name.mod" bcast -o "$name.json"
        clean "$cpm" export --openmpi "$name.json" -o x.conf
        [ "$(grep -c '^#' x.conf)" = 1 ] || fail "the head of the rules of $(cat -v <<<"$name")"
        clean "$cpm" model -M lmo --machine "$name.mod" --no-thresholds --quiet --meas "$name.meas" -o "$name.new.mod"
        works "$cpm" show "$name.new.mod"
        clean "$cpm" validate --machine lmo4.mod "$name.mod" bcast -m 1K --quiet -o "$name.tsv"
        clean "$cpm" compare lmo4.mod "$name.meas"
        rm -f -- "./$name".*
    done
}

names_in_models
names_of_files
finish
