"""Compare definitions with universal-ctags on given repositories.

    python -m benchmarks.definitions.quality PATH [PATH ...] [--misses N] [--extra N] [--levels N] [--json]

Three shares for each language of each repository, of the functions, classes and what else both have kinds for:
recall (what ctags has and we have too), precision (what we have and ctags has too) and level (of what both have,
those that both put under the same parent). Definitions are matched by file, name and line. Every difference is put
into a class that says why ctags is wrong, or counts against us; the share is given with and without
those explained, and the options list N of those that are not.
Needs universal-ctags 5.9 with JSON output on the PATH (Debian package `universal-ctags`).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.definitions.extra import explain_extra
from benchmarks.definitions.level import explain_level, parent_by_ctags, parent_by_us
from benchmarks.definitions.misses import explain_miss
from benchmarks.definitions.read_tags import (
    BY_OURS,
    KINDS,
    OUR_KINDS,
    OUR_LANGUAGES,
    Tag,
    lines_of,
    read_by_ctags,
    read_ctags,
    read_ours,
)

from codeplane.facts.model import Def

TARGETS = {"recall": 0.98, "precision": 0.98, "level": 0.95}
"""Target without explained differences."""


@dataclass(frozen=True)
class Share:
    """Agreement with ctags on one measure."""

    of: int
    agreed: int
    share: float
    """Share of all comparisons, including explained differences."""
    interval: tuple[float, float]
    explained: int
    reasons: dict[str, int]
    unexplained: int
    adjusted: float
    """The share without what is explained."""
    differences: list[str]
    """The unexplained ones."""


@dataclass(frozen=True)
class Comparison:
    """One language of one repository."""

    repository: str
    language: str
    recall: Share
    precision: Share
    level: Share


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="list N unexplained misses per language")
    parser.add_argument("--extra", type=int, default=0, metavar="N", help="list N of ours that nothing explains")
    parser.add_argument("--levels", type=int, default=0, metavar="N", help="list N other parents that nothing explains")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    results = [result for path in arguments.paths for result in compare(path)]
    limits = {"recall": arguments.misses, "precision": arguments.extra, "level": arguments.levels}
    if arguments.json:
        print(json.dumps([asdict(result) for result in results]))
    else:
        show(results, limits)
    return int(any(getattr(row, name).adjusted < target for row in results for name, target in TARGETS.items()))


def show(results: Iterable[Comparison], limits: dict[str, int]) -> None:
    print(
        f"{'repository':<20}{'language':<12}{'figure':<11}{'of':>8}{'agreed':>8}{'share':>8}{'95% interval':>16}"
        f"{'explained':>11}{'left':>7}{'without':>9}{'target':>8}"
    )
    for row in results:
        for name, target in TARGETS.items():
            figure: Share = getattr(row, name)
            low, high = figure.interval
            print(
                f"{row.repository:<19} {row.language:<12}{name:<11}{figure.of:>8}{figure.agreed:>8}{figure.share:>8.4f}"
                f"{f'{low:.4f}–{high:.4f}':>16}{figure.explained:>11}{figure.unexplained:>7}{figure.adjusted:>9.4f}"
                f"{target:>8.2f}{'' if figure.adjusted >= target else '  missed'}"
            )
            for reason, count in figure.reasons.items():
                print(f"{'':<43}{count:>8}  {reason}")
            for line in figure.differences[: limits[name]]:
                print(f"    {line}")


def compare(repository: Path) -> list[Comparison]:
    ours, languages = read_ours(repository)
    paths = sorted(ours)
    return tally(repository, ours, languages, list(read_ctags(repository, paths)), read_by_ctags(repository, paths))


def tally(
    repository: Path,
    ours: dict[str, list[Def]],
    languages: dict[str, str],
    tags: Sequence[Tag],
    readable: frozenset[str],
) -> list[Comparison]:
    """`tags` are of all kinds; `readable` are the files that ctags reads at all."""
    compared: dict[str, list[Tag]] = defaultdict(list)
    tagged: dict[tuple[str, str], list[Tag]] = defaultdict(list)
    for tag in tags:
        tagged[tag.path, _bare(tag.name)].append(tag)
        if tag.kind in KINDS.get(tag.language, ()):
            compared[BY_OURS.get(languages[tag.path], tag.language)].append(tag)
    by_name: dict[tuple[str, str], list[Def]] = defaultdict(list)
    for path, defs in ours.items():
        for row in defs:
            by_name[path, _bare(row.name)].append(row)
    found = {}
    for language, wanted in sorted(compared.items()):
        pairs = [(tag, [row for row in by_name[tag.path, _bare(tag.name)] if _is_same(tag, row)]) for tag in wanted]
        misses = [
            (tag, explain_miss(tag, ours[tag.path], lines_of(repository / tag.path))) for tag, rows in pairs if not rows
        ]
        both = {(tag.path, row.def_uid, row.name_line, row.name_col) for tag, rows in pairs for row in rows}
        mine = [
            (path, row)
            for path in sorted(ours)
            if languages[path] in OUR_LANGUAGES[language]
            for row in ours[path]
            if row.kind in OUR_KINDS[language]
        ]
        extra = [
            (path, row, _explain_extra(repository, path, row, language, tagged[path, _bare(row.name)], readable))
            for path, row in mine
            if (path, row.def_uid, row.name_line, row.name_col) not in both
        ]
        found[language] = (
            _share(len(pairs), [(why, f"miss {tag.kind} {tag.name} {tag.path}:{tag.line}") for tag, why in misses]),
            _share(
                len(mine),
                [(why, f"ours {row.kind} {row.lexical_path} {path}:{row.name_line}") for path, row, why in extra],
            ),
            _compare_levels(repository, ours, language, pairs, {tag for tag, why in misses if why is None}),
        )
    return [Comparison(repository.resolve().name, language, *shares) for language, shares in found.items()]


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The interval of a share, at 95 %."""
    if total == 0:
        return 0.0, 1.0
    z = 1.96
    share = hits / total
    middle = share + z * z / (2 * total)
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - reach) / (1 + z * z / total), min(1.0, (middle + reach) / (1 + z * z / total))


