#!/usr/bin/env python3
"""Makes a simulated cluster whose true parameters are known.

make_platform.py NAME [--n N] [--kind KIND] [--seed S] [--classes G] [--each K] [--placement block|cyclic]
                 [--switches S] [--trunk F] [--silent] [--mixed] [--line] [--out DIR] writes
  DIR/NAME.xml    the platform for SimGrid
  DIR/NAME.topology  with --switches: the host lines of the topology (doc/topology.md)
  DIR/NAME.hosts  the host of each process, one per line
  DIR/NAME.json   the truth: C[n], t[n] of sending, Cr[n], tr[n] of receiving, L[n][n], B[n][n] (B is
                  1/beta), class[n], and for nic b[n], a link end's time per byte; seconds and bytes

exact: host i is busy C_i + t_i M for every message it sends or receives, and every pair has a link of
its own: LMO holds exactly. nic: each host has one full-duplex link that its messages share.
exactasym, nicasym: receiving has overheads of its own. --each K, for nic: K processes on each of the N
hosts, which share its link ends and its memory (truth: ml[n], mb[n]). --switches S, for nic: the hosts are divided
among S switches, one after the other (--mixed: at random); each has one full-duplex trunk to a core, F times as
fast as its hosts' links together (truth: switch[n], and of the trunks tl[S], tb[S]; --silent: tl is 0; --line: to
the next switch instead of a core, the last one's is not used). Hosts of a
class have the same parameters; classes are scattered over the hosts at random.
"""
import argparse
import itertools
import json
import os
import random

# SMPI sends 16 bytes more than the program asked for; the link's latency makes up for them.
ENVELOPE = 16
RANGES = {"C": (20e-6, 60e-6), "t": (2e-9, 10e-9), "L": (10e-6, 40e-6), "B": (8e-9, 14e-9),
          "ml": (0.3e-6, 1e-6), "mb": (0.05e-9, 0.2e-9), "tl": (1e-6, 3e-6)}

HEADER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="cluster" routing="Full">"""
FOOTER = "</zone>\n</platform>"


def symmetric(n, draw):
    m = [[0.0] * n for _ in range(n)]
    for i, j in itertools.combinations(range(n), 2):
        m[i][j] = m[j][i] = draw(i, j)
    return m


def host(i, truth):
    send = f"0:{truth['C'][i]:.15g}:{truth['t'][i]:.15g}"
    recv = f"0:{truth.get('Cr', truth['C'])[i]:.15g}:{truth.get('tr', truth['t'])[i]:.15g}"
    props = "".join(f'<prop id="smpi/{name}" value="{cost}"/>'
                    for name, cost in (("os", send), ("ois", send), ("or", recv)))
    return f'<host id="h{i}" speed="1Gf">{props}</host>'


def link(name, invbeta, latency, sharing):
    return (f'<link id="{name}" bandwidth="{1 / invbeta:.12g}Bps" latency="{latency:.15g}s" '
            f'sharing_policy="{sharing}"/>')


def route(i, j, links):
    return f'<route src="h{i}" dst="h{j}">{links}</route>'


def of_classes(classes, draw, parameter):
    """A value for each host, the same for all of a class."""
    of = {c: draw(parameter) for c in sorted(set(classes))}
    return [of[c] for c in classes]


def of_pairs(classes, draw, parameter):
    """A value for each pair, the same for all of a pair of classes."""
    of = {}

    def value(i, j):
        pair = tuple(sorted((classes[i], classes[j])))
        if pair not in of:
            of[pair] = draw(parameter)
        return of[pair]
    return symmetric(len(classes), value)


def exact(n, draw, truth):
    truth["L"] = of_pairs(truth["class"], draw, "L")
    truth["B"] = of_pairs(truth["class"], draw, "B")
    for i, j in itertools.combinations(range(n), 2):
        invbeta = truth["B"][i][j]
        yield link(f"l{i}_{j}", invbeta, truth["L"][i][j] - ENVELOPE * invbeta, "FATPIPE")
        yield route(i, j, f'<link_ctn id="l{i}_{j}"/>')


def path(u, v, line):
    """Trunks between two switches and the direction through each: those of both, or in a line those of all from the
    first to the one before the last."""
    if line:
        return [(w, "UP" if u < v else "DOWN") for w in (range(u, v) if u < v else range(u - 1, v - 1, -1))]
    return [(u, "UP"), (v, "DOWN")] if u != v else []


def trunks(draw, truth, share, silent):
    """A trunk of each switch, that share of its hosts' links together; silent: without latency."""
    switches = max(truth["switch"], default=0) + 1 if truth["switch"] else 0
    truth["tl"], truth["tb"] = [], []
    for u in range(switches):
        together = sum(1 / b for b, on in zip(truth["b"], truth["switch"]) if on == u)
        truth["tl"].append(0 if silent else draw("tl"))
        truth["tb"].append(1 / (share * together))
        yield link(f"s{u}", truth["tb"][u], truth["tl"][u], "SPLITDUPLEX")


