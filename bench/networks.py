"""Networks of many shapes for SimGrid, link by link: who crosses which link, what is slow, in which order ranks sit.

WORLDS names them. A network is a list of links and a route for every pair of hosts; no zone of SimGrid's is used, so
that a single link can be made slow, and dragonflies that crash SimGrid 3.32 can be had. Fat trees route D-mod-k, tori
by dimension, dragonflies by the one link between two groups, as SimGrid's zones do.
"""
import random

GBPS10, LATENCY = 1.25e9, 1e-6
MEMORY, MEMORY_LATENCY = 1e10, 0.3e-6
SEND, RECEIVE = "0:2e-6:2e-10", "0:2.5e-6:3e-10"  # what a message costs its ends' processors: s, s/B
UP, DOWN = "UP", "DOWN"


class Network:
    """each: processes of a host. shape: what a topology can say of it, hosts in their order."""

    def __init__(self, hosts, each=1, shape=None):
        self.hosts, self.each, self.shape = hosts, each, shape
        self.links = {}    # name: [bytes a second, latency, sharing policy]
        self.ends = [[] for _ in range(hosts)]  # links that messages of one host alone cross
        self.inner = []    # names of the links between switches or routers
        self.between = {}  # of an inner link: the hosts at its ends, where these are hosts (tori)
        self.route = None  # route(i, j): [(link, UP or DOWN)], a way without direction where it is None
        self.at = {}       # of switches, those of hosts first: the hosts ("h0") and switches below each

    def link(self, name, bandwidth=GBPS10, latency=LATENCY, policy="SPLITDUPLEX"):
        self.links[name] = [bandwidth, latency, policy]
        return name

    def end(self, host, name, *values):
        self.ends[host].append(self.link(name, *values))

    def trunk(self, name, *values):
        self.inner.append(self.link(name, *values))

    def slow(self, name, times):
        self.links[name][0] /= times

    def vary(self, seed):
        """Links of one kind are not quite alike."""
        draw = random.Random(f"links {seed}")
        for of in self.links.values():
            of[0] *= draw.uniform(0.98, 1)
            of[1] *= draw.uniform(0.95, 1.05)

    def slots(self, seed=0):
        """The host of each process; with a seed hosts are shuffled."""
        order = list(range(self.hosts))
        if seed:
            random.Random(f"hosts {seed}").shuffle(order)
        return [host for host in order for _ in range(self.each)]

    def is_split(self, name):
        return self.links[name][2] == "SPLITDUPLEX"

    def pieces(self, i, j):
        for name, way in self.route(i, j):
            if self.is_split(name):
                yield f'<link_ctn id="{name}" direction="{way}"/>'
            else:
                yield f'<link_ctn id="{name}"/>'

    def platform(self):
        """Text of SimGrid's file."""
        n = range(self.hosts)
        costs = "".join(f'<prop id="smpi/{name}" value="{cost}"/>'
                        for name, cost in (("os", SEND), ("ois", SEND), ("or", RECEIVE)))
        memory = [f'<link id="memory{i}" bandwidth="{MEMORY:.9g}Bps" latency="{MEMORY_LATENCY}s"/>' for i in n
                  if f"memory{i}" not in self.links]
        links = [f'<link id="{name}" bandwidth="{bandwidth:.9g}Bps" latency="{latency:.9g}s" '
                 f'sharing_policy="{policy}"/>' for name, (bandwidth, latency, policy) in self.links.items()]
        routes = [f'<route src="h{i}" dst="h{j}" symmetrical="NO">{"".join(self.pieces(i, j))}</route>'
                  for i in n for j in n if i != j]
        inside = [f'<route src="h{i}" dst="h{i}"><link_ctn id="memory{i}"/></route>' for i in n]
        return "\n".join(['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                          '<platform version="4.1">', '<zone id="world" routing="Full">',
                          *(f'<host id="h{i}" speed="1Gf">{costs}</host>' for i in n), *memory, *links, *routes,
                          *inside, "</zone>", "</platform>", ""])

    def slurm(self):
        """Slurm's topology.conf."""
        def named(key, nodes):
            return f" {key}={','.join(nodes)}" if nodes else ""

        return "".join(f"SwitchName={name}" + named("Nodes", [node for node in below if node not in self.at]) +
                       named("Switches", [node for node in below if node in self.at]) + "\n"
                       for name, below in self.at.items())

    def ibnetdiscover(self):
        """What it would print, but for numbers that nobody reads."""
        cables = [(name, other) for name, below in self.at.items() for other in below]
        ports = {node: [cable for cable in cables if node in cable] for cable in cables for node in cable}

        def end(cable, node):
            return f"[{ports[node].index(cable) + 1}]"

        text = ["#", "# Topology file: generated on Mon Jan  5 12:00:00 2026", "#"]
        for node, own in ports.items():
            kind, letter = ("Switch", "S") if node in self.at else ("Ca", "H")
            text += ["", "vendid=0x2c9", f'{kind}\t{len(own)} "{letter}-{node}"\t\t# "{node} HCA-1" lid 1 lmc 0']
            for cable in own:
                other = cable[0] if node == cable[1] else cable[1]
                text.append(f'{end(cable, node)}\t"{"S" if other in self.at else "H"}-{other}"{end(cable, other)}'
                            f'\t\t# "{other} HCA-1" lid 1 4xQDR')
        return "\n".join(text) + "\n"

    def write(self, stem, seed=0):
        with open(stem + ".xml", "w") as f:
            f.write(self.platform())
        if self.shape:
            with open(stem + ".shape", "w") as f:
                f.writelines([f"shape {self.shape}\n", *(f"host h{i}\n" for i in range(self.hosts))])
        if self.at:
            for name, text in (("slurm", self.slurm()), ("ib", self.ibnetdiscover())):
                with open(f"{stem}.{name}", "w") as f:
                    f.write(text)
        with open(stem + ".hosts", "w") as f:
            f.writelines(f"h{host}\n" for host in self.slots(seed))


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def memories(net):
    for i in range(net.hosts):
        net.link(f"memory{i}", MEMORY, MEMORY_LATENCY, "SHARED")
    return net


