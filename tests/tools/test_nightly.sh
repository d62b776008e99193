#!/usr/bin/env bash
# cpm health: a healthy machine with noise, slow hosts and links, missing and other hosts; its history and
# its files; the examples for cron, systemd, Slurm and ReFrame.
. "$(dirname "$0")/lib.sh"
truth=$here/../../examples/models/gigabit16.mod
examples=$here/../../examples/health

# changed FROM TO WHAT...: a model with some of its values multiplied. "host 5 Go 4": of one process; "row 5 invbeta 4":
# of its messages; "link 5 8 invbeta 3": of both ways; "all L 1.5": every value.
changed() {
    python3 - "$@" <<'END'
import json, sys
source, target, *what = sys.argv[1:]
with open(source) as f:
    m = json.load(f)
def slices(name):
    values = m["parameters"][name]["value"]
    return [values] if name in ("Go", "Gi") else values # these have no regimes
while what:
    kind = what.pop(0)
    if kind == "host":
        i, name, by = int(what.pop(0)), what.pop(0), float(what.pop(0))
        for s in slices(name):
            s[i] *= by
    elif kind == "row":
        i, name, by = int(what.pop(0)), what.pop(0), float(what.pop(0))
        for s in slices(name):
            s[i] = [by * x for x in s[i]]
    elif kind == "link":
        i, j, name, by = int(what.pop(0)), int(what.pop(0)), what.pop(0), float(what.pop(0))
        for s in slices(name):
            s[i][j] *= by
            s[j][i] *= by
    elif kind == "all":
        name, by = what.pop(0), float(what.pop(0))
        for s in slices(name):
            s[:] = [[by * x for x in row] for row in s]
with open(target, "w") as f:
    json.dump(m, f)
END
}

# some FROM TO RANK...: the model of these processes, in that order.
some() {
    python3 - "$@" <<'END'
import json, sys
source, target, *keep = sys.argv[1:]
with open(source) as f:
    m = json.load(f)
n = m["processes"]
def take(v):
    if not isinstance(v, list):
        return v
    return [take(v[int(k)]) for k in keep] if len(v) == n else [take(x) for x in v]
for p in m["parameters"].values():
    for part in ("value", "ci"):
        if part in p:
            p[part] = take(p[part])
m["hosts"] = [m["hosts"][int(k)] for k in keep]
m["processes"] = len(keep)
m["provenance"].pop("hosts", None)
with open(target, "w") as f:
    json.dump(m, f)
END
}

# line PATTERN: what was printed is one line, which matches.
line() {
    [ "$(wc -l <stdout)" = 1 ] || fail "not one line: $(cat stdout)"
    grep -Eq -- "$1" stdout || fail "no '$1': $(cat stdout)"
}

works "$cpm" model --machine "$truth" --noise 0.02 --no-thresholds --quiet -o cluster.mod
cp cluster.mod as_it_was.mod
check=("$cpm" health cluster.mod --noise 0.02)

# A healthy machine, in several nights; nothing is said on standard error.
for seed in 2 3 4 5 6; do
    finds 0 "${check[@]}" --machine "$truth" --seed $seed --line
    line '^healthy: among 16 processes a fault of 2 times would have been found; (nothing changed|not every change) since'
    [ ! -s stderr ] || fail "with --line: $(cat stderr)"
done
[ "$(find cluster.health -name '*.mod' | wc -l)" = 5 ] || fail "not one model for each run: $(ls cluster.health)"
[ "$(find cluster.health -type f | wc -l)" = 5 ] || fail "more than models: $(ls -a cluster.health)"
cmp -s cluster.mod as_it_was.mod || fail "the reference was changed"
golden help_health health --help

# What a killed run has left, and other files, are no runs.
echo half >cluster.health/20990101T000000Z.mod.x7a2.mod
cp cluster.mod cluster.health/other.mod

