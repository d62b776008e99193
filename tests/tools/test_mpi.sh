#!/usr/bin/env bash
# The command under mpiexec: real measurements, and failures that all ranks agree on.
. "$(dirname "$0")/lib.sh"
run() { "${mpiexec[@]}" "$@"; }
fast=(--min-reps 3 --max-reps 5 --quiet)

benchmarks_print_a_row_for_each_pair_and_algorithm() {
    works run 4 "$cpm" bench p2p -m 1K,4K "${fast[@]}"
    [ "$(grep -vc '^#' stdout)" = 12 ] || fail "rows of bench p2p: $(cat stdout)"
    works run 3 "$cpm" bench coll bcast:linear,bcast:binomial,bcast:chain,bcast:native,scatter:native -m 1K "${fast[@]}"
    [ "$(grep -vc '^#' stdout)" = 5 ] || fail "rows of bench coll: $(cat stdout)"
    grep -q 'scatter:native' stdout || fail "no native scatter"
    local state
    for state in fresh same cold; do
        run 2 "$cpm" bench coll bcast:chain -m 1K --buffers $state "${fast[@]}" -o $state.meas >stdout 2>stderr
        if [ $state = cold ] && grep -q 'cold buffers: hwloc does not tell' stderr; then
            continue # what the caches hold is not known here
        fi
        grep -qx "# buffers: $state" $state.meas || fail "buffers: $(cat $state.meas)"
        grep -qx '# timing: global' $state.meas || fail "timing of one host: $(cat $state.meas)"
    done
    refused 2 "its buffers are 'same', now they are 'fresh'" \
        run 2 "$cpm" bench coll bcast:chain -m 1K "${fast[@]}" --resume -o same.meas
}

a_model_of_this_machine_is_measured_shown_and_validated() {
    works run 3 "$cpm" model -M lmo --no-thresholds -o here.mod "${fast[@]}"
    [ -s here.mod ] && [ -s here.meas ] || fail "no files"
    works "$cpm" show here.mod
    works "$cpm" predict here.mod scatter -m 1K
    works run 3 "$cpm" validate here.mod bcast:linear,bcast:binomial,bcast:chain -m 1K -o here.tsv "${fast[@]}"
    grep -q '^# bcast:binomial ' stdout || fail "no mean error: $(cat stdout)"
    [ "$(grep -vc '^#' here.tsv)" = 4 ] || fail "table: $(cat here.tsv)"
    ! grep -q 'other hosts' stderr || fail "its own hosts are others"
    works run 2 "$cpm" model -M hockney -o pair.mod "${fast[@]}"
    works "$cpm" show pair.mod --param alpha
}

# Two processes are enough for a host, and what they say serves any number.
a_model_of_a_host_serves_any_number_of_processes() {
    works run 2 "$cpm" model -M lmo2 --no-thresholds -m 16K -o host.mod "${fast[@]}"
    works "$cpm" show host.mod
    grep -q '2 processes on 1 host' stdout || fail "not one host: $(cat stdout)"
    works "$cpm" predict host.mod bcast -m 1K --layout 1x8
}

# How long is long enough depends on the machine: what is too short says so, and --resume goes on.
a_budget_gives_an_estimate_or_a_reason() {
    local seconds=1e-05
    until run 3 "$cpm" measure -M lmo --no-thresholds --budget $seconds --quiet --resume -o budget.meas \
        2>stderr; do
        [ "$(grep -c "a budget of $seconds s is too small" stderr)" = 1 ] ||
            { fail "$(cat stderr)"; return; }
        seconds=$([ $seconds = 1e-05 ] && echo 1 || echo $((2 * seconds)))
    done
    [ $seconds != 1e-05 ] || fail "estimated in no time"
    works "$cpm" fit --no-thresholds budget.meas -o budget.mod
}

failures_are_printed_once_and_reach_the_exit_code() {
    refused 2 "unknown option '--sise'" run 4 "$cpm" bench p2p --sise 1K
    refused 2 'noise 20 is not in 0..10' run 2 "$cpm" bench p2p --noise 20
    refused 1 'needs at least 3 processes, got 2. Two on one host take -M lmo2, two hosts -M hockney' run 2 "$cpm" model -M lmo
    refused 1 'is a model of 4 processes, but there are 3' run 3 "$cpm" validate lmo4.mod
    refused 2 'unknown algorithm' run 4 "$cpm" bench coll scatter:fast
    refused 2 '--root: 4' run 4 "$cpm" bench coll --root 4
    refused 1 '/nonexistent/x' run 4 "$cpm" model -M lmo -o /nonexistent/x
    refused 1 'missing.mod' run 4 "$cpm" validate missing.mod
    [ ! -e cluster.meas ] || fail "measured in vain"
}

