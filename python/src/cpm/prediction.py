"""Predicted times of collectives over sizes."""
from __future__ import annotations

from dataclasses import dataclass
import numpy as np

from ._library import Frame


@dataclass(frozen=True)
class Selection:
    """What was chosen.

    Attributes
    ----------
    collective : str
        ``"scatterv:binomial"``; ``"bcast:native"`` is the MPI library's own routine.
    seconds : float
        Predicted or measured; NaN: unknown.
    """

    collective: str
    seconds: float


@dataclass(frozen=True)
class Bound:
    """The best possible.

    Attributes
    ----------
    seconds : float
        No schedule of messages takes less, by the model.
    limit : str
        Why: ``"start-ups"``, ``"processor of h3"``, ``"what leaves h3"``.
    """

    seconds: float
    limit: str


@dataclass(frozen=True)
class Prediction:
    """Times of several collectives at several sizes.

    Attributes
    ----------
    collectives : list of str
        ``"bcast:binomial"``, ...: the columns.
    sizes : numpy.ndarray, shape (sizes,)
        Bytes of a block: the rows.
    seconds : numpy.ndarray, shape (sizes, collectives)
        Seconds until the last process has finished.
    half : numpy.ndarray, shape (sizes, collectives), or None
        Half of the intervals, seconds, that the uncertainty of the model gives; None: they were not
        asked for, or the model has none.
    """

    collectives: list[str]
    sizes: np.ndarray
    seconds: np.ndarray
    half: np.ndarray | None = None

    def fastest(self) -> list[Selection]:
        """The fastest of the collectives at each size."""
        best = self.seconds.argmin(axis=1)
        return [
            Selection(self.collectives[k], float(row[k])) for k, row in zip(best, self.seconds)
        ]

    def frame(self) -> Frame:
        """A row for each size and collective: ``bytes``, ``collective``, ``seconds``, ``half``."""
        columns = {
            "bytes": np.repeat(self.sizes, len(self.collectives)),
            "collective": np.tile(np.array(self.collectives, dtype=object), len(self.sizes)),
            "seconds": self.seconds.ravel(),
        }
        if self.half is not None:
            columns["half"] = self.half.ravel()
        return Frame(columns)
