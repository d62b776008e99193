"""Prints an lmo2 model of so many hosts, all of them a little unlike, with three regimes of message sizes.

usage: unlike_hosts.py N
"""
import json
import random
import sys

n, sizes = int(sys.argv[1]), [0, 8192, 65536]
random.seed(1)


def about(value, spread):
    return float("%.4g" % (value * random.lognormvariate(0, spread)))


def hosts(value):
    return [[about(value, 0.02) for _ in range(n)] for _ in sizes]


def links(value):
    return [[[0 if i == j else about(value, 0.05) for j in range(n)] for i in range(n)] for _ in sizes]


values = {"Cs": ("s", hosts(1e-6)), "ts": ("s/B", hosts(1e-10)), "Cr": ("s", hosts(1e-6)), "tr": ("s/B", hosts(1e-10)),
          "L": ("s", links(1.2e-6)), "invbeta": ("s/B", links(1e-10))}
print(json.dumps({
    "format": "cpm model", "version": 1, "model": "lmo2", "processes": n, "sizes": sizes,
    "hosts": ["node%03d" % i for i in range(n)], "provenance": {"date": "2026-11-01T00:00:00Z"}, "notes": [],
    "parameters": {name: {"unit": unit, "value": value} for name, (unit, value) in values.items()}}))
