#!/usr/bin/env bash
# How far the fastest algorithms are from the least time of any schedule.
. "$(dirname "$0")/lib.sh"

golden predict_bound predict lmo4.mod bcast scatter allreduce -m 1K,64K --segments 8K --bound

# Each row's best is what cpm predict prints as the fastest, and nothing is below the bound.
works "$cpm" predict lmo4.mod -m 0,1,1K,64K --bound --format tsv
mv stdout bounds
works "$cpm" predict lmo4.mod -m 0,1,1K,64K --no-intervals --format tsv
python3 - <<'PYTHON' || fail "bounds and predictions"
import csv

def rows(name):
    return list(csv.DictReader((l for l in open(name) if not l.startswith("#")), delimiter="\t"))

best = {}
for r in rows("stdout"):
    key = r["algorithm"].split(":")[0], r["size"]
    best[key] = min(best.get(key, 1e9), float(r["predicted_us"]))
bounds = rows("bounds")
assert {(r["operation"], r["size"]) for r in bounds} == set(best) and len(bounds) > 40, len(bounds)
for r in bounds:
    bound, reached = float(r["bound_us"]), float(r["best_us"])
    assert reached == best[r["operation"], r["size"]], r
    assert 0 < bound <= reached + 0.01 and abs(float(r["over"]) - reached / bound) < 0.02 * reached / bound, r
    assert r["limit"], r
PYTHON

# Neighbours send what their graph says.
works "$cpm" predict lmo4.mod bcast neighbor_alltoall:direct neighbor_allgather:direct --graph grid:4 -m 1K --bound
refused 2 'bound: does not go with --crossovers: omit it' "$cpm" predict lmo4.mod bcast --bound --crossovers
refused 2 'bound: does not go with --overlap: omit it' "$cpm" predict lmo4.mod bcast --bound --overlap
refused 2 'bound: does not go with --method: omit it' "$cpm" predict lmo4.mod bcast:linear --bound --method formula
refused 2 'bound: does not go with --timing batch: omit it' "$cpm" predict lmo4.mod bcast --bound --timing batch
refused 2 'intervals: there are none with --bound' "$cpm" predict lmo4.mod bcast --bound --intervals
refused 2 'profile names the calls itself: omit --bound' "$cpm" predict lmo4.mod --profile app.profile --bound
refused 2 'bounds are those of blocks of one size' "$cpm" predict lmo4.mod scatterv --blocks 1K,2K,3K,4K --bound
finish
