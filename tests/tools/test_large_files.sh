#!/usr/bin/env bash
# A file of 30,000 of anything is read in time and memory that grow with its size, and numbers that
# are huge make nobody wait or allocate: what takes less than half a second and 50 MB has 10 and 1 GB.
# With CPM_TEST_LENGTH above 1 (default 1) it is a file of 100,000, twice as much of these, and all models.
. "$(dirname "$0")/lib.sh"
many=30000 seconds=10 kilobytes=1000000
estimated=(hockney plogp lmo2) claimed=(65 1048576 99999999999)
if [ "${CPM_TEST_LENGTH:-1}" != 1 ]; then
    many=100000 seconds=20 kilobytes=2000000
    estimated=(hockney logp loggp plogp lmo lmo2 interp) claimed=(65 1000 30000 1048576 1048577 99999999999)
fi

works "$cpm" bench coll --machine lmo4.mod bcast:linear,gather:linear -m 1K,4K --quiet -o coll.meas
sed -n '/^bcast:linear .*1024/s/^bcast:linear 0 -1 -1 1 1024 0 0//p' coll.meas >times

# bounded COMMAND...: ends by itself, with exit code 0, 3 or 4, or 1 or 2 and one line.
bounded() {
    local code
    (
        ulimit -t $seconds -v $kilobytes
        exec "$@"
    ) >stdout 2>stderr
    code=$?
    case $code in
    0 | 3 | 4) ;;
    1 | 2) [ "$(grep -c '^cpm' stderr)" = 1 ] || fail "not one line: $*: $(head -c 500 stderr)" ;;
    *) fail "exit code $code: $*: $(head -c 500 stderr)" ;;
    esac
    ! grep -q 'no memory\|out of memory' stderr || fail "memory: $*: $(head -c 500 stderr)"
    return $code
}

# read_by COMMAND...: bounded, and not refused.
read_by() {
    bounded "$@"
    case $? in 1 | 2) fail "refused: $*: $(head -c 500 stderr)" ;; esac
}

# each AWK: what it prints for k = 1 .. many.
each() {
    awk -v many="$many" "BEGIN { for (k = 1; k <= many; k++) $1 }"
}

# meas PROCESSES HEADER ROWS [DURATION]: a file of measurements.
meas() {
    echo '# cpm measurements 1'
    echo "# processes: $1"
    printf '# placement: plain\n# statistic: median\n'
    eval "$2"
    echo 'experiment i j k count send_bytes reply_bytes round mean median huber min max sd ci_low ci_high reps huber_half'
    eval "$3"
    echo "# duration: 1"
}
rows() {
    each "printf \"$1$(cat times)\\n\", $2"
}

measurements() {
    local kind
    meas 4 "each 'printf \"# key%d: %d\n\", k, k'" "rows 'bcast:linear 0 -1 -1 1 %d 0 0' k" >many-keys.meas
    meas 4 "each 'printf \"# key: %d\n\", k'" "rows 'bcast:linear 0 -1 -1 1 %d 0 0' k" >one-key.meas
    meas 4 "each 'print \"# remark\"'" "rows 'bcast:chain:segment=%d 0 -1 -1 1 1024 0 0' k" >segments.meas
    meas 4 "each 'print \"# elapsed: 1\"'" "rows 'roundtrip %d %d -1 1 %d %d 0' '0, 1, k, k'" >sizes.meas
    meas $many "printf '# hosts:'; each 'printf \" n%d\", k'; echo" \
        "rows 'roundtrip %d %d -1 1 8 8 0' '0, k < many ? k : 1, k'; rows 'roundtrip %d %d -1 1 16 16 0' '0, k < many ? k : 1'" |
        awk '!seen[$0]++' >hosts.meas
    for kind in many-keys one-key; do
        read_by "$cpm" compare lmo4.mod $kind.meas
        command -v gnuplot >/dev/null && read_by "$cpm" plot $kind.meas -o x.svg
    done
    bounded "$cpm" compare lmo4.mod segments.meas
    for kind in many-keys segments sizes hosts; do
        for model in "${estimated[@]}"; do
            bounded "$cpm" fit --model $model --no-thresholds $kind.meas -o x.mod
        done
        bounded "$cpm" doctor $kind.meas
        bounded "$cpm" fit --model logp --classes auto $kind.meas -o x.mod
        bounded "$cpm" bench coll --machine lmo4.mod bcast:linear -m 1K --quiet --resume --adaptive -o $kind.meas
    done
    each 'printf "n%d class%d\n", k, k % 3' >hosts.classes
    each 'printf "n%d class%d\n", k, k' >alone.classes
    each 'printf "%d class\n", k - 1' >ranks.classes
    each 'printf "n%d* class\n", k' >patterns.classes
    echo "0-$((many - 1)) class" | awk -v many=$many '{ for (k = 0; k < many; k++) print }' >ranges.classes
    for kind in hosts alone ranks patterns ranges; do
        bounded "$cpm" fit --model lmo --no-thresholds --classes $kind.classes hosts.meas -o x.mod
    done
    each 'printf "%d 1.5\n", k' | sed '1i# OSU MPI Latency Test v7.2\n# Size          Latency (us)' >osu.txt
    bounded "$cpm" fit --model hockney --from osu osu.txt -o x.mod
    head -n 8 osu.txt >pair.txt
    mapfile -t pairs < <(awk 'BEGIN { for (i = 0; i < 128; i++) for (j = i + 1; j < 128; j++) printf "%d,%d=pair.txt\n", i, j }')
    read_by "$cpm" fit --model hockney "${pairs[@]}" -o x.mod
}

