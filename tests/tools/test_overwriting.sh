#!/usr/bin/env bash
# Commands, what lies where their outputs go, and inputs that are something else. An output goes over
# one of its own kind; a model, measurements and what is not made again are kept as NAME.~1~; all
# else stays as it is, and is refused in one line, unless --force keeps it, too. Of CPM_TEST_LENGTH
# 1 (default) one of 15 of what matters less is tried.
. "$(dirname "$0")/lib.sh"

every=$((${CPM_TEST_LENGTH:-1} > 1 ? 1 : 15))
play='--machine in/lmo4.mod --quiet'

# ---- one of each kind: kinds/KIND.NUMBER

mkdir in kinds
mv lmo4.mod hockney3.mod in
ln -s /dev/full full.png
# shellcheck disable=SC2086 # words
{
    works "$cpm" measure -M hockney $play -o in/k.meas
    works "$cpm" bench coll $play bcast -m 1K,4K -o in/coll.meas
    works "$cpm" bench coll $play bcast -m 1K,4K --raw -o in/raw.meas
    works "$cpm" tune in/lmo4.mod bcast -m 1K,64K -o in/table.json
    works "$cpm" rules in/table.json -o in/some.rules
    works "$cpm" validate $play in/lmo4.mod bcast -m 2K -o kinds/validation.1
}
cp in/lmo4.mod kinds/model.1
cp in/hockney3.mod kinds/model.2
head -c 300 in/lmo4.mod >kinds/model.3 # cut
cp in/coll.meas kinds/measurements.1
head -c 12 in/coll.meas >kinds/measurements.2 # cut in its header
cp in/table.json kinds/table.1
printf '{\n  "format": "cpm table",\n  "version": 1,\n  "operations": {},\n  "lessons": [\n  ]\n}\n' >kinds/history.1
head -c 40 kinds/history.1 >kinds/history.2 # cut before it has any
cp in/some.rules kinds/rules.1
printf '# mine\n\nbcast:binomial\n' >kinds/rules.2
printf '# mine\nswitch core\nhost a core\n' >kinds/topology.1
works "$cpm" map in/lmo4.mod bcast:tree -m 2K -o kinds/map.1
works "$cpm" compare in/lmo4.mod in/coll.meas -o kinds/comparison.1
works "$cpm" compare in/raw.meas in/raw.meas -o kinds/runs.1
works "$cpm" draw gather:binomial -n 5 -o kinds/g.dot
mv kinds/g.dot kinds/graph.1
printf '\x89PNG\r\n\x1a\n1234' >kinds/picture.1
printf '%%PDF-1.4\n' >kinds/picture.2
printf '<?xml version="1.0"?>\n<svg width="1"></svg>\n' >kinds/picture.3
works "$cpm" report in/hockney3.mod -o kinds/page.1 # without gnuplot it has no pictures
works "$cpm" export --openmpi in/table.json -o kinds/openmpi.1
if [[ ${2:-} == *hydra* ]]; then
    works "$cpm" tune in/lmo4.mod gather -m 1K,64K -o in/another.json
    works "$cpm" export --mpich in/another.json -o kinds/mpich.1
fi
works "$cpm" export --simgrid in/lmo4.mod -o kinds/simgrid.1
works "$cpm" export --goal bcast:linear -n 4 -o kinds/goal.1
works "$cpm" export --c in/table.json -o kinds/routines.1
works "$cpm" manual -o kinds/manual.1
works "$cpm" completion bash -o kinds/completion.1
works "$cpm" completion zsh -o kinds/completion.2
printf '{\n  "format": "cpm profile",\n  "version": 1\n}\n' >kinds/profile.1
printf '{\n  "format": "cpm report",\n  "version": 1\n}\n' >kinds/report.1
printf '# cpm report\n# operation\n' >kinds/report.2
printf 'Dear diary\n' >kinds/unknown.1
printf '{"mine": ["precious"]}\n' >kinds/unknown.2
head -c 3000 /dev/urandom >kinds/unknown.3
printf '<!DOCTYPE html>\n<title>Mine</title>\n' >kinds/unknown.4
printf '<?xml version="1.0"?>\n<platform version="4.1"></platform>\n' >kinds/unknown.5
printf '\n' >kinds/unknown.6

# What is written anew differs.
for file in kinds/{comparison,runs,openmpi,simgrid,manual,rules}.1; do echo '# mine' >>$file; done

# ---- every command that writes: KIND HOW COMMAND; OUT is its output, in/* are inputs