# Launchers end the job when one process fails: none may before the first, which may be late, has
# said why.
a_mistake_is_told_before_the_job_is_ended() {
    cat >late <<'END'
[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" != 0 ] || sleep 0.5
exec "$@"
END
    refused 2 "unknown option '--sise'" run 4 bash late "$cpm" bench p2p --sise 1K
    refused 2 'measure-all: unknown command' run 4 bash late "$cpm" measure-all
}

# Processes that were started together but do not find each other: the first says what to start them with.
# alone WHOSE VARIABLE=VALUE...
alone() {
    local whose=$1
    shift
    refused 1 "4 processes, but they do not find each other. It belongs to $whose, .* start it as mpiexec[^ ]* -n 4 cpm bench p2p" \
        env -u PMI_FD "$@" "$cpm" bench p2p -o apart.meas
    env -u PMI_FD "${@/RANK=0/RANK=2}" "$cpm" bench p2p -o apart.meas >stdout 2>stderr && fail "rank 2 works alone: $*"
    ! grep cpm stdout stderr || fail "rank 2 says it, too: $*"
    [ ! -e apart.meas ] || fail "one process alone measures: $*"
}

the_launcher_of_another_mpi_is_noticed() {
    local other=mpiexec.openmpi of_mpich='MPICH [(]or .*[)]' of_openmpi='Open MPI'
    works "$cpm" --version
    grep -Eq '^(MPICH|Open MPI|Intel).*[0-9], started by [^ ]*(mpi|srun)' stdout || fail "version: $(cat stdout)"
    if grep -q 'Open MPI' stdout; then
        other=mpiexec.hydra of_openmpi='another MPI'
    else
        of_mpich='another MPI'
    fi
    alone "$of_openmpi" OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0
    alone "$of_mpich" PMI_SIZE=4 PMI_RANK=0
    refused 1 'srun started 4 processes, .* does not find them: start it as srun --mpi=pmi2 .* or as mpiexec[^ ]* -n 4' \
        env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 "$cpm" bench p2p
    refused 1 'needs at least 2 processes, got 1' env SLURM_NTASKS=4 SLURM_PROCID=0 "$cpm" bench p2p # a job, no step
    command -v $other >/dev/null || return
    # Open MPI's processes without a launcher of theirs share a folder of sessions, which the first that ends
    # removes while others still begin: each has one of its own.
    cat >apart <<'END'
export OMPI_MCA_orte_tmpdir_base=$PWD/sessions.${PMI_RANK:-0}
exec "$@"
END
    for command in 'model -M hockney -o x.mod' 'measure -M hockney -o x.meas' 'bench coll bcast -m 1K -o x.meas' \
        'tune --measure bcast -m 1K -o x.json'; do
        # shellcheck disable=SC2086 # words
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
            refused 1 "they do not find each other\. .* start it as mpiexec[^ ]* -n 3 cpm ${command%% *}" $other -n 3 bash apart "$cpm" $command
        ! compgen -G 'x.*' >some || fail "$command of $other wrote $(cat some)"
    done
    # What the launcher of this MPI says counts, though another one started it.
    OMPI_COMM_WORLD_SIZE=4 PMI_SIZE=4 run 2 "$cpm" bench p2p -m 1K --max-reps 5 --quiet >stdout 2>stderr || fail "nested: $(cat stderr)"
}

rows_of() { grep -v '^#\|^experiment ' "$1"; }

# "mpiexec ... | head -n 1": the launcher, which passes on what ranks say, is ended in the middle or at
# the end. Either is told by the exit code, and what has been measured is there.
a_reader_that_goes_away_costs_no_measurement() {
    local code reader
    for reader in true 'head -n 1'; do
        rm -f gone.meas*
        run 3 "$cpm" bench coll bcast:binomial,bcast:chain -m 1K,4K,16K --min-reps 3 --max-reps 5 -o gone.meas 2>&1 | $reader >first
        code=${PIPESTATUS[0]}
        until ! pgrep -f "^$cpm.*gone.meas" >pids; do sleep 0.1; done
        [ "$code" != 0 ] || grep -q '^# duration: ' gone.meas || fail "exit code 0 of a part of a campaign"
        [ ! -e gone.meas ] || rows_of gone.meas >before
        works run 3 "$cpm" bench coll bcast:binomial,bcast:chain -m 1K,4K,16K "${fast[@]}" --resume -o gone.meas
        [ "$(rows_of gone.meas | wc -l)" = 6 ] || fail "rows: $(cat gone.meas)"
        [ ! -e before ] || ! rows_of gone.meas | grep -vxFf - before || fail "a measurement is lost"
        rm -f before
    done
}

# Without a launcher it is the command that is ended, silently, as any other in a pipe.
a_command_whose_reader_goes_away_ends() {
    "$cpm" bench coll --machine lmo4.mod --quiet -m 1:64K -o alone.meas 2>stderr | head -n 1 >first
    [ "${PIPESTATUS[0]}" != 1 ] && [ ! -s stderr ] || fail "a reader that goes away: $(cat stderr)"
    grep -q '^# duration: ' alone.meas || fail "the campaign is not whole"
}

benchmarks_print_a_row_for_each_pair_and_algorithm
a_reader_that_goes_away_costs_no_measurement
a_command_whose_reader_goes_away_ends
a_model_of_this_machine_is_measured_shown_and_validated
a_model_of_a_host_serves_any_number_of_processes
a_budget_gives_an_estimate_or_a_reason
failures_are_printed_once_and_reach_the_exit_code
a_mistake_is_told_before_the_job_is_ended
the_launcher_of_another_mpi_is_noticed
finish