# Without --line: the same line first, then what the doctor and the comparison say.
finds 0 "${check[@]}" --machine "$truth" --seed 2
head -1 stdout | grep -q '^healthy: among 16 processes' || fail "the first line: $(head -1 stdout)"
grep -q '^healthy: nothing is slower than its kind among 16 processes' stdout || fail "no doctor: $(cat stdout)"
grep -q '^the same: nothing changed\|^cannot tell: nothing was seen to change' stdout || fail "no comparison: $(cat stdout)"
grep -q '^since the last run, cluster.health/20[0-9]*T[0-9]*Z\(_[0-9]*\)\?.mod: ' stdout || fail "no last run: $(cat stdout)"
grep -q '^kept as cluster.health/[0-9]*T[0-9]*Z\(_[0-9]*\)\?.mod, run 6$' stdout || fail "not kept: $(cat stdout)"
grep -q '^cpm: measures 16 processes for up to 20 s (--budget), then compares them with cluster.mod$' stderr || fail "the budget is not stated: $(cat stderr)"
kept=$(sed -n 's/^kept as \(.*\), run 6/\1/p' stdout)
finds 0 "$cpm" doctor "$kept"

# A slow link end: named, with its size and since when.
changed as_it_was.mod slow.mod host 5 Go 4 row 5 invbeta 4
slow=(--machine slow.mod --line)
finds 3 "${check[@]}" "${slow[@]}" --seed 11
line "^host graphene-6: time per byte of a host's outgoing link end \(Go\) (3\.[89]|4\.[012]) times that of the reference; new since the last run$"
finds 3 "${check[@]}" "${slow[@]}" --seed 12
line '^host graphene-6: .*; so in the last run, of 20[0-9-]*T[0-9:]*Z$'
finds 3 "${check[@]}" "${slow[@]}" --seed 13
line '^host graphene-6: .*; so in the last 2 runs, since 20[0-9-]*T[0-9:]*Z$'
finds 0 "${check[@]}" --machine "$truth" --seed 14 --line

# Others: overheads of one host, one link, all links.
history=(--history other.health --line)
changed as_it_was.mod slow.mod host 9 Cs 2 host 9 Cr 2
finds 3 "${check[@]}" --machine slow.mod --seed 2 "${history[@]}"
line '^host griffon-2: (send|receive) overhead of a process \(C[sr]\)( from [0-9]* B on)? (1\.9|2\.[01]) times that of the reference'
changed as_it_was.mod slow.mod link 5 8 invbeta 3
finds 3 "${check[@]}" --machine slow.mod --seed 2 "${history[@]}"
line '^link .*(graphene-6|5 <-> 8).*griffon-1'
changed as_it_was.mod slow.mod all L 1.5
finds 3 "${check[@]}" --machine slow.mod --seed 2 "${history[@]}"
line '^all links: latency of the network \(L\)( from [0-9]* B on)? 1\.[45] times that of the reference'

# What is faster is no finding.
changed as_it_was.mod fast.mod all L 0.5
finds 0 "${check[@]}" --machine fast.mod --seed 2 "${history[@]}"
line '^healthy: .*; nothing is slower than in the reference, but values changed$'

# What the reference has, too, is no finding; it is with a healthy reference.
changed as_it_was.mod slow.mod host 5 Go 4 row 5 invbeta 4
works "$cpm" model --machine slow.mod --noise 0.002 --no-thresholds --quiet -o known.mod
finds 3 "$cpm" doctor known.mod
finds 0 "$cpm" health known.mod --machine slow.mod --noise 0.002 --seed 2
grep -q '^note: [0-9]* of what was found is in the reference, too, and is no finding$' stdout || fail "known: $(cat stdout)"
finds 3 "${check[@]}" --machine slow.mod --seed 2 "${history[@]}"

# A host that is missing, alone and with --subset; others in another order.
some as_it_was.mod part.mod 0 1 2 3 4 5 6 8 9 10 11 12 13 14 15
finds 3 "${check[@]}" --machine part.mod --seed 2 "${history[@]}"
line '^host graphene-8: does not take part; new since the last run$'
finds 0 "${check[@]}" --machine part.mod --seed 2 "${history[@]}" --subset
some slow.mod turned.mod 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
finds 3 "${check[@]}" --machine turned.mod --seed 2 "${history[@]}"
line "^host graphene-6: time per byte of a host's outgoing link end \(Go\) (3\.[89]|4\.[012]) times"

