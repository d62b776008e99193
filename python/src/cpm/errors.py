"""The failures of the library: one class for each of its codes, each with its one line."""
from __future__ import annotations

from ._declarations import STATUSES


class CpmError(Exception):
    """A failure of libcpm; ``str()`` is its one line, which says what and where.

    Attributes
    ----------
    code : int
        The status of the library, negative.
    name : str
        Its name in the C API: ``"EPARSE"``.
    """

    code = 0
    name = ""


class InvalidError(CpmError, ValueError):
    """A bad argument (EINVAL)."""


class UnknownError(CpmError, LookupError):
    """A name that is not known (EUNKNOWN); the message has the known ones."""


class ParseError(CpmError, ValueError):
    """An input that does not parse (EPARSE): ``FILE:LINE: what``."""


class FileError(CpmError, OSError):
    """A file that cannot be read or written (EIO)."""


class NoMemoryError(CpmError, MemoryError):
    """Out of memory (ENOMEM)."""


class ProcessesError(CpmError, ValueError):
    """The wrong number of processes (EPROCESS)."""


class DataError(CpmError, ValueError):
    """Data that do not say what is asked (EDATA)."""


class RError(CpmError):
    """R or its package strucchange is not there (ER)."""


_classes: dict[str, type[CpmError]] = {
    "EINVAL": InvalidError,
    "EUNKNOWN": UnknownError,
    "EPARSE": ParseError,
    "EIO": FileError,
    "ENOMEM": NoMemoryError,
    "EPROCESS": ProcessesError,
    "EDATA": DataError,
    "ER": RError,
}


def error_of(code: int, message: str) -> CpmError:
    """The exception of a status with its sentence, the general one if there is none."""
    name, sentence = STATUSES.get(code, ("", "unknown failure"))
    error = _classes.get(name, CpmError)(message or sentence)
    error.code, error.name = code, name
    return error
