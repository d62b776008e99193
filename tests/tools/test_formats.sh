#!/usr/bin/env bash
# What is printed as TSV and JSON: the columns of doc/formats.md, the same in both, read by Python's own
# modules, whatever names there are.
. "$(dirname "$0")/lib.sh"
page=$here/../../doc/formats.md
play=(--machine lmo4.mod --noise 0.1 --quiet)
declare -A looked_at=(["run --report"]=1) commands=([run]=1 [report]=1) # by tests/preload; a page

# says_the_same SECTION CODE COMMAND...
says_the_same() {
    local section=$1 code=$2 format
    shift 2
    looked_at[$section]=1
    case $1 in bench | tune) commands["$1 $2"]=1 ;; *) commands[$1]=1 ;; esac
    for format in tsv json; do
        finds "$code" "$cpm" "$@" --format $format
        mv stdout said.$format
    done
    python3 "$here/look_at_formats.py" "$page" "$section" said.tsv said.json ${some:+--some} 2>why || fail "$*: $(tail -1 why)"
}

works "$cpm" model "${play[@]}" -M lmo2 --no-thresholds -o two.mod
says_the_same show 0 show lmo4.mod
says_the_same show 0 show two.mod
says_the_same show 0 show classes.mod
says_the_same doctor 4 doctor lmo4.mod
says_the_same diff 0 diff lmo4.mod lmo4.mod
says_the_same 'bench p2p' 0 bench p2p "${play[@]}" -m 0,1K
says_the_same 'bench coll' 0 bench coll "${play[@]}" bcast:linear,bcast:chain,bcast:native -m 1K,2K
says_the_same 'bench coll --guidelines' 3 bench coll --guidelines --machine lmo4.mod --quiet allgather,bcast -m 1K,16K
says_the_same map 0 map lmo4.mod bcast:binomial -m 8K
says_the_same map 0 map lmo4.mod scatterv:tree --blocks 1K,64K,2K,0
says_the_same synthesize 0 synthesize lmo4.mod bcast -m 8K --attempts 3
says_the_same fit 0 fit two.meas --residuals --model lmo2 -o again.mod
says_the_same 'predict --bound' 0 predict lmo4.mod bcast gather -m 1K:64K --bound
says_the_same 'predict --crossovers' 0 predict lmo4.mod bcast gather -m 1K:64K --crossovers
says_the_same 'predict --overlap' 0 predict lmo4.mod bcast gather -m 1K:64K --overlap
says_the_same 'bench coll --overlap' 0 bench coll "${play[@]}" bcast:linear,barrier:tree -m 1K,2K --overlap --computing 1e-4
says_the_same rules 0 rules example.rules
says_the_same 'rules --explain' 0 rules example.rules --explain allgather -m 64K -n 6
says_the_same 'rules --explain' 0 rules example.rules --explain alltoall
says_the_same validate 0 validate lmo4.mod bcast "${play[@]}" -m 1K
works "$cpm" bench coll "${play[@]}" bcast -m 1K --raw -o a.meas
works "$cpm" bench coll "${play[@]}" bcast -m 1K --raw --seed 2 -o b.meas
says_the_same compare 0 compare lmo4.mod two.mod a.meas
says_the_same 'compare of two runs' 0 compare a.meas b.meas

says_the_same compare 0 compare lmo4.mod a.meas --formulas
says_the_same validate 0 validate lmo4.mod bcast:binomial "${play[@]}" -m 1K --method formula
for option in '' '--method formula' '--timing batch' --no-intervals '--layout 4x1'; do
    # shellcheck disable=SC2086 # two words
    says_the_same predict 0 predict two.mod bcast:linear,bcast:binomial -m 1K $option
done
says_the_same 'predict --crossovers' 0 predict two.mod bcast:linear,bcast:binomial -m 1:64K --crossovers --method formula
sed '$d' app.profile | sed '$s/\]/], "others": [{"function": "MPI_Scan", "calls": 8, "seconds": 0.001}]\n}/' >scans.profile
says_the_same 'predict --profile' 0 predict lmo4.mod --profile scans.profile
some=1 says_the_same 'predict --profile' 0 predict lmo4.mod --profile app.profile
says_the_same algorithms 0 algorithms
says_the_same algorithms 0 algorithms barrier
some=1 says_the_same show 0 show two.mod --param Cs
says_the_same 'bench coll' 0 bench coll "${play[@]}" barrier,bcast:linear -m 1K --timing batch

# A cluster with something to find, and a model that has changed.
python3 - <<'PYTHON'
import json
n = 8
m = {"format": "cpm model", "version": 1, "model": "lmo", "processes": n,
     "hosts": ['"quoted"', "with # in it", "tab\there", "<b>&amp;</b>", "é", "'", "\\n", "a,b"]}
near = lambda base, i, j: base * (1 + 0.01 * ((i * j + i + j) % 5))
pairs = lambda base: [[near(base, i, j) if i != j else 0 for j in range(n)] for i in range(n)]
parameters = {"C": ("s", [near(3e-5, i, 3) for i in range(n)]), "t": ("s/B", [near(5e-9, i, 7) for i in range(n)]),
              "L": ("s", pairs(2e-5)), "invbeta": ("s/B", pairs(1e-8)), "S": ("B", None), "M1": ("B", None), "M2": ("B", None)}