# HOW: over (an older one is replaced), kept.
cat >commands <<END
model kept model $play --no-thresholds -M hockney --meas new.meas -o OUT
model kept fit in/k.meas -o OUT
measurements kept measure -M hockney $play -o OUT
measurements kept bench p2p $play -m 1K -o OUT
measurements kept bench coll $play bcast -m 1K -o OUT
measurements kept validate $play in/lmo4.mod bcast -m 1K --meas OUT
measurements kept model $play --no-thresholds -M hockney --meas OUT -o new.mod
validation over validate $play in/lmo4.mod bcast -m 1K -o OUT
comparison over compare in/lmo4.mod in/coll.meas -o OUT
runs over compare in/raw.meas in/raw.meas -o OUT
table over tune in/lmo4.mod bcast -m 1K -o OUT
table over tune --measure $play bcast:linear -m 1K --max-reps 9 -o OUT
table over tune --verify $play in/table.json --turns 4 --min-reps 1 -o OUT
rules kept rules in/table.json -o OUT
topology kept measure -M hockney $play --discover OUT -o new.meas
map over map in/lmo4.mod bcast:tree -m 1K -o OUT
graph over draw bcast:linear -n 4 -o OUT.dot
page over report in/lmo4.mod -o OUT
openmpi over export --openmpi in/table.json -o OUT
simgrid over export --simgrid in/lmo4.mod -o OUT
goal over export --goal bcast:binomial -n 4 -o OUT
routines over export --c in/table.json --prefix mine -o OUT
manual over manual -o OUT
completion over completion fish -o OUT
END
[[ ${2:-} != *hydra* ]] || echo 'mpich kept export --mpich in/table.json -o OUT' >>commands
if command -v gnuplot >/dev/null && command -v dot >/dev/null; then
    cat >>commands <<END
picture over plot in/lmo4.mod -o OUT.svg
picture over doctor in/lmo4.mod -o OUT.svg
picture over draw bcast:linear -n 4 -o OUT.svg
picture over draw bcast:linear --model in/lmo4.mod -o OUT.svg
END
fi

# begin FILE: an empty folder with FILE as the output.
begin() {
    rm -rf out new.* && mkdir out
    name=$(grep -o 'OUT[.a-z]*' <<<"$command") name=out/${name/OUT/x}
    cp "$1" "$name"
}

# expect_only NAME...: nothing else is there.
expect_only() {
    [ "$(ls out)" = "$(printf '%s\n' "$@" | sort)" ] || fail "$file: $command: left $(ls out)"
}

run() {
    # shellcheck disable=SC2086 # words
    "$cpm" ${command/OUT/out/x} "$@" >stdout 2>stderr
    code=$?
    [ $code -lt 126 ] || fail "$file: $command: exit code $code: $(cat stderr)"
}

# The doctor cannot tell.
succeeds() { [ "$code" = 0 ] || [[ $code = 4 && $command == doctor* ]]; }

stays() {
    begin "$file"
    run
    [ "$code" = 1 ] || fail "$file: $command: exit code $code"
    [ "$(wc -l <stderr)" = 1 ] && grep -q '^cpm .*not overwritten.*--force' stderr ||
        fail "$file: $command: says $(cat stderr)"
    cmp "$file" "$name" || fail "$file: $command: it is lost"
    expect_only "${name#out/}"
    [ ! -e new.meas ] || fail "$file: $command: measured in vain"
}

is_kept() {
    begin "$file"
    run "$@"
    succeeds || fail "$file: $command $*: exit code $code: $(cat stderr)"
    [ "$(grep -c "^cpm: note: the earlier $name is kept as $name.~1~" stderr)" = 1 ] ||
        fail "$file: $command $*: it does not say what is kept: $(cat stderr)"
    cmp "$file" "$name.~1~" || fail "$file: $command $*: it is lost"
    ! cmp -s "$file" "$name" || fail "$file: $command $*: nothing new"
    [[ $command == 'tune --measure'* ]] || expect_only "${name#out/}" "${name#out/}.~1~"
}

is_replaced() {
    begin "$file"
    run
    succeeds || fail "$file: $command: exit code $code: $(cat stderr)"
    ! cmp -s "$file" "$name" || fail "$file: $command: nothing new"
    [[ $command == 'tune --measure'* ]] || expect_only "${name#out/}"
}

count=0
# What is most precious is tried with every command.
is_tried() {
    count=$((count + 1))
    [[ $1 == */model.1 || $1 == */measurements.1 || $1 == */unknown.1 ]] || [ $((count % every)) = 0 ]
}

