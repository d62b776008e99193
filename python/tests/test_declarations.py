"""What the package declares is what the header does, and what the compiler makes of it."""
from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BUILD, SOURCE

from cpm import _declarations as declared

HEADER = BUILD / "include" / "cpm" / "cpm.h"


def test_declarations_are_those_of_the_header():
    made = subprocess.run(
        [sys.executable, SOURCE / "python" / "declare.py", HEADER],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    kept = (SOURCE / "python" / "src" / "cpm" / "_declarations.py").read_text()
    assert made == kept, "run: python3 python/declare.py HEADER >python/src/cpm/_declarations.py"


def test_all_that_the_library_exports_is_declared():
    exports = (SOURCE / "tests" / "packaging" / "exports-cpm.txt").read_text().split("\n")
    names = {name for name in exports if name and not name.startswith("#")}
    assert names - set(declared.FUNCTIONS) == {"cpm_fail"}


def structures():
    return {
        name: kind
        for name, kind in vars(declared).items()
        if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and name != "Structure"
    }


def test_structures_are_laid_out_as_by_the_compiler(tmp_path: Path):
    if not shutil.which("cc"):
        pytest.skip("no compiler")
    lines = ["#include <stdio.h>", f'#include "{HEADER}"', "int main(void)", "{"]
    mine = []
    for name, kind in structures().items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        mine.append(f"{name} {ctypes.sizeof(kind)}")
        for field, *_ in kind._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            mine.append(f"{name}.{field} {getattr(kind, field).offset}")
    source = tmp_path / "layout.c"
    source.write_text("\n".join([*lines, "}", ""]))
    subprocess.run(["cc", "-o", tmp_path / "layout", source], check=True)
    printed = subprocess.run([tmp_path / "layout"], check=True, capture_output=True, text=True)
    assert printed.stdout.split("\n")[:-1] == mine
    assert len(mine) > 50
