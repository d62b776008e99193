"""Decision tables: for operations, numbers of processes and sizes, which algorithm."""
from __future__ import annotations

import ctypes
from collections.abc import Iterable

import numpy as np

from . import _declarations as declared
from ._library import (
    Columns,
    Frame,
    Handle,
    Path,
    Size,
    call,
    create,
    facts,
    integer,
    lib,
    path_of,
    records,
    size,
    size_array,
    text,
)
from .prediction import Selection


class Table(Handle):
    """A decision table, as ``cpm tune`` writes it and ``cpm run --table`` reads it."""

    _free = "cpm_table_free"

    @classmethod
    def load(cls, path: Path) -> Table:
        """Reads a file (FileError, ParseError)."""
        return cls(create(lib.cpm_table_read, path_of(path)))

    @classmethod
    def create(cls) -> Table:
        """A table without rules."""
        return cls(create(lib.cpm_table_create))

    def save(self, path: Path) -> None:
        """Writes a file: there is either the old one or the whole new one (FileError)."""
        call(lib.cpm_table_write, self._handle, path_of(path))

    def _tune(
        self, model: ctypes.c_void_p, operation: str, bytes: Iterable[Size], root: int
    ) -> None:
        sizes = size_array(bytes)
        call(lib.cpm_table_tune, self._handle, model, operation.encode(), integer(root), sizes, len(sizes))

    @property
    def facts(self) -> dict[str, str]:
        """Where it comes from: ``"model"``, ``"timing"``, ..."""
        return facts(lib.cpm_table_fact, self._handle)

    def set_fact(self, key: str, value: str) -> None:
        """Says where it comes from."""
        call(lib.cpm_table_set_fact, self._handle, key.encode(), value.encode())

    def select(self, operation: str, processes: int, bytes: Size) -> Selection:
        """What it says for a call: ``"bcast:native"`` where it says nothing.

        Parameters
        ----------
        bytes
            Of a block.
        """
        chosen = declared.cpm_selection()
        name = operation.encode()
        n, block = integer(processes), size(bytes)
        call(lib.cpm_table_select, self._handle, name, n, block, ctypes.byref(chosen))
        return Selection(text(chosen.collective), chosen.seconds)

    def frame(self) -> Frame:
        """Its rules, a row each, by operation, processes and size.

        ``operation``, ``processes``, ``from`` (bytes of a block), ``algorithm``, ``seconds``;
        ``native`` (seconds of the MPI library's own routine), ``lead`` (a share), ``least_gain``
        (over ``native``, lower end of its 95 % interval) and ``measured`` (algorithms that were
        compared; 0: none) of rules that were measured. NaN: unknown.
        """
        rules = list(records(declared.cpm_rule_info, lib.cpm_table_rule, self._handle))
        texts = ("operation", "algorithm")
        columns: Columns = {
            name: np.array([text(getattr(rule, name)) for rule in rules], dtype=object)
            if name in texts
            else np.array([getattr(rule, name) for rule in rules])
            for name, *_ in declared.cpm_rule_info._fields_
        }
        return Frame(columns)
