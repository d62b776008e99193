"""Measurements: .meas files as arrays, and how well models predict them."""
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _declarations as declared
from ._library import (
    Columns,
    Frame,
    Handle,
    Path,
    create,
    facts,
    integer,
    lib,
    path_of,
    records,
    text,
)
from .errors import CpmError, error_of

if TYPE_CHECKING:
    from .model import Model

_what = ("i", "j", "k", "count", "send_bytes", "reply_bytes", "round")
_seconds = ("mean", "median", "huber", "min", "max", "sd", "ci_low", "ci_high", "huber_half")


class Measurements(Handle):
    """What a campaign measured."""

    _free = "cpm_measurements_free"

    @classmethod
    def load(cls, path: Path) -> Measurements:
        """Reads a .meas file (FileError, ParseError)."""
        return cls(create(lib.cpm_measurements_load, path_of(path)))

    @property
    def processes(self) -> int:
        """How many processes took part."""
        return lib.cpm_measurements_processes(self._handle)

    @property
    def seconds(self) -> float | None:
        """How long the campaign took; None: it did not end."""
        seconds = lib.cpm_measurements_seconds(self._handle)
        return seconds if seconds >= 0 else None

    @property
    def facts(self) -> dict[str, str]:
        """The header of the file: ``"date"``, ``"hosts"``, ``"precision"``, ..."""
        return facts(lib.cpm_measurements_fact, self._handle)

    def _records(self) -> list[Any]:
        return list(
            records(declared.cpm_measurement_info, lib.cpm_measurements_get, self._handle)
        )

    def frame(self) -> Frame:
        """All measurements, a row each, in the order of the file.

        ``experiment`` (``"roundtrip"``, ``"bcast:binomial"``), the processes ``i``, ``j``, ``k``
        (-1: none; ``i`` is the root), ``count``, ``send_bytes``, ``reply_bytes``, ``round``, then in
        seconds ``mean``, ``median``, ``huber``, ``min``, ``max``, ``sd``, ``ci_low``, ``ci_high``,
        ``huber_half``, then ``reps`` and ``value``, the seconds that fits and comparisons use.
        """
        rows = self._records()
        names = np.array([text(row.experiment) for row in rows], dtype=object)
        columns: Columns = {"experiment": names}
        for name in _what:
            columns[name] = np.array([getattr(row, name) for row in rows])
        for name in _seconds + ("reps",):
            columns[name] = np.array([getattr(row.summary, name) for row in rows])
        columns["value"] = np.array([row.value for row in rows])
        return Frame(columns)

    def samples(self, index: int) -> np.ndarray | None:
        """All repetitions of a measurement, seconds; None: they were not kept (``--raw``)."""
        info = declared.cpm_measurement_info()
        if not lib.cpm_measurements_get(self._handle, integer(index), info):
            raise IndexError(f"measurement {index}: there are {len(self._records())}")
        if not info.samples:
            return None
        return np.ctypeslib.as_array(info.samples, (info.summary.reps,)).copy()

    def _check_comparable(self) -> None:
        facts = self.facts
        timing = facts.get("timing", "")
        if timing.startswith("batch"):
            raise error_of(-9, f"timing '{timing}': only isolated calls can be compared here")
        hosts = facts.get("hosts", "").split()
        shared = len(set(hosts)) < len(hosts)  # then who shares a host is part of the placement
        if any(
            part != "plain" and not (shared and part.startswith("hosts="))
            for part in facts.get("placement", "plain").split()
        ):
            raise error_of(-9, "measured in another placement: compare them by cpm compare")

    def compare(self, models: Mapping[str, Model] | Model) -> Frame:
        """What models predict for the collectives that were measured.

        Parameters
        ----------
        models
            One, or several by name.

        Returns
        -------
        pandas.DataFrame
            ``collective``, ``root``, ``bytes``, ``observed`` (its value), ``ci_low``, ``ci_high``,
            and in a column of each model's name its prediction, in seconds; NaN: the model has no
            answer, as for the MPI library's own routines.

        Raises
        ------
        ProcessesError
            A model has another number of processes.
        DataError
            They are of batches, or of processes placed by ``--map``, ``--blocks`` or ``--topology``:
            ``cpm compare`` takes these.
        """
        self._check_comparable()
        named = models if isinstance(models, Mapping) else {models.type: models}
        for name, model in named.items():
            if model.processes != self.processes:
                raise error_of(
                    -8,
                    f"{name}: is a model of {model.processes} processes, "
                    f"the measurements are of {self.processes}",
                )
        rows = [row for row in self._records() if b":" in row.experiment]
        columns = {
            "collective": np.array([text(row.experiment) for row in rows], dtype=object),
            "root": np.array([row.i for row in rows], dtype=int),
            "bytes": np.array([row.send_bytes for row in rows], dtype=np.uint64),
            "observed": np.array([row.value for row in rows]),
            "ci_low": np.array([row.summary.ci_low for row in rows]),
            "ci_high": np.array([row.summary.ci_high for row in rows]),
        }
        for name, model in named.items():
            columns[name] = np.array([_predicted(model, row) for row in rows])
        return Frame(columns)


def _predicted(model: Model, row: Any) -> float:
    try:
        name = text(row.experiment)
        return float(model.predict(name, row.send_bytes, root=row.i).seconds[0, 0])
    except CpmError:
        return float("nan")
