"""What there is: operations, their algorithms, types of models."""
from __future__ import annotations

from dataclasses import dataclass

from . import _declarations as declared
from ._library import lib, names, records, text
from .errors import error_of


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of a collective operation.

    Attributes
    ----------
    operation, name : str
        ``"scatter"``, ``"binomial"``.
    source : str
        Paper or book.
    group : str
        What it spares: ``"start-ups"``, ``"bandwidth"`` or ``"contention"``.
    least, most : int
        Bytes of all processes' blocks together for which it makes sense; 0: any.
    needs, takes : str
        In words what it needs (``"any n"``: nothing); its parameters (``"-"``: none).
    """

    operation: str
    name: str
    source: str
    group: str
    least: int
    most: int
    needs: str
    takes: str

    def __str__(self) -> str:
        return f"{self.operation}:{self.name}"


def operations() -> list[str]:
    """Names of the collective operations."""
    return names(lib.cpm_operation_name)


def model_types() -> list[str]:
    """Names of the types of models: ``"lmo"``, ``"hockney"``, ..."""
    return names(lib.cpm_type_name)


def algorithms(operation: str) -> list[Algorithm]:
    """The algorithms of an operation.

    Raises
    ------
    UnknownError
        There is no such operation.
    """
    if operation not in operations():
        known = ", ".join(operations())
        raise error_of(-2, f"unknown operation '{operation}' (known: {known})")
    infos = records(declared.cpm_algorithm_info, lib.cpm_algorithm_get, operation.encode())
    return [
        Algorithm(
            text(info.operation),
            text(info.name),
            text(info.source),
            text(info.group),
            info.least,
            info.most,
            text(info.needs),
            text(info.takes),
        )
        for info in infos
    ]
