#!/usr/bin/env python3
"""Writes a model of hosts with several processes, and plants faults among them.

hosts_model.py [--hosts H] [--each K] [--placement block|cyclic] [--spread X] [--seed S] [--fault KIND ...]
prints the .mod file (lmo2). Hosts differ by the share X (0.03; "unlike": by factors of 1.5 to 5, as the
simulated laboratory's). Each fault is on a host of its own, which is told on standard error, a line each:

  memory    all that the messages inside the host need per byte is doubled
  link-out, link-in  its outgoing (incoming) link end is half as fast
  network   3 times the latency to and from the host
  overhead  the overheads of the host's messages to others are doubled
  process   the overheads of one of its processes are doubled
"""
import argparse
import json
import random
import sys

# Seconds, and seconds per byte: between hosts, and inside one.
USUAL = {"C": 3e-6, "t": 0.3e-9, "L": 20e-6, "B": 8e-9, "Cin": 0.3e-6, "tin": 0.08e-9, "Lin": 0.4e-6, "Bin": 0.25e-9}
FAULTS = ("memory", "link-out", "link-in", "network", "overhead", "process")
RENDEZVOUS = {"rendezvous": 65536, "rendezvous_in": 16384}


def draw_hosts(hosts, spread, generator):
    """Values of each host, by name: of messages out and in where they may differ."""
    def near(usual):
        if spread == "unlike":
            return usual * generator.uniform(0.6, 1.6)
        return usual * generator.lognormvariate(0, float(spread))
    return [{name: near(usual) for name, usual in USUAL.items()} | {"out": 1, "in": 1, "far": 1}
            for _ in range(hosts)]


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


def parameters(of, classes):
    """classes: host and factor of the overheads of each."""
    rows = range(len(classes))

    def own(name, unit, value, regimes=2):
        return {"unit": unit, "value": [[value(h, f, k) for h, f in classes] for k in range(regimes)], "ci": None}

    def pairs(unit, value):
        return {"unit": unit, "ci": None, "value": [[[value(classes[i][0], classes[j][0], k) if i != j else 0.0
                                                     for j in rows] for i in rows] for k in range(2)]}

    def single(unit, value):
        return {"unit": unit, "value": value, "ci": None}

    def alone(i, j, _):
        return max(of[i]["B"] * of[i]["out"], of[j]["B"] * of[j]["in"])

    def latency(i, j, k):
        return (of[i]["L"] + of[j]["L"]) / 2 * max(of[i]["far"], of[j]["far"]) * (1 + k)
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
    for name, unit in (("rendezvous", "B"), ("late", "1"), ("S", "B"), ("M1", "B"), ("M2", "B"), ("pe", "1"),
                       ("te", "s"), ("rendezvous_in", "B")):
        p[name] = single(unit, RENDEZVOUS.get(name))
    return p


def name_of(host):
    return f"node{host:03d}"


def model(hosts, each, placement="block", spread=0.03, seed=1, faults=()):
    """The model, and what was planted: a list of "host NAME: FAULT" or "process I: FAULT"."""
    generator = random.Random(f"{seed} {spread} {faults}")
    of = draw_hosts(hosts, spread, generator)
    chosen = plant(of, faults, generator)
    on = [i // each if placement == "block" else i % hosts for i in range(hosts * each)]
    members = {name_of(h): [i for i in range(len(on)) if on[i] == h] for h in range(hosts)}
    classes, planted = [(h, 1) for h in range(hosts)], []
    for host, fault in zip(chosen, faults):
        subject = f"host {name_of(host)}"
        if fault == "process":
            slow = generator.choice(members[name_of(host)])
            members[name_of(host)].remove(slow)
            members["slow"] = [slow]
            classes.append((host, 2))
            subject = f"process {slow}"
        planted.append(f"{subject}: {fault}")
    return {"format": "cpm model", "version": 1, "model": "lmo2", "processes": len(on),
            "hosts": [name_of(h) for h in on], "classes": members, "sizes": [0, 65536], "inside": [0, 16384],
            "parameters": parameters(of, classes)}, planted


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hosts", type=int, default=8)
    p.add_argument("--each", type=int, default=4)
    p.add_argument("--placement", choices=["block", "cyclic"], default="block")
    p.add_argument("--spread", default="0.03")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fault", choices=FAULTS, action="append", default=[])
    a = p.parse_args()
    text, planted = model(a.hosts, a.each, a.placement, a.spread, a.seed, tuple(a.fault))
    json.dump(text, sys.stdout)
    print()
    for line in planted:
        print(line, file=sys.stderr)


if __name__ == "__main__":
    main()
