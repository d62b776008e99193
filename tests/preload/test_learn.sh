#!/usr/bin/env bash
# What a program's calls have shown is kept for the next run, whatever happens to the file; like
# communicators begin with it. MPI's clock is played (tests/libraries/play_clock.c): broadcasts by MPI's
# own routine take five times as long as others.
. "$(dirname "$0")/lib.sh"
clock=$5 # as CTest gives it, from the root on

# learn RANKS PROGRAM...: with OPTIONS; what is told is in stdout, stderr and the report "told".
learn() {
    local n=$1
    shift
    # shellcheck disable=SC2086 # several words
    "$mpiexec" -n "$n" env LD_PRELOAD="$clock" "$cpm" run --yield --adapt --report told --format json \
        ${options---learn learnt} -- "$programs/adapting" "$@" >stdout 2>stderr
}

# holds FILE CONDITION...: python expressions of the lessons l and of the one o with the most calls.
holds() {
    local file=$1 condition
    shift
    for condition; do
        python3 - "$file" "$condition" <<'END' || fail "$file: not $condition: $(cat "$file" stderr)"
import json, sys
l = json.load(open(sys.argv[1]))["lessons"]
calls = {f["algorithm"]: f["calls"] for f in l[0]["figures"]} if l else {}
tried = [f for f in (l[0]["figures"] if l else []) if "ratio" in f]
sys.exit(not eval(sys.argv[2]))
END
    done
}

# told CONDITION: of the row r of the report.
told() {
    python3 -c 'import json, sys
rows = json.load(open("told"))["adapted"]
r = rows[0]
sys.exit(not eval(sys.argv[1]))' "$1" || fail "not $1: $(cat told)"
}

# says PATTERN: one line on standard error, and nothing else.
says() {
    if [ "$(wc -l <stderr)" != 1 ] || ! grep -Eq -- "^cpm: .*$1" stderr; then
        fail "not one line '$1': $(cat stderr)"
    fi
}

# The first run finds out, the second begins with that, and sooner: one way is tried, and chosen.
learn 4 bcasts 1500 || fail "$(cat stdout stderr)"
[ ! -s stderr ] || fail "said: $(cat stderr)"
holds learnt 'len(l) == 1' 'l[0]["operation"] == "bcast"' 'l[0]["processes"] == 4' \
    'len(tried) > 1' 'min(f["ratio"] for f in tried) < 0.5'
told 'r["tried"] > 1 and r["chosen"] != "native"'
cp learnt first
cp told before
learn 4 bcasts 1500 || fail "$(cat stdout stderr)"
told 'r["tried"] == 1 and r["chosen"] != "native"'
told 'r["calls"] > json.load(open("before"))["adapted"][0]["calls"]' # it has candidates sooner
holds learnt 'len(l) == 1' "sum(calls.values()) > $(python3 -c '
import json
print(sum(f["calls"] for f in json.load(open("first"))["lessons"][0]["figures"]))')"

# It is a decision table, too.
"$cpm" rules learnt | grep -q '^ *bcast:' || fail "no rule: $("$cpm" rules learnt 2>&1)"
run 4 --table learnt -- "$programs/adapting" bcasts 20 || fail "as a table: $(cat stderr)"

# Where nothing is learnt the file stays.
cp learnt before
learn 2 calls 1 || fail "$(cat stdout stderr)"
cmp -s learnt before || fail "it changed: $(cat learnt)"
learn 4 abort && fail "MPI_Abort is lost"
holds learnt 'len(l) == 1'

# Lessons of others are kept.
sed 's/"hosts": "[^"]*"/"hosts": "elsewhere*4"/' first >learnt
learn 4 bcasts 1500 || fail "$(cat stdout stderr)"
says '1 of its 1 lessons are of other hosts, MPI libraries or versions of CPM; they are kept, but not used$'
holds learnt 'len(l) == 2' 'l[0]["hosts"] == "elsewhere*4"'
told 'r["tried"] > 1'

# Damaged files, and others.
sed 's/"hosts": "[^"]*"/"hosts": "elsewhere*4"/' first >whole
for bytes in 1 40 150 $(($(wc -c <whole) - 60)); do
    head -c "$bytes" whole >learnt
    learn 4 bcasts 1500 || fail "$bytes bytes: $(cat stdout stderr)"
    grep -Eq '^cpm: .*learnt:[0-9]+: .*; it is damaged: what can be read of it is used and kept$' stderr ||
        fail "$bytes bytes: $(cat stderr)"
    holds learnt 'len(l) >= 1' 'l[-1]["hosts"] != "elsewhere*4"'
