"""Sources that say themselves what their names stand for.

`//= mark` names its line, alone or together with others; `//> name mark ...` says that the first `name` of its line
stands for what is defined on the marked lines, `-` for nothing that is known. Several claims of a line are parted by
semicolons. `#` does as well as `//`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent
from typing import NamedTuple

from codeplane.facts.model import Tier
from support.resolving import resolve

_MARK = re.compile(r"(?://|#)= (\S+)")
_CLAIM = re.compile(r"(?://|#)> (.+)$")


class Claim(NamedTuple):
    path: str
    line: int
    column: int
    name: str
    marks: tuple[str, ...]


def check_claims(sources: Mapping[str, str], tier: Tier = Tier.STRONG) -> None:
    files = {path: dedent(text).lstrip("\n") for path, text in sources.items()}
    marks: dict[str, list[tuple[str, int]]] = {}
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            for mark in _MARK.findall(line):
                marks.setdefault(mark, []).append((path, number))
    found = resolve(files, tier)
    claims = list(_claims(files))
    assert claims
    wrong = []
    for claim in claims:
        expected = sorted(place for mark in claim.marks for place in marks[mark])
        actual = sorted(found.get((claim.path, claim.line, claim.column), []))
        if actual != expected:
            wrong.append(f"{claim.path}:{claim.line} {claim.name}: expected {expected}, found {actual}")
    assert not wrong, "\n".join(wrong)


def _claims(files: Mapping[str, str]) -> Iterator[Claim]:
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            said = _CLAIM.search(line)
            for claim in said[1].split(";") if said else ():
                name, *marks = claim.split()
                place = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)
                assert place is not None
                yield Claim(path, number, place.start(), name, tuple(mark for mark in marks if mark != "-"))
