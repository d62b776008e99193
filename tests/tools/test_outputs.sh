#!/usr/bin/env bash
# An output is the old one, or the whole new one: whatever the disk, a plotter or a link does.
. "$(dirname "$0")/lib.sh"

works "$cpm" validate --machine lmo4.mod lmo4.mod bcast -m 1K --quiet -o table.tsv
works "$cpm" tune lmo4.mod bcast -o table.json
works "$cpm" bench coll --machine lmo4.mod bcast -m 1K,4K --quiet -o coll.meas
works "$cpm" model -M lmo --machine lmo4.mod --no-thresholds --meas good.meas -o good.mod

# Every command that writes a file; OUT is its name.
writers=(
    'model --machine lmo4.mod --no-thresholds --quiet --meas new.meas -o OUT.mod'
    'fit good.meas --no-thresholds -o OUT.mod'
    'validate --machine lmo4.mod lmo4.mod bcast -m 1K --quiet -o OUT.tsv'
    'compare lmo4.mod coll.meas -o OUT.tsv'
    'tune lmo4.mod bcast -o OUT.json'
    'map lmo4.mod bcast:tree -m 1K --budget 5 -o OUT.map'
    'export --goal bcast:linear -n 64 -o OUT.goal'
    'export --openmpi table.json -o OUT.conf'
    'export --simgrid lmo4.mod -o OUT.xml'
    'draw bcast:binomial -n 64 -o OUT.dot'
    'manual -o OUT.1'
)
[[ ${2:-} == *hydra* ]] && writers+=('export --mpich table.json -o OUT.json')

# earlier WRITER FILE: what that command wrote before, or another of its kind; the test overwriting
# has all kinds.
earlier() {
    case $1 in
    model* | fit*) cp hockney3.mod "$2" ;;
    *)
        # shellcheck disable=SC2086 # words
        works "$cpm" ${1/OUT[.a-z0-9]*/"$2"}
        [[ $1 != *.json ]] || return
        echo '# older' >>"$2"
        ;;
    esac
}

# What is there stays as it is, and nothing is left beside it.
a_full_disk_leaves_the_old_file() {
    local writer name
    for writer in "${writers[@]}"; do
        name=$(grep -o 'OUT[.a-z0-9]*' <<<"$writer")
        mkdir out
        earlier "$writer" "out/$name"
        cp "out/$name" old
        # shellcheck disable=SC2086 # words
        (
            trap '' XFSZ
            ulimit -f 0
            exec "$cpm" ${writer/OUT/out/OUT}
        ) 2>&1 >/dev/null | cat >stderr
        [ "${PIPESTATUS[0]}" = 1 ] || fail "exit code of a full disk: $writer"
        cmp -s "out/$name" old || fail "the old file is gone: $writer"
        [ "$(ls out)" = "$name" ] || fail "left behind: $(ls out): $writer"
        [ "$(wc -l <stderr)" = 1 ] || fail "not one line: $writer: $(cat stderr)"
        rm -r out new.meas* 2>/dev/null
        rm -f new.meas*
        [[ $writer == draw* ]] && continue # it asks for a suffix
        # shellcheck disable=SC2086 # words
        refused 1 'cannot be written: (No space left|not all of it)' "$cpm" ${writer/OUT*/\/dev\/full}
        rm -f new.meas*
    done
}

links_that_lead_nowhere_are_refused() {
    local writer name
    for writer in "${writers[@]}" 'bench p2p --machine lmo4.mod -m 1K --quiet -o OUT.meas' \
        'measure --machine lmo4.mod -o OUT.meas' 'plot lmo4.mod -o OUT.png' \
        'draw bcast:binomial -o OUT.svg' 'doctor lmo4.mod -o OUT.png'; do
        name=$(grep -o 'OUT[.a-z0-9]*' <<<"$writer")
        ln -s nowhere/x "$name"
        # shellcheck disable=SC2086 # words
        refused 1 "$name: cannot be written: it is a link that leads nowhere" "$cpm" $writer
        [ -L "$name" ] || fail "the link is gone: $writer"
        rm -f "$name" new.meas*
    done
    [ ! -e nowhere ] || fail "a link was followed"
}

links_stay_links() {
    local writer name
    for writer in "${writers[@]}"; do
        name=$(grep -o 'OUT[.a-z0-9]*' <<<"$writer")
        rm -rf there && mkdir there
        earlier "$writer" there/"$name"
        cp there/"$name" old
        chmod 600 there/"$name"
        ln -s there/"$name" "$name"
        # shellcheck disable=SC2086 # words
        works "$cpm" $writer
        [ -L "$name" ] || fail "the link is gone: $writer"
        [[ $name == *.json ]] || ! cmp -s there/"$name" old || fail "the link was not followed: $writer"
        [ "$(stat -c %a there/"$name")" = 600 ] || fail "others may read it now: $writer"
        rm -f "$name" new.meas*
    done
}

