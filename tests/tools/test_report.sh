#!/usr/bin/env bash
# cpm report: what is on the page, that nothing on it is more than text, what is shown apart, and what is
# said where a program or a file is missing.
. "$(dirname "$0")/lib.sh"

play=(--machine lmo4.mod --noise 0.02 --quiet)
"$cpm" model "${play[@]}" -M lmo2 --no-thresholds -o cluster.mod >/dev/null
"$cpm" bench coll "${play[@]}" bcast:binomial,gather:linear -m 1K,16K -o observed.meas >/dev/null
"$cpm" validate "${play[@]}" cluster.mod scatter:linear -m 1K,4K -o validation.tsv >/dev/null
"$cpm" tune cluster.mod bcast -n 4 -m 1K:64K -o decisions.json
cat >run.json <<'JSON'
{"format": "cpm report", "version": 1,
 "operations": [{"operation": "bcast", "algorithm": "chain", "calls": 31, "expected_ms": null}]}
JSON

# says PATTERN...: the page has these, in this order or another.
says() {
    local pattern
    for pattern in "$@"; do
        grep -Eq -- "$pattern" page.html || fail "the page lacks '$pattern'"
    done
}

# Every kind of file has its part.
works "$cpm" report cluster.mod cluster.meas observed.meas validation.tsv decisions.json run.json app.profile -o page.html
[ "$(cat stdout)" = page.html ] && [ ! -s stderr ] || fail "prints $(cat stdout stderr)"
says '^<!DOCTYPE html>' '</html>$' 'id="measured-1"' 'id="model-1"' 'id="parameters-1"' 'id="accuracy-1"' \
    'id="observations-1"' 'id="decisions-1"' 'id="health-1"' 'id="programs-1"' \
    '<td>bcast:binomial</td><td class="number">[0-9.]+ %</td>' 'cpm compare cluster.mod cluster.meas observed.meas -o comparison.tsv' \
    'cpm tune cluster.mod -o table.json' 'cpm doctor cluster.mod' 'cpm predict cluster.mod --profile app.profile' \
    'In its own check, of [0-9] collectives' 'send overhead of a process' 'scatter:linear' '<td>chain</td><td class="number">31</td>'
says 'Measured by: nobody: a model simulated the cluster \(lmo noise '
works "$cpm" show cluster.mod
grep -q '^measured by: nobody: a model simulated the cluster (lmo noise ' stdout && ! grep -q '^machine\|^synthetic' stdout || fail "show: $(head -5 stdout)"
works "$cpm" show "$here/../../examples/models/gigabit16.mod"
grep -q '^measured by: nobody: no measurements are named' stdout || fail "show: $(head -5 stdout)"
! grep -q 'cluster-2' page.html || fail "one cluster is taken for two"

# It asks for nothing from elsewhere.
! grep -oE '(src|href)="[^#"][^"]*"|url\([^#)]*\)|@import' page.html | grep -v '^url(#' || fail "the page is not all there is"
ids=$(grep -oE " id=['\"][^'\"]*['\"]" page.html | sort | uniq -d)
[ -z "$ids" ] || fail "ids are there twice: $(head -3 <<<"$ids")"
python3 - <<'PYTHON' || fail "the page is not well formed"
import html.parser, sys
class Page(html.parser.HTMLParser):
    void = {"meta", "br", "link", "img", "input", "hr"}
    def __init__(self): super().__init__(); self.open = []
    def handle_starttag(self, tag, attributes):
        if tag not in self.void: self.open.append(tag)
    def handle_endtag(self, tag):
        if self.open.pop() != tag: sys.exit("line %d: </%s>" % (self.getpos()[0], tag))
page = Page(); page.feed(open("page.html").read()); sys.exit(page.open != [])
PYTHON

# Two runs have rows, but no predictions to be drawn.
printf '%s\n' '# cpm comparison of runs 1' $'algorithm\troot\tsize\tdiffer' $'bcast:chain\t0\t1024\tno' >runs.tsv
works "$cpm" report cluster.mod runs.tsv -o page.html
says '<h4>runs.tsv</h4>' '<td>bcast:chain</td><td class="number">0</td>'
! grep -E 'predicted and observed</?|No picture' page.html || fail "two runs are drawn as predictions"
refused 1 'runs.tsv: is neither .* nor a table' "$cpm" plot runs.tsv -o runs.png