done
holds learnt 'len(l) == 2'
echo 'int main(void)' >learnt
learn 4 bcasts 1500 || fail "$(cat stdout stderr)"
says 'learnt: not a tuning-history file; nothing is learnt from it, and it is left as it is$'
[ "$(cat learnt)" = 'int main(void)' ] || fail "another file is lost"
sed 's/"version": 1,/"version": 99,/' first >learnt
cp learnt before
learn 4 bcasts 100 || fail "$(cat stdout stderr)"
says 'learnt: version 99 of this format is not known, only 1; nothing is learnt from it, and it is left as it is$'
cmp -s learnt before || fail "a file of another version is lost"

# What a lesson names and is not known is named.
known=$(python3 -c 'import json
print(next(f["algorithm"] for f in json.load(open("first"))["lessons"][0]["figures"] if f["algorithm"] != "native"))')
sed "s/\"algorithm\": \"$known\", \"calls\"/\"algorithm\": \"fast\", \"calls\"/" first >learnt
learn 4 bcasts 1500 || fail "$(cat stdout stderr)"
says "learnt: unknown algorithm 'fast' of bcast; what is unknown is kept, but not used\$"
holds learnt '"fast" in calls'
rm learnt

# Two jobs at once, each with a folder of sessions of its own: Open MPI's may fail as another one makes it.
learn 2 bcasts 1500 &
(mkdir other && cd other && export OMPI_MCA_orte_tmpdir_base=$PWD && options='--learn ../learnt' && learn 3 bcasts 1500) || fail "$(cat other/stderr)"
wait $! || fail "$(cat stdout stderr)"
holds learnt '{one["processes"] for one in l} == {2, 3}'

# What cannot be written is told, and the exit code is the program's.
cp first learnt
if command -v strace >/dev/null && strace -f --seccomp-bpf -o /dev/null true 2>/dev/null; then
    (mpiexec="strace" && "$mpiexec" -f --seccomp-bpf -qq -o /dev/null -e trace=fsync -e inject=fsync:error=ENOSPC \
        "$2" -n 4 env LD_PRELOAD="$clock" "$cpm" run --yield --adapt --learn learnt -- \
        "$programs/adapting" bcasts 1500 >stdout 2>stderr) || fail "full disk: $(cat stdout stderr)"
    says 'learnt: cannot be written: No space left on device; what was learnt is lost$'
    cmp -s learnt first || fail "full disk: the file changed"
fi
options='--learn nowhere/learnt' learn 2 calls 1 || fail "$(cat stdout stderr)"
says 'nowhere/learnt: its folder cannot be written to: No such file or directory; what is learnt will be lost$'
[ -z "$(find . -name 'learnt.??????*')" ] || fail "left: $(find . -name 'learnt.*')"

# What is wrong with a model leaves nothing known before, within the budget, too.
echo junk >junk.mod
options='--model junk.mod' learn 4 bcasts 6000 || fail "$(cat stdout stderr)"
says "junk.mod:1: .*; the program's calls decide without it\$"
told 'r["tried"] > 1 and r["chosen"] != "native"'

# Communicators that come and go: what the first has shown the others begin with.
tried() {
    python3 -c 'import json
rows = json.load(open("told"))["adapted"]
print(sum(r["communicators"] for r in rows), sum(r["tried"] for r in rows))'
}
options='' learn 4 duplicates 2000 || fail "$(cat stdout stderr)"
read -r communicators first < <(tried)
[ "$communicators $((first > 1))" = '1 1' ] || fail "one duplicate: $(cat told)"
options='' learn 4 duplicates 6000 || fail "$(cat stdout stderr)"
read -r communicators all < <(tried)
[ "$communicators" = 3 ] && [ "$all" -lt $((3 * first)) ] || fail "$first tried, then $all: $(cat told)"

for wrong in '--learn learnt' '--adapt=star --learn learnt' '--adapt --learn -'; do
    # shellcheck disable=SC2086 # several words
    "$cpm" run $wrong -- true 2>stderr && fail "$wrong: taken"
    grep -Eq '^cpm run: --learn( -: standard input is| needs --adapt)' stderr || fail "$wrong: $(cat stderr)"
done
finish
