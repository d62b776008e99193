#!/usr/bin/env python3
"""The tour of doc/structure.md: at most ten steps each way, every function is defined in its file, and is named in
the file of the step before it unless it stands in italics, as those that are called through a pointer.

test_tour.py SOURCE_DIR
"""
import os
import re
import sys

STEP = re.compile(r"^(\d+)\. (\*?)`(\w+)`\*? \(`([\w./]+)`\): ")


def defines(text, name):
    return re.search(rf"^[A-Za-z][\w *]*\b{name}\([^;]*?\)\s*\{{", text, re.M | re.S)


def ways(page):
    """The steps (italic, function, file) of each way."""
    for part in page.split("## A tour", 1)[1].split("\n### ")[1:]:
        lines = [line for line in part.split("\n") if re.match(r"\d", line)]
        found = [STEP.match(line) for line in lines]
        if None in found:
            sys.exit(f"FAILED: no step: {lines[found.index(None)]}")
        yield part.split("\n")[0], [step.groups()[1:] for step in found]


def wrong(source, steps):
    before = None
    for italic, function, file in steps:
        if not os.path.exists(os.path.join(source, file)):
            yield f"{file} is not there"
            continue
        with open(os.path.join(source, file), encoding="utf-8") as f:
            text = f.read()
        if not defines(text, function):
            yield f"{function} is not defined in {file}"
        if before and not italic and not re.search(rf"\b{function}\b", before):
            yield f"{function} is not named in the file of the step before it"
        before = text


def main():
    with open(os.path.join(sys.argv[1], "doc/structure.md"), encoding="utf-8") as f:
        page = f.read()
    failures, all_ways = 0, list(ways(page))
    for title, steps in all_ways:
        for what in wrong(sys.argv[1], steps):
            print(f"FAILED: {title}: {what}")
            failures += 1
        if not 5 <= len(steps) <= 10:
            print(f"FAILED: {title}: {len(steps)} steps")
            failures += 1
    print(f"{len(all_ways)} ways")
    return 1 if failures or len(all_ways) != 3 else 0


if __name__ == "__main__":
    sys.exit(main())
