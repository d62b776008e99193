#!/usr/bin/env python3
"""Writes what libcpm declares as a Python module: python3 declare.py cpm.h >src/cpm/_declarations.py

The header is regular: structures without names of their own, enumerations, and prototypes behind
CPM_API. What does not look so is refused. A test compares the module with the header, and its
structures with those of the compiler.
"""
from __future__ import annotations

import re
import sys

NUMBERS = {
    "int": "c_int",
    "double": "c_double",
    "bool": "c_bool",
    "size_t": "c_size_t",
    "unsigned long": "c_ulong",
}
HEAD = '''"""What libcpm declares. Made of cpm/cpm.h by declare.py; do not edit."""
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_size_t,
    c_ulong,
    c_void_p,
)
'''


class Header:
    """The declarations of a header."""

    def __init__(self, text: str) -> None:
        self.statuses = re.findall(r"X\((E\w+),\s*(-\d+),\s*\"([^\"]*)\"\)", text)
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.M)
        self.opaque = re.findall(r"typedef struct (\w+) \1;", text)
        self.enums = [
            (name, [word.strip() for word in words.split(",")])
            for words, name in re.findall(r"typedef enum \{([^}]*)\} (\w+);", text)
        ]
        self.structs = re.findall(r"typedef struct \{([^}]*)\} (\w+);", text)
        self.functions = re.findall(r"CPM_API ([\w ]+?[ *]+)(\w+)\(([^)]*)\)", text)
        if len(self.functions) != text.count("CPM_API "):
            raise SystemExit("declare.py: a function is not declared as the others are")

    def type_of(self, text: str) -> str:
        """The name in Python of a type in C."""
        words = text.replace("const ", "").replace("struct ", "")
        base, stars = words.replace("*", "").strip(), words.count("*")
        if base == "void" and stars == 0:
            return "None"
        if base == "char" and stars:
            name, stars = "c_char_p", stars - 1
        elif base in self.opaque and stars:
            name, stars = "c_void_p", stars - 1
        elif base in NUMBERS:
            name = NUMBERS[base]
        elif base in [enum for enum, _ in self.enums]:
            name = "c_int"
        elif base in [struct for _, struct in self.structs]:
            name = base
        else:
            raise SystemExit(f"declare.py: type '{text.strip()}' is not known")
        return "POINTER(" * stars + name + ")" * stars

    def fields(self, text: str) -> list[tuple[str, str]]:
        """Names and types in Python of the fields of a structure."""
        found = []
        for line in filter(None, (part.strip() for part in text.split(";"))):
            begin, names = re.fullmatch(r"((?:const |unsigned )?\w+ )(.*)", line, re.S).groups()
            for name in names.split(","):
                stars, name, count = re.fullmatch(
                    r"\s*(\**)(\w+)(?:\[(\d+)\])?", name
                ).groups()
                if count and begin.strip() != "char":
                    raise SystemExit(f"declare.py: '{line}' is not known")
                kind = f"c_char * {count}" if count else self.type_of(begin + stars)
                found.append((name, kind))
        return found

    def arguments(self, text: str) -> list[str]:
        """Types in Python of the arguments of a function."""
        if text.strip() == "void":
            return []
        return [
            self.type_of(re.fullmatch(r"\s*(.*?)\w+\s*", part, re.S).group(1))
            for part in text.split(",")
        ]

    def write(self) -> None:
        """Prints the module."""
        print(HEAD + "\nSTATUSES = {")
        for name, code, sentence in self.statuses:
            print(f'    {code}: ("{name}", "{sentence}"),')
        print("}")
        for _, words in self.enums:
            print()
            for value, word in enumerate(words):
                print(f"{word} = {value}")
        for text, name in self.structs:
            print(f"\n\nclass {name}(Structure):\n    _fields_ = [")
            for field, kind in self.fields(text):
                print(f'        ("{field}", {kind}),')
            print("    ]")
        print("\n\nFUNCTIONS = {")
        for result, name, text in self.functions:
            if "..." not in text:
                arguments = ", ".join(self.arguments(text))
                print(f'    "{name}": ({self.type_of(result)}, [{arguments}]),')
        print("}")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        Header(file.read()).write()
