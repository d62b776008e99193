"""Communication performance models: read, fitted, asked."""
from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import _declarations as declared
from ._library import (
    Handle,
    Path,
    Size,
    call,
    create,
    doubles,
    facts,
    integer,
    lib,
    path_of,
    records,
    size,
    size_array,
    sizes_of,
    text,
)
from .algorithms import algorithms, model_types
from .algorithms import operations as all_operations
from .errors import InvalidError, error_of
from .measurements import Measurements
from .placement import Map, Topology
from .prediction import Bound, Prediction, Selection
from .table import Table

_fitting = threading.Lock()  # cpm_model_fit may not be called by several threads at once


@dataclass(frozen=True)
class Parameter:
    """A parameter of a model with all of its values.

    Attributes
    ----------
    name, unit, meaning : str
        ``"C"``, ``"s"``, and a line for people.
    values, half : numpy.ndarray
        In SI units, and half of their confidence intervals; NaN: unknown. Shape (), (processes,) or
        (processes, processes) with the sender first; with another first axis of slices where
        ``bytes`` is not None.
    bytes : numpy.ndarray, shape (slices,), or None
        Message sizes that the slices stand for or begin with; None: there are no slices.
    """

    name: str
    unit: str
    meaning: str
    values: np.ndarray
    half: np.ndarray
    bytes: np.ndarray | None


