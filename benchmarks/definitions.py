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
            tags[tag.language].append(tag)
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
}


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
    if tag.kind == "alias" and _in_import(lines, tag.line):
        return "ctags takes an imported type for an alias"
    if tag.language in ("JavaScript", "TypeScript"):
        if tag.kind == "class" and "class" not in before:
            return "ctags takes an object literal for a class"
        if tag.name.isdigit() or before.rstrip().endswith(("'", '"')):
            return "ctags takes a key of an object literal for a definition"
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


def read_ours(repository: Path) -> tuple[dict[str, list[Def]], dict[str, str]]:
    """Definitions of every file that would be indexed."""
    found: dict[str, list[Def]] = {}
    languages: dict[str, str] = {}
    with Root.open(repository) as root:
        for path in sorted(walk(root, Rules()).files):
            language = detect(path)
            if language is None:
                continue
            data = (repository / path).read_bytes()
            text = decode(data)
            if text is None or len(data) > MAX_PARSE_BYTES:
                continue
            found[path] = list(extract(language.name, path, 0, text.data.replace(b"\r\n", b"\n")).facts.defs)
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
            yield Tag(row["path"], row["name"], row.get("line", 0), row.get("kind", ""), row.get("language", ""), "")


if __name__ == "__main__":
    sys.exit(main())
