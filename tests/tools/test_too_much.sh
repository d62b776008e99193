#!/usr/bin/env bash
# What would take too much memory is refused in one line, and what would take long says so to a
# person who waits.
. "$(dirname "$0")/lib.sh"

# A model of N like processes.
model_of() {
    printf '{"format": "cpm model", "version": 1, "model": "hockney", "processes": %d, "hosts": [' "$1"
    seq -s, "$1" | sed 's/[0-9]\+/"h&"/g'
    printf '], "classes": {"all": ['
    seq -s, 0 $(($1 - 1))
    printf ']}, "provenance": {}, "notes": [], "parameters": {
        "alpha": {"unit": "s", "value": [[5e-5]], "ci": null},
        "beta": {"unit": "s/B", "value": [[1e-8]], "ci": null}}}\n'
}
model_of 20000 >many.mod

# with_little COMMAND...: has half a gigabyte.
with_little() (
    ulimit -v 500000
    "$@"
)

memory_that_does_not_suffice_is_one_line() {
    with_little "$cpm" --version >/dev/null 2>&1 || return # a sanitizer needs all addresses
    refused 1 'walking the messages of 20000 ranks takes about 1[0-9](\.[0-9])? GB, of which 0\.[0-9]+ GB are left' \
        with_little "$cpm" predict many.mod bcast:scatter-ring -m 1M
    refused 1 'out of memory' with_little "$cpm" predict many.mod alltoall:simple -m 1K
    refused 1 'out of memory' with_little "$cpm" tune many.mod alltoall:ring -n 20000 -m 1K -o t.json
    refused 1 'out of memory' with_little "$cpm" map many.mod bcast:tree -m 1K -o t.map
    [ ! -e t.json ] && [ ! -e t.map ] || fail "something was written"
    works with_little "$cpm" predict many.mod bcast:binomial -m 1K
    {
        printf '{"format": "cpm model", "version": 1, "notes": ['
        yes 0, | head -n 10000000 | tr -d '\n'
        printf '0]}'
    } >long.mod
    refused 1 'out of memory' with_little "$cpm" predict long.mod bcast
}

# Receives that wait, messages under way and what finds both count, not only what is to be done.
walks_of_shared_link_ends_know_what_they_need() (
    dense=(hosts4.mod alltoall:simple -m 16K --no-intervals)
    ulimit -v 300000
    "$cpm" --version >/dev/null 2>&1 || exit 0
    finds 1 "$cpm" predict "${dense[@]}" --layout 2x1024
    # Two processes of a host were measured: that 1,024 are more is a line of its own.
    grep -v '^cpm: warning: predictions go beyond' stderr >ours
    [ "$(wc -l <ours)" = 1 ] || fail "not one line: $(cat stderr)"
    grep -Eq 'messages of 2048 ranks takes about 0\.5[0-9]* GB, of which 0\.2[0-9]* GB' ours || fail "$(cat ours)"
    ulimit -v 250000
    works "$cpm" predict "${dense[@]}" --layout 2x512
    exit "$failures"
)

# on_terminal PATTERN COMMAND: until it says that there, or has ended.
on_terminal() {
    rm -f said # of the one before
    script -qefc "$2" /dev/null </dev/null >said &
    local terminal=$!
    while kill -0 $terminal 2>/dev/null && ! grep -Eqs "$1" said; do
        sleep 0.1
    done
    kill $terminal 2>/dev/null
    wait $terminal 2>/dev/null
    grep -Eq "$1" said
}

who_waits_at_a_terminal_is_told_for_how_long() {
    local told='^cpm predict: about 1.6e\+10 messages to walk through, [0-9.e+]+ a second: [0-9.]+ (minutes|hours|days) '
    local sizes=1K:640K:1K # minutes also where a processor is fast
    command -v script >/dev/null || return
    model_of 5000 >fewer.mod # which take little memory
    on_terminal "$told" "'$cpm' predict fewer.mod alltoall:spreading-simple -m $sizes --budget 60" ||
        fail "not told: $(cat said)"
    on_terminal "${told/1.6e/1.6[0-9]e}" "'$cpm' predict fewer.mod alltoall:spreading-simple -m $sizes --crossovers --budget 60" ||
        fail "not told with --crossovers: $(cat said)"
    model_of 3000 >fewer.mod
    told='^cpm tune: about [0-9]+ decisions to make, (less than )?[0-9.e-]+ a second: (more than )?[0-9.]+ (minutes|hours|days) '
    on_terminal "$told" "'$cpm' tune fewer.mod alltoall -o t.json --budget 60" || fail "tune: not told: $(cat said)"
    on_terminal "$told" "'$cpm' tune fewer.mod alltoall -o t.json --budget 60 --threads 1" ||
        fail "tune in a thread: not told: $(cat said)"
    [ ! -e t.json ] || fail "something was written"
    ! on_terminal 'decisions to make' "'$cpm' tune lmo4.mod bcast -m 1K -o t.json" || fail "told of what is soon over: $(cat said)"
    ! on_terminal 'to walk through' "'$cpm' predict many.mod bcast:binomial -m 1K" ||
        fail "told of what is soon over: $(cat said)"
    "$cpm" predict many.mod alltoall:ring -m 1K --budget 2 >said 2>&1
    ! grep -q 'to walk through' said || fail "nobody waits, and is told: $(cat said)"
}

