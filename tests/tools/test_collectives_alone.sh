#!/usr/bin/env bash
# A model from nothing but collectives: of a simulated cluster of like hosts, which it predicts; too little is refused.
. "$(dirname "$0")/lib.sh"

like_hosts() { # FILE: 32 of them
    python3 - >"$1" <<'END'
import json
def two(unit, short, long):
    return {"unit": unit, "value": [[short], [long]]}
def link(unit, short, long):
    return {"unit": unit, "value": [[[short]], [[long]]]}
print(json.dumps({"format": "cpm model", "version": 1, "model": "lmo2", "processes": 32,
    "hosts": ["h%d" % i for i in range(32)], "classes": {"all": list(range(32))}, "sizes": [0, 16384], "parameters": {
    "Cs": two("s", 4e-7, 8e-7), "ts": two("s/B", 5e-11, 0), "Cr": two("s", 4e-7, 8e-7), "tr": two("s/B", 5e-11, 0),
    "L": link("s", 1.4e-6, 3.5e-6), "invbeta": link("s/B", 8e-11, 8e-11), "Go": {"unit": "s/B", "value": [8e-11]},
    "Gi": {"unit": "s/B", "value": [8e-11]}, "rendezvous": {"unit": "B", "value": 16384},
    "late": {"unit": "1", "value": 0}, "Oc": {"unit": "s", "value": [1e-7]}, "cb": {"unit": "s/B", "value": [2e-10]}}}))
END
}

like_hosts truth.mod
works "$cpm" bench coll --machine truth.mod --noise 0.01 --quiet -m 8,512,4K,16K,256K -o coll.meas \
    bcast:knomial,scatter:linear,alltoall:spreading-simple,reduce:binomial,allgather:ring
works "$cpm" fit coll.meas -M lmo2 -o fitted.mod
grep -q '25 times of 5 collective algorithms' fitted.mod || fail "no note: $(cat fitted.mod)"
finds 4 "$cpm" doctor fitted.mod # it has nobody to compare
grep -q 'none can be compared' stdout || fail "the doctor does not say why: $(cat stdout)"
works "$cpm" bench coll --machine truth.mod --quiet -m 64,8K,64K -o others.meas bcast:binomial,bcast:scatter-ring,alltoall:ring,allreduce
works "$cpm" compare fitted.mod others.meas --format tsv
awk -F '\t' '!/^#/ && !at { for (k = 1; k <= NF; k++) column[$k] = k; at = 1; next }
    at && $column["predicted_us"] > 0 { r = $column["predicted_us"] / $column["observed_us"]; rows++
        if (r < 0.93 || r > 1.07) { print; bad = 1 } }
    END { exit bad || rows < 12 }' stdout || fail "others are not predicted: $(cat stdout)"

awk '/^bcast/ || /^#/ || /^experiment/' coll.meas >few.meas
refused 1 'few.meas: .* need 3 algorithms and 4 sizes, .* algorithms measured: 1' "$cpm" fit few.meas -M lmo2
awk '/^#/ || /^experiment/ || $6 < 1000' coll.meas >few.meas
refused 1 'few.meas: .* need 3 algorithms and 4 sizes, .* measured: 2, 8 to 512 bytes' "$cpm" fit few.meas -M lmo2
sed 's/^# hosts: .*/# hosts:'"$(printf ' a%.0s' {1..16})$(printf ' b%.0s' {1..16})"'/; 2i # layout: 32 processes on 2 hosts' coll.meas >few.meas
refused 1 'few.meas: collectives of 32 processes on 2 hosts do not tell' "$cpm" fit few.meas -M lmo2

# MareNostrum 5's table, as if it had been measured there.
mkdir table
python3 - "$here/../../bench/reality" "$cpm" >table/mare_nostrum.tsv <<'END'
import csv, importlib.machinery, importlib.util, subprocess, sys
loader = importlib.machinery.SourceFileLoader("reality", sys.argv[1])
sys.dont_write_bytecode = True
reality = importlib.util.module_from_spec(importlib.util.spec_from_loader("reality", loader))
loader.exec_module(reality)
print("collective\tallocated_hostsxppn\talgorithm\tbytes\tmedian_us")
for operation, (share, names) in reality.MARENOSTRUM.items():
    for theirs, ours in names.items():
        text = subprocess.run([sys.argv[2], "predict", "truth.mod", f"{operation}:{ours}", "-m", ",".join(
            str(bytes_ // share) for bytes_ in (256, 2048, 16384, 131072, 1048576)), "--no-intervals", "--format", "tsv"],
            capture_output=True, text=True, check=True).stdout
        for row in reality.rows_of(text):
            print(operation.upper(), "32x1", theirs, int(row["size"]) * share, row["predicted_us"], sep="\t")
END
works "$here/../../bench/reality" table --cpm "$cpm" --format tsv
awk -F '\t' 'NR == 2 { exit !($1 == "table" && $2 < 1.03 && $5 < 1.03) }' stdout || fail "the table is not predicted: $(cat stdout stderr)"
finish
