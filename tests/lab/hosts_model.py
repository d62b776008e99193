#!/usr/bin/env python3
"""Writes a model of hosts with several processes, and plants faults among them.

hosts_model.py [--hosts H] [--each K] [--switches W] [--placement block|cyclic] [--spread X] [--seed S]
               [--fault KIND ...] [--topology FILE]
prints the .mod file (lmo2). Hosts differ by the share X (0.03; "unlike": by factors of 1.5 to 5, as the
simulated laboratory's), and so do the trunks of switches, which carry as much as half of their hosts.
Each fault is on a host (or switch) of its own, which is told on standard error, a line each:

  memory    all that the messages inside the host need per byte is doubled
  link-out, link-in  its outgoing (incoming) link end is half as fast
  network   3 times the latency to and from the host
  overhead  the overheads of the host's messages to others are doubled
  process   the overheads of one of its processes are doubled
  trunk     a switch's trunk is half as fast
  trunk-up, trunk-down  the same to the other switches, or from them, only
"""
import argparse
import json
import random
import sys

# Seconds, and seconds per byte: between hosts, and inside one.
USUAL = {"C": 3e-6, "t": 0.3e-9, "L": 20e-6, "B": 8e-9, "Cin": 0.3e-6, "tin": 0.08e-9, "Lin": 0.4e-6, "Bin": 0.25e-9}
FAULTS = ("memory", "link-out", "link-in", "network", "overhead", "process", "trunk", "trunk-up", "trunk-down")
SHARE = 0.5           # of their hosts' links together is what trunks carry
BEYOND = 1e-6         # seconds of latency that a trunk adds
RENDEZVOUS = {"rendezvous": 65536, "rendezvous_in": 16384}


def near(usual, spread, generator):
    if spread == "unlike":
        return usual * generator.uniform(0.6, 1.6)
    return usual * generator.lognormvariate(0, float(spread))


def draw_hosts(hosts, spread, generator):
    """Values of each host, by name: of messages out and in where they may differ."""
    return [{name: near(usual, spread, generator) for name, usual in USUAL.items()} | {"out": 1, "in": 1, "far": 1}
            for _ in range(hosts)]


def draw_trunks(hosts, switches, spread, faults, generator):
    """Seconds per byte of the trunks of each switch, up and down, and the switches whose are slow, one per fault."""
    of = [[near(USUAL["B"] / (SHARE * hosts / switches), spread, generator)] * 2
          for _ in range(switches if switches > 1 else 0)]
    chosen = generator.sample(range(len(of)), len(faults))
    for u, fault in zip(chosen, faults):
        up, down = of[u]
        of[u] = [up * (1 if fault == "trunk-down" else 2), down * (1 if fault == "trunk-up" else 2)]
    return of, chosen


def plant(of, faults, generator):
    """Doubles what is planted; returns the hosts, one for each fault."""
    chosen = generator.sample(range(len(of)), len(faults))
    for host, fault in zip(chosen, faults):
        if fault == "memory":
            of[host]["Bin"] *= 2
        elif fault in ("link-out", "link-in"):
            of[host][fault[5:]] = 2
        elif fault == "network":
            of[host]["far"] = 3
        elif fault == "overhead":
            of[host]["C"] *= 2
            of[host]["t"] *= 2
    return chosen


def parameters(of, classes, trunks):
    """classes: host and factor of the overheads of each; trunks: as drawn."""
    rows = range(len(classes))

    def own(name, unit, value, regimes=2):
        return {"unit": unit, "value": [[value(h, f, k) for h, f in classes] for k in range(regimes)], "ci": None}

    def pairs(unit, value):
        return {"unit": unit, "ci": None, "value": [[[value(classes[i][0], classes[j][0], k) if i != j else 0.0
                                                     for j in rows] for i in rows] for k in range(2)]}

    def single(unit, value):
        return {"unit": unit, "value": value, "ci": None}

    def crossed(i, j):
        u, v = (switch_of(h, len(of), len(trunks)) for h in (i, j))
        return (trunks[u][0], trunks[v][1]) if u != v else ()

    def alone(i, j, _):
        return max(of[i]["B"] * of[i]["out"], of[j]["B"] * of[j]["in"], *crossed(i, j))

    def latency(i, j, k):
        ends = (of[i]["L"] + of[j]["L"]) / 2 * max(of[i]["far"], of[j]["far"]) * (1 + k)
        return ends + BEYOND * len(crossed(i, j))
    p = {}
    for a, b in (("Cs", "ts"), ("Cr", "tr")):
        p[a] = own(a, "s", lambda h, f, k: of[h]["C"] * f * (1 + 0.5 * k))
        p[b] = own(b, "s/B", lambda h, f, k: of[h]["t"] * f / (1 + 3 * k))
        p[a + "_in"] = own(a, "s", lambda h, f, k: of[h]["Cin"] * f * (1 + k))
        p[b + "_in"] = own(b, "s/B", lambda h, f, k: of[h]["tin"] * f / (1 + 3 * k))
    for name, unit in (("Cn", "s"), ("tn", "s/B"), ("Cn_in", "s"), ("tn_in", "s/B")):
        p[name] = own(name, unit, lambda h, f, k: None)
    p["L"], p["invbeta"] = pairs("s", latency), pairs("s/B", alone)
    p["L_in"] = own("L_in", "s", lambda h, f, k: of[h]["Lin"] * (1 + 4 * k))
    p["invbeta_in"] = own("invbeta_in", "s/B", lambda h, f, k: of[h]["Bin"])
    p["Go"] = single("s/B", [of[h]["B"] * of[h]["out"] for h, _ in classes])
    p["Gi"] = single("s/B", [of[h]["B"] * of[h]["in"] for h, _ in classes])
    p["G_in"] = single("s/B", [of[h]["Bin"] for h, _ in classes])
    if trunks:
        p["Gu"], p["Gd"] = (single("s/B", list(way)) for way in zip(*trunks))
    for name, unit in (("rendezvous", "B"), ("late", "1"), ("S", "B"), ("M1", "B"), ("M2", "B"), ("pe", "1"),
                       ("te", "s"), ("rendezvous_in", "B")):
        p[name] = single(unit, RENDEZVOUS.get(name))
    return p


