"""Definition-aware grep: definitions of a name first, then its uses, then files by the number of matching words.

A name is looked for as it is written, then in any style (`getURL`, `get_url`, `get url`), then as a part of another.
A line counts as a definition by the word that it starts with, or as a C function at the margin. Of words that are not
name, and of the parts of a name that is nowhere, files with most of them come first, each by the line with most of
them. It knows no misspelling, and every answer is one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.search.bm25 import STOP_WORDS, files_under, read
from benchmarks.search.data import Place

_KEPT = 50
_MOST_NAME_PARTS = 6
_MOST_WORDS = 60
_LINE = 300
_WORD = re.compile(r"[A-Za-z0-9_$]+")
_PART = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|[0-9]+")
_STARTS = (
    "abstract|async|class|const|constexpr|def|enum|export|extern|final|fn|fun|func|function|impl|inline|interface|"
    "internal|let|macro_rules!|mod|module|namespace|override|package|private|protected|pub|public|readonly|record|"
    "sealed|static|struct|template|trait|type|typedef|union|unsafe|using|val|var|virtual"
)
_DECLARES = re.compile(rf"[ \t]*(?:#[ \t]*define|(?:{_STARTS})(?![\w$]))[^=(]*(?:\([^)]*\)[ \t]*)?")
_C_TYPE = re.compile(r"[A-Za-z_][\w \t*&:<>,]*[ \t*&]")
_NO_TYPES = ("return", "else", "from", "import", "await", "yield", "throw", "raise", "not", "new", "delete")


class Grep:
    """Keeps the text of one tree."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[str, str]] = {}

    def turn_to(self, tree: Path) -> None:
        texts = {path: read(file) for path, file in files_under(tree)}
        self._texts = {path: (text, text.lower()) for path, text in texts.items()}

    def ask(self, query: str) -> list[Place]:
        found = {place.path: place for place in self._by_words(query)}
        named = {place.path: place for place in self._by_name(query.strip())}
        return list({**named, **{path: place for path, place in found.items() if path not in named}}.values())[:_KEPT]

    def close(self) -> None:
        self._texts = {}

    def _by_name(self, name: str) -> Iterator[Place]:
        """Each file by the best line that has the name; of equals, the file with more such lines first."""
        parts = _PART.findall(name)
        if not 0 < len(parts) <= _MOST_NAME_PARTS or not re.fullmatch(r"[\w$ -]+", name):
            return
        pattern = re.compile("[_-]?".join(map(re.escape, parts)), re.IGNORECASE)
        needed = [part.lower() for part in parts]
        found = []
        for path, (text, lowered) in self._texts.items():
            if all(part in lowered for part in needed):
                tiers = [(_tier(text, match, name), match.start()) for match in pattern.finditer(text)]
                if tiers:
                    best, position = min(tiers)
                    equals = sum(tier == best for tier, _ in tiers)
                    found.append((best, -equals, path, text.count("\n", 0, position) + 1))
        for _, _, path, line in sorted(found):
            yield Place(path, line, line)

    def _by_words(self, query: str) -> Iterator[Place]:
        words = [part.lower() for word in _WORD.findall(query) for part in (word, *_PART.findall(word))]
        wanted = [word for word in dict.fromkeys(words) if len(word) > 2 and word not in STOP_WORDS][:_MOST_WORDS]
        found = []
        for path, (_, lowered) in self._texts.items():
            count = sum(word in lowered for word in wanted)
            if count:
                found.append((-count, path))
        for _, path in sorted(found)[:_KEPT]:
            line = _fullest_line(self._texts[path][1], wanted)
            yield Place(path, line, line)


def _fullest_line(text: str, wanted: list[str]) -> int:
    lines = text.split("\n")
    return 1 + max(range(len(lines)), key=lambda number: (sum(word in lines[number] for word in wanted), -number))


def _tier(text: str, match: re.Match[str], name: str) -> int:
    """0 is the best: defined as written, in another style, as a part; then used as written, or at all."""
    start, end = match.span()
    while start and _is_word(text[start - 1]):
        start -= 1
    while end < len(text) and _is_word(text[end]):
        end += 1
    word = text[start:end]
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end : end + _LINE].split("\n", 1)[0]
    if _is_definition(before, after):
        if word == name:
            return 0
        return 1 if word.strip("_$") == match.group() else 2
    return 3 if word == name else 4


def _is_definition(before: str, after: str) -> bool:
    """By what stands before and after the name in its line."""
    if not before:
        # A constant, or a function of a shell; without the brace it would be a call.
        return after.lstrip()[:1] in ("=", ":") or (after.startswith("(") and after.rstrip().endswith("{"))
    if _DECLARES.fullmatch(before):
        return True
    is_function = after.lstrip().startswith("(") and not after.rstrip().endswith(";")
    return is_function and bool(_C_TYPE.fullmatch(before)) and before.split()[0] not in _NO_TYPES


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"