# Other hosts, and what is no reference: one line, before anything is measured or kept.
before=$(ls other.health)
sed 's/graphene-3/other/' as_it_was.mod >other.mod
refused 1 "^cpm health: cluster.mod: is a model of other hosts: process 2 is on 'other', which is not among them$" "${check[@]}" --machine other.mod "${history[@]}"
works "$cpm" model --machine part.mod --noise 0.02 --no-thresholds --quiet -o part16.mod
refused 1 "^cpm health: part16.mod: is a model of other hosts: process 7 is on 'graphene-8'" "$cpm" health part16.mod --machine cluster.mod "${history[@]}"
refused 1 'missing.mod: cannot be read' "$cpm" health missing.mod --machine cluster.mod "${history[@]}"
refused 1 'no folder' "${check[@]}" --machine cluster.mod --history cluster.mod
refused 1 'not overwritten' "${check[@]}" --machine cluster.mod "${history[@]}" --junit other.mod
refused 2 'is one of the files that are read' "${check[@]}" --machine "$truth" "${history[@]}" --prometheus cluster.mod
refused 2 'an argument is missing' "$cpm" health --machine cluster.mod
refused 2 "fault: '1' is not above 1" "${check[@]}" --machine cluster.mod --fault 1
[ "$before" = "$(ls other.health)" ] || fail "kept in vain: $(ls other.health)"
cmp -s cluster.mod as_it_was.mod || fail "the reference was changed"

finds 0 "$cpm" health "$truth" --machine "$truth" --noise 0.02 "${history[@]}" # written by hand
line '^healthy: .*; changes cannot be told, as the reference has values without intervals$'
works "$cpm" model -M interp --machine lmo4.mod --quiet -o interp.mod
refused 1 'interp.mod: model interp has no parameters of processes or pairs to compare' "$cpm" health interp.mod --machine lmo4.mod "${history[@]}"

before=$(ls other.health)

# A budget that is too small: cannot tell, and nothing is kept; a missing host is one all the same.
finds 4 "${check[@]}" --machine "$truth" "${history[@]}" --budget 0.3 --junit few.xml --prometheus few.prom
line '^cannot tell: a budget of 0.3 s is too small for an estimate: '
finds 3 "${check[@]}" --machine part.mod "${history[@]}" --budget 0.3
line '^host graphene-8: does not take part; cannot tell of the others: a budget of 0.3 s'
[ "$before" = "$(ls other.health)" ] || fail "kept in vain: $(ls other.health)"
grep -q '^cpm_health_verdict{reference="cluster.mod"} 4$' few.prom || fail "few.prom: $(cat few.prom)"
grep -q 'failures="0" errors="0" skipped="2"' few.xml || fail "few.xml: $(cat few.xml)"

# Too few hosts to compare with each other: a change is found nevertheless, and no change is health.
some as_it_was.mod two.mod 0 1 2
works "$cpm" model --machine two.mod --noise 0.001 --no-thresholds --quiet -o two-ref.mod
finds 4 "$cpm" doctor two-ref.mod
finds 0 "$cpm" health two-ref.mod --machine two.mod --noise 0.001 --seed 2 --line
line '^healthy: among 3 processes a fault of 2 times might have been missed; nothing changed since the reference$'
changed two.mod slow.mod host 1 Cs 2
finds 3 "$cpm" health two-ref.mod --machine slow.mod --noise 0.001 --seed 2 --line
line '^host graphene-2: send overhead of a process \(Cs\).* 2.0 times'

