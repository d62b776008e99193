"""Figures with matplotlib, which has to be there: ``import cpm.plot``.

Each function draws on the axes that it is given, or on new ones, and returns them. Colours are those
of Okabe and Ito, which colour-blind readers can tell apart.
"""
from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, FuncFormatter, SymmetricalLogLocator

from ._library import Frame
from .model import Model
from .prediction import Prediction
from .table import Table

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
_lines = ("-", "--", ":", "-.")


def _size_name(bytes: float, _position: int = 0) -> str:
    for power, letter in ((30, "G"), (20, "M"), (10, "K")):
        if bytes >= 1 << power:
            return f"{bytes / (1 << power):g} {letter}"
    return f"{bytes:g}"


def _axes(axes: Axes | None) -> Axes:
    return axes if axes is not None else pyplot.subplots(layout="constrained")[1]


def _sizes_across(axes: Axes, least: float, most: float) -> None:
    """Sizes to the right, by doubling, 0 left of 1; names of at most nine."""
    axes.set_xscale("symlog", base=2, linthresh=1)
    axes.set_xlim(least, most)
    doublings = int(np.log2(max(most, 2) / max(least, 1)))
    step = max(1, -(-doublings // 8))
    axes.xaxis.set_major_locator(SymmetricalLogLocator(base=2**step, linthresh=1))
    axes.xaxis.set_major_formatter(FuncFormatter(_size_name))
    axes.set_xlabel("block size, bytes")


def _over_sizes(axes: Axes, sizes: np.ndarray, seconds: str) -> None:
    least, most = float(sizes.min()), float(sizes.max())
    _sizes_across(axes, least / 1.2 if least >= 1 else 0, max(most, 1) * 1.2)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(EngFormatter("s"))
    axes.set_ylabel(seconds)
    axes.grid(alpha=0.3)


def _style(index: int) -> dict[str, str]:
    turn = index // len(COLOURS)
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": _lines[turn % len(_lines)]}


def predictions(prediction: Prediction, axes: Axes | None = None) -> Axes:
    """Predicted seconds over block sizes, a line for each collective, intervals as bands."""
    axes = _axes(axes)
    for k, name in enumerate(prediction.collectives):
        seconds = prediction.seconds[:, k]
        axes.plot(prediction.sizes, seconds, label=name, **_style(k))
        if prediction.half is not None:
            half = prediction.half[:, k]
            low = np.maximum(seconds - half, seconds / 10)  # the axis is logarithmic
            axes.fill_between(
                prediction.sizes, low, seconds + half, color=_style(k)["color"], alpha=0.2, lw=0
            )
    _over_sizes(axes, prediction.sizes, "predicted time")
    axes.legend(fontsize="small")
    return axes


def comparison(
    compared: Frame,
    collective: str,
    names: Mapping[str, str] | None = None,
    root: int | None = None,
    axes: Axes | None = None,
) -> Axes:
    """Observations of one collective with their intervals, and what models predict.

    Parameters
    ----------
    compared
        What `Measurements.compare` gives.
    names
        Columns of models that are drawn, and what they are called; None: all.
    root
        Observations of that root only; None: of the first one.
    """
    axes = _axes(axes)
    known = ("collective", "root", "bytes", "observed", "ci_low", "ci_high")
    names = names or {name: name for name in compared if name not in known}
    mine = compared["collective"] == collective
    if not mine.any():
        raise ValueError(f"{collective}: was not observed")
    mine &= compared["root"] == (compared["root"][mine].iloc[0] if root is None else root)
    row = compared[mine].sort_values("bytes", kind="stable")
    middle = (row["ci_low"] + row["ci_high"]) / 2
    axes.errorbar(
        row["bytes"],
        middle,
        (row["ci_high"] - row["ci_low"]) / 2,
        fmt="o",
        color="black",
        capsize=3,
        label="observed",
    )
    for k, (column, name) in enumerate(names.items()):
        axes.plot(row["bytes"], row[column], label=name, **_style(k))
    _over_sizes(axes, row["bytes"], "time")
    axes.set_title(collective)
    axes.legend()
    return axes


def parameter(model: Model, name: str, slice: int = 0, axes: Axes | None = None) -> Axes:
    """A parameter: bars with intervals for each process, or a map with the sender down."""
    axes = _axes(axes)
    p = model.parameters[name]
    values, half = (p.values, p.half) if p.bytes is None else (p.values[slice], p.half[slice])
    hosts = [host or str(i) for i, host in enumerate(model.hosts)]
    if values.ndim == 2:
        image = axes.imshow(values, cmap="cividis")
        axes.figure.colorbar(image, ax=axes, format=EngFormatter(p.unit))
        axes.set_yticks(range(len(hosts)), hosts, fontsize="small")
        axes.set_ylabel("sender")
        axes.set_xlabel("receiver")
    else:
        bars = np.atleast_1d(values)
        errors = np.nan_to_num(np.atleast_1d(half))
        axes.bar(range(len(bars)), bars, yerr=errors, color=COLOURS[0], ecolor="black")
        axes.yaxis.set_major_formatter(EngFormatter(p.unit))
    if values.ndim:
        axes.set_xticks(range(len(hosts)), hosts, rotation=90, fontsize="small")
    at = f", from {_size_name(int(p.bytes[slice]))} B on" if p.bytes is not None else ""
    axes.set_title(f"{name}: {p.meaning}{at}", fontsize="medium")
    return axes


def decisions(table: Table, operation: str, axes: Axes | None = None) -> Axes:
    """Which algorithm a table takes: a row for each number of processes, sizes to the right."""
    axes = _axes(axes)
    columns = table.frame()
    mine = columns["operation"] == operation
    if not mine.any():
        raise ValueError(f"{operation}: the table has no rules")
    rules = {name: column[mine].to_numpy() for name, column in columns.items()}
    processes = sorted(set(rules["processes"]))
    named = [text.split(":")[0] for text in rules["algorithm"]]
    colours = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(dict.fromkeys(named))}
    last = max(rules["from"].max() * 2, 2)
    shown: set[str] = set()
    for row, n in enumerate(processes):
        at = np.flatnonzero(rules["processes"] == n)
        ends = [*rules["from"][at[1:]], last]
        for k, end in zip(at, ends):
            begin = rules["from"][k]
            label = None if named[k] in shown else named[k]
            shown.add(named[k])
            width = float(end) - float(begin)
            axes.barh(row, width, left=float(begin), color=colours[named[k]], label=label)
    _sizes_across(axes, float(rules["from"].min()), float(last))
    axes.set_yticks(range(len(processes)), [str(n) for n in processes])
    axes.set_ylabel("processes")
    axes.set_title(operation)
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return axes
