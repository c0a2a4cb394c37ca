"""Definitions beside universal-ctags, on repositories that you name.

    python -m benchmarks.definitions PATH [PATH ...] [--misses N] [--json]

Recall: the functions, classes and methods that ctags reports (with interfaces, structs, traits,
enums, records, namespaces and macros of that rank), matched by file, name and line. Every miss is put
into a class that says whose it is; `--misses` lists the unexplained ones. Precision is
looked at from the other side: what we report of these kinds and ctags does not.
Needs universal-ctags 5.9 with JSON output on the PATH (Debian package `universal-ctags`).
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from codeplane.base.limits import MAX_PARSE_BYTES
from codeplane.disk.beneath import Root
from codeplane.disk.ignore import Rules
from codeplane.disk.text import decode
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
"""What ctags calls the definitions that are compared, by its name of the language."""

OUR_KINDS = frozenset(
    {"function", "method", "constructor", "getter", "setter", "macro", "module", "annotation", "type"}
    | {"class", "interface", "struct", "enum", "trait", "record"}
)


@dataclass(frozen=True)
class Comparison:
    """One language of one repository."""

    repository: str
    language: str
    ctags: int
    found: int
    recall: float
    mended: float
    """Recall without the tags that are explained."""
    """Of all that ctags reports, whatever explains a miss."""
    interval: tuple[float, float]
    explained: int
    reasons: dict[str, int]
    unexplained: int
    only_ours: int
    miss_list: list[str]
    extra_list: list[str]


class Tag(NamedTuple):
    path: str
    name: str
    line: int
    kind: str
    language: str
    pattern: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="list N unexplained misses per language")
    parser.add_argument("--extra", type=int, default=0, metavar="N", help="list N of ours that ctags has not")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    results = [result for path in arguments.paths for result in compare(path, arguments.misses, arguments.extra)]
    if arguments.json:
        print(json.dumps([asdict(result) for result in results]))
        return 0
    print(
        f"{'repository':<20}{'language':<12}{'ctags':>8}{'found':>8}{'recall':>8}{'95% interval':>16}"
        f"{'explained':>11}{'misses':>8}{'without':>9}{'only ours':>11}"
    )
    for row in results:
        low, high = row.interval
        print(
            f"{row.repository:<20}{row.language:<12}{row.ctags:>8}{row.found:>8}{row.recall:>8.4f}"
            f"{f'{low:.4f}–{high:.4f}':>16}{row.explained:>11}{row.unexplained:>8}{row.mended:>9.4f}{row.only_ours:>11}"
        )
        for reason, count in row.reasons.items():
            print(f"{'':<32}{count:>8}  {reason}")
        for line in (*row.miss_list, *row.extra_list):
            print(f"    {line}")
    return 0


def compare(repository: Path, list_misses: int, list_extra: int) -> list[Comparison]:
    ours, languages = read_ours(repository)
    tags: dict[str, list[Tag]] = defaultdict(list)
    for tag in read_ctags(repository, sorted(ours)):
        if tag.kind in KINDS.get(tag.language, ()):
            tags[_BY_OURS.get(languages[tag.path], tag.language)].append(tag)
    rows = []
    for language, found in sorted(tags.items()):
        misses: list[Tag] = []
        reasons: Counter[str] = Counter()
        hit = 0
        for tag in found:
            lines = {
                line
                for row in ours[tag.path]
                if row.name == tag.name
                for line in range(row.start_line, row.name_line + 1)
            }
            if tag.line in lines or tag.line + 1 in lines:
                hit += 1
                continue
            reason = explain(tag, ours[tag.path], repository)
            if reason is None:
                misses.append(tag)
            else:
                reasons[reason] += 1
        known = {(tag.path, tag.name) for tag in found}
        extra = [
            (path, row)
            for path, defs in sorted(ours.items())
            if languages[path] in _OUR_LANGUAGES[language]
            for row in defs
            if row.kind in OUR_KINDS and (path, row.name) not in known
        ]
        rows.append(
            Comparison(
                repository=repository.resolve().name,
                language=language,
                ctags=len(found),
                found=hit,
                recall=hit / len(found),
                mended=hit / (hit + len(misses)) if hit + len(misses) else 1.0,
                interval=wilson(hit, len(found)),
                explained=sum(reasons.values()),
                reasons=dict(reasons.most_common()),
                unexplained=len(misses),
                only_ours=len(extra),
                miss_list=[f"miss {tag.kind} {tag.name} {tag.path}:{tag.line}" for tag in misses[:list_misses]],
                extra_list=[
                    f"ours {row.kind} {row.lexical_path} {path}:{row.name_line}" for path, row in extra[:list_extra]
                ],
            )
        )
    return rows


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The interval of a share, at 95 %."""
    z = 1.96
    share = hits / total
    middle = share + z * z / (2 * total)
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - reach) / (1 + z * z / total), min(1.0, (middle + reach) / (1 + z * z / total))