# The same with processes that share hosts.
sed 's/"node\([0-9]\)"/"c\1"/g' "$here/../../examples/models/multicore8x4.mod" >many.mod
works "$cpm" model --machine many.mod --layout 8x2 --noise 0.02 --no-thresholds --quiet -o hosts.mod
finds 0 "$cpm" health hosts.mod --machine hosts.mod --noise 0.02 --seed 2 --line --budget 60
line '^healthy: among 8 hosts'
finds 0 "$cpm" health hosts.mod --machine many.mod --layout 8x3 --noise 0.02 --seed 2 --line --budget 60 # others on them
refused 2 'layout' "${mpiexec[@]}" 1 "$cpm" health hosts.mod --layout 8x3

# Files for other programs.
changed as_it_was.mod slow.mod host 5 Go 4 row 5 invbeta 4
finds 3 "${check[@]}" --machine slow.mod --seed 2 "${history[@]}" --junit out.xml --prometheus out.prom
if command -v xmllint >/dev/null; then
    xmllint --noout out.xml few.xml || fail "no XML: $(cat out.xml)"
    [ "$(xmllint --xpath 'string(/testsuite/@failures)' out.xml)" = 2 ] || fail "failures: $(cat out.xml)"
    [ "$(xmllint --xpath 'count(/testsuite/testcase)' out.xml)" = "$(xmllint --xpath 'string(/testsuite/@tests)' out.xml)" ] || fail "tests: $(cat out.xml)"
    xmllint --xpath 'string(//testcase[@name="against the reference"]/failure/@message)' out.xml |
        grep -q "^host graphene-6: time per byte of a host's outgoing link end (Go) [34]\.[0-9] times" || fail "message: $(cat out.xml)"
fi
python3 - out.prom few.prom <<'END' || fail "metrics: $(head -20 out.prom)"
# The text format of Prometheus: every metric has a HELP and a TYPE before its samples, which stand together.
import re, sys
for path in sys.argv[1:]:
    helped, typed, seen, last, values = set(), set(), set(), None, {}
    for line in open(path, encoding="utf-8"):
        assert line.endswith("\n")
        if m := re.fullmatch(r"# HELP ([a-z_]+) .+\n", line):
            assert m[1] not in helped
            helped.add(m[1])
        elif m := re.fullmatch(r"# TYPE ([a-z_]+) gauge\n", line):
            assert m[1] in helped and m[1] not in typed
            typed.add(m[1])
        else:
            m = re.fullmatch(r'([a-z_]+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (-?[0-9.e+-]+)\n', line)
            assert m and m[1] in typed, line
            assert m[1] == last or m[1] not in seen, line
            seen.add(last := m[1])
            assert (m[1], m[2]) not in values, line
            values[m[1], m[2]] = float(m[3])
    verdict = values["cpm_health_verdict", 'reference="cluster.mod"']
    assert verdict == (3 if path == "out.prom" else 4), verdict
    if path == "out.prom":
        slow = {k: v for (name, k), v in values.items() if name == "cpm_health_parameter_ratio" and 'parameter="Go"' in k}
        assert len(slow) == 16 and max(slow, key=slow.get).count('host="graphene-6"') == 1, slow
        assert 3.8 < max(slow.values()) < 4.2 and sorted(slow.values())[-2] < 1.2, slow
END
finds 0 "${check[@]}" --machine "$truth" --seed 2 "${history[@]}" --junit out.xml --prometheus out.prom
grep -q '^cpm_health_verdict{reference="cluster.mod"} 0$' out.prom || fail "not replaced: $(head -4 out.prom)"
[ -z "$(find . -name 'out.*~')" ] || fail "kept: $(ls)"
cp cluster.mod 'a "b" <c> & \d.mod'
finds 0 "$cpm" health 'a "b" <c> & \d.mod' --machine "$truth" --noise 0.02 --seed 2 "${history[@]}" --junit odd.xml --prometheus odd.prom
! command -v xmllint >/dev/null || [ "$(xmllint --xpath 'string(//property/@value)' odd.xml)" = 'a "b" <c> & \d.mod' ] || fail "odd name: $(cat odd.xml)"
grep -qF 'cpm_health_verdict{reference="a \"b\" <c> & \\d.mod"} 0' odd.prom || fail "odd name: $(head -3 odd.prom)"