def nic(n, draw, truth, share=1, silent=False, line=False):
    latency = [l / 2 for l in of_classes(truth["class"], draw, "L")]
    invbeta = of_classes(truth["class"], draw, "B")
    truth["b"] = invbeta
    yield from trunks(draw, truth, share, silent)
    on = truth["switch"]

    def crossed(values, i, j):
        return [values[w] for w, _ in path(on[i], on[j], line)] if on and on[i] != on[j] else [0]

    truth["B"] = symmetric(n, lambda i, j: max(invbeta[i], invbeta[j], *crossed(truth["tb"], i, j)))
    truth["L"] = symmetric(n, lambda i, j: (latency[i] + latency[j] + sum(crossed(truth["tl"], i, j)) +
                                            ENVELOPE * truth["B"][i][j]))
    for i in range(n):
        yield link(f"l{i}", invbeta[i], latency[i], "SPLITDUPLEX")
    for i, j in itertools.combinations(range(n), 2):
        between = "".join(f'<link_ctn id="s{w}" direction="{way}"/>'
                          for w, way in (path(on[i], on[j], line) if on else []))
        yield route(i, j, f'<link_ctn id="l{i}" direction="UP"/>{between}<link_ctn id="l{j}" direction="DOWN"/>')


def memory(n, draw, truth):
    """What messages inside a host share."""
    truth["ml"] = of_classes(truth["class"], draw, "ml")
    truth["mb"] = of_classes(truth["class"], draw, "mb")
    for i in range(n):
        yield link(f"m{i}", truth["mb"][i], truth["ml"][i] - ENVELOPE * truth["mb"][i], "SHARED")
        yield route(i, i, f'<link_ctn id="m{i}"/>')


def place(n, switches, mixed, generator):
    """The switch of each host; none if there is but one."""
    on = [i * switches // n for i in range(n)] if switches > 1 else []
    if mixed:
        generator.shuffle(on)
    return on


def make(n, kind, seed, classes=0, each=1, switches=1, trunk=0.5, mixed=False, silent=False, line=False):
    """Lines of the platform file, and the truth. classes 0: every host is one of its own."""
    generator = random.Random(seed)

    def draw(parameter):
        return generator.uniform(*RANGES[parameter])

    of = [i * classes // n for i in range(n)] if classes else list(range(n))
    if classes:
        generator.shuffle(of)
    truth = {"n": n, "kind": kind, "seed": seed, "class": of, "switch": place(n, switches, mixed, generator)}
    truth["C"] = of_classes(of, draw, "C")
    truth["t"] = of_classes(of, draw, "t")
    asymmetric = kind.endswith("asym")
    truth["Cr"] = of_classes(of, draw, "C") if asymmetric else truth["C"]
    truth["tr"] = of_classes(of, draw, "t") if asymmetric else truth["t"]
    links = list(exact(n, draw, truth) if kind.startswith("exact") else nic(n, draw, truth, trunk, silent, line))
    if each > 1:
        links += memory(n, draw, truth)
    # The format wants links before the routes that use them.
    links.sort(key=lambda line: line.startswith("<route"))
    return [HEADER, *(host(i, truth) for i in range(n)), *links, FOOTER], truth


def topology(on, line):
    """Lines of a topology file; a core links the switches, or each the next one."""
    switches = range(max(on) + 1)
    core = [] if line else ["switch core"]
    links = [f"link s{u} s{u + 1}" for u in switches[:-1]] if line else [f"link s{u} core" for u in switches]
    return [*core, *(f"switch s{u}" for u in switches), *links,
            *(f"host h{i} s{u}" for i, u in enumerate(on))]


def write(stem, n, kind, seed, classes=0, each=1, placement="block", **network):
    """network: switches, trunk, mixed, silent, line."""
    lines, truth = make(n, kind, seed, classes, each, **network)
    with open(stem + ".xml", "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(stem + ".hosts", "w") as f:
        f.writelines(f"h{i % n if placement == 'cyclic' else i // each}\n" for i in range(n * each))
    if truth["switch"]:
        with open(stem + ".topology", "w") as f:
            f.write("\n".join(topology(truth["switch"], network.get("line"))) + "\n")
    with open(stem + ".json", "w") as f:
        json.dump(truth, f)
    return truth


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("name")
    p.add_argument("--n", type=int, default=16)
    p.add_argument("--kind", choices=["exact", "exactasym", "nic", "nicasym"],
                   default="exact")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--classes", type=int, default=0, help="0: every host is one of its own")
    p.add_argument("--each", type=int, default=1, help="processes on a host")
    p.add_argument("--placement", choices=["block", "cyclic"], default="block")
    p.add_argument("--switches", type=int, default=1)
    p.add_argument("--trunk", type=float, default=0.5, help="of the links of its hosts together")
    p.add_argument("--silent", action="store_true", help="trunks add no latency")
    p.add_argument("--line", action="store_true", help="each switch is linked to the next one")
    p.add_argument("--mixed", action="store_true", help="hosts are at random switches")
    p.add_argument("--out", default=".")
    a = p.parse_args()
    if max(a.each, a.switches) > 1 and a.kind.startswith("exact"):
        p.error("--each, --switches: messages share links, which is what nic is for")
    write(os.path.join(a.out, a.name), a.n, a.kind, a.seed, a.classes, a.each, a.placement, switches=a.switches,
          trunk=a.trunk, mixed=a.mixed, silent=a.silent, line=a.line)


if __name__ == "__main__":
    main()
