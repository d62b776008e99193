#!/usr/bin/env bash
# cpm report: what is on the page, that nothing on it is more than text, what is shown apart, and what is
# said where the library of charts or a file is missing.
. "$(dirname "$0")/lib.sh"

# The page takes in the library of charts; what it does in a browser test_report_in_browser looks at.
printf '/*!\n * Chart.js v3.9.1\n */\n' >chart.js
export CPM_CHART_JS=$work/chart.js

play=(--machine lmo4.mod --noise 0.02 --quiet)
"$cpm" model "${play[@]}" -M lmo2 --no-thresholds -o cluster.mod >/dev/null
"$cpm" bench coll "${play[@]}" bcast:binomial,gather:linear -m 1K,16K -o observed.meas >/dev/null
"$cpm" validate "${play[@]}" cluster.mod scatter:linear -m 1K,4K -o validation.tsv >/dev/null
"$cpm" tune cluster.mod bcast -n 4 -m 1K:64K -o decisions.json
cat >run.json <<'JSON'
{"format": "cpm report", "version": 1,
 "operations": [{"operation": "bcast", "algorithm": "chain", "calls": 31, "expected_ms": null}]}
JSON

# page FILE...: the page of these, as text, in page.txt.
page() {
    works "$cpm" report "$@" -o page.html
    python3 "$here/page.py" page.html >page.txt 2>why || fail "$*: not a sound page: $(cat why)"
}
# says PATTERN...: the page has these, in this order or another.
says() {
    local pattern
    for pattern in "$@"; do
        grep -Eq -- "$pattern" page.txt || fail "the page lacks '$pattern'"
    done
}
# holds CODE: true of the data of the page.
holds() {
    python3 "$here/page.py" page.html "$1" >why 2>&1 || fail "$1: $(cat why)"
}

# Every kind of file has its part, the verdict first.
page cluster.mod cluster.meas observed.meas validation.tsv decisions.json run.json app.profile
[ "$(cat stdout)" = page.html ] && [ ! -s stderr ] || fail "prints $(cat stdout stderr)"
[ "$(grep -m1 '^== ' page.txt)" = '== verdict-1: Verdict' ] || fail "what comes first: $(grep -m1 '^== ' page.txt)"
says '^title: Cluster report: cluster.mod$' '^library: yes$' '== model-1:' '== parameters-1:' '== accuracy-1:' '== observations-1:' \
    '== decisions-1:' '== health-1:' '== programs-1:' '== measured-1:' '^rows: \[bcast:binomial [|] [0-9.]+ %' \
    '^text: cpm compare cluster.mod cluster.meas observed.meas$' '^text: cpm tune cluster.mod -o table.json$' \
    '^text: cpm doctor cluster.mod$' '^text: cpm predict cluster.mod --profile app.profile$' 'send overhead of a process' \
    '[|] In its own check, of [0-9] collectives' 'scatter:linear' '^rows: \[bcast [|] chain [|] 31 '
says 'Measured by: nobody: a model simulated the cluster \(lmo noise '
works "$cpm" show cluster.mod
grep -q '^measured by: nobody: a model simulated the cluster (lmo noise ' stdout && ! grep -q '^machine\|^synthetic' stdout || fail "show: $(head -5 stdout)"
works "$cpm" show "$here/../../examples/models/gigabit16.mod"
grep -q '^measured by: nobody: no measurements are named' stdout || fail "show: $(head -5 stdout)"
grep -q '^Written by CPM .*: <code>[^ ]*cpm report .*cluster.mod.*</code>$' page.html || fail "the page does not say what wrote it"
! grep -q 'measured-2' page.txt || fail "one cluster is taken for two"

