"""libcpm, found and loaded; its failures as exceptions; its texts, sizes and lists as Python's."""
from __future__ import annotations

import ctypes
import operator
import os
import pathlib
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Union

import numpy as np
import pandas

from . import _declarations as declared
from .errors import error_of

Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str]
Columns = dict[str, np.ndarray]
Frame = pandas.DataFrame

SONAME = "libcpm.so.0"
RELEASE = "0.1."  # what these declarations are of


def _prefixes() -> Iterator[pathlib.Path]:
    """Folders that CPM may be installed below: those of this package and of the command ``cpm``."""
    yield pathlib.Path(sys.prefix)
    command = shutil.which("cpm")
    if command:
        yield pathlib.Path(command).resolve().parent.parent
    yield from (folder for folder in pathlib.Path(__file__).resolve().parents if folder.name != "python")
    yield pathlib.Path("/usr/local")


def _candidates() -> Iterator[str]:
    """What may be the library: CPM_LIBRARY alone, or what the loader finds, or what is installed."""
    if os.environ.get("CPM_LIBRARY"):
        yield os.environ["CPM_LIBRARY"]
        return
    yield SONAME
    for prefix in _prefixes():
        yield from map(str, sorted(prefix.glob(f"lib*/{SONAME}")) + sorted(prefix.glob(f"lib/*/{SONAME}")))


def _open() -> tuple[ctypes.CDLL, str]:
    failure = None
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            failure = failure or error
    raise ImportError(
        f"libcpm cannot be loaded ({failure}): install CPM, or let CPM_LIBRARY name the file"
    ) from None


def _load() -> ctypes.CDLL:
    library, path = _open()
    for name, (result, arguments) in declared.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{path}: has no {name}: it is of another release of CPM") from None
        function.restype, function.argtypes = result, arguments
    release = text(library.cpm_version())
    if not release.startswith(RELEASE):
        raise ImportError(f"{path}: is of CPM {release}, this package of {RELEASE}x")
    return library


def text(value: bytes | None) -> str:
    """A text of the library, which may hold names in any encoding."""
    return value.decode("utf-8", "backslashreplace") if value is not None else ""


lib = _load()


# ---- calls


def call(function: Callable[..., int | float], *arguments: Any) -> int | float:
    """What a function returns whose last argument is a cpm_error; negative codes are raised."""
    error = declared.cpm_error()
    result = function(*arguments, ctypes.byref(error))
    if result < 0:
        raise error_of(error.code or int(result), text(error.text))
    return result


def create(function: Callable[..., int], *arguments: Any) -> ctypes.c_void_p:
    """The object that a function gives by its last but one argument."""
    made = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(made))
    return made


class Handle:
    """An object of the library, which is freed with this one."""

    _free: str  # the function that frees it

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__}: cannot be copied or pickled; save and load it")

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            getattr(lib, self._free)(handle)
            self._handle = None


# ---- lists


def names(function: Callable[[int], bytes | None]) -> list[str]:
    """All that a function names by index, up to NULL."""
    found: list[str] = []
    while (name := function(len(found))) is not None:
        found.append(text(name))
    return found


def records(kind: Any, get: Callable[..., bool], *arguments: Any) -> Iterator[Any]:
    """All structures that a function gives by index."""
    record, index = kind(), 0
    while get(*arguments, index, ctypes.byref(record)):
        yield record
        record, index = kind(), index + 1


def facts(function: Callable[..., bool], handle: ctypes.c_void_p) -> dict[str, str]:
    """All pairs that a function gives by index."""
    found: dict[str, str] = {}
    key, value = ctypes.c_char_p(), ctypes.c_char_p()
    while function(handle, len(found), ctypes.byref(key), ctypes.byref(value)):
        found[text(key.value)] = text(value.value)
    return found


# ---- arguments


def path_of(path: Path) -> bytes:
    """A name of a file as the library takes it; NUL bytes are refused."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"{path!r}: a name of a file cannot hold a NUL")
    return name


def integer(value: int) -> int:
    """A whole number that an int of C can hold; ctypes would cut it."""
    number = operator.index(value)
    if not -(2**31) <= number < 2**31:
        raise error_of(-1, f"{value}: too large")
    return number


def size(value: Size) -> int:
    """Bytes of a size as people write it.

    Parameters
    ----------
    value
        Bytes, or a text with one of K, M, G (powers of 1024): ``"64K"``.

    Returns
    -------
    int
        Bytes.
    """
    if isinstance(value, str):
        bytes_ = ctypes.c_size_t()
        call(lib.cpm_size_parse, value.encode(), ctypes.byref(bytes_))
        return bytes_.value
    number = int(value)
    if number != value or not 0 <= number < 2**63:
        raise error_of(-1, f"size {value!r}: not a number of bytes")
    return number


def sizes_of(values: Size | Iterable[Size]) -> np.ndarray:
    """One size or several, as bytes in an array."""
    several = [values] if isinstance(values, (str, int, np.integer)) else list(values)
    return np.array([size(value) for value in several], dtype=np.uint64)


def doubles(array: np.ndarray) -> Any:
    """An array of doubles as an argument."""
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def size_array(values: Iterable[Size]) -> Any:
    """Sizes as an array of C."""
    several = [size(value) for value in values]
    return (ctypes.c_size_t * len(several))(*several)


# ---- results


def example_model(name: str) -> pathlib.Path:
    """The file of a model that comes with CPM: ``example_model("gigabit16")``.

    Raises
    ------
    FileNotFoundError
        It is neither in the sources nor where CPM is installed; the text names the folders.
    """
    looked = []
    for prefix in _prefixes():
        for folder in (prefix / "share" / "cpm" / "models", prefix / "examples" / "models"):
            if (folder / f"{name}.mod").is_file():
                return folder / f"{name}.mod"
            looked.append(str(folder))
    raise FileNotFoundError(f"{name}.mod: not in {', '.join(dict.fromkeys(looked))}")