# Little files that say that much was measured.
claims() {
    local model n
    for n in "${claimed[@]}"; do
        meas $n : 'rows "roundtrip 0 1 -1 1 %d %d 0" "k, k"' | head -20 >claim.meas
        echo '# duration: 1' >>claim.meas
        for model in hockney logp loggp plogp lmo lmo2 interp; do
            bounded "$cpm" fit --model $model claim.meas -o x.mod
            bounded "$cpm" fit --model $model --classes auto claim.meas -o x.mod
        done
        bounded "$cpm" doctor claim.meas
        bounded "$cpm" compare lmo4.mod claim.meas
        bounded "$cpm" plot claim.meas -o x.svg
    done
    for n in 100000 100001 1073741824; do
        for kind in "train 0 1 2 $n" "saturation 0 1 -1 $n"; do
            meas 3 : 'for p in "0 1" "0 2" "1 2"; do for m in 0 1024; do echo "roundtrip $p -1 1 $m $m 0$(cat times)"; done; done; for m in 0 1024; do echo "$kind $m 0 0$(cat times)"; done' >claim.meas
            for model in "${estimated[@]}"; do
                bounded "$cpm" fit --model $model --no-thresholds --residuals claim.meas -o x.mod
            done
        done
    done
    meas 4 : 'echo "bcast:linear 0 -1 -1 1 1024 0 0 1 1 1 1 1 1 1 1 1073741824 1 1,2"' | sed 's/ huber_half$/ huber_half samples/' >claim.meas
    bounded "$cpm" compare lmo4.mod claim.meas
    grep -q 'expected 1073741824 samples, found 2' stderr || fail "samples: $(cat stderr)"
    printf 'algorithm bcast:binomial\nsize 1\nnode 0 process 1048575\n' >claim.map
    bounded "$cpm" draw bcast:binomial --map claim.map
}

# A model of many processes, all of one class: "provenance", "notes" as they are given.
model_of() { # PROCESSES CLASSES PROVENANCE NOTES
    local many=$1
    echo '{ "format": "cpm model", "version": 1, "model": "hockney", "processes": '"$1"', "hosts": ['
    each 'printf "\"n%d\"%s\n", k, k < many ? "," : ""'
    echo '], "classes": {'
    awk -v n="$1" -v g="$2" 'BEGIN { for (c = 0; c < g; c++) { printf "\"c%d\": [", c
        for (i = c; i < n; i += g) printf "%s%d", (i > c ? "," : ""), i
        print "]" (c + 1 < g ? "," : "") } }'
    echo '}, "provenance": {'
    eval "$3"
    echo '}, "notes": ['
    eval "$4"
    echo '], "parameters": {'
    awk -v g="$2" -v one="$(($1 == $2))" 'function matrix(name, unit, value, end) {
        print "\"" name "\": { \"unit\": \"" unit "\", \"ci\": null, \"value\": ["
        for (i = 0; i < g; i++) { printf "["
            for (j = 0; j < g; j++) printf "%s%s", i == j && one ? 0 : value, j + 1 < g ? "," : ""
            print "]" (i + 1 < g ? "," : "") }
        print "]}" end }
        BEGIN { matrix("alpha", "s", "1e-5", ","); matrix("beta", "s/B", "1e-9", "") }'
    echo '}}'
}

