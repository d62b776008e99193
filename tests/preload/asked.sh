# What errors.c's tests share: the library is asked first. Sourced by them; ranks is set.
# shellcheck shell=bash

# ask_part WHERE KINDS PART: prints the cases of one part, "K/N", that the library cannot answer, or takes.
# Some it waits in for as long as it is let: processes that wait give their processors away.
ask_part() {
    local first=0 last code yield
    yield=$(dirname "$cpm")/lib/libcpm-yield.so
    while :; do
        ERRORS_PART=$3 "$mpiexec" -n $ranks env LD_PRELOAD="$yield" "$programs/errors" native "$1" "$2" "$first" \
            >out 2>err </dev/null
        code=$?
        awk '$1 == "taken" {print $2}' out
        [ $code != 0 ] || return 0
        last=$(awk '$1 == "begin" {n = $2} END {print n}' out)
        [ -n "$last" ] || return 1
        echo "$last"
        first=$((last + 1))
    done
}

# ask_library WHERE KINDS [PART...]: the same of these parts, or of all cases, into the file skipped.WHERE.
# Two parts are asked at a time, as the library mostly waits, each in a folder of its own: Open MPI's
# sessions may fail as another one makes its own.
ask_library() {
    local where=$1 kinds=$2 part asked status=0
    shift 2
    [ $# != 0 ] || set -- 0/2 1/2
    : >"skipped.$where"
    while [ $# != 0 ]; do
        asked=()
        for part in "${@:1:2}"; do
            mkdir -p "asked/$part"
            (cd "asked/$part" && OMPI_MCA_orte_tmpdir_base=$PWD ask_part "$where" "$kinds" "$part" >skipped) &
            asked+=("$!:$part")
        done
        for part in "${asked[@]}"; do
            wait "${part%%:*}" || { fail "the library alone: $(cat "asked/${part#*:}"/{out,err})"; status=1; }
            cat "asked/${part#*:}/skipped" >>"skipped.$where"
        done
        shift "${#asked[@]}"
    done
    return $status
}

# answers_alike WHERE KINDS OPTION...
answers_alike() {
    local where=$1 kinds=$2
    shift 2
    run $ranks "$@" -- "$programs/errors" both "$where" "$kinds" "skipped.$where" ||
        fail "$* $where: $(grep -av '^begin\|UCX\|yaksa' stdout stderr | head -20)"
    grep -aq '^0 differences' stdout || fail "$* $where: did not end"
}
