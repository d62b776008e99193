#!/usr/bin/env python3
"""Makes a simulated cluster of switches: the platform for SimGrid of a topology file.

switched.py FILE --stem STEM [--bandwidth BYTES_PER_SECOND] [--latency SECONDS] writes STEM.xml and
STEM.hosts. Every link is as fast as every other, in both directions at once, and is shared fairly by the
messages on it; hosts are alike.
"""
import argparse
import random

import make_platform

OVERHEAD = {"C": 20e-6, "t": 1e-9}


def read(path):
    """Switches, hosts, and who hangs on whom: pairs of names, in the order of the file."""
    switches, hosts, links = [], [], []
    with open(path) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words and words[0] == "switch":
                switches.append(words[1])
            elif words and words[0] == "host":
                hosts.append(words[1])
                links.append((words[1], words[2]))
            elif words:
                links.append((words[1], words[2]))
    return switches, hosts, links


def random_text(hosts, switches, seed):
    """A topology file: a random tree of switches; hosts are at random ones."""
    generator = random.Random(seed)
    lines = [f"switch s{k}" for k in range(switches)]
    lines += [f"link s{k} s{generator.randrange(k)}" for k in range(1, switches)]
    lines += [f"host h{k} s{generator.randrange(switches)}" for k in range(hosts)]
    return "\n".join(lines) + "\n"


def ways(links, start):
    """From one node to all others: lists of (link number, whether it is gone from its first end)."""
    found, left = {start: []}, [start]
    while left:
        node = left.pop()
        for number, (a, b) in enumerate(links):
            other = b if node == a else a if node == b else None
            if other is not None and other not in found:
                found[other] = found[node] + [(number, node == a)]
                left.append(other)
    return found


def write(stem, path, bandwidth=125e6, latency=5e-6):
    _, hosts, links = read(path)
    n = len(hosts)
    truth = {"C": [OVERHEAD["C"]] * n, "t": [OVERHEAD["t"]] * n}
    with open(stem + ".xml", "w") as f:
        print(make_platform.HEADER, file=f)
        for i in range(n):
            print(make_platform.host(i, truth), file=f)
        for number in range(len(links)):
            print(make_platform.link(f"l{number}", 1 / bandwidth, latency, "SPLITDUPLEX"), file=f)
        for i in range(n):
            way = ways(links, hosts[i])
            for j in range(i + 1, n):
                over = "".join(f'<link_ctn id="l{number}" direction="{"UP" if forward else "DOWN"}"/>'
                               for number, forward in way[hosts[j]])
                print(make_platform.route(i, j, over), file=f)
        print(make_platform.FOOTER, file=f)
    with open(stem + ".hosts", "w") as f:
        f.writelines(f"h{i}\n" for i in range(n))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("file")
    p.add_argument("--stem", required=True)
    p.add_argument("--bandwidth", type=float, default=125e6)
    p.add_argument("--latency", type=float, default=5e-6)
    a = p.parse_args()
    write(a.stem, a.file, a.bandwidth, a.latency)


if __name__ == "__main__":
    main()