_OUR_LANGUAGES = {
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
_BY_OURS = {"c": "C", "cpp": "C++"}
"""ctags reads every `.h` as C++; it counts for the language that we read it as."""


def explain(tag: Tag, ours: list[Def], repository: Path) -> str | None:
    """Why ctags and we differ on this tag, where the line itself shows it; None is a miss of ours."""
    if tag.name.startswith(("anonymous", "__anon", "AnonymousFunction")):
        return "ctags invents a name for something anonymous"
    lines = (repository / tag.path).read_text("utf-8", "replace").split("\n")
    line = lines[tag.line - 1] if 0 < tag.line <= len(lines) else ""
    if tag.name not in line:
        return "the name is not on the line that ctags gives"
    if any(row.name == tag.name and abs(row.name_line - tag.line) <= 3 for row in ours):
        return "found a few lines apart"
    if len(line) > _MINIFIED:
        return "a minified line"
    if tag.name in _KEYWORDS:
        return "ctags takes a keyword for a name"
    before, _, after = line.partition(tag.name)
    if tag.language == "Java" and (before.rstrip().endswith(("new", ".")) or "." in tag.name):
        return "ctags takes a call for a method"
    if tag.language == "Java" and re.match(r"\s*(\(.*\))?\s*\{", after) and not re.search(r"\w\s+$", before):
        return "ctags takes an enum constant with a body for a method"
    if tag.language in ("Lua", "Sh") and not re.fullmatch(r"[\w:.+-]+", tag.name):
        return "ctags takes the end of an expression for a name"
    if tag.language == "Lua" and not (
        re.search(r"function\s+[\w.:]*\Z", before) or re.match(r"\s*=\s*function\b", after)
    ):
        return "ctags takes a variable for the function that its value is made with"
    if tag.language in ("Elixir", "Haskell"):
        if any(row.name == tag.name and row.start_line <= tag.line <= row.end_line for row in ours):
            return "a clause of what was found"
        if any(row.name.rpartition(".")[2] == tag.name and row.name_line == tag.line for row in ours):
            return "ctags gives the last part of a module's name"
        if tag.language == "Haskell" and tag.name == "pattern":
            return "ctags takes a keyword for a name"
    if tag.language in ("C", "C++"):
        return _explain_c(tag, ours, before, after)
    if tag.language == "C#":
        return _explain_csharp(tag, ours, line, before)
    if tag.language == "PHP" and before.endswith("$") and re.match(r"\s*=\s*(static\s+)?(function|fn)\b", after):
        return "ctags takes a variable that holds a closure for a function"
    if tag.language == "Ruby" and _in_heredoc(lines, tag.line):
        return "ctags reads the text of a heredoc as code"
    if tag.language == "Ruby" and before.rstrip().endswith("def") and after.startswith("."):
        return "ctags takes the object of a singleton method for its name"
    if tag.language == "Ruby" and tag.kind == "alias" and after[:1] in ("?", "!", "="):
        return "ctags cuts the last character off an alias"
    if tag.language == "Kotlin" and tag.kind == "method" and not re.search(r"\bfun\b", before):
        return "ctags takes a lambda for a method"
    if tag.kind == "alias" and _in_import(lines, tag.line):
        return "ctags takes an imported type for an alias"
    if tag.language in ("JavaScript", "TypeScript"):
        if tag.kind == "class" and "class" not in before:
            return "ctags takes an object literal for a class"
        if tag.name.isdigit() or before.rstrip().endswith(("'", '"')):
            return "ctags takes a key of an object literal for a definition"
    return None


def _explain_c(tag: Tag, ours: list[Def], before: str, after: str) -> str | None:
    callables = ("function", "method", "constructor")
    if tag.kind == "prototype" and any(row.name == tag.name and row.kind in callables for row in ours):
        return "a prototype of what the file defines"
    if tag.kind in ("prototype", "function") and tag.name.isupper() and after.lstrip()[:1] in ("", "("):
        return "ctags takes the call of a macro for a function"
    if tag.kind == "prototype" and tag.name in ("offsetof", "sizeof", "alignof", "defined"):
        return "ctags takes a call for a prototype"
    if tag.kind == "typedef" and before.rstrip().endswith(")"):
        return "ctags takes the macro behind a declaration for its name"
    return None


def _explain_csharp(tag: Tag, ours: list[Def], line: str, before: str) -> str | None:
    near = {row.name for row in ours if abs(row.name_line - tag.line) <= 1}
    if "." in tag.name and tag.name.rpartition(".")[2] in near:
        return "ctags writes the interface before the name"
    if tag.name.startswith("~") and tag.name[1:] in near:
        return "ctags calls a finalizer ~Name"
    if tag.kind in ("class", "struct") and (re.search(rf"\bwhere {tag.name}\b", line) or " is " in before):
        return "ctags takes a constraint or a test for a type"
    types = {row.name for row in ours if row.kind in ("class", "struct", "record")}
    if tag.kind == "method" and tag.name not in types:
        if tag.name in ("typeof", "nameof", "lock", "base", "sizeof", "fixed", "checked", "unchecked", "default"):
            return "ctags takes a keyword for a name"
        if re.search(r"(?:^|[=(,;{}!?:&|.>]|\b(?:return|await|new|throw|base|else|case))\s*$", before):
            return "ctags takes a call for a method"
        if re.match(r"\s*(///|//|\*|\[)", before):
            return "ctags reads a comment or an attribute"
    return None


_MINIFIED = 400
_KEYWORDS = frozenset(
    {
        "any",
        "as",
        "async",
        "await",
        "catch",
        "extends",
        "for",
        "if",
        "implements",
        "in",
        "instanceof",
        "is",
        "new",
        "of",
    }
    | {"return", "satisfies", "switch", "this", "type", "while"}
)


def _in_import(lines: list[str], line: int) -> bool:
    """Whether a line stands in an import statement, which may go over many lines."""
    for text in reversed(lines[max(0, line - 60) : line]):
        if text.lstrip().startswith(("import", "export")):
            return "=" not in text.partition("from")[0]
        if text.rstrip().endswith(";") and text is not lines[line - 1]:
            return False
    return False


def _in_heredoc(lines: list[str], line: int) -> bool:
    """Whether a line of Ruby lies between `<<~TEXT` and `TEXT`."""
    ends: list[str] = []
    for text in lines[: line - 1]:
        if ends:
            if text.strip() == ends[0]:
                ends.pop(0)
        else:
            ends = re.findall(r"<<[~-]?[\"'`]?([A-Z_][A-Z0-9_]*)\b", text)
    return bool(ends)


def read_ours(repository: Path) -> tuple[dict[str, list[Def]], dict[str, str]]:
    """Definitions of every file that would be indexed."""
    found: dict[str, list[Def]] = {}
    languages: dict[str, str] = {}
    with Root.open(repository) as root:
        for path in sorted(walk(root, Rules()).files):
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
            found[path] = list(extract(language.name, path, 0, source).facts.defs)
            languages[path] = language.name
    return found, languages


def read_ctags(repository: Path, paths: list[str]) -> Iterator[Tag]:
    command = [
        "ctags",
        "--output-format=json",
        "--fields=+nKl",
        "--extras=-{anonymous}",
        "--sort=no",
        "-f",
        "-",
        "-L",
        "-",
    ]
    command += ["--langmap=TypeScript:+.tsx", "--langmap=TypeScript:+.mts", "--langmap=TypeScript:+.cts"]
    command += ["--langmap=JavaScript:+.mjs", "--langmap=JavaScript:+.cjs"]
    command += [f"--kinds-{language}=*" for language in KINDS]
    done = subprocess.run(
        command, cwd=repository, input="\n".join(paths), capture_output=True, text=True, errors="replace"
    )
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row.get("_type") == "tag":
            name = re.split("[.:]", row["name"])[-1] if row.get("language") == "Lua" else row["name"]
            if row.get("language") == "C++":
                name = re.sub(r"^operator (?=\W)", "operator", name)
            yield Tag(row["path"], name, row.get("line", 0), row.get("kind", ""), row.get("language", ""), "")


if __name__ == "__main__":
    sys.exit(main())
