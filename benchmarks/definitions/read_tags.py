"""Read definitions from CodePlane and universal-ctags in comparable form.

Reads the files of a tree as an index would, and asks ctags for the same files. Says which kinds of the
two denote the same thing, by language; scores nothing.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from codeplane.base.limits import MAX_PARSE_BYTES
from codeplane.disk.encoding import decode
from codeplane.disk.ignore import IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.walk import walk
from codeplane.facts.extract import extract
from codeplane.facts.model import Def
from codeplane.languages.registry import detect

KINDS: dict[str, frozenset[str]] = {
    "Python": frozenset({"function", "class", "member"}),
    "JavaScript": frozenset({"function", "class", "method", "generator", "getter", "setter"}),
    "TypeScript": frozenset({"function", "class", "method", "interface", "enum", "namespace", "generator", "alias"}),
    "Go": frozenset({"func", "struct", "interface", "type", "talias", "methodSpec"}),
    "Rust": frozenset({"function", "struct", "interface", "enum", "method", "macro", "module", "typedef"}),
    "Java": frozenset({"class", "method", "interface", "enum", "annotation"}),
    "Elixir": frozenset({"function", "macro", "module", "protocol", "guard", "delegate", "type", "operator"}),
    "Haskell": frozenset({"function", "type", "constructor", "module"}),
    "Lua": frozenset({"function"}),
    "Sh": frozenset({"function"}),
    "C#": frozenset({"class", "method", "interface", "enum", "struct", "namespace"}),
    "Kotlin": frozenset({"class", "method", "interface", "object", "typealias"}),
    "PHP": frozenset({"class", "interface", "trait", "function", "namespace"}),
    "Ruby": frozenset({"class", "module", "method", "singletonMethod", "alias"}),
    "C": frozenset({"function", "prototype", "struct", "union", "enum", "typedef", "macro"}),
    "C++": frozenset(
        {"function", "prototype", "struct", "union", "enum", "typedef", "macro", "class", "namespace", "alias"}
    ),
}
"""ctags kinds that are compared, by ctags language."""

_CALLABLES = frozenset({"function", "method", "constructor"})
OUR_KINDS: dict[str, frozenset[str]] = {
    "Python": _CALLABLES | {"class"},
    "JavaScript": _CALLABLES | {"class", "getter", "setter"},
    "TypeScript": _CALLABLES | {"class", "interface", "enum", "module", "type"},
    "Go": _CALLABLES | {"struct", "interface", "type"},
    "Rust": _CALLABLES | {"struct", "trait", "enum", "macro", "module", "type"},
    "Java": _CALLABLES | {"class", "interface", "enum", "annotation"},
    "Elixir": _CALLABLES | {"macro", "module", "interface", "type"},
    "Haskell": _CALLABLES | {"struct", "type", "module"},
    "Lua": _CALLABLES,
    "Sh": _CALLABLES,
    "C#": frozenset({"method", "constructor", "class", "interface", "enum", "struct", "module"}),
    "Kotlin": frozenset({"function", "method", "class", "interface", "object", "type", "enum", "annotation"}),
    "PHP": _CALLABLES | {"class", "interface", "trait", "module"},
    "Ruby": _CALLABLES | {"class", "module"},
    "C": _CALLABLES | {"struct", "enum", "type", "macro"},
    "C++": _CALLABLES | {"struct", "enum", "type", "macro", "class", "module"},
}
"""CodePlane kinds that are compared.

Kinds for which this ctags has no word are left out: the enum of PHP, the record of Java and C#,
the local function of C#, the constructor of Kotlin, the class of Haskell."""

OUR_LANGUAGES = {
    "Python": ("python",),
    "JavaScript": ("javascript",),
    "TypeScript": ("typescript", "tsx"),
    "Go": ("go",),
    "Rust": ("rust",),
    "Java": ("java",),
    "Elixir": ("elixir",),
    "Haskell": ("haskell",),
    "Lua": ("lua",),
    "Sh": ("bash",),
    "C#": ("csharp",),
    "Kotlin": ("kotlin",),
    "PHP": ("php",),
    "Ruby": ("ruby",),
    "C": ("c",),
    "C++": ("cpp",),
}
BY_OURS = {"c": "C", "cpp": "C++"}
"""ctags reads every `.h` as C++; it counts for the language that we read it as."""


MINIFIED = 400
"""Characters. In a longer line, a line number says nothing of the place."""


class Tag(NamedTuple):
    path: str
    name: str
    line: int
    kind: str
    language: str
    scope: str
    scope_kind: str


def read_ours(repository: Path) -> tuple[dict[str, list[Def]], dict[str, str]]:
    """Definitions of every file that would be indexed."""
    found: dict[str, list[Def]] = {}
    languages: dict[str, str] = {}
    with Root.open(repository) as root:
        for path in sorted(walk(root, IgnoreRules()).files):
            if detect(path) is None:
                continue
            data = (repository / path).read_bytes()
            text = decode(data)
            if text is None or len(data) > MAX_PARSE_BYTES:
                continue
            source = text.data.replace(b"\r\n", b"\n")
            language = detect(path, source)
            if language is None:
                continue
            found[path] = list(extract(language.name, path, source).facts.defs)
            languages[path] = language.name
    return found, languages


def read_ctags(repository: Path, paths: list[str]) -> Iterator[Tag]:
    """Tags of all kinds, also of those that are not compared."""
    options = ["--output-format=json", "--fields=+nKlsZ", "--extras=-{anonymous}", "--sort=no", "-f", "-"]
    options += [f"--kinds-{language}=*" for language in KINDS]
    for line in _ask_ctags(repository, paths, options):
        row = json.loads(line)
        if row.get("_type") == "tag":
            language, name = row.get("language", ""), row["name"]
            scope, scope_kind = row.get("scope", ""), row.get("scopeKind", "")
            if language == "Lua" and (parts := re.fullmatch(r"(.*)[.:](.*)", name)):
                scope, name = parts.groups()
            if language == "C++":
                name = re.sub(r"^operator (?=\W)", "operator", name)
            yield Tag(row["path"], name, row.get("line", 0), row.get("kind", ""), language, scope, scope_kind)


def read_by_ctags(repository: Path, paths: list[str]) -> frozenset[str]:
    """Return the paths that ctags reads."""
    answers = (line.rpartition(": ") for line in _ask_ctags(repository, paths, ["--print-language"]))
    return frozenset(path for path, _, language in answers if language != "NONE")


@lru_cache(maxsize=64)
def lines_of(file: Path) -> tuple[str, ...]:
    return tuple(file.read_text("utf-8", "replace").split("\n"))


def _ask_ctags(repository: Path, paths: list[str], options: list[str]) -> list[str]:
    command = ["ctags", *options]
    command += ["--langmap=TypeScript:+.tsx", "--langmap=TypeScript:+.mts", "--langmap=TypeScript:+.cts"]
    command += ["--langmap=JavaScript:+.mjs", "--langmap=JavaScript:+.cjs"]
    done = subprocess.run(
        [*command, "-L", "-"], cwd=repository, input="\n".join(paths), capture_output=True, text=True, errors="replace"
    )
    return done.stdout.splitlines()