def _bare(name: str) -> str:
    """ctags leaves off the # of a private name of JavaScript."""
    return name.removeprefix("#")


def _is_same(tag: Tag, row: Def) -> bool:
    """True if a row is the same definition: ctags gives the line of the name, of a decorator, or the line before."""
    return row.start_line - 1 <= tag.line <= row.name_line


def _explain_extra(
    repository: Path, path: str, row: Def, language: str, tags: Sequence[Tag], readable: frozenset[str]
) -> str | None:
    if path not in readable:
        return "ctags does not read the file"
    return explain_extra(row, language, tags, lines_of(repository / path))


def _compare_levels(
    repository: Path,
    ours: dict[str, list[Def]],
    language: str,
    pairs: Sequence[tuple[Tag, list[Def]]],
    missed: Iterable[Tag],
) -> Share:
    # a missed definition is a parent too: otherwise one miss would explain everything inside it
    declared: dict[str, set[int]] = defaultdict(set)
    for tag in missed:
        declared[tag.path].add(tag.line)
    for path in {tag.path for tag, _ in pairs}:
        declared[path].update(row.name_line for row in ours[path] if row.kind in OUR_KINDS[language])
    total = 0
    differences = []
    for tag, rows in pairs:
        theirs = parent_by_ctags(tag)
        if not rows or theirs is None:
            continue
        total += 1
        parents = [parent_by_us(row, ours[tag.path], language) for row in rows]
        if theirs not in parents:
            why = explain_level(tag, parents[0], declared[tag.path], lines_of(repository / tag.path))
            text = f"level {tag.kind} {tag.name} {tag.path}:{tag.line} ctags {theirs or '-'} ours {parents[0] or '-'}"
            differences.append((why, text))
    return _share(total, differences)


def _share(total: int, differences: Sequence[tuple[str | None, str]]) -> Share:
    reasons = Counter(why for why, _ in differences if why is not None)
    agreed, explained = total - len(differences), sum(reasons.values())
    return Share(
        of=total,
        agreed=agreed,
        share=agreed / total if total else 1.0,
        interval=wilson(agreed, total),
        explained=explained,
        reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        unexplained=len(differences) - explained,
        adjusted=agreed / (total - explained) if total > explained else 1.0,
        differences=[text for why, text in differences if why is None],
    )


if __name__ == "__main__":
    sys.exit(main())