def name_of(host):
    return f"node{host:03d}"


def switch_of(host, hosts, switches):
    return host * switches // hosts


def topology(hosts, switches):
    """Lines of a topology file."""
    return ["switch core", *(f"switch s{u}\nlink s{u} core" for u in range(switches)),
            *(f"host {name_of(h)} s{switch_of(h, hosts, switches)}" for h in range(hosts))]


def subject_of_trunk(u, fault, switches):
    """Of two switches only the way can be known."""
    if switches > 2:
        return f"switch s{u}"
    return f"trunk s{u} -> s{1 - u}" if fault == "trunk-up" else f"trunk s{1 - u} -> s{u}"


def model(hosts, each, placement="block", spread=0.03, seed=1, faults=(), switches=1):
    """The model, and what was planted: a list of "host NAME: FAULT", "process I: FAULT", "switch NAME: FAULT" or
    "trunk NAME -> NAME: FAULT"."""
    of_trunks = [fault for fault in faults if fault.startswith("trunk")]
    trunks, slow = draw_trunks(hosts, switches, spread, of_trunks, random.Random(f"trunks {seed} {spread} {faults}"))
    planted = [f"{subject_of_trunk(u, fault, switches)}: {fault}" for u, fault in zip(slow, of_trunks)]
    generator = random.Random(f"{seed} {spread} {faults}")
    faults = [fault for fault in faults if fault not in of_trunks]
    of = draw_hosts(hosts, spread, generator)
    chosen = plant(of, faults, generator)
    on = [i // each if placement == "block" else i % hosts for i in range(hosts * each)]
    members = {name_of(h): [i for i in range(len(on)) if on[i] == h] for h in range(hosts)}
    classes = [(h, 1) for h in range(hosts)]
    for host, fault in zip(chosen, faults):
        subject = f"host {name_of(host)}"
        if fault == "process":
            slow = generator.choice(members[name_of(host)])
            members[name_of(host)].remove(slow)
            members["slow"] = [slow]
            classes.append((host, 2))
            subject = f"process {slow}"
        planted.append(f"{subject}: {fault}")
    text = {"format": "cpm model", "version": 1, "model": "lmo2", "processes": len(on),
            "hosts": [name_of(h) for h in on], "classes": members}
    if trunks:
        text["switches"] = {f"s{u}": [i for i, h in enumerate(on) if switch_of(h, hosts, switches) == u]
                            for u in range(switches)}
    return text | {"sizes": [0, 65536], "inside": [0, 16384], "parameters": parameters(of, classes, trunks)}, planted


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hosts", type=int, default=8)
    p.add_argument("--each", type=int, default=4)
    p.add_argument("--switches", type=int, default=1)
    p.add_argument("--topology", metavar="FILE", help="write the switches there, too")
    p.add_argument("--placement", choices=["block", "cyclic"], default="block")
    p.add_argument("--spread", default="0.03")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fault", choices=FAULTS, action="append", default=[])
    a = p.parse_args()
    if a.switches < 3 and "trunk" in a.fault:
        p.error("--fault trunk: of two switches only one way can be slower than the other")
    text, planted = model(a.hosts, a.each, a.placement, a.spread, a.seed, tuple(a.fault), a.switches)
    if a.topology:
        with open(a.topology, "w") as f:
            f.write("\n".join(topology(a.hosts, a.switches)) + "\n")
    json.dump(text, sys.stdout)
    print()
    for line in planted:
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
