#!/usr/bin/env bash
# bench/promise: what is added to short calls, and that nobody counts where the kernel refuses.
# usage: test_promise.sh SOURCE MPICC MPIEXEC
set -u
source=$1 mpicc=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# promise: two turns of bench_promise of this folder in each way, as ROWS of 'way operation added_ns added_instructions'.
promise() {
    python3 "$source/bench/promise" --build . --ranks 1 --turns 2 --seconds 0.0001 --operations barrier,bcast \
        --ways native,profile --mpiexec "$work/launch" 2>stderr |
        awk -F'\t' 'NR > 1 && $3 != "-" { print $1, $2, $7, $8 }' >rows
}

# The program itself, whose calls of perf_event_open fail.
"$mpicc" -O2 "$source/bench/promise.c" -o bench_promise || exit 1
if command -v strace >/dev/null; then
    strace -f -o trace -e inject=perf_event_open:error=EACCES "$mpiexec" -n 1 ./bench_promise 0.0001 barrier >stdout ||
        fail "exit code $?"
    grep -q 'perf_event_open.*EACCES' trace || fail "it does not ask: $(head -3 trace)"
    awk -F'\t' 'NF != 5 || $1 != "barrier" || $5 != "-" { exit 1 } END { exit NR != 1 }' stdout ||
        fail "refused: $(cat stdout)"
fi

# What it prints is subtracted: of 2 us and 100 instructions 3 and 260 are left if CPM is preloaded.
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >launch # -n 1
cat >bench_promise <<'END'
#!/bin/sh
count=100 us=2.000
[ -z "${LD_PRELOAD:-}" ] || count=260 us=5.000
printf 'barrier\t8\t50\t%s\t%s\n' $us $count
printf 'bcast\t8\t50\t9.000\t%s\n' $count
END
chmod +x launch bench_promise
promise
diff - rows <<'END' || fail "other figures: $(cat stderr)"
native barrier 0 0
native bcast - -
profile barrier 3000 160
profile bcast - -
END
sed -i 's/^count=100/count=-/' bench_promise
promise
diff - rows <<'END' || fail "one of both is not counted: $(cat stderr)"
native barrier 0 not counted
native bcast - -
profile barrier 3000 not counted
profile bcast - -
END
[ $failures = 0 ]