# A full disk and a signal leave neither half a model nor half a file, and the old one stays.
before=$(ls other.health)
cp out.prom old.prom
if command -v strace >/dev/null; then
    { strace -qqq -o trace -e trace=rename,renameat2,renameat,link -e inject=rename,renameat2,renameat,link:signal=TERM:when=1 \
        "${check[@]}" --machine "$truth" --seed 2 "${history[@]}" --prometheus out.prom >stdout 2>stderr; } 2>/dev/null
    [ $? != 0 ] || fail "not interrupted: $(cat trace)"
    for model in other.health/*; do
        works "$cpm" show "$model"
    done
    [ -z "$(find other.health -type f ! -name '*.mod')" ] || fail "left over: $(ls -a other.health)"
    cmp -s out.prom old.prom || fail "metrics of a run that was interrupted: $(cat out.prom)"
fi

# The examples.
for script in "$examples"/*.sh; do
    bash -n "$script" || fail "$script"
    ! command -v shellcheck >/dev/null || shellcheck -e SC2086 "$script" || fail "shellcheck: $script"
done
python3 -m py_compile "$examples/reframe_health.py" || fail "reframe_health.py"
rm -rf "$examples/__pycache__"
if command -v systemd-analyze >/dev/null; then
    mkdir units
    sed "s,/usr/local/libexec/cpm,$examples," "$examples/cpm-health.service" >units/cpm-health.service
    cp "$examples/cpm-health.timer" units
    works systemd-analyze verify --man=no --recursive-errors=no units/cpm-health.service units/cpm-health.timer
    ! grep -q 'cpm-health' stderr || fail "units: $(cat stderr)"
    works systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' units/cpm-health.timer)"
fi
grep -Eq '^([0-9*]+ +){5} *cpm +/[^ ]*/nightly.sh /[^ ]+\.mod /[^ ]+$' "$examples/cpm-health.cron" || fail "cpm-health.cron"
for named in $(grep -ho '/[a-z-]*\.sh' "$examples"/cpm-health.*); do
    [ -x "$examples$named" ] || fail "$named is named, and not there"
done

# They run, with a machine that is played: cron says nothing of a healthy cluster, Slurm drains a slow node.
export CPM=$cpm CPM_MPIEXEC=env CPM_SRUN=env CPM_OPTIONS="--machine $truth --noise 0.02"
printf 'n%d\n' 1 2 3 >hosts
mkdir metrics nodes
finds 0 "$examples/nightly.sh" cluster.mod hosts metrics
[ ! -s stdout ] || fail "an e-mail of a healthy cluster: $(cat stdout)"
grep -q '^cpm_health_verdict{.*} 0$' metrics/cpm_cluster.prom || fail "metrics: $(ls metrics)"
CPM_OPTIONS="--machine slow.mod --noise 0.02" finds 3 "$examples/nightly.sh" cluster.mod hosts metrics
line '^cluster: host graphene-6: '
CPM_OPTIONS="--machine other.mod" finds 1 "$examples/nightly.sh" cluster.mod hosts metrics
grep -q '^cluster: no check was made, exit code 1$' stdout && grep -q 'other hosts' stdout || fail "no check: $(cat stdout)"
finds 2 "$examples/nightly.sh" cluster.mod
finds 0 "$examples/slurm-job.sh" cluster.mod
[ -s cluster-health.xml ] || fail "no cluster-health.xml: $(ls)"
cp cluster.mod nodes/n1.mod
export SLURMD_NODENAME=n1 CPM_FOLDER=nodes CPM_SCONTROL=echo
finds 0 "$examples/slurm-node.sh"
[ ! -s stdout ] || fail "a healthy node: $(cat stdout)"
CPM_OPTIONS="--machine slow.mod --noise 0.02" finds 0 "$examples/slurm-node.sh"
grep -q '^update NodeName=n1 State=DRAIN Reason=cpm health: host graphene-6: ' stdout || fail "not drained: $(cat stdout)"
SLURMD_NODENAME=n2 finds 0 "$examples/slurm-node.sh"
finish
