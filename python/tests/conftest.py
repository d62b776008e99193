"""A cluster that a model plays: its measurements and models, made once by the command."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CPM_BUILD", SOURCE / "build" / "default"))
DATA = SOURCE / "tests" / "tools" / "data"


def command(*words: str, folder: Path) -> None:
    subprocess.run(
        [BUILD / "cpm", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with cluster.meas, cluster.mod (of 4 processes) and observed.meas."""
    folder = tmp_path_factory.mktemp("cluster")
    played = ["--machine", str(DATA / "lmo4.mod"), "--noise", "0.01", "--quiet"]
    command("model", "-M", "lmo", *played, "--no-thresholds", "-o", "cluster.mod", folder=folder)
    command(
        "bench", "coll", *played, "--raw", "scatter:linear,bcast:binomial",
        "-m", "1K,64K", "-o", "observed.meas", folder=folder,
    )  # fmt: skip
    return folder
