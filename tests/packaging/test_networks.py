"""The networks of bench/worlds: their routes are of links that there are, their files are well-formed, what is planted
is on somebody's way, and it is told from what is not."""
import importlib.machinery
import importlib.util
import itertools
import os
import sys
import xml.dom.minidom

BENCH = os.path.join(os.path.abspath(sys.argv[1]), "bench")
sys.dont_write_bytecode = True
sys.path.insert(0, BENCH)
import networks  # noqa: E402

loader = importlib.machinery.SourceFileLoader("worlds", os.path.join(BENCH, "worlds"))
worlds = importlib.util.module_from_spec(importlib.util.spec_from_loader("worlds", loader))
loader.exec_module(worlds)


def pairs(net):
    return itertools.permutations(range(net.hosts), 2)


def check_routes(name, net):
    used = set()
    for i, j in pairs(net):
        way = net.route(i, j)
        assert way and all(link in net.links for link, _ in way), (name, i, j)
        assert len(set(way)) == len(way), (name, i, j, "a link is crossed twice")
        used |= {link for link, _ in way}
    idle = set(net.links) - used - {f"memory{i}" for i in range(net.hosts)}
    assert not idle, (name, idle)


def check_platform(name, net):
    text = net.platform()
    tags = xml.dom.minidom.parseString(text.replace('<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">', ""))
    assert len(tags.getElementsByTagName("route")) == net.hosts ** 2, name
    assert sorted(net.slots(5)) == sorted(net.slots()), name


def check_fault(name, make, seed):
    net, healthy = make(), make()
    kind, link, times = worlds.plant(net, seed)
    assert [of for of in net.links if net.links[of] != healthy.links[of]] == [link], (name, seed)
    assert abs(net.links[link][0] * times / healthy.links[link][0] - 1) < 1e-9, (name, seed)
    if kind != "inner":
        host = f"host h{worlds.host_of(net, link)}"
        assert worlds.is_named(net, kind, link, [{"subject": host}]), (name, seed)
        assert not worlds.is_named(net, kind, link, [{"subject": host}, {"subject": "host h99"}]), (name, seed)
        return
    crossing = [(i, j) for i, j in pairs(net) if link in [of for of, _ in net.route(i, j)]]
    assert crossing, (name, seed)
    all_hosts = ", ".join(f"h{i}" for i in range(net.hosts))
    assert not worlds.is_named(net, kind, link, [{"subject": f"inner link of {all_hosts}"}]), (name, seed)
    assert not worlds.is_named(net, kind, link, [{"subject": f"host h{crossing[0][0]}"}]), (name, seed)
    assert not worlds.is_named(net, kind, link, []), (name, seed)


for name in networks.WORLDS:
    for seed in (0, 7):
        check_routes(name, networks.make(name, seed))
        check_platform(name, networks.make(name, seed))
for name, make in worlds.FAULTY.items():
    for seed in range(12):
        check_fault(name, make, seed)
print(f"{len(networks.WORLDS)} worlds, {len(worlds.FAULTY)} with faults")