m["parameters"] = {name: {"unit": unit, "value": value} for name, (unit, value) in parameters.items()}
json.dump(m, open("named.mod", "w"))
m["parameters"]["C"]["value"][2] = 1e-3
json.dump(m, open("slow.mod", "w"))
PYTHON
says_the_same show 0 show named.mod
says_the_same map 0 map named.mod bcast:binomial -m 8K
says_the_same doctor 3 doctor slow.mod
python3 -c 'import json; f = json.load(open("said.json"))["findings"]; assert f[0]["i"] == 2, f' ||
    fail "doctor: $(cat said.json)"
says_the_same diff 4 diff named.mod slow.mod

echo '{"format": "cpm table", "version": 1, "operations": {"bcast": {"4": [{"from": 1024, "algorithm": "chain"}]}}}' >table.json
says_the_same 'tune --verify' 0 tune --verify "${play[@]}" table.json --turns 4

# Nor does it matter how files are called.
names=($'a\nb' '"' $'tab\t' $'\xff' '<x>' '#x' $'\033[31m')
[ -z "${CPM_TEST_QUICK:-}" ] || names=("${names[@]::2}")
for name in "${names[@]}"; do
    cp lmo4.mod "$name.mod" && cp a.meas "$name.meas"
    says_the_same diff 0 diff "$name.mod" lmo4.mod
    says_the_same validate 0 validate "$name.mod" bcast:linear "${play[@]}" -m 1K
    says_the_same 'compare of two runs' 0 compare "$name.meas" b.meas
done

# A model that contradicts the scatters and gathers of its own campaign says what to use instead.
works "$cpm" measure --machine "$here/../../examples/models/gigabit16.mod" -M lmo -o plain.meas --quiet
works "$cpm" fit plain.meas -M lmo --no-thresholds -o plain.mod
works "$cpm" show plain.mod
grep -q 'gather:linear disagrees with the model by .*try --model lmo2' stdout || fail "no advice: $(tail -5 stdout)"
grep -q 'pairs have a negative L or 1/beta: .*try --model lmo2' stdout || fail "no advice: $(tail -5 stdout)"
works "$cpm" validate plain.mod --machine "$here/../../examples/models/gigabit16.mod" bcast:linear -m 1K --quiet
grep -q '^cpm: note: plain.mod does not describe its cluster .*: try --model lmo2' stderr || fail "no note: $(cat stderr)"
sed 's/"notes": \[/"notes": ["gather:linear disagrees with the model by 16 %: messages share link ends; try --model lmo2", /; s/, \]/]/' \
    lmo4.mod >doubtful.mod
works "$cpm" validate doubtful.mod --machine lmo4.mod bcast:linear -m 1K --quiet
grep -q '^cpm: note: doubtful.mod does not describe its cluster .*: try --model lmo2' stderr || fail "no note: $(cat stderr)"
works "$cpm" show a.meas
grep -qx 'a.meas: measurements' stdout && grep -q '^  cpm fit FILE -o NEW.mod' stdout || fail "what a.meas is: $(cat stdout)"
refused 1 'a.meas:1: not a model file: it holds measurements: cpm fit makes a model of them' "$cpm" predict a.meas bcast
refused 2 'a.meas: is measurements: --format is for models' "$cpm" show a.meas --format json
# Standard input and output are files, too.
works "$cpm" predict lmo4.mod bcast:linear -m 1K
cp stdout named
"$cpm" predict - bcast:linear -m 1K <lmo4.mod | sed 's,/dev/stdin,lmo4.mod,' | diff named - || fail "of standard input"
works "$cpm" predict lmo4.mod bcast:linear -m 1K -o - && diff named stdout || fail "to standard output"
works "$cpm" predict bcast:linear lmo4.mod -m 1K -o written && diff named written || fail "to a file, the model last"
cat lmo4.mod | finds 4 "$cpm" doctor - || fail "the doctor: $(cat stderr)"
refused 2 'model -: standard input is the program' "$cpm" run --model - -- true

# Nothing that is printed in these forms was left out, and nothing is on the page that is not printed.
for section in "${!looked_at[@]}"; do grep -q "^## $section$" "$page" || fail "the page has no $section"; done
while read -r section; do [ -n "${looked_at[$section]:-}" ] || fail "nothing prints $section"; done < <(sed -n 's/^## //p' "$page")
while read -r command; do
    # shellcheck disable=SC2086 # two words
    ! "$cpm" $command --help | grep -q -- '--format' || [ -n "${commands[$command]:-}" ] || fail "$command is not looked at"
done < <("$cpm" --help | sed -n '/^commands:/,/^$/s/^  \(bench p2p\|bench coll\|tune --[a-z]*\|[a-z]*\) .*/\1/p')

# What does not go together is one line.
refused 2 '--format needs --residuals' "$cpm" fit two.meas --format json
refused 2 'would both write to standard output' "$cpm" map lmo4.mod bcast:binomial -m 1K --format tsv -o -
refused 2 'would both write to standard output' "$cpm" rules example.rules --format tsv -o -
refused 2 "unknown format 'xml' \(known: text, tsv, json\)" "$cpm" show lmo4.mod --format xml
finish