# Other hosts, another number of processes, another MPI library: apart, and said.
sed 's/"node/"rack/g' cluster.mod >racks.mod
sed '2i # mpi: MPICH Version: 4.0.2' observed.meas >with-mpich.meas
sed '2i # mpi: Open MPI v4.1.4' observed.meas >with-openmpi.meas
works "$cpm" report cluster.mod racks.mod with-mpich.meas with-openmpi.meas -o page.html
says 'id="cluster-2"' 'racks.mod is shown apart .*: its hosts are others' \
    'with-openmpi.meas is shown apart .*: its MPI library is another' 'id="accuracy-1"'
# A decision table says which model it is of, wherever it stands.
works "$cpm" tune cluster.mod bcast -m 1K -o of-cluster.json
works "$cpm" report cluster.mod racks.mod of-cluster.json -o page.html
says 'id="decisions-1"' 'of-cluster.json'
! grep -q 'of-cluster.json' <(sed -n '/<article id="cluster-2"/,/<.article>/p' page.html) || fail "a table is shown with another cluster"
works "$cpm" report lmo4.mod hockney3.mod -o page.html
! grep -q 'cluster-2' page.html || fail "some of the hosts are taken for others"

# Algorithms that need to know who shares a host are drawn, too.
works "$cpm" report sockets8.mod -o page.html
! grep 'does not apply' page.html || fail "an algorithm on hosts is not drawn"
! command -v dot >/dev/null || says 'cpm draw scatter:[^ ]* --layout 2x4 -o tree.svg'

# Processes that share a host have numbers at axes, few and many, whether or not the host has a name; so
# has what is imported.
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
    works "$cpm" report $model.mod -o page.html
    [ ! -s stderr ] || fail "report $model.mod: $(cat stderr)"
    ! grep 'No picture: gnuplot f' page.html || fail "a picture of $model.mod is missing"
    works "$cpm" draw bcast:binomial --model $model.mod -m 1K -o $model-run.svg
    command -v gnuplot >/dev/null || continue
    says '<text> ?1</text>' '<text>sender</text>' '<text>process</text>|<text>receiver</text>'
    works "$cpm" plot $model.mod -o $model.svg
    "$cpm" doctor $model.mod -o $model-doctor.svg >stdout 2>stderr
    [ ! -s stderr ] || fail "doctor $model.mod: $(cat stderr)"
    for picture in $model $model-run $model-doctor; do drawn $picture.svg 1000; done
done

# Names are text, whatever is in them.
hostile='%s%n<script>alert(1)</script>"&'"'"
name="a<b>&'c'\".mod"
python3 - cluster.mod "$name" "$hostile" <<'PYTHON'
import json, sys
model = json.load(open(sys.argv[1]))
model["hosts"] = [sys.argv[3] + "\x1b\u202e%d" % i for i in range(model["processes"])]
model["notes"] = ["<img src=x onerror=alert(2)>"]
json.dump(model, open(sys.argv[2], "w"))
PYTHON
works "$cpm" report "$name" -o page.html
[ "$(grep -c '<script' page.html)" = 1 ] && ! grep -qE '<img|alert\(1\)</script' page.html || fail "a name is more than text"
! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' page.html || fail "control characters on the page"
! grep 'No picture: gnuplot' page.html || fail "gnuplot takes a name for a format"
says '&lt;script&gt;alert\(1\)' '&lt;img src=x' "cpm doctor &#39;a&lt;b&gt;&amp;"

# At an axis hosts stand without the domain that all have, and of a long name there is the beginning and
# the end.
sed 's/"north"/"north.cluster.example.org"/g; s/"south"/"a-host-with-a-long-name-3.cluster.example.org"/g' \
    hosts4.mod >domain.mod
works "$cpm" report domain.mod -o page.html
if command -v gnuplot >/dev/null; then
    says '<text> ?north</text>' '<text> ?a-host[.][.]-name-3</text>' '<text>sender</text>' '<text>receiver</text>'
    ! grep -q '<text>[^<]*example' page.html || fail "a domain at an axis"
fi

