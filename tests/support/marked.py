"""Small trees whose sources say what they expect: `/*1*/name` is a reference, `/*=1*/name` what it stands for.

Several marks may stand before a name. A reference without a counterpart stands for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from support.resolving import resolve

_MARK = re.compile(r"/\*(=?)(\w+)\*/")


def check(files: Mapping[str, str]) -> None:
    references: dict[str, tuple[str, int, int]] = {}
    definitions: dict[str, list[tuple[str, int]]] = {}
    for path, text in files.items():
        for line, content in enumerate(text.split("\n"), 1):
            for mark in _MARK.finditer(content):
                if mark[1]:
                    definitions.setdefault(mark[2], []).append((path, line))
                else:
                    references[mark[2]] = (path, line, mark.end())
    assert references
    found = resolve(files)
    for name, place in references.items():
        assert sorted(found.get(place, [])) == sorted(definitions.get(name, [])), (name, place)
