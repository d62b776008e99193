#!/usr/bin/env bash
# ./quickstart as a newcomer runs it, in a copy of the tree: it ends well, says what it does, and
# finds the cluster that a model plays. What it measures of this machine is only looked for.
. "$(dirname "$0")/lib.sh"
tree=$(readlink -f "$here/../..")

# Packages are there where tests run; nothing is to be installed by one.
mkdir bin newcomer
if command -v apt-get >/dev/null; then
    printf '#!/bin/sh\necho "apt-get $*: not in a test" >&2\nexit 1\n' >bin/apt-get
    chmod +x bin/apt-get
fi
tar -C "$tree" --exclude=./build --exclude=./quickstart-output --exclude=./.git -cf - . | tar -C newcomer -xf -

export CCACHE_BASEDIR=$PWD/newcomer # a compiler cache knows these files from the build that is tested
PATH=$PWD/bin:$PATH works newcomer/quickstart </dev/null
while read -r section; do
    grep -q "==> $section" stdout || fail "no section '$section': $(cat stdout)"
done <<END
What CPM needs on this machine
Building
Measuring this machine with
How long one process takes to reach another, by the model
Predicted against observed
An MPI program with the collectives that the model chooses
A cluster of 16 hosts, simulated with a model with 2 % noise
What was fitted, and the model that simulated the cluster (written by hand), against what was observed
Which broadcast would be the fastest there
Plots
All of it on one page
Done. What to do next
END

# The section that begins so.
section() {
    sed -n "/^==> $1/,/^==> /p" stdout
}

# Times of the machine: those of one way and those of three collectives, of five sizes each.
[ "$(section 'How long' | grep -Ec '^ *[0-9]+ +[0-9.]+')" = 5 ] || fail "not five sizes: $(section 'How long')"
for operation in bcast scatter gather; do
    [ "$(grep -c "^$operation:linear" newcomer/quickstart-output/validation.tsv)" = 5 ] ||
        fail "not five sizes of $operation"
done

# Mean errors in per cent, of the fitted model in the first column and of the true one in the third;
# noise is 2 %, and what is observed is the median of a few repetitions.
section 'What was fitted' | sed -n 's/ %//g; /^all /p' >all
[ "$(wc -l <all)" = 1 ] || fail "no errors: $(section 'What was fitted')"
awk '$2 > 2 { exit 1 }' all || fail "the fitted model is off by more than the noise: $(cat all)"
awk '$4 > 1 { exit 1 }' all || fail "the true model is off: $(cat all)"

for file in machine.mod machine.meas cluster.mod; do
    [ -s "newcomer/quickstart-output/$file" ] || fail "no $file"
done
for picture in newcomer/quickstart-output/*.png; do
    drawn "$picture" 1000
done

# Once more, over what is there. That earlier files are kept is no reason to doubt the numbers.
PATH=$PWD/bin:$PATH works newcomer/quickstart </dev/null
for file in machine.mod machine.meas; do
    grep -q "^cpm: note: the earlier quickstart-output/$file is kept as quickstart-output/$file.~1~" stderr ||
        fail "the second time: $(cat stderr)"
done
! grep 'is kept as' stdout || fail "a reason to doubt: $(cat stdout)"

# What was built can be installed, as README.md says next, and then is all there.
(cd newcomer && cmake --install build/default --prefix "$work/prefix") >stdout 2>stderr ||
    fail "cmake --install after quickstart: $(tail -5 stdout stderr)"
works "$work/prefix/bin/cpm" predict "$work/prefix/share/cpm/models/gigabit16.mod" bcast:binomial -m 1K
for library in libcpm.so libmpib.so libcpm-tuned.so libcpm-yield.so; do
    [ -n "$(find "$work/prefix" -name $library)" ] || fail "no $library is installed"
done
finish
