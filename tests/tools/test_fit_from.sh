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
refused 1 "^cpm fit: --from: unknown format 'logp' \(known: osu, imb, logp_mpi, .*simgrid, auto\)" "${fit[@]}" logp line.txt
refused 1 '^cpm fit: lmo4.mod:[0-9]+: expected .* Latency Test' "${fit[@]}" osu lmo4.mod
refused 1 '^cpm fit: imb-2018.txt:[0-9]+: expected .*looks like Intel MPI Benchmarks: --from imb$' "${fit[@]}" osu imb-2018.txt
refused 1 '^cpm fit: none.txt: cannot be read: No such file' "${fit[@]}" osu none.txt
refused 1 '^cpm fit: line.txt: the pair' "${fit[@]}" osu "${pairs[@]}" line.txt
refused 1 'line.txt: 2 and 2 are not a pair' "${fit[@]}" osu 2,2=line.txt
refused 1 'osu_multi_lat-7.1.txt: .*average' "${fit[@]}" osu 0,1=osu_multi_lat-7.1.txt
sed -i 's/^1008 5/1008 five/' line.txt
refused 1 "^cpm fit: line.txt:4: expected a size.*found '1008 five'" "${fit[@]}" osu line.txt
head -n 3 line.txt >one.txt
refused 1 '^cpm fit: one.txt: no model: there are latencies of one message size only' "${fit[@]}" osu one.txt
refused 1 'lmo needs at least 3 processes' "$cpm" fit -M lmo --from osu osu_latency-7.5.txt -o no.mod
works "$cpm" fit --from osu osu_latency-7.5.txt -o usual.mod # Hockney's
grep -q '"model": "hockney"' usual.mod || fail "another model"
refused 2 'other benchmarks \(--from\) need -o FILE.mod' "$cpm" fit --from osu osu_latency-7.5.txt
refused 2 "unexpected argument 'b.meas'" "$cpm" fit a.meas b.meas
[ ! -e no.mod ] || fail "a model of broken files was written"
finish
