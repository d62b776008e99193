#!/usr/bin/env bash
# Hosts may have any name, and the two of a job different ones: a campaign over MPI writes files that
# are read again, and nothing of the names reaches a terminal as it is.
. "$(dirname "$0")/lib.sh"
as_host=$(dirname "$cpm")/tests/as_host
"$as_host" probe true 2>/dev/null || { echo "skipped: only root can run a program on a host of another name"; exit 77; }
longest=$(printf 'x%.0s' {1..63}) # Linux has 64, which UCX, under MPICH, does not survive when it is loaded

# on_hosts ONE OTHER COMMAND...: as ranks 0 and 1.
on_hosts() {
    # shellcheck disable=SC2016 # for the ranks
    "${mpiexec[@]}" 2 bash -c '[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ] && name=$1 || name=$2; exec "$0" "$name" "${@:3}"' \
        "$as_host" "$@"
}

# Hosts are words of one line, as many as there are processes.
hosts_are_words() {
    [ "$(sed -n 's/^# hosts: //p' "$1" | wc -w)" = 2 ] || fail "$(cat -v <<<"$2"): hosts: $(grep -a hosts "$1" | cat -v)"
}

few=(--quiet --min-reps 2 --max-reps 2)
campaign() { # ONE OTHER
    rm -f h.* b.*
    clean on_hosts "$1" "$2" "$cpm" measure -M hockney --no-thresholds "${few[@]}" -m 0,1K -o h.meas
    hosts_are_words h.meas "$1"
    works "$as_host" "$1" "$cpm" fit h.meas --no-thresholds -M hockney -o h.mod
    clean "$cpm" show h.mod
    works on_hosts "$1" "$2" "$cpm" measure -M hockney --no-thresholds "${few[@]}" -m 0,1K,2K --resume -o h.meas
    clean on_hosts "$1" "$2" "$cpm" model -M hockney --no-thresholds "${few[@]}" -m 0,1K -o b.mod
    works "$cpm" show b.mod
    clean "$cpm" show b.mod
    clean on_hosts "$1" "$2" "$cpm" validate b.mod bcast:linear -m 1K "${few[@]}"
    ! grep -q 'other hosts' stderr || fail "its own hosts are others: $(cat -v <<<"$1")"
}

campaign 'two words' $'two\twords'
campaign $'new\nline' $'esc\033[2J'
campaign $'\xff\xfe' '#remark'
campaign '"<&>\' "$longest"
finish
