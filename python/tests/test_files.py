"""Measurements and decision tables as arrays and frames; figures of them."""
from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import DATA

import cpm


def test_measurements_are_columns(cluster):
    m = cpm.Measurements.load(cluster / "cluster.meas")
    columns = m.frame()
    assert m.processes == 4 and m.seconds >= 0 and m.facts["processes"] == "4"
    trips = columns["experiment"] == "roundtrip"
    assert trips.any() and (columns["mean"][trips] > 0).all() and (columns["reps"] > 1).all()
    text = (cluster / "cluster.meas").read_text().split("\n")
    names = next(line for line in text if line.startswith("experiment ")).split()
    assert set(columns) == set(names) | {"value"}
    assert len(trips) == len([x for x in text if x and x[0] != "#"]) - 1
    assert m.samples(0) is None


def test_samples_are_there_where_they_were_kept(cluster):
    m = cpm.Measurements.load(cluster / "observed.meas")
    samples = m.samples(0)
    assert len(samples) == m.frame()["reps"][0]
    assert samples.mean() == pytest.approx(m.frame()["mean"][0], rel=1e-6)
    with pytest.raises(IndexError):
        m.samples(10**6)
    with pytest.raises(cpm.InvalidError):
        m.samples(1 << 32)


def test_models_are_compared_with_what_was_measured(cluster):
    observed = cpm.Measurements.load(cluster / "observed.meas")
    models = {"fit": cpm.Model.load(cluster / "cluster.mod")}
    columns = observed.compare(models)
    assert len(columns["fit"]) == 4 and set(columns["bytes"]) == {1024, 65536}
    np.testing.assert_allclose(columns["fit"], columns["observed"], rtol=0.1)  # noise is 1 %
    text = (cluster / "observed.meas").read_text()
    for here, there in (("timing: max", "timing: batch"), ("placement: plain", "placement: 0123456789ab")):
        (cluster / "other.meas").write_text(text.replace(here, there))
        with pytest.raises(cpm.DataError):
            cpm.Measurements.load(cluster / "other.meas").compare(models)
    shared = text.replace("# hosts: ", "# hosts: a a a a #").replace("placement: plain", "placement: {}")
    for placement, taken in (("hosts=01ab", True), ("map=01ab hosts=01ab", False)):
        (cluster / "other.meas").write_text(shared.format(placement))
        other = cpm.Measurements.load(cluster / "other.meas")
        if taken:
            assert (other.compare(models)["fit"] == columns["fit"]).all()
        else:
            with pytest.raises(cpm.DataError):
                other.compare(models)
    with pytest.raises(cpm.ProcessesError):
        observed.compare(cpm.Model.load(DATA / "hockney3.mod"))


def test_broken_measurements_are_refused(tmp_path):
    bad = tmp_path / "bad.meas"
    bad.write_text("# cpm measurements 1\n# processes: 2\nexperiment i\n")
    with pytest.raises(cpm.ParseError, match="bad.meas:3: "):
        cpm.Measurements.load(bad)


def test_tables_are_made_written_read_and_asked(tmp_path):
    model = cpm.Model.load(DATA / "lmo4.mod")
    table = model.tune(["bcast", "gather"], [64, "1K", "64K"], processes=[3, 4])
    table.save(tmp_path / "table.json")
    again = cpm.Table.load(tmp_path / "table.json")
    for name, column in table.frame().items():
        if column.dtype == float:
            np.testing.assert_allclose(again.frame()[name], column, rtol=1e-5)  # six digits
        else:
            assert (again.frame()[name] == column).all()
    assert again.facts["method"] == "walk through lmo, root 0"
    assert set(again.frame()["operation"]) == {"bcast", "gather"}
    chosen = again.select("bcast", 4, "1K")
    assert chosen.seconds > 0 and chosen.collective.startswith("bcast:")
    assert again.select("bcast", 2, 64) == cpm.Selection("bcast:native", pytest.approx(np.nan, nan_ok=True))
    with pytest.raises(cpm.InvalidError, match="already"):
        table._tune(model._handle, "bcast", [1], 0)
    given = model.tune(
        (name for name in ["bcast", "gather"]), iter([64, "1K", "64K"]), processes=np.array([3, 4])
    )
    assert (given.frame()["algorithm"] == table.frame()["algorithm"]).all()
    for wrong in ([], [2, 1], [1, 1]):
        with pytest.raises(cpm.InvalidError):
            model.tune("bcast", wrong)


def test_a_table_has_the_rules_of_its_file():
    table = cpm.Table.load(DATA / "table.json")
    written = json.loads((DATA / "table.json").read_text())
    rules = sum(len(r) for by in written["operations"].values() for r in by.values())
    assert len(table.frame()["from"]) == rules
    assert table.select("scatterv", 4, 2000).collective == "scatterv:star"
    with pytest.raises(cpm.UnknownError):
        table.select("smatter", 4, 1)
    with pytest.raises(cpm.InvalidError):
        table.select("bcast", 0, 1)


def test_frames_are_those_of_pandas(cluster):
    import pandas
    frame = cpm.Measurements.load(cluster / "cluster.meas").frame()
    read = pandas.read_csv(cluster / "cluster.meas", sep=" ", comment="#")
    assert (frame["experiment"] == read["experiment"]).all()
    np.testing.assert_allclose(frame["mean"], read["mean"])
    assert not cpm.Table.load(DATA / "table.json").frame().empty


def test_figures_are_drawn(cluster, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from cpm import plot

    model = cpm.Model.load(cluster / "cluster.mod")
    prediction = model.predict("bcast", [0, 1024, 65536], intervals=True)
    compared = cpm.Measurements.load(cluster / "observed.meas").compare(model)
    table = model.tune("bcast", [64, 1024, 65536], processes=[2, 4])
    for k, axes in enumerate(
        [
            plot.predictions(prediction),
            plot.comparison(compared, "scatter:linear"),
            plot.parameter(model, "C"),
            plot.parameter(model, "L"),
            plot.decisions(table, "bcast"),
        ]
    ):
        axes.figure.savefig(tmp_path / f"{k}.png")
        assert (tmp_path / f"{k}.png").stat().st_size > 5000
        matplotlib.pyplot.close(axes.figure)
    with pytest.raises(ValueError, match="reduce"):
        plot.decisions(table, "reduce")
