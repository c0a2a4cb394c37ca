"""Go modules and `go.work` workspaces."""

from __future__ import annotations

import re

from codeplane.languages.family import Family, Marker, WorkspaceRules
from codeplane.languages.manifest import Manifest, text_reader

_MAX_LINE_CHARS = 2000
_WORD = re.compile(r'"([^"]*)"|`([^`]*)`|([()]|[^\s()"`]+)')


def read_go_work(text: str) -> Manifest:
    """Read `use ./a` and `use ( ... )`."""
    return Manifest(members=tuple(_read_directive(text, "use")), package=False)


def read_go_mod(text: str) -> Manifest:
    return Manifest(next(iter(_read_directive(text, "module")), None))


def _read_directive(text: str, directive: str) -> list[str]:
    found: list[str] = []
    in_block = False
    for line in text.splitlines():
        words = _split(line[:_MAX_LINE_CHARS])
        if in_block and words == [")"]:
            in_block = False
        elif in_block and words:
            found.append(words[0])
        elif words[:2] == [directive, "("]:
            in_block = True
        elif len(words) >= 2 and words[0] == directive:
            found.append(words[1])
    return found


def _split(line: str) -> list[str]:
    return [quoted or raw or bare for quoted, raw, bare in _WORD.findall(line.partition("//")[0])]


FAMILY = Family(
    name="go",
    unit_files=("*.go",),
    text_filenames=("go.mod", "go.sum"),
    markers=(
        Marker("go.mod", text_reader(read_go_mod)),
        Marker("go.work", text_reader(read_go_work), fence=True, package=False),
    ),
    workspace=WorkspaceRules(root_must_be_listed=True),
)
