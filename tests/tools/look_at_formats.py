"""What a command prints as TSV and JSON says the same, and has the columns of doc/formats.md.

usage: look_at_formats.py FORMATS.md SECTION TSV JSON [--some]: files that a command has printed, of the
same results; "-": none. --some: of other results, and not all of the section's tables need be there."""
import csv
import json
import re
import sys

try:
    import pandas  # as users read it, where it is there
except ImportError:
    pandas = None


def columns(page, section):
    """The columns of the tables of a section, by table."""
    tables, on, table = {}, False, None
    for line in open(page, encoding="utf-8"):
        if line.startswith("## "):
            on = line[3:].strip() == section
        elif on and line.startswith("### "):
            table = tables.setdefault(line[4:].strip(), [])
        elif on and line.startswith("| `"):
            table += re.findall(r"`([^`]+)`", line.split("|")[1])
    assert tables, f"{page} has no section {section}"
    return tables


def facts(page, section):
    """The names of the facts of a section."""
    text = open(page, encoding="utf-8").read().split(f"\n## {section}\n")[1].split("\n## ")[0]
    sentence = re.search(r"(?:^|\. )Facts: (.*?)\.(?: |$)", re.sub(r"\([^)]*\)", "", text), re.M)
    return re.findall(r"`([^`]+)`", sentence[1]) if sentence else []


def read_tsv(path):
    with open(path, encoding="utf-8", newline="") as f:
        lines = [line for line in f if not line.startswith("#")]
    rows = list(csv.DictReader(lines, delimiter="\t"))
    for row in rows:
        assert None not in row and None not in row.values(), f"{path}: a ragged row {row}"
    fields = csv.DictReader(lines, delimiter="\t").fieldnames
    if pandas:
        frame = pandas.read_csv(path, sep="\t", comment="#")
        assert (list(frame.columns), len(frame)) == (fields, len(rows)), f"{path}: pandas reads {frame}"
    return fields, rows


def refuse(name):
    raise ValueError(f"{name} is no JSON")


def once(pairs):
    """An object whose names are all different."""
    assert len(dict(pairs)) == len(pairs), f"a name is there twice: {[name for name, _ in pairs]}"
    return dict(pairs)


def as_tsv(value):
    """What a value of JSON is in TSV; control characters are shown."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return value
    return re.sub(r"[\x00-\x1f\x7f]", lambda c: {"\n": "\\n", "\t": "\\t"}.get(c[0], f"\\x{ord(c[0]):02x}"), str(value))


def same(tsv, value):
    value = as_tsv(value)
    return float(tsv) == value if isinstance(value, float) else tsv == value


def union(tables):
    """The columns of all, each once."""
    return list(dict.fromkeys(name for names in tables.values() for name in names))


def check_tsv(path, tables, said):
    fields, rows = read_tsv(path)
    several = len(tables) > 1
    expected = union(tables) + ["table"] * several
    assert fields == expected, f"{path}: columns {fields}, the page says {expected}"
    for table in said:
        mine = [row for row in rows if not several or row["table"] == table]
        assert len(mine) == len(said[table]), f"{path}: {len(mine)} rows of {table}, JSON has {len(said[table])}"
        for row, other in zip(mine, said[table]):
            for name, value in other.items():
                assert same(row[name], value), f"{path}: {table}: {name} {row[name]!r}, JSON {value!r}"


def main():
    page, section, tsv, text = sys.argv[1:5]
    some = sys.argv[5:] == ["--some"]
    tables = columns(page, section)
    said = {}
    if text != "-":
        with open(text, encoding="utf-8") as f:
            whole = json.load(f, parse_constant=refuse, object_pairs_hook=once)
        said = {k: v for k, v in whole.items() if isinstance(v, list)}
        once_said = [k for k in whole if k not in said]
        assert once_said == ["format", "version"] + facts(page, section), f"{text}: facts {once_said}"
        if some:
            tables = {table: names for table, names in tables.items() if table in said}
        assert list(said) == list(tables), f"{text}: tables {list(said)}, the page says {list(tables)}"
        for table, rows in said.items():
            for row in rows:
                assert list(row) == tables[table], f"{text}: {table}: {list(row)}, the page says {tables[table]}"
    if tsv != "-":
        if section in ("validate", "compare"):  # their means are remarks
            tables.pop("means")
            said.pop("means", None)
        check_tsv(tsv, tables, {} if some else said)


main()
