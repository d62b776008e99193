"""CPM: communication performance models for MPI, from Python.

>>> import cpm
>>> model = cpm.Model.load("cluster.mod")
>>> prediction = model.predict("bcast", ["1K", "64K", "1M"], intervals=True)
>>> prediction.seconds.shape          # (sizes, algorithms), seconds
(3, 21)
>>> model.select("bcast", "64K")
Selection(collective='bcast:chain:segment=4096', seconds=0.0012)

Times are seconds, sizes bytes or texts such as ``"64K"``, processes are numbered from 0. What fails
raises a `CpmError` with one line that says what and where.
"""
from ._library import lib as _lib
from ._library import example_model, size, text as _text
from .algorithms import Algorithm, algorithms, model_types, operations
from .errors import (
    CpmError,
    DataError,
    FileError,
    InvalidError,
    NoMemoryError,
    ParseError,
    ProcessesError,
    RError,
    UnknownError,
)
from .measurements import Measurements
from .model import Model, Parameter
from .placement import Map, Topology
from .prediction import Bound, Prediction, Selection
from .table import Table

__version__ = _text(_lib.cpm_version())

__all__ = [
    "Algorithm",
    "Bound",
    "CpmError",
    "DataError",
    "FileError",
    "InvalidError",
    "Map",
    "Measurements",
    "Model",
    "NoMemoryError",
    "Parameter",
    "ParseError",
    "Prediction",
    "ProcessesError",
    "RError",
    "Selection",
    "Table",
    "Topology",
    "UnknownError",
    "algorithms",
    "example_model",
    "model_types",
    "operations",
    "size",
]
