"""Source trees that state what their names resolve to.

A claim is a comment line below the reference. `^` points at the reference; `<-` means the column of the comment itself:
    ^ -> path#Class.member      resolves to that definition; `#name` is in the same file, `path` alone is the module
    ^ -> path#name@12           the one on line 12, where several have the name
    ^ -> a.py#f, b.py#f         resolves to both
    ^ -> path#name ?            linked with less certainty than `strong`
    ^ -> nothing                not linked as `strong`
    imports -> a.h, b.h         the files that the file of the comment imports
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from codeplane.facts.model import Facts, Tier
from support.resolving import MemoryLibrary, list_imports, resolve

_CLAIM = re.compile(r"^\s*(?://|#)\s*(?:(?P<caret>\^) ->|<-) (?P<targets>.+?)(?P<weak> \?)?$")

_IMPORTS = re.compile(r"^\s*(?://|#)\s*imports -> (.+)$", re.MULTILINE)

_LINE_SUFFIX = re.compile(r"(.+?)(?:@(\d+))?")


class ResolutionClaim(NamedTuple):
    path: str
    line: int
    column: int
    targets: tuple[str, ...]
    is_weak: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


def read_case(folder: Path) -> dict[str, str]:
    """Return the files of a case by path."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}


def check_resolution(files: Mapping[str, str]) -> None:
    """Check every claim of a source tree."""
    claims = [claim for path, text in files.items() for claim in _read_claims(path, text)]
    imports = {path: found[1] for path, text in files.items() if (found := _IMPORTS.search(text))}
    assert claims or imports, "no claim in these sources"
    facts = MemoryLibrary(files).facts
    strong = resolve(files)
    linked = resolve(files, Tier.ANCHORED) if any(claim.is_weak for claim in claims) else strong
    wrong = []
    for claim in claims:
        place = (claim.path, claim.line, claim.column)
        expected = sorted(_find_target(facts, claim.path, target) for target in claim.targets)
        actual = sorted((linked if claim.is_weak else strong).get(place, []))
        if actual != expected or (claim.is_weak and place in strong):
            wrong.append(f"{claim}: expected {expected}, found {actual}")
    for path, names in imports.items():
        imported = list_imports(files, path)
        expected_files = sorted(names.split(", ")) if names != "nothing" else []
        if imported != expected_files:
            wrong.append(f"{path}: expected imports of {expected_files}, found {imported}")
    assert not wrong, "\n".join(wrong)


def _read_claims(path: str, text: str) -> Iterator[ResolutionClaim]:
    code_line = 0
    for number, line in enumerate(text.split("\n"), 1):
        found = _CLAIM.match(line)
        if found is None:
            code_line = number
            continue
        column = found.start("caret") if found["caret"] else len(line) - len(line.lstrip())
        targets = () if found["targets"] == "nothing" else tuple(found["targets"].split(", "))
        yield ResolutionClaim(path, code_line, column, targets, found["weak"] is not None)


def _find_target(facts: Mapping[str, Facts], here: str, target: str) -> tuple[str, int]:
    """Return path and line of a target, which must be unambiguous."""
    path, _, symbol = target.partition("#")
    if not symbol:
        return path, 1
    found = _LINE_SUFFIX.fullmatch(symbol)
    assert found is not None
    name, line = found.groups()
    rows = facts[path or here]
    lines = {row.name_line for row in rows.defs if row.lexical_path == name}
    lines |= {row.line for row in rows.attributes if f"{rows.defs[row.parent].lexical_path}.{row.name}" == name}
    if line:
        lines &= {int(line)}
    assert len(lines) == 1, f"'{target}' is on lines {sorted(lines)}"
    return path or here, lines.pop()
