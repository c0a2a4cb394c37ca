"""Sources that say themselves what their names stand for: `#= mark` names its line, `#> name mark` says that the first
`name` of its line stands for what is defined on the marked lines (`-` for nothing that is known)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import dedent

from support.resolving import resolve

_MARK = re.compile(r"#= (\S+)")
_CLAIM = re.compile(r"#> (.+)$")


def check_claims(sources: Mapping[str, str]) -> None:
    files = {path: dedent(text).lstrip("\n") for path, text in sources.items()}
    lines = [(path, at, line) for path, text in files.items() for at, line in enumerate(text.split("\n"), 1)]
    marks: dict[str, list[tuple[str, int]]] = {}
    for path, at, line in lines:
        for mark in _MARK.findall(line):
            marks.setdefault(mark, []).append((path, at))
    links = resolve(files)
    wrong: list[str] = []
    count = 0
    for path, at, line in lines:
        said = _CLAIM.search(line)
        for claim in said[1].split(";") if said else ():
            name, *expected = claim.split()
            found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)
            assert found is not None
            count += 1
            places = sorted(place for mark in expected if mark != "-" for place in marks[mark])
            linked = links.get((path, at, found.start()), [])
            if sorted(linked) != places:
                wrong.append(f"{path}:{at} {name}: expected {places}, found {linked}")
    assert count
    assert not wrong, "\n".join(wrong)