models() {
    local kind
    model_of 4 4 "each 'printf \"\\\"key%d\\\": \\\"%d\\\"%s\n\", k, k, k < many ? \",\" : \"\"'" : >keys.mod
    model_of 4 4 : "each 'printf \"\\\"note %d\\\"%s\n\", k, k < many ? \",\" : \"\"'" >notes.mod
    model_of $many 1 : : >hosts.mod
    model_of $many 300 : : >classes.mod
    for kind in keys notes hosts classes; do
        read_by "$cpm" show $kind.mod
        read_by "$cpm" predict $kind.mod bcast:binomial -m 1K
        bounded "$cpm" tune $kind.mod bcast:binomial -n 4 -m 1K -o x.json
        bounded "$cpm" export --simgrid $kind.mod -o x.xml
    done
    for kind in keys notes; do
        read_by "$cpm" doctor $kind.mod
        read_by "$cpm" diff $kind.mod $kind.mod
        read_by "$cpm" compare $kind.mod coll.meas
        read_by "$cpm" map $kind.mod bcast:binomial -m 1K --budget 1 -o x.map
        read_by "$cpm" bench p2p --machine $kind.mod -m 1K --quiet
    done
}

tables() {
    local kind
    table_of() {
        echo '{ "format": "cpm table", "version": 1, "provenance": {}, "operations": {'
        eval "$1"
        echo '}}'
    }
    rule='{ \"from\": %d, \"algorithm\": \"%s\", \"seconds\": 1e-5 }'
    counts() {
        echo "\"$1\": {"
        each "printf \"\\\"%d\\\": [$rule]%s\n\", $2, 0, \"$3\", k < many ? \",\" : \"\""
        echo '}'
    }
    rules() {
        echo "\"$1\": { \"4\": ["
        each "printf \"$rule%s\n\", k, \"$2\", k < many ? \",\" : \"\""
        echo ']}'
    }
    table_of "counts gather k binomial" >up.json
    table_of "counts gather 'many + 1 - k' binomial" >down.json
    table_of "rules gather linear" >rules.json
    table_of "echo '\"gather\": { \"4\": ['; each 'printf \"{ \\\"from\\\": %d, \\\"algorithm\\\": \\\"%s\\\", \\\"seconds\\\": null }%s\n\", k, k % 2 ? \"linear\" : \"binomial\", k < many ? \",\" : \"\"'; echo ']}'" >alternating.json
    table_of "counts bcast k binomial" >known-up.json
    table_of "echo '\"bcast\": { \"4\": ['; each 'printf \"{ \\\"from\\\": %d, \\\"algorithm\\\": \\\"%s\\\", \\\"seconds\\\": null }%s\n\", k, k % 2 ? \"scatter-ring\" : \"binomial\", k < many ? \",\" : \"\"'; echo ']}'" >known-alternating.json
    for kind in up down rules alternating known-up known-alternating; do
        read_by "$cpm" export --openmpi $kind.json -o x.conf
        [[ ${mpiexec[0]} == *hydra* ]] && read_by "$cpm" export --mpich $kind.json -o rules-of-mpich.json
    done
}

networks() {
    local kind
    { printf 'algorithm bcast:binomial\nsize 1024\n'; each 'printf "node %d process %d\n", k - 1, k - 1'; } >nodes.map
    { printf 'algorithm scatterv:binomial\nsize 1024\n'; each 'printf "block %d 1024\n", k - 1'
      each 'printf "node %d process %d\n", k - 1, many - k'; } >blocks.map
    read_by "$cpm" export --goal bcast:binomial -n $many -o x.goal
    bounded "$cpm" draw bcast:binomial --map nodes.map -o x.dot
    bounded "$cpm" draw scatterv:binomial --map blocks.map -o x.dot
    bounded "$cpm" check bcast:binomial --map nodes.map
    { echo 'switch s'; each 'printf "host n%d s\n", k'; } >star.topology
    { each 'printf "switch s%d\nhost n%d s%d\n", k, k, k'
      each 'if (k > 1) printf "link s%d s%d\n", k - 1, k'; } >chain.topology
    for kind in star chain; do
        bounded "$cpm" predict lmo4.mod allgather -m 1K --topology $kind.topology
        read_by "$cpm" check allgather:logical-ring -n 4 --topology $kind.topology
    done
    { printf '# cpm validation 1\nalgorithm\troot\tsize\tmeasured_us\n'; each 'printf "a%d\t0\t%d\t1\n", k, k'; } >rows.tsv
    bounded "$cpm" plot rows.tsv -o x.svg
    each 'print k' >blocks
    bounded "$cpm" predict lmo4.mod scatterv --blocks blocks
}