each_kind_below_each_command() {
    local kind how command file of
    while read -r kind how command; do
        for file in kinds/*; do
            of=${file#kinds/} of=${of%.*}
            if [ "$of" != "$kind" ]; then
                ! is_tried "$file" || stays
            elif [ "$how" = kept ]; then
                is_kept
            else
                is_replaced
            fi
        done
        file=kinds/unknown.1
        is_kept --force
    done <commands
}

# ---- inputs

# What reads a file, and as which of the kinds it is taken; IN is the file.
cat >readers <<END
model measurements validation comparison runs table history rules topology map graph openmpi mpich simgrid goal routines completion profile report manual page picture: show IN
model: predict IN bcast -m 1K
model: export --simgrid IN -o out/x
model: map IN bcast:tree -m 1K -o out/x
model: tune IN bcast -m 1K -o out/x
model: measure -M hockney --machine IN --quiet -o out/x
model: draw bcast:linear --model IN -o out/x.svg
model: validate $play IN bcast -m 1K -o out/x
measurements: fit IN -M hockney -o out/x
model: compare IN in/coll.meas -o out/x
measurements: compare in/lmo4.mod IN -o out/x
model measurements: doctor IN
model measurements validation comparison: plot IN -o out/x.svg
table history: export --openmpi IN -o out/x
table history: export --c IN -o out/x
table history rules openmpi mpich: rules IN -o out/x
model: report IN -o out/x
profile: predict in/lmo4.mod --profile IN
profile: tune in/lmo4.mod --profile IN -o out/x
map: predict in/lmo4.mod bcast:binomial -m 1K --map IN
topology: check bcast:linear -n 2 --topology IN
END

each_kind_for_each_reader() {
    local kinds command file of
    while IFS=: read -r kinds command; do
        for file in kinds/*; do
            of=${file#kinds/} of=${of%.*}
            [[ " $kinds " != *" $of "* ]] && is_tried "$file" || continue
            rm -rf out && mkdir out
            # shellcheck disable=SC2086 # words
            "$cpm" ${command/IN/$file} >stdout 2>stderr
            code=$?
            [ $code = 1 ] || [ $code = 2 ] || fail "$command, $file: exit code $code: $(cat -v stderr | head -3)"
            [ "$(wc -l <stderr)" = 1 ] && grep -aq '^cpm' stderr || fail "$command, $file: not one line: $(cat -v stderr | head -3)"
            [ -z "$(ls -A out)" ] || fail "$command, $file: left $(ls out)"
        done
    done <readers
}

# ---- what else an output may be

# As root every file may be written, but nobody meant that.
read_only_files_are_refused() {
    local kind how command file
    while read -r kind how command; do
        file=kinds/$kind.1
        begin "$file"
        chmod 444 "$name"
        run
        [ "$code" = 1 ] && [ "$(wc -l <stderr)" = 1 ] && grep -q 'cannot be written: it is read-only' stderr ||
            fail "read-only: $command: $code, $(cat stderr)"
        cmp "$file" "$name" || fail "read-only: $command: it is lost"
        expect_only "${name#out/}"
    done <commands
}

links_are_followed() {
    local kind how command file
    while read -r kind how command; do
        file=kinds/$kind.1
        begin "$file"
        mkdir out/there
        mv "$name" out/there/file
        ln -s there/file "$name"
        run
            succeeds && [ -L "$name" ] && ! cmp -s "$file" out/there/file || fail "link: $command: $code: $(cat stderr)"
        [ "$how" = over ] || cmp "$file" out/there/file.~1~ || fail "link: $command: it is lost"
    done <commands
}

a_full_device_is_an_error() {
    local kind how command file
    while read -r kind how command; do
        file=/dev/null
        begin "$file"
        ln -sf /dev/full "$name"
        run
        [ "$code" = 1 ] && [ "$(grep -v '^cpm: note' stderr | wc -l)" = 1 ] || fail "full: $command: $code, $(cat stderr)"
        [ -L "$name" ] || fail "full: $command: the link is gone"
        [[ $command == 'tune --measure'* ]] || expect_only "${name#out/}" # it has its measurements
    done <commands
}

# A model that was fitted before, of a name that nobody typed.
default_names_lose_nothing() {
    rm -rf d && mkdir d
    cp in/k.meas d/a.meas
    cp in/lmo4.mod d/a.mod
    works "$cpm" fit d/a.meas
    cmp in/lmo4.mod d/a.mod.~1~ || fail 'fit without -o: the model is lost'
    cp in/k.meas d/a.png
    refused 1 'not overwritten: it holds measurements' "$cpm" plot d/a.mod
    cmp in/k.meas d/a.png || fail 'plot without -o: measurements are lost'
}

# Who waits for a pipe says so; nothing is timed, but what comes is waited for.
pipes_are_waited_for_aloud() {
    local command job
    mkfifo pipe
    for command in 'tune in/lmo4.mod bcast -m 1K -o pipe' 'bench p2p --machine in/lmo4.mod --quiet -m 1K -o pipe' \
        'show pipe' 'predict pipe bcast:linear -m 1K'; do
        : >stderr
        # shellcheck disable=SC2086 # words
        "$cpm" $command >stdout 2>>stderr &
        job=$!
        until grep -q '^cpm: note: waiting for a program that .* the pipe pipe' stderr; do
            kill -0 $job 2>/dev/null || break
            sleep 0.1
        done
        case $command in
        *-o*) cat pipe >got ;;
        *) cat in/lmo4.mod >pipe ;;
        esac
        wait $job || fail "pipe: $command: $? $(cat stderr)"
        grep -q 'note: waiting' stderr || fail "pipe: $command: it waited without a word"
    done
    for command in 'plot pipe -o out/x.svg' 'doctor pipe' 'compare pipe in/coll.meas' 'compare in/lmo4.mod pipe' \
        'compare in/raw.meas pipe' 'report pipe -o out/x' 'tune pipe bcast -m 1K' \
        "tune --measure ./pipe bcast -m 1K $play"; do
        # shellcheck disable=SC2086 # words
        refused 2 'pipe: is a pipe, and it is read more than once' "$cpm" $command
    done
    for command in 'fit pipe -o fitted' 'fit pipe -M hockney -o fitted'; do # which reads them once
        rm -f fitted
        cat in/k.meas >pipe &
        job=$!
        # shellcheck disable=SC2086 # words
        works "$cpm" $command
        wait $job
        works "$cpm" fit in/k.meas -o wanted
        same=$(diff fitted wanted | grep -c '^[<>]') # where the measurements are from
        [ "$same" = 2 ] || fail "pipe: $command: another model: $(diff fitted wanted)"
    done
    grep -q '# cpm measurements\|"operations"' got || fail "pipe: nothing came: $(head -3 got)"
    rm pipe
}

# Of a program that is to be run it is refused before.
what_programs_are_to_leave() {
    local file of option
    for option in profile report; do
        for file in kinds/*; do
            of=${file#kinds/} of=${of%.*}
            [ "$of" != "$option" ] && is_tried "$file" || continue
            cp "$file" there
            refused 1 'not overwritten: it holds' "$cpm" run --$option there touch ran
            cmp "$file" there || fail "run --$option: $file is lost"
            [ ! -e ran ] || fail "run --$option: it ran over $file"
            rm -f there
        done
        refused 1 'nowhere/there: cannot be written: No such file' "$cpm" run --$option nowhere/there touch ran
        refused 1 'cannot be written: Is a directory' "$cpm" run --$option kinds touch ran
        [ ! -e ran ] || fail "run --$option: it ran, and what it took would have been lost"
    done
}

# Of one that runs it is said, and left out.
what_programs_leave() {
    local file variable
    ! ldd "$cpm" | grep -q libasan || return # nothing can be preloaded before it
    for variable in CPM_PROFILE CPM_REPORT; do
        for file in kinds/measurements.1 kinds/model.1 kinds/unknown.1; do
            cp "$file" there
            "${mpiexec[@]}" 2 "$cpm" run --yield env CPM_FORCE=bcast:linear "$variable=there" \
                "$cpm" bench coll bcast:native -m 1K --max-reps 5 --quiet >stdout 2>stderr ||
                fail "$variable=$file: the program failed: $(cat stderr)"
            grep -q "^cpm: $variable: there: not overwritten: it holds" stderr || fail "$variable: $(cat stderr)"
            cmp "$file" there || fail "$variable: $file is lost"
        done
    done
    # A history that is none is said, and stays, even if it could be told of something.
    for file in kinds/*; do
        [[ $file != kinds/history.* ]] && is_tried "$file" || continue
        cp "$file" there
        "${mpiexec[@]}" 2 "$cpm" run --yield --adapt --learn there -- \
            "$cpm" bench coll bcast:native -m 1K --max-reps 5 --quiet >stdout 2>stderr ||
            fail "--learn $file: the program failed: $(cat stderr)"
        grep -q '^cpm: .*there: .*nothing is learnt from it, and it is left as it is' stderr || fail "--learn $file: $(cat stderr)"
        cmp "$file" there || fail "--learn: $file is lost"
    done
    rm -f there
}

each_kind_below_each_command
each_kind_for_each_reader
read_only_files_are_refused
links_are_followed
[ ! -c /dev/full ] || a_full_device_is_an_error
default_names_lose_nothing
pipes_are_waited_for_aloud
what_programs_are_to_leave
what_programs_leave
finish