class Model(Handle):
    """The parameters of a communication performance model for some processes.

    Made by `Model.load` and `Model.fit`. Times are seconds, sizes bytes or texts (``"64K"``),
    processes are numbered from 0. Several threads may ask one model at once.
    """

    _free = "cpm_model_free"

    @classmethod
    def load(cls, path: Path) -> Model:
        """Reads a .mod file (FileError, ParseError)."""
        return cls(create(lib.cpm_model_read, path_of(path)))

    @classmethod
    def fit(cls, path: Path, type: str | None = None, method: str | None = None) -> Model:
        """Estimates a model from a .meas file, as ``cpm fit`` does.

        Parameters
        ----------
        path
            The measurements.
        type
            ``"lmo"``, ``"lmo2"``, ``"hockney"``, ... (`model_types`); None: the one that the file
            was measured for, else ``"hockney"``.
        method
            How; None: the best one of that type.

        Raises
        ------
        DataError
            The file lacks experiments or is not complete.
        RError
            It has sweeps, whose thresholds need R.
        """
        how = method.encode() if method is not None else None
        if type is None:
            designed = Measurements.load(path).facts.get("design", "").partition(",")[0]
            type = designed if designed in model_types() else "hockney"
        with _fitting:
            return cls(create(lib.cpm_model_fit, path_of(path), type.encode(), how))

    def save(self, path: Path) -> None:
        """Writes a .mod file: there is either the old file or the whole new one (FileError)."""
        call(lib.cpm_model_write, self._handle, path_of(path))

    def __repr__(self) -> str:
        return f"<cpm.Model {self.type} of {self.processes} processes>"

    # ---- what it holds

    @property
    def type(self) -> str:
        """``"lmo"``, ``"hockney"``, ..."""
        return text(lib.cpm_model_type_name(self._handle))

    @property
    def processes(self) -> int:
        """How many processes it has."""
        return lib.cpm_model_processes(self._handle)

    @property
    def hosts(self) -> list[str]:
        """Name of the host of each process; ``""``: not known."""
        return [text(lib.cpm_model_host(self._handle, i)) for i in range(self.processes)]

    @property
    def facts(self) -> dict[str, str]:
        """Where it comes from: ``"date"``, ``"command"``, ..."""
        return facts(lib.cpm_model_fact, self._handle)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """All parameters by name; those of which the model knows nothing are left out."""
        infos = records(declared.cpm_parameter_info, lib.cpm_model_parameter, self._handle)
        found = {text(info.name): self._parameter(info) for info in infos}
        return {name: p for name, p in found.items() if not np.isnan(p.values).all()}

    def _parameter(self, info: declared.cpm_parameter_info) -> Parameter:
        sizes = np.array(
            [
                lib.cpm_model_parameter_bytes(self._handle, info.name, slice)
                for slice in range(info.slices)
            ],
            dtype=np.uint64,
        )
        sliced = info.slices != 1 or bool(sizes.any())
        shape = (info.slices,) * sliced + (self.processes,) * info.processes
        values, half = np.full(shape, np.nan), np.full(shape, np.nan)
        call(lib.cpm_model_values, self._handle, info.name, doubles(values), doubles(half))
        return Parameter(
            text(info.name),
            text(info.unit),
            text(info.meaning),
            values,
            half,
            sizes if sliced else None,
        )

    # ---- other models

    def layout(self, layout: Path, placement: str | None = None) -> Model:
        """The model of other processes on its hosts.

        Parameters
        ----------
        layout
            ``"8x32"`` (hosts x processes on each), or a file with the name of its host for each
            process.
        placement
            ``"block"`` (one host after the other; also None) or ``"cyclic"`` (dealt in turn).
        """
        how = placement.encode() if placement is not None else None
        return Model(create(lib.cpm_model_for_layout, self._handle, path_of(layout), how))

    def subset(self, processes: int | Sequence[int]) -> Model:
        """The model of some of its processes in that order; of the first ones, if it is a number."""
        which = range(processes) if isinstance(processes, (int, np.integer)) else processes
        array = (ctypes.c_int * len(which))(*[integer(rank) for rank in which])
        return Model(create(lib.cpm_model_subset, self._handle, array, len(which)))

    # ---- asking it

    def p2p(self, sender: int, receiver: int, bytes: Size | Iterable[Size]) -> float | np.ndarray:
        """Seconds of one message between two processes; an array for several sizes."""
        for rank in (sender, receiver):
            if not 0 <= rank < self.processes:
                raise error_of(-1, f"process {rank} is not in 0..{self.processes - 1}")
        if sender == receiver:
            raise error_of(-1, f"process {sender}: a message needs two processes")
        sizes = sizes_of(bytes)
        times = [lib.cpm_model_p2p(self._handle, sender, receiver, int(m)) for m in sizes]
        return times[0] if isinstance(bytes, (str, int, np.integer)) else np.array(times)

    def _case(
        self,
        bytes: Size = 0,
        root: int = 0,
        blocks: Iterable[Size] | None = None,
        map: Map | None = None,
        topology: Topology | None = None,
        ordered: bool = False,
        combining: str | None = None,
        graph: str | None = None,
    ) -> declared.cpm_case:
        case = declared.cpm_case(root=integer(root), bytes=size(bytes), ordered=ordered)
        if blocks is not None:
            array = size_array(blocks)
            if len(array) != self.processes:
                raise error_of(-1, f"{len(array)} blocks, but {self.processes} processes")
            case.blocks = ctypes.cast(array, ctypes.POINTER(ctypes.c_size_t))
        case.map = map._handle if map is not None else None
        case.topology = topology._handle if topology is not None else None
        case.combining = combining.encode() if combining is not None else None
        case.graph = graph.encode() if graph is not None else None
        return case

    def _applying(self, operation: str, case: declared.cpm_case) -> list[str]:
        """Its algorithms that apply; if there is none, why not."""
        found: list[str] = []
        why: InvalidError | None = None
        for algorithm in algorithms(operation):
            try:
                call(lib.cpm_predict, self._handle, str(algorithm).encode(), case, None)
                found.append(str(algorithm))
            except InvalidError as error:
                why = error
        if not found and why is not None:
            raise why
        return found

    def _expand(self, wanted: str | Iterable[str], case: declared.cpm_case) -> list[str]:
        """Collectives; for an operation alone its algorithms that apply."""
        found: list[str] = []
        for name in [wanted] if isinstance(wanted, str) else wanted:
            if ":" in name:
                found.append(name)
            else:
                found += self._applying(name, case)
        return found

    def predict(
        self,
        collectives: str | Iterable[str],
        bytes: Size | Iterable[Size],
        *,
        root: int = 0,
        map: Map | None = None,
        topology: Topology | None = None,
        combining: str | None = None,
        graph: str | None = None,
        intervals: bool = False,
        draws: int = 40,
        seed: int = 1,
    ) -> Prediction:
        """Times of collectives over sizes, all processes beginning at once.

        Parameters
        ----------
        collectives
            ``"bcast:chain:segment=8K"``, or several; ``"bcast"`` alone stands for all its
            algorithms that apply to these processes, in their plain form.
        bytes
            Of a block: of the whole message for bcast, reduce and allreduce, of what each process
            gets or gives for the rest. One size or several.
        root
            Of operations that have one.
        map, topology
            Where processes sit in the algorithm's tree; for algorithms that need a topology.
        combining
            What reductions combine: ``"doubles"`` (sums of these, and what takes as long; the
            default), ``"floats"`` or ``"bytes"`` (exclusive or).
        graph
            Who sends to whom, which operations of neighbours need: ``"grid:4x4"``,
            ``"torus:4x4x2:corners"``, or the name of a file.
        intervals
            Also what the uncertainty of the model does to the times: ``draws`` models that could be
            the true one, from that ``seed``.

        Returns
        -------
        Prediction
            Arrays of shape (sizes, collectives).

        Raises
        ------
        UnknownError, InvalidError, ProcessesError, DataError
            No such collective; it does not apply; the map is of other processes; the model has no
            answer.
        """
        case = self._case(root=root, map=map, topology=topology, combining=combining, graph=graph)
        sizes = sizes_of(bytes)
        which = self._expand(collectives, case)
        seconds = np.empty((len(sizes), len(which)))
        for row, case.bytes in enumerate(int(m) for m in sizes):
            for column, name in enumerate(which):
                seconds[row, column] = call(
                    lib.cpm_predict, self._handle, name.encode(), case, None
                )
        half = self._halves(which, sizes, case, draws, seed) if intervals else None
        return Prediction(which, sizes, seconds, half)

    def _halves(
        self, which: list[str], sizes: np.ndarray, case: declared.cpm_case, draws: int, seed: int
    ) -> np.ndarray | None:
        if draws < 2:
            raise error_of(-1, f"draws {draws}: an interval needs 2 or more")
        drawn = create(lib.cpm_draws_create, self._handle, integer(draws), seed)
        if not drawn:
            return None
        half = np.empty((len(sizes), len(which)))
        try:
            for row, case.bytes in enumerate(int(m) for m in sizes):
                for column, name in enumerate(which):
                    half[row, column] = call(
                        lib.cpm_predict_half, self._handle, drawn, name.encode(), case
                    )
        finally:
            lib.cpm_draws_free(drawn)
        return half

    def finish(
        self,
        collective: str,
        bytes: Size = 0,
        *,
        root: int = 0,
        blocks: Iterable[Size] | None = None,
        map: Map | None = None,
        topology: Topology | None = None,
        combining: str | None = None,
        graph: str | None = None,
    ) -> np.ndarray:
        """Seconds until each process has finished one collective.

        Parameters
        ----------
        blocks
            Bytes of the block of each process, for operations whose blocks may differ
            (``scatterv``, ...); instead of ``bytes``.
        combining, graph
            As in `predict`.

        Returns
        -------
        numpy.ndarray, shape (processes,)
            Its maximum is the time of the collective.
        """
        times = np.empty(self.processes)
        case = self._case(bytes, root, blocks, map, topology, combining=combining, graph=graph)
        call(lib.cpm_predict, self._handle, collective.encode(), case, doubles(times))
        return times

    def select(
        self,
        operation: str,
        bytes: Size = 0,
        *,
        root: int = 0,
        blocks: Iterable[Size] | None = None,
        topology: Topology | None = None,
        ordered: bool = False,
        combining: str | None = None,
        graph: str | None = None,
    ) -> Selection:
        """The algorithm, with its parameters, that the model predicts to be the fastest.

        Parameters
        ----------
        blocks
            As in `finish`.
        ordered
            Contributions are combined in the order of ranks only.
        combining, graph
            As in `predict`.
        """
        chosen = declared.cpm_selection()
        case = self._case(bytes, root, blocks, None, topology, ordered, combining, graph)
        call(lib.cpm_select, self._handle, operation.encode(), case, ctypes.byref(chosen))
        return Selection(text(chosen.collective), chosen.seconds)

    def bound(
        self,
        operation: str,
        bytes: Size = 0,
        *,
        root: int = 0,
        combining: str | None = None,
        graph: str | None = None,
    ) -> Bound:
        """The least time that any schedule of the operation's messages can take by the model.

        Parameters
        ----------
        combining, graph
            As in `predict`.

        Raises
        ------
        UnknownError, InvalidError
            No such operation; the model knows no messages.
        """
        least = declared.cpm_bound()
        case = self._case(bytes, root, combining=combining, graph=graph)
        call(lib.cpm_bound_of, self._handle, operation.encode(), case, ctypes.byref(least))
        return Bound(least.seconds, text(least.limit))

    def tune(
        self,
        operations: str | Iterable[str] | None = None,
        bytes: Iterable[Size] = tuple([0] + [1 << k for k in range(23)]),
        *,
        processes: Iterable[int] | None = None,
        root: int = 0,
    ) -> Table:
        """A decision table of what the model predicts to be the fastest, as ``cpm tune`` makes it.

        Parameters
        ----------
        operations
            One or several; None: all.
        bytes
            Sizes of blocks, which ascend; where two neighbours differ, also those between them.
        processes
            Numbers of processes, each of the first ones of the model; None: all of its.
        """
        which = all_operations() if operations is None else operations
        which = [which] if isinstance(which, str) else list(which)
        sizes = sizes_of(bytes)
        table = Table.create()
        table.set_fact("method", f"walk through {self.type}, root {root}")
        table.set_fact("timing", "isolated")
        for n in processes if processes is not None else [self.processes]:
            model = self if n == self.processes else self.subset(n)
            for operation in which:
                table._tune(model._handle, operation, sizes, root)
        return table
