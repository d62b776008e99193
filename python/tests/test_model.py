"""Models: read, fitted, written, predicting, choosing."""
from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import threading

import numpy as np
import pytest
from conftest import BUILD, DATA, SOURCE

import cpm

N = 4


@pytest.fixture(scope="module")
def model():
    return cpm.Model.load(DATA / "lmo4.mod")


def test_a_model_says_what_it_is(model):
    assert (model.type, model.processes, len(model.hosts)) == ("lmo", N, N)
    assert "lmo" in cpm.model_types() and "lmo2" in cpm.model_types()
    assert repr(model) == "<cpm.Model lmo of 4 processes>"


def test_parameters_are_arrays_by_process_and_pair(model):
    c, latency = model.parameters["C"], model.parameters["L"]
    assert c.values.shape == c.half.shape == (N,) and c.unit == "s" and c.bytes is None
    assert latency.values.shape == (N, N) and np.isnan(np.diagonal(latency.values)).all()
    i, j, m = 1, 2, 1000
    t, beta = model.parameters["t"].values, model.parameters["invbeta"].values
    own = c.values[i] + latency.values[i, j] + c.values[j]
    own += m * (t[i] + beta[i, j] + t[j])
    assert model.p2p(i, j, m) == pytest.approx(own, rel=1e-12)
    assert model.p2p(i, j, [0, m])[1] == model.p2p(i, j, m)


def test_sliced_parameters_say_their_sizes():
    big = cpm.Model.load(SOURCE / "examples" / "models" / "gigabit16.mod")
    cs = big.parameters["Cs"]
    assert cs.values.shape == (len(cs.bytes), 16) and cs.bytes[0] == 0
    assert (np.diff(cs.bytes.astype(int)) > 0).all()


def test_predictions_are_sizes_by_algorithms(model):
    p = model.predict(["bcast:binomial", "bcast:chain:segment=8K"], ["1K", 65536, 1 << 20])
    assert p.seconds.shape == (3, 2) and (p.seconds > 0).all() and p.half is None
    assert p.sizes.tolist() == [1024, 65536, 1048576]
    every = model.predict("bcast", "64K")
    best = every.fastest()[0]
    assert best.seconds == every.seconds.min() and best.collective in every.collectives
    assert "bcast:binomial" in every.collectives and len(every.collectives) > 5
    assert len(every.frame()["collective"]) == len(every.collectives)


def test_predictions_are_those_of_the_command(model):
    printed = subprocess.run(
        [BUILD / "cpm", "predict", DATA / "lmo4.mod", "scatter:binomial", "-m", "64K", "--root", "2",
         "--format", "tsv"], check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    row = printed.strip().split("\n")[-1].split("\t")
    mine = model.predict("scatter:binomial", "64K", root=2).seconds[0, 0]
    assert any(abs(float(x) / 1e6 - mine) < 1e-6 * mine for x in row if x[:1].isdigit()), printed


def test_finishing_times_end_with_the_prediction(model):
    times = model.finish("gather:linear", 5000, root=1)
    assert times.shape == (N,) and times.max() == model.predict("gather:linear", 5000, root=1).seconds
    unequal = model.finish("scatterv:linear", blocks=[0, "1K", 10, 100000])
    assert unequal.max() > 0


def test_intervals_are_there_where_a_model_has_some(model, cluster):
    fitted = cpm.Model.load(cluster / "cluster.mod")
    p = fitted.predict("bcast:binomial", [1024, 65536], intervals=True)
    again = fitted.predict("bcast:binomial", [1024, 65536], intervals=True)
    assert p.half.shape == (2, 1) and (p.half > 0).all() and (p.half == again.half).all()
    assert (p.half < p.seconds).all()


def test_nothing_is_faster_than_what_is_selected(model):
    chosen = model.select("reduce", "8K", root=1, ordered=True)
    assert chosen.collective.startswith("reduce:") and chosen.seconds > 0
    assert chosen.seconds == model.predict(chosen.collective, "8K", root=1).seconds[0, 0]


def test_no_algorithm_is_faster_than_the_bound(model):
    bound = model.bound("bcast", "8K", root=1)
    times = model.predict("bcast", "8K", root=1).seconds
    assert 0 < bound.seconds <= times.min() and bound.limit
    with pytest.raises(cpm.UnknownError):
        model.bound("cast")


def test_a_model_is_fitted_written_and_read(cluster, tmp_path):
    model = cpm.Model.fit(cluster / "cluster.meas", "lmo")
    text = (cluster / "cluster.meas").read_text()
    for design, type in (("lmo", "lmo"), ("hockney", "hockney"), ("bench coll", "hockney")):
        (tmp_path / "of.meas").write_text(text.replace("# design: lmo", f"# design: {design}"))
        assert cpm.Model.fit(tmp_path / "of.meas").type == type  # that it was measured for
    model.save(tmp_path / "again.mod")
    again = cpm.Model.load(tmp_path / "again.mod")
    assert again.type == "lmo"
    for name, parameter in model.parameters.items():
        np.testing.assert_allclose(again.parameters[name].values, parameter.values, rtol=1e-14)
    truth = cpm.Model.load(DATA / "lmo4.mod")
    one, other = (m.predict("bcast", "64K").seconds for m in (model, truth))
    np.testing.assert_allclose(one, other, rtol=0.1)  # noise is 1 %


def test_parts_and_layouts_of_a_model(model):
    part = model.subset([3, 1])
    assert part.hosts == [model.hosts[3], model.hosts[1]] and model.subset(2).processes == 2
    assert part.p2p(0, 1, 100) == model.p2p(3, 1, 100)
    hosts = cpm.Model.load(SOURCE / "examples" / "models" / "multicore8x4.mod")
    assert hosts.layout("2x16", "cyclic").processes == 32
    with pytest.raises(cpm.DataError):
        model.layout("2x2")


def test_several_threads_may_ask_one_model(model):
    expected = model.predict("allgather", "4K").seconds
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(model.predict("allgather", "4K").seconds))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and all((r == expected).all() for r in results)