# The verdict is that of the doctor, and of the comparison.
"$cpm" doctor cluster.mod >said
verdict=$(sed -nE 's/^(healthy|cannot tell): //p' said | head -1)
[ -n "$verdict" ] && grep -qF "| $verdict]" page.txt || fail "not the doctor's verdict: $verdict"
error=$("$cpm" compare cluster.mod cluster.meas observed.meas --format json | python3 -c '
import json, sys
print(next("%.1f" % (100 * row["mean_error"]) for row in json.load(sys.stdin)["means"]
           if row["model"] == "lmo2 joint" and row["algorithm"] == "all"))')
says "lmo2 joint is off by $error % on average"

# Curves are of many sizes, ascending, beyond the observed ones, and pass through what is predicted for these.
holds '
found = next(b for b in blocks("comparison") if "curves" in b)
at = {name: i for i, name in enumerate(found["head"])}
for curve in found["curves"]:
    sizes = [size for size, us in curve["at"]]
    rows = [row for row in found["rows"] if (row[at["model"]], row[at["algorithm"]]) == (curve["model"], curve["algorithm"])]
    observed = [int(row[at["size"]]) for row in rows]
    assert sizes == sorted(set(sizes)) and len(sizes) > 30, sizes
    assert sizes[0] <= max(1, min(observed) // 4) and sizes[-1] >= 4 * max(observed) - 1, sizes
    for row in rows:
        us = dict(map(tuple, curve["at"]))[int(row[at["size"]])]
        assert abs(us / float(row[at["predicted_us"]]) - 1) < 1e-3, (row, us)
        error = float(row[at["predicted_us"]]) / float(row[at["observed_us"]]) - 1
        assert abs(error - float(row[at["error"]])) < 1e-3, row
assert {c["model"] for c in found["curves"]} == {"lmo2 joint"}
given = [b for b in blocks("comparison") if "curves" not in b]
assert len(given) == 1 and given[0]["rows"][0][given[0]["head"].index("algorithm")] == "scatter:linear", given'

# Maps and hosts have what the model has.
holds '
model = json.load(open("cluster.mod"))
maps = {b["title"].split(":")[0]: b for b in blocks("map")}
n = model["processes"]
names = data["clusters"][0]["names"]
assert names == model["hosts"] and data["clusters"][0]["unit"] == "host", names
for name in ("L", "invbeta"):
    slices = model["parameters"][name]["value"]
    factor = 1e6 if name == "L" else 1e9
    assert len(maps[name]["values"]) == len(slices), name
    for shown, matrix in zip(maps[name]["values"], slices):
        for i in range(n):
            for j in range(n):
                if i == j: assert shown[i * n + j] is None
                else: assert abs(shown[i * n + j] - factor * matrix[i][j]) <= 0.006 * abs(factor * matrix[i][j]), (name, i, j)
latency, bandwidth = maps["Latency"]["values"][0], maps["Bandwidth"]["values"][0]
assert min(v for v in latency if v is not None) > 0 and maps["Bandwidth"]["fast"]
hosts = {b["title"].split(":")[0]: b for b in blocks("hosts")}
for shown, value in zip(hosts["Cs"]["values"][0], model["parameters"]["Cs"]["value"][0]):
    assert abs(shown - 1e6 * value) < 1e-3 * shown'

# Decisions are over sizes and layouts, and as cpm predict has them.
page sockets8.mod
holds '
b = blocks("decisions")[0]
assert b["sizes"] == [4 ** i for i in range(12)]
layouts = {row["layout"] for row in b["rows"]}
assert layouts == {"8 processes, as they are on their hosts", "4 processes, one on each host"} or \
    layouts == {"8 processes, as they are on their hosts", "2 processes, one on each host"}, layouts
for row in b["rows"]:
    assert len(row["at"]) == len(b["sizes"]), row
    for cell in row["at"][: 1 if row["operation"] == "barrier" else None]: assert cell[0] and cell[1] > 0, row'
[ ! -s stderr ] || fail "sockets8.mod: $(cat stderr)"
page cluster.mod
holds '
import subprocess
b = blocks("decisions")[0]
assert {row["layout"] for row in b["rows"]} == {"4 processes", "first 2 of 4 processes"}
row = next(r for r in b["rows"] if r["operation"] == "bcast" and r["layout"] == "4 processes")
name, us = row["at"][5]
said = subprocess.run(["'"$cpm"'", "predict", "cluster.mod", "bcast:" + name, "-m", "1K", "--format", "json"], capture_output=True, text=True).stdout
time = next(v for v in json.loads(said)["predictions"][0].items() if v[0] in ("predicted_us", "time_us", "us"))[1]
assert abs(us / time - 1) < 1e-3, (name, us, time)'

# Two runs have rows, but no predictions to be drawn.
printf '%s\n' '# cpm comparison of runs 1' $'algorithm\troot\tsize\tdiffer' $'bcast:chain\t0\t1024\tno' >runs.tsv
page cluster.mod runs.tsv
says '^text: runs.tsv$' '^rows: \[bcast:chain [|] 0 [|] 1024'
holds 'assert not blocks("comparison")'
refused 1 'runs.tsv: is neither .* nor a table' "$cpm" plot runs.tsv -o runs.png

# Other hosts, another number of processes, another MPI library: apart, and said.
sed 's/"node/"rack/g' cluster.mod >racks.mod
sed '2i # mpi: MPICH Version: 4.0.2' observed.meas >with-mpich.meas
sed '2i # mpi: Open MPI v4.1.4' observed.meas >with-openmpi.meas
page cluster.mod racks.mod with-mpich.meas with-openmpi.meas
says '== measured-2:' 'racks.mod is shown apart .*: its hosts are others' \
    'with-openmpi.meas is shown apart .*: its MPI library is another' '== accuracy-1:'
# A decision table says which model it is of, wherever it stands.
works "$cpm" tune cluster.mod bcast -m 1K -o of-cluster.json
page cluster.mod racks.mod of-cluster.json
says '== decisions-1:' 'of-cluster.json'
! grep -q 'of-cluster.json' <(sed '1,/^= cluster: racks.mod/d; /^==$/,$d' page.txt) || fail "a table is shown with another cluster"
page lmo4.mod hockney3.mod
! grep -q 'measured-2' page.txt || fail "some of the hosts are taken for others"

# Models over time: by date, the newest is what the page is about, and cpm diff says what changed.
day() { sed "s/\"date\": \"[^\"]*\"/\"date\": \"2026-11-$1T12:00:00Z\"/; s/\"measurements_sha256\": \"./&$1/"; }
day 01 <cluster.mod >first.mod
day 02 <cluster.mod >second.mod
python3 - <<'PYTHON'
import json
model = json.load(open("second.mod"))
model["provenance"]["date"] = "2026-11-03T12:00:00Z"
model["provenance"]["measurements_sha256"] = "03"
for slice in model["parameters"]["Cs"]["value"]: slice[2] *= 5
json.dump(model, open("third.mod", "w"))
PYTHON
page third.mod first.mod second.mod
says '^= cluster: third.mod$' '== history-1: What changed' '^text: cpm diff second.mod third.mod$' '^items: \[bad [|] Changed [|] Since second.mod: .*Cs of process 2 \(node2\)'
holds '
t = blocks("trend")[0]
assert [m["name"] for m in t["models"]] == ["first.mod", "second.mod", "third.mod"], t["models"]
assert [m.get("verdict") for m in t["models"]] == [None, "same", "changed"], t["models"]
assert any("node2" in text for text in t["models"][2]["first"]), t["models"][2]
slowest = next(s for s in t["messages"] if s["most"])
assert slowest["at"][0] == slowest["at"][1] < slowest["at"][2], slowest
Cs = next(s for s in t["parameters"] if s["name"].startswith("Cs:"))
assert 1.5 < Cs["at"][2] / Cs["at"][0] < 4, Cs'
finds 0 "$cpm" diff first.mod second.mod
finds 3 "$cpm" diff second.mod third.mod
# Another fit of the same measurements is no other day; a model of another kind neither.
page cluster.mod hockney3.mod
! grep -q 'history-1' page.txt || fail "another kind is another day"
sed 's/"date": "[^"]*"/"date": "2026-12-01T12:00:00Z"/' cluster.mod >refit.mod
page cluster.mod refit.mod
! grep -q 'history-1' page.txt || fail "the same measurements are another day"
says '^= cluster: cluster.mod$'

# The doctor's findings are in the verdict, and marked where the values are: of a host, and of a link.
python3 "$here/unlike_hosts.py" 16 | python3 -c '
import json, sys
model = json.load(sys.stdin)
for values in model["parameters"]["Cs"]["value"]: values[2] *= 5
for matrix in model["parameters"]["L"]["value"]: matrix[4][9] *= 9
json.dump(model, sys.stdout)' >faults.mod
finds 3 "$cpm" doctor faults.mod
page faults.mod
says '^items: \[bad [|] Faults found [|] .*node002'
holds '
marks = lambda kind, name: next(b for b in blocks(kind) if b["title"].startswith(name))["marks"]
assert [0, 2, -1] in marks("hosts", "Cs:"), marks("hosts", "Cs:")
assert [0, 4, 9] in marks("map", "L:"), marks("map", "L:")
assert not marks("hosts", "Cr:") and not marks("map", "invbeta:")'

# Processes that share a host have numbers, few and many, whether or not the host has a name; so has what is
# imported.
python3 - <<'PYTHON'
import json
value = lambda unit, v: {"unit": unit, "value": v}
pairs = lambda n, v: [[0 if i == j else v * (1 + i) for j in range(n)] for i in range(n)]
for name, hosts in {"few": ["vm"] * 3, "nameless": [""] * 3, "many": ["vm"] * 30, "halves": ["one", "two"] * 4}.items():
    n = len(hosts)
    json.dump({"format": "cpm model", "version": 1, "model": "lmo", "processes": n, "hosts": hosts,
               "provenance": {}, "notes": [],
               "parameters": {"C": value("s", [1e-6 * (i + 1) for i in range(n)]), "t": value("s/B", [1e-9] * n),
                              "L": value("s", pairs(n, 1e-5)), "invbeta": value("s/B", pairs(n, 1e-9))}},
              open("%s.mod" % name, "w"))
PYTHON
printf '%s\n' '# OSU MPI Latency Test v5.8' '# Size          Latency (us)' '1 15.55' '1024 16.59' '65536 25.88' >osu.txt
works "$cpm" fit --model hockney --from osu osu.txt -o imported.mod
for model in few nameless many halves imported; do
    page $model.mod
    [ ! -s stderr ] || fail "report $model.mod: $(cat stderr)"
    says '^unit: process$' '^names: \[0( \((vm|one)\))? [|] 1'
    works "$cpm" draw bcast:binomial --model $model.mod -m 1K -o $model-run.svg
    command -v gnuplot >/dev/null || continue
    works "$cpm" plot $model.mod -o $model.svg
    "$cpm" doctor $model.mod -o $model-doctor.svg >stdout 2>stderr
    [ ! -s stderr ] || fail "doctor $model.mod: $(cat stderr)"
    for picture in $model $model-run $model-doctor; do drawn $picture.svg 1000; done
done

# Names are text, whatever is in them.
hostile='%s%n</script><script>alert(1)</script><!--"&'"'"
name="a<b>&'c'\".mod"
python3 - cluster.mod "$name" "$hostile" <<'PYTHON'
import json, sys
model = json.load(open(sys.argv[1]))
model["hosts"] = [sys.argv[3] + "\x1b\u202e%d" % i for i in range(model["processes"])]
model["notes"] = ["<img src=x onerror=alert(2)>"]
json.dump(model, open(sys.argv[2], "w"))
PYTHON
page "$name"
[ "$(grep -c '<script' page.html)" = 3 ] && ! grep -qE '<img|alert\(1\)</script|<!--' page.html || fail "a name is more than text"
! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' page.html || fail "control characters on the page"
says '^names: .*</script><script>alert\(1\)</script><!--"&' '<img src=x' "^text: cpm doctor 'a<b>&'\\\\''c'\\\\''\"\\.mod'\$"

# Without the library the page has tables, and says so; a file that is none is refused.
CPM_CHART_JS='' works "$cpm" report cluster.mod observed.meas -o page.html
[ "$(cat stderr)" = 'cpm: note: the page has tables instead of charts: install libjs-chart.js, or let CPM_CHART_JS name Chart.js' ] || fail "says $(cat stderr)"
python3 "$here/page.py" page.html >page.txt || fail "no sound page without charts"
says '^library: no$' '^package: libjs-chart.js$' '== accuracy-1:'
echo '// </script>' | cat chart.js - >hostile.js
for file in text hostile.js nowhere.js; do
    echo 'no library' >text
    code=2
    [ $file != nowhere.js ] || code=1
    CPM_CHART_JS=$work/$file refused $code "$file: (not Chart.js 3 or 4|cannot be read)" "$cpm" report cluster.mod -o none.html
    [ ! -e none.html ] || fail "$file: a page was written"
done

# Many hosts are summed up.
python3 - <<'PYTHON'
import json
n = 10000
value = lambda unit, v: {"unit": unit, "value": v}
json.dump({"format": "cpm model", "version": 1, "model": "hockney", "processes": n,
           "hosts": ["node%05d" % i for i in range(n)],
           "classes": {"thin": list(range(n // 2)), "fat": list(range(n // 2, n - 1)), "odd": [n - 1]},
           "provenance": {}, "notes": [],
           "parameters": {"alpha": value("s", [[1.1e-5, 2e-5, 4e-5], [2e-5, 1.3e-5, 4e-5], [4e-5, 4e-5, 0]]),
                          "beta": value("s/B", [[1e-9, 2e-9, 2e-9], [2e-9, 1e-9, 2e-9], [2e-9, 2e-9, 0]])}}, open("many.mod", "w"))
PYTHON
works "$cpm" report many.mod
mv many.html page.html
python3 "$here/page.py" page.html >page.txt || fail "no sound page of many hosts"
says '10000 hosts are too many for maps' 'first 64 of 10000 processes' 'and 9992 more, the last node09999'
# Maps of classes show what members of one send each other; one that is alone sends itself nothing.
holds '
assert data["clusters"][0]["names"] == ["thin", "fat", "odd"] and data["clusters"][0]["unit"] == "class"
alpha = next(b for b in blocks("map") if b["title"].startswith("alpha:"))
assert alpha["values"] == [[11, 20, 40, 20, 13, 40, 40, 40, None]], alpha'
[ "$(stat -c %s page.html)" -lt 1000000 ] || fail "a page of $(stat -c %s page.html) bytes"
for command in plot doctor; do
    refused 2 "many.mod: 10000 processes are too many .*at most [0-9]+.*: cpm report sums them up" timeout 20 "$cpm" $command many.mod
    ! grep "cpm $command" page.txt || fail "the page names what refuses 10000 hosts"
done

# 256 hosts, each unlike the others, of three regimes: below 3 MB with a library of 200 KB. The address
# sanitizer has looked at smaller ones.
if ! ldd "$cpm" | grep -q libasan; then
    python3 "$here/unlike_hosts.py" 256 >hosts256.mod
    page hosts256.mod
    [ "$(stat -c %s page.html)" -lt 2800000 ] || fail "a page of $(stat -c %s page.html) bytes"
    holds '
for b in blocks("map"):
    assert all(len(values) == 65536 for values in b["values"])
    assert "sizes" not in b or b["sizes"] == [0, 65536], b["sizes"]'
fi

# Bad input: one line, and no page.
echo '{"format": "cpm wrong"}' >wrong.json
echo 'no file of ours' >text
head -c 300 cluster.mod >cut.mod
for file in wrong.json text cut.mod nowhere.meas; do
    refused 1 "^cpm report: $file:?" "$cpm" report cluster.mod $file -o none.html
    [ ! -e none.html ] || fail "$file: a page was written"
done
refused 2 './cluster.mod: is given twice' "$cpm" report cluster.mod observed.meas ./cluster.mod -o none.html
[ ! -e none.html ] || fail "a page of a model that counts twice"
refused 2 'observed.meas: not a model' "$cpm" report observed.meas -o none.html
refused 1 'nowhere/page.html: cannot be written' "$cpm" report cluster.mod -o nowhere/page.html
refused 2 'cluster.mod: is one of the files' "$cpm" report cluster.mod -o ./cluster.mod
grep -q '"cpm model"' cluster.mod || fail "the model is overwritten by its page"
refused 2 '' "$cpm" report
"$cpm" report cluster.mod -o - | grep -q '</html>' || fail "standard output"
finish
