#!/usr/bin/env bash
# Models from what other benchmarks printed.
. "$(dirname "$0")/lib.sh"

cp "$here"/../measurements/data/*.txt .
pairs=(0,1=osu_latency-7.5.txt 0,2=osu_latency-5.3.2.txt 2,1=osu_latency-7.5-validation.txt)

# wrote NAME FROM FILE...: the model of these files is what expected/fit_from_NAME.txt shows.
wrote() {
    local name=$1 from=$2
    shift 2
    works "$cpm" fit --model hockney --from "$from" "$@" -o "$name.mod"
    golden "fit_from_$name" show "$name.mod"
}

wrote osu osu osu_latency-7.5.txt
wrote multi osu osu_multi_lat-7.1.txt
wrote imb imb imb-2018.txt
wrote repeated osu osu_latency-7.5.txt osu_latency-7.5-validation.txt
wrote pairs osu "${pairs[@]}"

# A line through two points gives them back: 3 us for 8 bytes, 5 us for 1008, 4 between.
printf '# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n8 3\n1008 5\n' >line.txt
works "$cpm" fit --model hockney --from osu line.txt -o line.mod
works "$cpm" predict line.mod scatter:linear -m 508 --format tsv
awk '$1 == "scatter:linear" { good = $5 == 4 } END { exit !good }' stdout ||
    fail "not 4 us between 3 and 5: $(cat stdout)"

works "$cpm" fit --model hockney --from osu <(cat osu_latency-7.5.txt) -o piped.mod
[ "$(sha256sum <osu_latency-7.5.txt | cut -d' ' -f1)" = \
  "$(sed -n 's/.*"measurements_sha256": "\(.*\)".*/\1/p' piped.mod)" ] || fail "checksum of a pipe"

fit=("$cpm" fit --model hockney -o no.mod --from)
refused 2 "^cpm fit: --from: unknown format 'logp' \(known: osu, imb, logp_mpi, .*simgrid, pandas, auto\)" "${fit[@]}" logp line.txt
refused 1 '^cpm fit: lmo4.mod:[0-9]+: expected .* Latency Test' "${fit[@]}" osu lmo4.mod
refused 1 '^cpm fit: imb-2018.txt:[0-9]+: expected .*looks like Intel MPI Benchmarks: --from imb$' "${fit[@]}" osu imb-2018.txt
refused 1 '^cpm fit: none.txt: cannot be read: No such file' "${fit[@]}" osu none.txt
refused 2 '^cpm fit: line.txt: the pair' "${fit[@]}" osu "${pairs[@]}" line.txt
refused 2 'line.txt: 2 and 2 are not a pair' "${fit[@]}" osu 2,2=line.txt
refused 1 'osu_multi_lat-7.1.txt: .*average' "${fit[@]}" osu 0,1=osu_multi_lat-7.1.txt
sed -i 's/^1008 5/1008 five/' line.txt
refused 1 "^cpm fit: line.txt:4: expected a size.*found '1008 five'" "${fit[@]}" osu line.txt
head -n 3 line.txt >one.txt
refused 1 '^cpm fit: one.txt: no model: there are latencies of one message size only' "${fit[@]}" osu one.txt
refused 1 'lmo needs at least 3 processes' "$cpm" fit -M lmo --from osu osu_latency-7.5.txt -o no.mod
works "$cpm" fit --from osu osu_latency-7.5.txt -o usual.mod # Hockney's
grep -q '"model": "hockney"' usual.mod || fail "another model"
refused 2 'another benchmark printed \(--from\) needs -o FILE.mod' "$cpm" fit --from osu osu_latency-7.5.txt
# Without --from a file is what it looks like; whatever is not known is a note.
tables() {
    printf '%s\n' 'Loading mpi' '# OSU MPI Latency Test v5.8' '# Size          Latency (us)' '1 15.55' '1024 16.59' \
        '65536 25.88' '' 'real    0m5.711s' '# OSU MPI Bandwidth Test v5.8' '# Size      Bandwidth (MB/s)' '1 0.31' \
        '65536 3120.55' 'START OF JOBSPEC' '{"tasks": []}' '# OSU MPI Allreduce Latency Test v5.8' \
        '# Size       Avg Latency(us)' '4 21.50' '65536 101.90'
}
tables | sed 's/^/[1,0]<stdout>: /' | gzip >tables.txt.gz
works "$cpm" fit tables.txt.gz -o tables.mod
grep -q '"model": "lmo2"' tables.mod || fail "latencies and bandwidths make another model"
grep -q 'Collectives are left out' tables.mod || fail "collectives are left out in silence"
works "$cpm" fit 0,1=osu_latency-7.5.txt 2,3=osu_latency-5.3.2.txt -o some.mod
grep -q '4 of 6 pairs were not measured (0,2 0,3 1,2 1,3)' some.mod || fail "missing pairs are not noted"
echo text >note.txt
refused 1 '^cpm fit: note.txt:1: not a file of measurements.*nor is it the output of a benchmark that --from lists' \
    "$cpm" fit note.txt -o no.mod
