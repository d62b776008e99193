#!/usr/bin/env bash
# Two jobs at once, in files of one folder or on the same file, of which one is killed: the launcher
# or a process of it, by any signal, at any moment. --resume completes what is left; nothing that was
# measured is lost. CPM_TEST_LENGTH (default 1) times as many are killed; CPM_TEST_SEED.
. "$(dirname "$0")/lib.sh"
RANDOM=${CPM_TEST_SEED:-1}

cat >announced <<'END'
echo $$ >pid.$1.${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
shift
exec "$@"
END
campaign=(measure -M hockney --quiet --min-reps 10 --max-reps 10)

# starts JOB FILE: with --resume, as it may find a part.
starts() {
    rm -f pid."$1".*
    "${mpiexec[@]}" 3 bash announced "$1" "$cpm" "${campaign[@]}" --resume -o "$2" \
        >"said.$1" 2>&1 &
    launcher[$1]=$!
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

has_begun() { [ "$(cat "pid.$1".[012] 2>/dev/null | wc -l)" = 3 ] || is_gone "${launcher[$1]}"; }

# Waits for something that comes sooner or later; the test's own time limit ends it if not.
until_true() { until "$@"; do sleep 0.02; done; }

# Some time between the start of its processes and its end.
kills_anything_of() {
    local targets=("${launcher[$1]}") signals=(KILL TERM INT) target signal
    targets+=("$(cat "pid.$1.0")" "$(cat "pid.$1.1")" "$(cat "pid.$1.2")")
    target=$((RANDOM % 4)) signal=${signals[RANDOM % 3]}
    sleep "0.$((RANDOM % 1000 + 1000))" # 0.1 to 0.2 s
    [ $((RANDOM % 3)) != 0 ] || sleep "0.$((RANDOM % 9))"
    what="SIG$signal to $([ $target = 0 ] && echo the launcher || echo rank $((target - 1)))"
    kill "-$signal" "${targets[target]}" 2>/dev/null
}

# Processes may outlive their launcher for a moment.
ends() {
    local rank
    wait "${launcher[$1]}"
    code=$?
    for rank in 0 1 2; do [ ! -s "pid.$1.$rank" ] || until_true is_gone "$(cat "pid.$1.$rank")"; done
}

rows() { grep -E '^[a-z]+ [0-9]+ [0-9]+ .*[0-9]$' "$@"; }

completes() {
    local file=$1 row
    : >before
    [ ! -e "$file" ] || sed '$d' "$file" | rows >before # the last line may be torn
    works "${mpiexec[@]}" 3 "$cpm" "${campaign[@]}" --resume -o "$file"
    while read -r row; do
        grep -qxF -- "$row" "$file" || fail "$what: lost: $row"
    done <before
    [ "$(rows "$file" | cut -d' ' -f1-7 | sort | uniq -d | wc -l)" = 0 ] || fail "$what: measured twice"
    works "$cpm" fit -M hockney "$file" -o whole.mod
}

# A job that was not killed ends well, or says in one line why it cannot write.
expect_other_job() {
    [ "$code" = 0 ] || [ "$(grep -c '^cpm measure: .*another campaign is writing it' "said.$1")" = 1 ] ||
        fail "$what: the other job: $(cat "said.$1")"
}

declare -A launcher
kill_one_of_two() {
    local second=$1
    rm -f ./*.meas*
    starts 1 one.meas
    until_true has_begun 1 # launchers of Open MPI that start at once get in each other's way
    starts 2 "$second"
    kills_anything_of 1
    ends 1
    ends 2
    expect_other_job 2
    completes one.meas
    [ "$second" = one.meas ] || completes "$second"
    for file in *.meas* whole.*; do
        [[ $file = one.meas || $file = "$second" || $file = whole.mod* ]] || fail "$what: left $file"
    done
}

for ((k = 0; k < 2 * ${CPM_TEST_LENGTH:-1}; k++)); do
    kill_one_of_two two.meas
    kill_one_of_two one.meas
done
finish