def test_maps_and_topologies_are_taken(tmp_path, model):
    (tmp_path / "bcast.map").write_text(
        "algorithm bcast:chain\nsize 100\n"
        + "".join(f"node {k} process {p}\n" for k, p in enumerate([2, 0, 1, 3]))
    )
    chain = cpm.Map.load(tmp_path / "bcast.map")
    mapped = model.predict("bcast:chain", 100, root=2, map=chain).seconds
    assert mapped != model.predict("bcast:chain", 100, root=2).seconds
    (tmp_path / "net").write_text("switch s\n" + "".join(f"host h{k} s\n" for k in range(N)))
    network = cpm.Topology.load(tmp_path / "net")
    assert model.predict("alltoall:topology", 100, topology=network).seconds > 0
    del chain, network
    gc.collect()


def test_operations_and_algorithms_are_listed():
    assert "allreduce" in cpm.operations()
    binomial = {a.name: a for a in cpm.algorithms("scatter")}["binomial"]
    assert str(binomial) == "scatter:binomial" and binomial.source


# ---- what is wrong


def refuses(kind, words, function, *arguments, **named):
    with pytest.raises(kind) as caught:
        function(*arguments, **named)
    assert words in str(caught.value) and "\n" not in str(caught.value)
    return caught.value


def test_failures_are_exceptions_with_one_line(model, tmp_path):
    error = refuses(cpm.FileError, "none.mod", cpm.Model.load, tmp_path / "none.mod")
    assert isinstance(error, (cpm.CpmError, OSError)) and error.name == "EIO" and error.code < 0
    bad = tmp_path / "bad.mod"
    bad.write_text('{\n"format": "cpm model",\n')
    refuses(cpm.ParseError, "bad.mod:", cpm.Model.load, bad)
    refuses(cpm.UnknownError, "binomial", model.predict, "bcast:magic", 1)
    refuses(cpm.UnknownError, "smatter", model.predict, "smatter", 1)
    refuses(cpm.UnknownError, "known", cpm.algorithms, "smatter")
    refuses(cpm.InvalidError, "root 4", model.predict, "bcast:linear", 1, root=4)
    refuses(cpm.InvalidError, "root 4", model.predict, "bcast", 1, root=4)
    refuses(cpm.InvalidError, "too large", model.predict, "bcast:linear", 1, root=1 << 32)
    refuses(cpm.InvalidError, "-1", model.predict, "bcast:linear", -1)
    refuses(cpm.ParseError, "64X", model.predict, "bcast:linear", "64X")
    refuses(cpm.InvalidError, "4 processes", model.finish, "scatterv:linear", blocks=[1, 2])
    refuses(cpm.InvalidError, "process 9", model.p2p, 0, 9, 1)
    refuses(cpm.InvalidError, "two processes", model.p2p, 1, 1, 1)
    refuses(TypeError, "float", model.predict, "bcast:linear", 1, root=1.5)
    refuses(cpm.InvalidError, "too large", model.predict, "bcast", 1, intervals=True, draws=1 << 33)
    refuses(cpm.InvalidError, "draws", model.predict, "bcast", 1, intervals=True, draws=1)
    refuses(ValueError, "NUL", cpm.Model.load, "a\0b")
    refuses(cpm.FileError, "nowhere", model.save, tmp_path / "nowhere" / "x.mod")


def test_models_are_not_copied_since_both_would_free_them(model):
    for function in (copy.copy, copy.deepcopy, pickle.dumps):
        refuses(TypeError, "Model", function, model)


def test_names_in_other_encodings_are_shown(tmp_path):
    name = bytes(tmp_path) + b"/\xff\n.mod"
    refuses(cpm.FileError, "\\x", cpm.Model.load, name.decode("utf-8", "surrogateescape"))