# Schedules in the order in which sorting and numbering of rounds are slowest.
schedules() {
    local kind head="operation bcast\nprocesses 2\nroot 0\npieces $many\n"
    { printf '%b' "$head"; each 'printf "%d 0 -> 1 0.%d\n", many - k, k - 1'; } >backwards.schedule
    { printf '%b' "$head"; each 'printf "%d/0 0 -> 1 0.%d\n", k, k - 1'; } >skewed.schedule
    for kind in backwards skewed; do
        read_by "$cpm" check bcast:@$kind.schedule -n 2
        read_by "$cpm" export --schedule bcast:@$kind.schedule -n 2 -o x.schedule
    done
}

# Every option that takes a number of processes, bytes, segments, attempts or seeds.
options() {
    local n
    for n in 1048577 9223372036854775807; do # up to a million segments each
        bounded "$cpm" draw bcast:chain:segment=1 -n 2 -m $n -o x.dot
        bounded "$cpm" check bcast:chain:segment=1 -n 2 -m $n
        bounded "$cpm" predict lmo4.mod bcast:chain:segment=1 -m $n
        bounded "$cpm" predict lmo4.mod bcast -m $n --segments 1
        bounded "$cpm" export --goal bcast:chain:segment=1 -n 2 -m $n -o x.goal
        bounded "$cpm" map lmo4.mod bcast:chain:segment=1 -m $n --budget 1 -o x.map
        bounded "$cpm" tune lmo4.mod bcast:chain:segment=1 -m $n -o x.json
        bounded "$cpm" bench coll --machine lmo4.mod bcast:chain:segment=1 -m $n --quiet
    done
    for n in 2147483647 1048577 9223372036854775807 18446744073709551615; do
        bounded "$cpm" draw bcast:linear -n $n -o x.dot
        bounded "$cpm" draw alltoall:linear -n $n -o x.dot
        bounded "$cpm" draw bcast:binomial -n 4 --root $n -o x.dot
        bounded "$cpm" draw bcast:chain:k=$n -n 4 -o x.dot
        bounded "$cpm" check bcast:linear -n $n
        bounded "$cpm" check alltoall:linear -n 4 -m $n
        bounded "$cpm" check bcast:linear -n 1:$n:1
        bounded "$cpm" check bcast:linear -n 4 --root $n
        bounded "$cpm" predict lmo4.mod -m $n
        bounded "$cpm" predict lmo4.mod bcast -m 0:$n:1
        bounded "$cpm" predict lmo4.mod bcast -m 1K --segments 1:$n:1
        bounded "$cpm" predict lmo4.mod -n $n
        bounded "$cpm" predict lmo4.mod scatterv --blocks $n,$n,$n,$n
        bounded "$cpm" predict lmo4.mod --root $n
        bounded "$cpm" export --goal bcast:linear -n $n -o x.goal
        bounded "$cpm" map lmo4.mod bcast:tree -m $n --attempts $n --seed $n --budget 1 -o x.map
        bounded "$cpm" tune lmo4.mod bcast -n $n -o x.json
        bounded "$cpm" tune lmo4.mod bcast -m 0:$n -o x.json
        bounded "$cpm" bench coll --machine lmo4.mod bcast:linear -m $n --quiet
        bounded "$cpm" bench p2p --machine lmo4.mod -m $n --quiet
        bounded "$cpm" bench p2p --machine lmo4.mod -m 1K --min-reps $n --max-reps $n --quiet
        bounded "$cpm" measure -M lmo --machine lmo4.mod -m $n --no-thresholds --quiet -o x.meas
        bounded "$cpm" validate --machine lmo4.mod lmo4.mod bcast:linear -m $n --quiet
    done
}

for part in "${@:3}"; do $part; done
[ $# -gt 2 ] || { measurements; claims; models; tables; networks; schedules; options; }
finish