what_is_read_is_not_overwritten() {
    cp good.meas kept.meas
    ln -s lmo4.mod link.mod
    cp lmo4.mod kept.mod
    cp lmo4.mod cluster.mod
    local command
    for command in 'fit good.meas -o ./good.meas' 'tune lmo4.mod bcast -o link.mod' 'rules table.json -o table.json' \
        'export --openmpi table.json -o table.json' 'map lmo4.mod bcast:tree -m 1K -o lmo4.mod' \
        'compare lmo4.mod coll.meas -o coll.meas'; do
        # shellcheck disable=SC2086 # words
        refused 2 'is one of the files that are read: name another with --output' "$cpm" $command
    done
    for command in 'model --machine lmo4.mod -o lmo4.mod' 'model --machine cluster.mod' \
        'model --machine lmo4.mod --meas new.mod -o new.mod' 'run --rules table.json --report table.json true' \
        'run --adapt --learn new.json --report new.json true'; do
        # shellcheck disable=SC2086 # words
        refused 2 'name the same file: name another' "$cpm" $command
    done
    cmp good.meas kept.meas && cmp lmo4.mod kept.mod && cmp cluster.mod kept.mod && [ ! -e new.mod ] ||
        fail 'an input is overwritten'
    works "$cpm" validate --machine lmo4.mod lmo4.mod bcast -m 1K --quiet --meas /dev/null -o /dev/null
}

# Folders stand for hosts that share no files.
what_the_first_host_reads_is_not_overwritten() {
    mkdir first second
    cp lmo4.mod first
    cp lmo4.mod second
    ln -s lmo4.mod first/link.mod
    local command=("$cpm" validate lmo4.mod bcast -m 1K --quiet -o link.mod)
    refused 2 'is one of the files that are read: name another with --output' timeout 60 \
        "${mpiexec[@]}" 1 -wdir "$PWD/first" "${command[@]}" : -n 1 -wdir "$PWD/second" "${command[@]}"
    cmp first/lmo4.mod lmo4.mod || fail 'the model of the first host is overwritten'
}

# plotter NAME BODY: a program of that name comes first, and does that.
plotter() {
    mkdir -p bin
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

# The earlier picture is better than none, and what was said tells that it is not the new one.
a_plotter_that_fails_leaves_the_earlier_picture() {
    local how command
    # shellcheck disable=SC2016 # of the plotter
    for how in 'exit 3' 'kill -9 $$' 'exit 0' 'for out; do case $out in *.svg) echo half >"$out"; esac; done' \
        'for out; do case $out in *.svg) echo half >"$out"; esac; done; kill -9 $$'; do
        plotter gnuplot "$how"
        plotter dot "$how"
        for command in 'plot lmo4.mod' 'plot table.tsv' 'plot good.meas' 'doctor lmo4.mod' \
            'draw bcast:binomial' 'draw bcast:binomial --model lmo4.mod -m 1K'; do
            mkdir out
            echo '<svg earlier </svg>' >out/x.svg
            # shellcheck disable=SC2086 # words
            PATH=$work/bin:$PATH refused 1 'out/x.svg: (gnuplot|dot) (failed with exit code 3|was ended by signal 9|wrote no whole picture)' \
                "$cpm" $command -o out/x.svg
            [ "$(ls -A out)" = x.svg ] && [ "$(cat out/x.svg)" = '<svg earlier </svg>' ] ||
                fail "$how: $command left $(ls -A out)"
            rm -r out
        done
    done
    rm -r bin
    echo '<svg earlier' >x.svg
    PATH=/nonexistent "$cpm" plot lmo4.mod -o x.svg 2>stderr && fail "plots without gnuplot"
    grep -q 'gnuplot is not installed' stderr || fail "no gnuplot: $(cat stderr)"
    [ "$(cat x.svg)" = '<svg earlier' ] || fail "without gnuplot the earlier picture is lost"
}

words_that_do_not_arrive_are_an_error() {
    [ -c /dev/full ] || return
    local command
    for command in --help --version help 'bench --help' 'show --help' 'model --help' 'show lmo4.mod' algorithms \
        'algorithms --format json' 'predict lmo4.mod' 'predict lmo4.mod --format json' \
        'predict lmo4.mod --format tsv' 'draw bcast:linear' 'export --simgrid lmo4.mod' \
        'export --goal bcast:linear -n 4' manual 'tune lmo4.mod bcast' 'map lmo4.mod bcast:tree -m 1K' \
        'check bcast:linear' 'compare lmo4.mod coll.meas' 'diff lmo4.mod lmo4.mod' 'doctor lmo4.mod'; do
        # shellcheck disable=SC2086 # words
        "$cpm" $command >/dev/full 2>stderr
        [ $? = 1 ] || fail "exit code of cpm $command >/dev/full"
        grep -Eq '^cpm.*standard output.*cannot be written: (No space left|not all of it)' stderr &&
            [ "$(wc -l <stderr)" = 1 ] || fail "cpm $command >/dev/full: $(cat stderr)"
    done
}

a_full_disk_leaves_the_old_file
links_that_lead_nowhere_are_refused
links_stay_links
what_is_read_is_not_overwritten
what_the_first_host_reads_is_not_overwritten
a_plotter_that_fails_leaves_the_earlier_picture
words_that_do_not_arrive_are_an_error
finish
