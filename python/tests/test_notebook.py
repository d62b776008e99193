"""The notebook of the examples runs: by nbclient where it is there, else its cells one by one."""
from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import BUILD, SOURCE

takes_long = pytest.mark.skipif("CPM_TEST_QUICK" in os.environ, reason="the quick tests do without")

NOTEBOOK = SOURCE / "examples" / "notebook" / "figure.ipynb"


def cells_of(path):
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def has_kernel():
    try:
        import ipykernel  # noqa: F401
        import nbclient  # noqa: F401
        import nbformat  # noqa: F401
    except ImportError:
        return False
    return True


@takes_long
def test_the_notebook_makes_its_figures(tmp_path):
    pytest.importorskip("matplotlib")
    environment = {
        **os.environ,
        "CPM_COMMAND": str(BUILD / "cpm"),
        "MPLBACKEND": "agg",
    }
    program = "\n".join(cells_of(NOTEBOOK))
    if has_kernel():
        program = (
            "import nbclient, nbformat, sys\n"
            f"notebook = nbformat.read({str(NOTEBOOK)!r}, 4)\n"
            "nbclient.NotebookClient(notebook, timeout=120).execute()\n"
        )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)
    for name in ("parameters.png", "comparison.png", "comparison.pdf", "decisions.png"):
        assert (tmp_path / name).stat().st_size > 10000


@takes_long
def test_the_notebook_mixes_no_played_cluster_with_a_measured_one(tmp_path):
    pytest.importorskip("matplotlib")
    first = cells_of(NOTEBOOK)[0]
    played = SOURCE / "examples" / "models" / "gigabit16.mod"
    words = [BUILD / "cpm", "measure", "-M", "hockney", "--machine", played, "--quiet"]
    subprocess.run([*words, "-o", "cluster.meas"], cwd=tmp_path, check=True)
    text = (tmp_path / "cluster.meas").read_text()
    (tmp_path / "cluster.meas").write_text(text.replace("# machine: synthetic", "# machine: mpi"))
    failed = subprocess.run(
        [sys.executable, "-c", first], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "MPLBACKEND": "agg"},
    )  # fmt: skip
    assert failed.returncode and "observed.meas: cluster.meas is of your cluster" in failed.stderr


def test_the_notebook_is_kept_without_results():
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None
