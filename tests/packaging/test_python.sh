#!/usr/bin/env bash
# The Python package over the libcpm of a build, and the notebook of examples/notebook. Needs a Python
# with numpy, pandas and pytest; what needs matplotlib or nbclient is left out without them.
# usage: test_python.sh SOURCE_DIR BUILD_DIR
set -u
source=$(readlink -f "$1") CPM_BUILD=$(readlink -f "$2")
export CPM_BUILD CPM_LIBRARY=$CPM_BUILD/lib/libcpm.so PYTHONPATH=$source/python/src
export PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=
for found in python3 /usr/bin/python3; do # the first that has everything, else the first that has enough
    "$found" -c 'import numpy, pytest, matplotlib, pandas' 2>/dev/null && python=$found && break
    [ -n "$python" ] || ! "$found" -c 'import numpy, pandas, pytest' 2>/dev/null || python=$found
done
[ -n "$python" ] || { echo "skipped: no Python with numpy, pandas and pytest (python3-numpy, python3-pandas, python3-pytest)"; exit 77; }

cd "$work" || exit 1
"$python" -m pytest -q -p no:cacheprovider --basetemp="$work/pytest" "$source/python/tests" || exit 1

# Without the library, and with another one, one line says what to do.
for wrong in nowhere.so libc.so.6; do
    said=$(CPM_LIBRARY=$wrong "$python" -c 'import cpm' 2>&1 | tail -n 1)
    [[ $said == ImportError:*$wrong* ]] || { echo "FAILED: with $wrong: $said"; exit 1; }
done
# An installed library is found by the command in PATH, and its models with it.
cmake --install "$CPM_BUILD" --prefix "$work/installed" >/dev/null || exit 1
cp -r "$source/python/src/cpm" "$work/cpm"
said=$(env -u CPM_LIBRARY -u LD_LIBRARY_PATH PATH="$work/installed/bin:$PATH" PYTHONPATH="$work" "$python" -c '
import cpm, pathlib
from cpm._library import lib
print(lib._name, cpm.example_model("gigabit16"))' 2>&1)
[[ $said == "$work/installed/"*libcpm.so.0" $work/installed/"*gigabit16.mod ]] ||
    { echo "FAILED: installed in $work: $said"; exit 1; }
echo "the package works"
