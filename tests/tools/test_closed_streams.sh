#!/usr/bin/env bash
# Every command with its standard streams closed, in all combinations: files are what they would have
# been, what is printed is printed, and what cannot be printed is a failure. With CPM_TEST_LENGTH
# (default 1) above 1 all combinations, else those of one and of three, quickly two of these.
. "$(dirname "$0")/lib.sh"

# with_closed STREAMS COMMAND...: STREAMS is made of 0, 1 and 2.
with_closed() {
    local closed=$1
    shift
    (
        [[ $closed != *0* ]] || exec 0<&-
        [[ $closed != *1* ]] || exec 1>&-
        [[ $closed != *2* ]] || exec 2>&-
        exec "$cpm" "$@"
    )
}

# session FOLDER STREAMS: what command k prints is in FOLDER/k.said, its exit code in FOLDER/codes.
session() {
    mkdir "$1" && cp ./*.mod ./*.json "$1" && cd "$1" || exit 1
    local k=0
    while read -ra command; do
        k=$((k + 1))
        with_closed "$2" "${command[@]}" </dev/null >$k.said 2>$k.stderr
        echo "$? ${command[*]}" >>codes
    done < <(every_command --no-thresholds)
    cd "$work" && leave_out_dates "$1"
}

# A command that prints fails where it cannot; the others end as if nothing were closed.
expect_codes() {
    local folder=$1 closed=$2 k=0 usual got
    while read -r usual command <&3 && read -r got _ <&4; do
        k=$((k + 1))
        [[ $closed != *1* || ! -s open/$k.said ]] || usual=1
        [ "$got" = "$usual" ] || fail "$closed closed, exit code $got, not $usual: $command"
        [ "$usual" != 1 ] || [[ $closed = *2* ]] || [ "$(grep -c '^cpm [a-z]' "$folder/$k.stderr")" = 1 ] ||
            fail "$closed closed, not one line: $command: $(cat "$folder/$k.stderr")"
    done 3<open/codes 4<"$folder/codes"
    [ "$k" -gt 20 ] || fail "only $k commands"
}

session open ''
! grep -v '^[034] ' open/codes || fail "with nothing closed"
combinations=(1 012 0 2)
if [ "${CPM_TEST_LENGTH:-1}" != 1 ]; then
    combinations+=(01 02 12)
elif [ -n "${CPM_TEST_QUICK:-}" ]; then
    combinations=(1 012)
fi
for closed in "${combinations[@]}"; do
    session "closed$closed" "$closed"
    expect_codes "closed$closed" "$closed"
    [[ $closed != *1* ]] || rm -f closed"$closed"/*.said
    for file in closed"$closed"/*; do
        case $file in
        */codes | *.stderr) ;;
        *) cmp "$file" "open/${file#*/}" || fail "$closed closed: $file is something else" ;;
        esac
    done
    [ "$(find "closed$closed" -name '*.*' ! -name '*.said' | wc -l)" = \
        "$(find open -name '*.*' ! -name '*.said' | wc -l)" ] || fail "$closed closed: other files"
done

# And where MPI measures.
for closed in "${combinations[@]}"; do
    # shellcheck disable=SC2016 # for the inner shell
    "${mpiexec[@]}" 3 bash -c 'case $0 in 0) exec 0<&- ;; 1) exec 1>&- ;; 2) exec 2>&- ;; *) exec 0<&- 1>&- 2>&- ;; esac
        exec "$@"' $closed "$cpm" measure -M lmo --no-thresholds --quiet --max-reps 5 -o mpi$closed.meas >stdout 2>stderr ||
        fail "$closed closed, under mpiexec: $(cat stderr)"
    works "$cpm" fit --no-thresholds mpi$closed.meas -o mpi.mod
done
finish
