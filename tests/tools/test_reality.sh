#!/usr/bin/env bash
# bench/reality of a simulated machine, which is predicted as it was measured; and of real ones in the folder that
# CPM_REALITY names, if there is one.
. "$(dirname "$0")/lib.sh"
reality=$here/../../bench/reality

mkdir -p data/simulated
works "$cpm" measure -M lmo2 --machine lmo4.mod --noise 0.01 --no-thresholds --quiet -o data/simulated/m4.meas
for operation in bcast reduce alltoall; do
    works "$cpm" bench coll --machine lmo4.mod --noise 0.01 --quiet $operation -m 64,4K,64K -o data/simulated/$operation-4.meas
done
works "$reality" data --cpm "$cpm" --format tsv
[ "$(head -n 1 stdout)" = "$(printf 'data\tfactor\twithin\tbias\tchosen\tworst\tdefault')" ] || fail "columns: $(cat stdout)"
awk -F '\t' 'NR == 2 { exit !($1 == "simulated-4" && $2 < 1.05 && $3 > 0.99 && $5 < 1.05) }' stdout || fail "it is not predicted: $(cat stdout)"

# What is wrong is seen: twice as slow as it was predicted.
awk '!/^#/ && NR > 1 && $1 ~ /:/ { for (k = 8; k <= 11; k++) $k *= 2 } 1' data/simulated/bcast-4.meas >twice
mkdir -p slow/machine
cp data/simulated/m4.meas slow/machine
cp twice slow/machine/bcast-4.meas
works "$reality" slow --cpm "$cpm" --format tsv
awk -F '\t' 'NR == 2 { exit !($2 > 1.8 && $4 < 0.6) }' stdout || fail "twice as slow is not seen: $(cat stdout)"

# Two hosts of 32 as OSU saw them, whose inside is in the middle of what is assumed: all is in the interval.
python3 - "$here/../../bench/reality" "$cpm" <<'END'
import importlib.machinery, importlib.util, os, subprocess, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("reality", sys.argv[1])
reality = importlib.util.module_from_spec(importlib.util.spec_from_loader("reality", loader))
loader.exec_module(reality)
def write(test, rows):
    os.makedirs("pair/two/omb/Osu_" + test)
    with open(f"pair/two/omb/Osu_{test}/job.out", "w") as file:
        file.write("# OSU\n" + "".join(f"{size} {figure:.2f}\n" for size, figure in rows.items()))
sizes = [1 << k for k in range(0, 19)]
latency = {size: 1 + size * 8e-5 + 2 * (size >= 8192) for size in sizes}
bandwidth = {size: min(12500, 6 * size) for size in sizes}
write("latency", latency)
write("bw", bandwidth)
middle = {key: (value + reality.ASSUMED[1][key]) / 2 for key, value in reality.ASSUMED[0].items()}
reality.model_of_pairs(latency, bandwidth, 8192, 2, 32, middle, "middle.mod")
for operation, taken in reality.OPENMPI3.items():
    seconds = {}
    for size in (8, 512, 4096, 65536):
        algorithm = [a for first, a in taken if first <= size][-1]
        text = subprocess.run([sys.argv[2], "predict", "middle.mod", f"{operation}:{algorithm}", "-m", str(size),
                               "--no-intervals", "--format", "tsv"], capture_output=True, text=True, check=True).stdout
        seconds[size] = float([*reality.rows_of(text)][0]["predicted_us"])
    write(operation, seconds)
END
works "$reality" pair --cpm "$cpm"
held=$(sed -n 's/^the interval of what was assumed holds \([0-9]*\) of 12 observations$/\1/p' stdout)
[ "${held:-0}" -ge 11 ] || fail "what is in the middle is outside: $(cat stdout stderr)"
grep -q '^no factor can be learnt: ' stdout || fail "what is alone teaches nothing: $(cat stdout)"

# Beside a machine that is predicted almost exactly and one that is not (each counts alike: 95 % of both are 90 % of the
# latter), where one operation of the pair took four times as long: no factor is learnt from that.
mkdir both
cp -r data/simulated pair/two "$here/measured/sixteen" both
awk '!/^#/ { $2 *= 4 } 1' pair/two/omb/Osu_allgather/job.out >both/two/omb/Osu_allgather/job.out
works "$reality" both --cpm "$cpm"
grep -q "^the interval of what was assumed holds $((held - 4)) of 12 observations$" stdout &&
    grep -qE '^with the factor 1[.][0-9]+ that holds 95 % .* it holds 8 of 12; width [2-9].* instead of [1-9]' stdout &&
    grep -qE '^simulated: the factor 1[.][0-9]+ holds ([0-9]+) of \1, 100 %$' stdout &&
    grep -qE '^sixteen: the factor 1[.]0[0-9] holds [0-9]+ of [0-9]+, [1-3]?[0-9] %$' stdout ||
    fail "the factor of other machines: $(cat stdout stderr)"

# A part of what 16 real processors showed: a campaign of 3 s, and collectives that it predicts and chooses from.
works "$reality" "$here/measured" --cpm "$cpm" --format tsv
awk -F '\t' 'NR == 2 { exit !($1 == "sixteen-16" && $2 < 1.25 && $3 > 0.7 && $5 < 1.1 && $5 < $7) }' stdout ||
    fail "16 processors are predicted less well: $(cat stdout)"

mkdir empty
"$reality" empty --cpm "$cpm" >stdout 2>stderr && fail "nothing is no data set"
grep -q 'no data set below empty' stderr || fail "no reason: $(cat stderr)"

if [ -n "${CPM_REALITY:-}" ]; then
    works "$reality" "$CPM_REALITY" --cpm "$cpm"
    cat stdout
fi
finish
