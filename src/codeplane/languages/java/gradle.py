"""Reader of `settings.gradle` and `settings.gradle.kts`.

The script is not run. If every `include` has plain string arguments, the list of projects is complete; a computed one
makes the list open, and then nothing is detached.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from codeplane.languages.manifest import Manifest

_ROOT_NAMES = ("rootDir", "settingsDir", "rootProject.projectDir")
_ROOTS = tuple(spelling for name in _ROOT_NAMES for spelling in (f"${{{name}}}", f"${name}"))
_TELLING = frozenset({"include", "includeFlat", "includeBuild", "project", "rootProject", "apply"})
_DIRECTORIES = frozenset({"rootDir", "settingsDir", "rootProject", "projectDir"})
_BEFORE_PLACE = _DIRECTORIES | {"new", "File", "file", "resolve", "(", ",", "."}
_AFTER_PLACE = frozenset({")"})
_MAX_TOKENS = 100_000
_MAX_STATEMENT = 2000


class _Token(NamedTuple):
    kind: str
    """`word`, `text` (a string without interpolation), `made` (one with it), `sign`, `line`."""
    value: str


def read_settings(text: str) -> Manifest:
    tokens = _tokens(text)
    name: str | None = None
    members: list[str] = []
    builds: list[str] = []
    moved: list[tuple[str, str]] = []
    is_open = False
    for number, token in enumerate(tokens):
        if token.kind != "word" or token.value not in _TELLING:
            continue
        before, after = tokens[number - 1] if number else _END, tokens[number + 1 : number + _MAX_STATEMENT]
        if token.value.startswith("include"):
            if before.value == "." and tokens[number - 2].value not in ("settings", "this"):
                continue
            found, plain = _arguments(after)
            if token.value == "includeBuild":
                builds += found[:1]
                continue
            is_open = is_open or not plain
            prefix = "../" if token.value == "includeFlat" else ""
            members += [prefix + each for each in found]
        elif token.value == "project" and before.value != ".":
            place = _project_place(after)
            if place is not None:
                moved.append(place)
            elif _names_directory(after):
                is_open = True
        elif token.value == "rootProject" and [each.value for each in after[:3]][:2] == [".", "name"]:
            value = after[3] if len(after) > 3 and after[2].value == "=" else None
            name = value.value if value is not None and value.kind == "text" else name
        elif token.value == "apply" and after and (after[0].value == "from" or after[:1] == [_Token("sign", "(")]):
            # Another script may include more.
            is_open = is_open or any(each.value == "from" for each in after[:3])
    return Manifest(
        name,
        tuple(dict.fromkeys(map(_as_path, members))),
        extra=tuple(dict.fromkeys(builds)),
        open=is_open,
        moved=tuple(moved),
    )


def _as_path(project: str) -> str:
    return project.strip(":").replace(":", "/")


def _arguments(tokens: Sequence[_Token]) -> tuple[list[str], bool]:
    """Return the string arguments of a call, with or without parentheses, and whether there was nothing else."""
    found: list[str] = []
    parenthesis = bool(tokens) and tokens[0].value == "(" and tokens[0].kind == "sign"
    expected = True
    for number, token in enumerate(tokens[1:] if parenthesis else tokens):
        if token.kind == "line":
            if parenthesis or (expected and number):
                continue
            break
        if token.kind == "text" and expected:
            found.append(token.value)
            expected = False
        elif token.value == "," and token.kind == "sign" and not expected:
            expected = True
        elif token.kind == "sign" and token.value in (")", "}", ";") and (not expected or parenthesis):
            break
        else:
            return found, False
    return found, bool(found)


def _project_place(tokens: Sequence[_Token]) -> tuple[str, str] | None:
    """Parse `project(':x').projectDir = file('dir')` or `new File(settingsDir, 'dir')`: the name and the directory."""
    values = [token.value for token in tokens[:6]]
    if len(values) < 6 or values[0] != "(" or tokens[1].kind != "text" or values[2:6] != [")", ".", "projectDir", "="]:
        return None
    place: str | None = None
    for token in tokens[6:30]:
        if token.kind == "line" or token.value == ";":
            break
        if token.kind in ("text", "made") and place is None:
            place = token.value
        elif token.value not in (_AFTER_PLACE if place is not None else _BEFORE_PLACE):
            return None
    for root in _ROOTS:
        place = place.removeprefix(root) if place is not None else None
    return (_as_path(tokens[1].value), place.lstrip("/")) if place is not None and "$" not in place else None


def _names_directory(tokens: Sequence[_Token]) -> bool:
    return any(token.value == "projectDir" for token in tokens[:6])


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while (found := _TOKEN.search(text, position)) is not None:
        position = found.end()
        kind, value = found.lastgroup or "", found[0]
        if kind == "comment":
            end = text.find("*/", position)
            position = len(text) if end < 0 else end + 2
        elif kind == "triple":
            end = text.find(value, position)
            body = text[position : end if end >= 0 else len(text)]
            position = len(text) if end < 0 else end + 3
            tokens.append(_Token("made" if "$" in body or "\n" in body else "text", body))
        elif kind == "double":
            tokens.append(_Token("made" if "$" in value or "\\" in value else "text", value[1:-1]))
        elif kind == "single":
            tokens.append(_Token("made" if "\\" in value else "text", value[1:-1]))
        elif kind == "open":
            # Unterminated string; the rest of its line belongs to it.
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        elif kind != "remark":
            tokens.append(_Token(kind, value))
        if len(tokens) > _MAX_TOKENS:
            break
    return tokens


_END = _Token("line", "")
_TOKEN = re.compile(
    r"(?P<remark>//[^\n]*)|(?P<comment>/\*)|(?P<triple>\"{3}|'{3})|(?P<double>\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<single>'(?:[^'\\\n]|\\.)*')|(?P<word>[^\W\d]\w*)|(?P<line>\n)|(?P<open>[\"'])|(?P<sign>[^\s\w])"
)