def fat_tree(children, parents, each=1, speeds=None):
    """children, parents: of a node of each level, from the hosts on; the way up is chosen by the destination."""
    levels = len(children)
    numbers = (children, parents, [1] * levels)
    net = Network(product(children), each, " ".join(["fat-tree"] + [",".join(map(str, of)) for of in numbers]))

    def up(host, level, digits):
        """The link from that level over the host; digits: which parent was chosen at each level so far."""
        return f"up{level}n{host // product(children[:level])}p{'.'.join(map(str, digits[:level + 1]))}"

    def choice(host):
        return [host // product(parents[:level]) % parents[level] for level in range(levels)]

    def route(i, j):
        top = next(level for level in range(1, levels + 1)
                   if i // product(children[:level]) == j // product(children[:level]))
        way = choice(j)
        return [(up(i, level, way), UP) for level in range(top)] + \
            [(up(j, level, way), DOWN) for level in reversed(range(top))]

    net.route = route
    speeds = speeds or [GBPS10] * levels

    def node(host, level, digits):
        """The switch of that level over the host, or the host."""
        return f"s{level}n{host // product(children[:level])}p{'.'.join(map(str, digits[:level]))}" if level else \
            f"h{host}"

    for level in range(levels):
        for host in range(net.hosts):
            for other in range(net.hosts):
                below = net.at.setdefault(node(host, level + 1, choice(other)), [])
                if node(host, level, choice(other)) not in below:
                    below.append(node(host, level, choice(other)))
    for host in range(net.hosts):
        for level in range(levels):
            for other in range(net.hosts):  # every choice of ways up is some destination's
                name = up(host, level, choice(other))
                if name in net.links:
                    continue
                if level == 0:
                    net.end(host, name, speeds[0])
                else:
                    net.trunk(name, speeds[level])
    return net


def torus(sizes, limit=None, each=1):
    """limit: speed of the one port of each host, which everything that passes through it crosses. Half way round it is
    the start that decides which way."""
    net = Network(product(sizes), each, "torus " + "x".join(map(str, sizes)))

    def steps(i, j):
        """Each step of the way: the host, the dimension, the direction, the next host."""
        for d, size in enumerate(sizes):
            stride = product(sizes[:d])
            at, goal = i // stride % size, j // stride % size
            way = 1 if at < goal <= at + size // 2 or size // 2 < at and goal <= (at + size // 2) % size else -1
            while at != goal:
                to = (at + way) % size
                following = i + (to - at) * stride
                yield i, d, way, following
                i, at = following, to

    def route(i, j):
        path = []
        for host, d, way, following in steps(i, j):
            if limit:
                path.append((f"port{host}", None))
            path.append((f"d{d}h{host}", UP) if way > 0 else (f"d{d}h{following}", DOWN))
        return path + ([(f"port{j}", None)] if limit else [])

    net.route = route
    for host in range(net.hosts):
        if limit:
            net.end(host, f"port{host}", limit, 0, "SHARED")
        for d, size in enumerate(sizes):
            stride = product(sizes[:d])
            at = host // stride % size
            if size == 2 and at == 1:
                continue  # both ways are one link
            net.trunk(f"d{d}h{host}")
            net.between[f"d{d}h{host}"] = (host, host + ((at + 1) % size - at) * stride)
    return net


def dragonfly(groups, routers, each_router):
    """All routers of a group are linked, and group k with router k of a group, counted round."""
    net = Network(groups * routers * each_router, shape=f"dragonfly {groups},1 1,1 {routers},1 {each_router}")

    def router(host):
        return host // each_router // routers, host // each_router % routers

    def local(group, a, b):
        return (f"g{group}r{min(a, b)}r{max(a, b)}", UP if a < b else DOWN)

    def route(i, j):
        (g, a), (h, b) = router(i), router(j)
        path = [(f"l{i}", UP)]
        if g != h:
            if a != h % routers:
                path.append(local(g, a, h % routers))
            path.append((f"b{min(g, h)}b{max(g, h)}", UP if g < h else DOWN))
            a, g = g % routers, h
        if a != b:
            path.append(local(g, a, b))
        return path + [(f"l{j}", DOWN)]

    net.route = route
    for host in range(net.hosts):
        net.end(host, f"l{host}")
    for g in range(groups):
        for a in range(routers):
            for b in range(a + 1, routers):
                net.trunk(local(g, a, b)[0])
        for h in range(g + 1, groups):
            net.trunk(f"b{g}b{h}")
    return net


def switched(sizes, trunks, middle=None, each=1, latency=LATENCY):
    """Switches with so many hosts each. trunks: bandwidth and latency of that of each to the core (None: there is
    none); middle: bandwidth, latency and policy of a core that all between switches cross."""
    net = Network(sum(sizes), each)
    on = [k for k, count in enumerate(sizes) for _ in range(count)]
    for host in range(net.hosts):
        net.end(host, f"l{host}", GBPS10, latency)
    for k, values in enumerate(trunks):
        net.at[f"s{k}"] = [f"h{host}" for host in range(net.hosts) if on[host] == k]
        if values:
            net.trunk(f"s{k}", *values)
    net.at["top"] = [f"s{k}" for k in range(len(sizes))]
    if middle:
        net.trunk("core", *middle)

    def route(i, j):
        a, b = on[i], on[j]
        between = [(f"s{a}", UP)] * bool(trunks[a]) + [("core", UP if a < b else DOWN)] * bool(middle) + \
            [(f"s{b}", DOWN)] * bool(trunks[b])
        return [(f"l{i}", UP), *(between if a != b else []), (f"l{j}", DOWN)]

    net.route = route
    return net


def sites(sizes, far, bandwidth):
    """Clusters with a link of its own between every two. far: latencies of these, by the two."""
    net = switched(sizes, [None] * len(sizes), latency=5e-6)
    net.at = {}  # no tree
    on = [k for k, count in enumerate(sizes) for _ in range(count)]
    for (a, b), latency in far.items():
        net.trunk(f"wan{a}{b}", bandwidth, latency)

    def route(i, j):
        a, b = on[i], on[j]
        between = [(f"wan{min(a, b)}{max(a, b)}", UP if a < b else DOWN)] if a != b else []
        return [(f"l{i}", UP), *between, (f"l{j}", DOWN)]

    net.route = route
    return net


def fabric(hosts, share):
    """One switch that carries only that share of what its ports could."""
    net = Network(hosts)
    for host in range(hosts):
        net.end(host, f"l{host}")
    net.trunk("fabric", share * hosts * GBPS10, 0, "SHARED")
    net.route = lambda i, j: [(f"l{i}", UP), ("fabric", None), (f"l{j}", DOWN)]
    return net


def ports(hosts, port, many, speeds=None):
    """One switch, hosts with several ports. port(i, j): which one i uses for messages to and from j; speeds: of each
    host's ports."""
    net = Network(hosts)
    for host in range(hosts):
        for p in range(many):
            net.end(host, f"l{host}r{p}", (speeds or [GBPS10] * hosts)[host], 2e-6)
    net.route = lambda i, j: [(f"l{i}r{port(i, j)}", UP), (f"l{j}r{port(j, i)}", DOWN)]
    return net


def line(sizes, share):
    """Switches in a line, each link between two that share of the links of one switch's hosts."""
    net = Network(sum(sizes))
    on = [k for k, count in enumerate(sizes) for _ in range(count)]
    for host in range(net.hosts):
        net.end(host, f"l{host}")
    for k in range(len(sizes)):
        net.at[f"s{k}"] = [f"h{host}" for host in range(net.hosts) if on[host] == k] + [f"s{k - 1}"] * (k > 0)
    for k in range(len(sizes) - 1):
        net.trunk(f"s{k}", share * sizes[k] * GBPS10, 1e-6)

    def route(i, j):
        a, b = on[i], on[j]
        between = [(f"s{k}", UP) for k in range(a, b)] + [(f"s{k}", DOWN) for k in reversed(range(b, a))]
        return [(f"l{i}", UP), *between, (f"l{j}", DOWN)]

    net.route = route
    return net


WAN = {(0, 1): 10e-3}
# The first nine are those that models were improved with; on the others nothing was tuned.
WORLDS = {
    "ft16": lambda: fat_tree([4, 4], [1, 2]),
    "ft16full": lambda: fat_tree([4, 4], [1, 4]),
    "torus4x4": lambda: torus([4, 4]),
    "torus4x4lim": lambda: torus([4, 4], GBPS10),
    "dragonfly24": lambda: dragonfly(3, 4, 2),
    "wan": lambda: sites([8, 8], WAN, GBPS10),
    "wanslow": lambda: sites([8, 8], WAN, GBPS10 / 10),
    "rails16": lambda: ports(16, lambda i, j: (i + j) % 2, 2),
    "mixed16": lambda: ports(16, lambda i, j: 0, 1, [GBPS10 if i % 2 else 10 * GBPS10 for i in range(16)]),
    "cabinets16": lambda: switched([6, 5, 5], [(10 * GBPS10, 1e-6)] * 3, (GBPS10, 1e-6, "SHARED")),
    "sites3x5": lambda: sites([5, 5, 5], {(0, 1): 2e-3, (0, 2): 6e-3, (1, 2): 11e-3}, GBPS10),
    "ft18deep": lambda: fat_tree([3, 3, 2], [1, 2, 2]),
    "torus2x3x3": lambda: torus([2, 3, 3]),
    "fabric16": lambda: fabric(16, 0.4),
    "racks16": lambda: switched([8, 8], [(8 * GBPS10, 1e-6)] * 2),
    "switches8x4": lambda: memories(switched([4, 4], [(2 * GBPS10, 1e-6)] * 2, each=4)),
    "ports16": lambda: ports(16, lambda i, j: (j // 2) % 2, 2),
    "dragonfly20": lambda: dragonfly(5, 4, 1),
    "line16": lambda: line([4, 4, 4, 4], 0.5),
    "star16": lambda: switched([16], [None]),
}


def make(name, seed=0):
    """The network of that name; with a seed its links differ a little."""
    net = WORLDS[name]()
    if seed:
        net.vary(seed)
    return net
