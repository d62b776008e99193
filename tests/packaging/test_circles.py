#!/usr/bin/env python3
"""No more than three files call each other in a circle: whoever reads one of them must read all.

A file calls another one if its object uses a function that the other's defines, as nm says. Static functions and
those of headers belong to the file that has them.

test_circles.py NM SOURCE_DIR BUILD_DIR
"""
import glob
import os
import subprocess
import sys

MOST = 3


def objects(source, build):
    """(file, object) of the product: tests, benchmarks and examples are built elsewhere."""
    for target in sorted(glob.glob(os.path.join(build, "CMakeFiles", "*.dir"))):
        for found in sorted(glob.glob(os.path.join(glob.escape(target), "**", "*.o"), recursive=True)):
            file = os.path.relpath(found, target)[:-2]
            if not file.startswith("bench/") and os.path.exists(os.path.join(source, file)):
                yield file, found


def symbols(nm, all_objects):
    """file -> (what its objects define, what they use of others)."""
    named, of_object = {}, {found: file for file, found in all_objects}
    lines = subprocess.run([nm, "-A", "-P"] + list(of_object), check=True, capture_output=True, text=True).stdout
    for line in lines.splitlines():
        found, rest = line.split(": ", 1)
        name, kind = rest.split()[:2]
        defined, used = named.setdefault(of_object[found], (set(), set()))
        if kind == "T":
            defined.add(name)
        elif kind == "U":
            used.add(name)
    return named


def calls(named):
    """The graph: file -> files whose functions it uses. named: file -> (defined, used)."""
    home = {name: file for file, (defined, _) in named.items() for name in defined}
    return {file: {home[name] for name in used if name in home} - {file} for file, (_, used) in named.items()}


def reached(graph, start):
    seen, todo = set(), [start]
    while todo:
        for file in graph[todo.pop()] - seen:
            seen.add(file)
            todo.append(file)
    return seen


def groups(graph):
    """Files that reach each other, as sorted lists of at least two."""
    reach = {file: reached(graph, file) for file in graph}
    alike = {tuple(sorted(b for b in reach[a] if a in reach[b])) for a in graph}
    return sorted((list(group) for group in alike if len(group) > 1), key=lambda group: (-len(group), group))


def circle(graph, group):
    """A shortest way from the first file of a group back to it."""
    todo, before = [group[0]], {}
    for file in todo:
        for to in sorted(graph[file] & set(group)):
            if to == group[0]:
                way = [to, file]
                while way[-1] != group[0]:
                    way.append(before[way[-1]])
                return way[::-1]
            if to not in before:
                before[to] = file
                todo.append(to)
    return []


def describe(graph, named, group):
    yield f"{len(group)} files call each other in a circle: {' '.join(group)}"
    yield "  shortest: " + " -> ".join(circle(graph, group))
    for file in group:
        for to in sorted(graph[file] & set(group)):
            used = sorted(named[file][1] & named[to][0])
            yield f"  {file} -> {to}: {', '.join(used)}"


def check(named, most):
    graph = calls(named)
    return [line for group in groups(graph) if len(group) > most for line in describe(graph, named, group)]


def finds_circles():
    """The check itself: a ring of four is found, one of three is allowed, a file that calls itself is none."""
    def ring(n):
        return {f"{i}.c": ({f"f{i}"}, {f"f{(i + 1) % n}"}) for i in range(n)}
    chain = {"a.c": ({"a"}, {"a", "b"}), "b.c": ({"b"}, {"c"}), "c.c": ({"c"}, set())}
    four = check(ring(4), MOST)
    return (not check(ring(3), MOST) and not check(chain, 1) and len(four) == 6 and
            four[1] == "  shortest: 0.c -> 1.c -> 2.c -> 3.c -> 0.c")


def main():
    nm, source, build = sys.argv[1:4]
    most = int(sys.argv[4]) if len(sys.argv) > 4 else MOST
    named = symbols(nm, objects(source, build))
    wrong = check(named, most)
    for line in wrong:
        print(("FAILED: " if not line.startswith(" ") else "") + line)
    if not finds_circles():
        print("FAILED: circles that are there are not found")
        return 1
    print(f"{len(named)} files")
    return 1 if wrong or len(named) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