# Missing programs: said, and the rest is there.
mkdir bin
ln -s "$(command -v env)" bin/env
PATH=$work/bin works "$cpm" report cluster.mod observed.meas -o page.html
says 'No picture: gnuplot is not installed \(Debian: apt install gnuplot-nox\)' \
    'No picture: dot is not installed \(Debian: apt install graphviz\)' 'id="health-1"' '<td>bcast:binomial</td>'

# Programs that fail: the page has the rest, and who made it hears of it. It names nothing that is gone.
for how in 'exit 3' 'kill -9 $$' 'exit 0'; do
    rm -f page.html bin/gnuplot bin/dot
    printf '#!/bin/sh\n%s\n' "$how" >bin/gnuplot
    cp bin/gnuplot bin/dot
    chmod +x bin/gnuplot bin/dot
    PATH=$work/bin:$PATH refused 1 'page.html: is written without some pictures: gnuplot (failed with exit code 3|was ended by signal 9|wrote no whole picture)' \
        "$cpm" report cluster.mod observed.meas -o page.html
    says 'No picture: gnuplot (failed|was|wrote)' 'No picture: dot (failed|was|wrote)' 'id="health-1"' '</html>$'
    ! grep -h 'cpm-plot' page.html stderr || fail "a folder that is gone is named"
done

# Of three regimes two have maps, and the page says so.
works "$cpm" report "$here/../../examples/models/gigabit16.mod" -o page.html
! command -v gnuplot >/dev/null || says 'Maps are of the smallest and of the largest messages; cpm show --param'
works "$cpm" report hosts4.mod -o page.html
! grep 'Maps are of' page.html || fail "maps are missing where there is one regime"

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
says '10000 hosts are too many for maps' 'The first 64 of 10000 processes' 'and 9992 more, the last node09999'
# Maps of classes show what members of one send each other; one that is alone sends itself nothing.
if command -v gnuplot >/dev/null; then
    says '<text>thin</text>' '<text>fat</text>' '<text>odd</text>'
    cells=$(grep -oE '<text> ?[0-9]+[.][0-9]</text>' page.html | tr -dc '0-9.\n' | sort -n | uniq -c | awk '{ print $1 "*" $2 }')
    grep -qF '1*11.0' <<<"$cells" && grep -qF '1*13.0' <<<"$cells" || fail "no cells between members of a class: $cells"
    grep -qF '2*20.0' <<<"$cells" && grep -qF '4*40.0' <<<"$cells" || fail "cells between classes: $cells"
    ! grep -qxE '[0-9]+[*]0[.]0+' <<<"$cells" || fail "an odd host sends itself something: $cells"
fi
[ "$(stat -c %s page.html)" -lt 1000000 ] || fail "a page of $(stat -c %s page.html) bytes"
for command in plot doctor; do
    refused 1 "many.mod: 10000 processes are too many .*at most [0-9]+.*: cpm report sums them up" timeout 20 "$cpm" $command many.mod
    ! grep "cpm $command" page.html || fail "the page names what refuses 10000 hosts"
done

# Bad input: one line, and no page.
echo '{"format": "cpm wrong"}' >wrong.json
echo 'no file of ours' >text
head -c 300 cluster.mod >cut.mod
for file in wrong.json text cut.mod nowhere.meas; do
    refused 1 "^cpm report: $file:?" "$cpm" report cluster.mod $file -o none.html
    [ ! -e none.html ] || fail "$file: a page was written"
done
refused 1 './cluster.mod: is given twice' "$cpm" report cluster.mod observed.meas ./cluster.mod -o none.html
[ ! -e none.html ] || fail "a page of a model that counts twice"
refused 1 'observed.meas: not a model' "$cpm" report observed.meas -o none.html
refused 1 'nowhere/page.html: cannot be written' "$cpm" report cluster.mod -o nowhere/page.html
refused 2 'cluster.mod: is one of the files' "$cpm" report cluster.mod -o ./cluster.mod
grep -q '"cpm model"' cluster.mod || fail "the model is overwritten by its page"
refused 2 '' "$cpm" report
"$cpm" report cluster.mod -o - | grep -q '</html>' || fail "standard output"
mkdir temporary
TMPDIR=$work/temporary works "$cpm" report cluster.mod -o page.html
rmdir temporary || fail "plot data left behind"
finish