numbers_of_processes_that_nobody_has_are_refused_at_once() {
    local most=2147483647
    refused 2 "$most processes are too many" "$cpm" draw alltoall:ring -n $most
    refused 2 "$most is not in 1" "$cpm" check bcast:binomial -n $most
    refused 2 "$most are too many" "$cpm" export --goal bcast:binomial -n $most -m 1K -o no.goal
    refused 1 "cannot predict for $most" "$cpm" predict lmo4.mod bcast -n $most
    refused 2 "$most is not in 2" "$cpm" tune lmo4.mod bcast -n $most
}

# A crowd: eight senders and as many receivers are 64 pairs and more.
exact_times_are_an_option() {
    cp "$here"/../../examples/models/gigabit16.mod crowd.mod
    for share in 0 6e-5 0.01; do
        "$cpm" predict crowd.mod alltoall:simple -m 64K --no-intervals --tolerance $share >of_$share || fail "$share"
    done
    "$cpm" predict crowd.mod alltoall:simple -m 64K --no-intervals | cmp - of_6e-5 || fail "the default is another"
    ! cmp -s of_0 of_0.01 || fail "tolerance changes nothing"
    awk '!/^#/ {t[FILENAME] = $2} END {d = t["of_6e-5"] / t["of_0"] - 1; exit !(d < 0.001 && d > -0.001)}' of_0 of_6e-5 ||
        fail "off by more than 0.1 %: $(tail -qn 1 of_0 of_6e-5)"
    refused 2 "'0.5' is not from 0 to 0.01" "$cpm" predict lmo4.mod bcast --tolerance 0.5
    refused 2 'omit --tolerance' "$cpm" predict lmo4.mod --profile p.json --tolerance 0
}

# like_hosts HOSTS: a model of so many, with two processes each, dealt to the hosts in turn.
like_hosts() {
    awk -v hosts="$1" '
        function list(value, count, text, k) {
            for (k = 0; k < count; k++)
                text = text (k ? ", " : "") value
            return "[" text "]"
        }
        function each(name, unit, value) {
            printf "\"%s\": {\"unit\": \"%s\", \"value\": [%s]},\n", name, unit, list(value, hosts)
        }
        function end(name, value) {
            printf "\"%s\": {\"unit\": \"s/B\", \"value\": %s},\n", name, list(value, hosts)
        }
        function pairs(name, unit, value, k, l, rows) {
            for (k = 0; k < hosts; k++) {
                rows = rows (k ? ", [" : "[")
                for (l = 0; l < hosts; l++)
                    rows = rows (l ? ", " : "") (k == l ? 0 : value)
                rows = rows "]"
            }
            printf "\"%s\": {\"unit\": \"%s\", \"value\": [[%s]]},\n", name, unit, rows
        }
        BEGIN {
            printf "{\"format\": \"cpm model\", \"version\": 1, \"model\": \"lmo2\", \"processes\": %d, \"hosts\": [", 2 * hosts
            for (k = 0; k < 2 * hosts; k++) printf "%s\"h%d\"", k ? ", " : "", k % hosts
            printf "], \"classes\": {"
            for (k = 0; k < hosts; k++) printf "%s\"h%d\": [%d, %d]", k ? ", " : "", k, k, k + hosts
            printf "}, \"sizes\": [0], \"inside\": [0], \"provenance\": {}, \"parameters\": {\n"
            each("Cs", "s", "3.6e-6"); each("ts", "s/B", "1.5e-10")
            each("Cr", "s", "4.2e-6"); each("tr", "s/B", "2.5e-10")
            pairs("L", "s", "9e-6"); pairs("invbeta", "s/B", "9e-10")
            end("Go", "9e-10"); end("Gi", "9e-10")
            each("Cs_in", "s", "5e-7"); each("ts_in", "s/B", "1e-11")
            each("Cr_in", "s", "6e-7"); each("tr_in", "s/B", "1e-11")
            each("L_in", "s", "9e-7"); each("invbeta_in", "s/B", "1.1e-10")
            end("G_in", "1.1e-10")
            printf "\"rendezvous\": {\"unit\": \"B\", \"value\": 65536}, \"rendezvous_in\": {\"unit\": \"B\", \"value\": 16384},\n"
            print "\"late\": {\"unit\": \"1\", \"value\": 0}}}"
        }'
}

the_usual_tolerance_is_worth_a_thousandth_of_like_hosts() {
    like_hosts 37 >like.mod
    for share in 0 usual; do
        [ $share = usual ] && tolerance=() || tolerance=(--tolerance 0)
        "$cpm" predict like.mod alltoall:simple -m 1M --no-intervals "${tolerance[@]}" >of_$share || fail "$share"
    done
    awk '!/^#/ {t[FILENAME] = $2} END {d = t["of_usual"] / t["of_0"] - 1; exit !(d < 0.001 && d > -0.001)}' of_0 of_usual ||
        fail "off by more than 0.1 %: $(tail -qn 1 of_0 of_usual)"
}

memory_that_does_not_suffice_is_one_line
walks_of_shared_link_ends_know_what_they_need || fail "of shared link ends"
who_waits_at_a_terminal_is_told_for_how_long
numbers_of_processes_that_nobody_has_are_refused_at_once
exact_times_are_an_option
the_usual_tolerance_is_worth_a_thousandth_of_like_hosts
finish