refused 1 '^cpm fit: note.txt: is not the output of a benchmark that CPM knows' "$cpm" fit --from auto note.txt -o no.mod

# Collectives are measurements: kept, or compared as they are. The times are means over processes.
tables >tables.txt
works "$cpm" fit tables.txt --processes 4 -o tables.meas
[ "$(cat stderr)" = 'cpm: wrote tables.meas' ] || fail "nothing was left out: $(cat stderr)"
works "$cpm" fit tables.txt -o pairs.meas
grep -qx 'cpm: note: Collectives are left out: how many processes ran them is not known (--processes N).' stderr ||
    fail "collectives are left out in silence: $(cat stderr)"
refused 1 "^cpm fit: nothing of 'foo': the files do not say of which library" "$cpm" fit tables.txt --only foo -o no.mod
grep -qx '# timing: mean' tables.meas || fail "it is not said what the times are"
refused 2 'processes is of files of other benchmarks' "$cpm" fit tables.meas --processes 4 -o no.mod
refused 1 "^cpm compare: tables.meas: holds collectives by the MPI library's own choice only: say whose" \
    "$cpm" compare lmo4.mod tables.meas
works "$cpm" compare lmo4.mod tables.meas --library openmpi
grep -q '2 observations of 4 processes' stdout || fail "compared: $(cat stdout)"
mv stdout of_meas
works "$cpm" compare lmo4.mod tables.txt --library openmpi
diff stdout of_meas >&2 || fail "a file and what was imported from it are not the same observations"
sed 's/^# timing: mean/# timing: max/' tables.meas >max.meas
works "$cpm" compare lmo4.mod max.meas --library openmpi
! diff -q stdout of_meas >/dev/null || fail "a mean over processes is predicted as the last one's time"
refused 2 "its times are the last process's, but means over the processes in those before" \
    "$cpm" compare lmo4.mod tables.meas max.meas --library openmpi
sed 's/^# timing/# mpi: Open MPI v4.1.4, package: x\n&/' tables.meas >named.meas
works "$cpm" compare lmo4.mod named.meas
diff stdout of_meas >&2 || fail "the library that a file names is another one"
sed -n '/Allreduce/,$p' tables.txt >allreduce.txt
refused 1 'no model: there are collectives only, and how many processes' "$cpm" fit allreduce.txt -o no.mod
refused 1 "no model: .*own choice only" "$cpm" fit allreduce.txt --processes 4 -o no.mod

# Printed data frames: of several libraries one is asked for.
printf '%s\n' '# osu_latency' '' '       OpenMPI  MPICH' 'size                ' '1         1.5    2.5' '65536    20.0   30.0' >frames.txt
refused 1 'frames.txt: has results of several: OpenMPI, MPICH. Choose one by --only NAME' "$cpm" fit frames.txt -o no.mod
works "$cpm" fit frames.txt --only mpich -o frames.mod
grep -q 'Data frames print no units' frames.mod || fail "it is not said what units frames have"
printf '%s\n' '# osu_allreduce 4 processes' '' '       OpenMPI  MPICH' 'size                ' '8         1.5    2.5' '65536    200.0   300.0' >of_all.txt
refused 1 'of_all.txt: has results of several: OpenMPI, MPICH. Choose one by --only NAME' \
    "$cpm" compare lmo4.mod of_all.txt
works "$cpm" compare lmo4.mod of_all.txt --only mpich --library mpich
grep -q '2 observations of 4 processes' stdout || fail "compared: $(cat stdout)"
refused 1 "has nothing of 'lam'" "$cpm" compare lmo4.mod of_all.txt --only lam
refused 2 '^cpm fit: --only is of files of other benchmarks' "$cpm" fit tables.meas --only mpich -o no.mod

refused 2 "unexpected argument 'b.meas'" "$cpm" fit a.meas b.meas
[ ! -e no.mod ] || fail "a model of broken files was written"
finish
