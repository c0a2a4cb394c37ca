"""Precision and recall of references on definitions with known references, compared with jedi and ty.

    python -m benchmarks.references.quality DATA --repositories FOLDER [--languages python,typescript,go]
        [--peers jedi,ty | none] [--peer-folder FOLDER] [--without-annotations] [--misses N] [--errors N] [--json]

DATA holds the known references (see `references.data`), FOLDER the repositories by name. A repository is only read;
what is asked about is a copy. One that is at another commit than its rows is named. A sure answer (PROVEN or STRONG)
that neither of the tools behind the data has is an error, unless a run of the tests saw it. With
`--without-annotations` the copies have none outside of class bodies, for everybody, and references that stood in them
are not asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import Figure, Result, Table, emit
from benchmarks.references.codeplane_references import Ours
from benchmarks.references.data import (
    UTF16_LANGUAGES,
    Answer,
    Definition,
    Truth,
    copy_tree,
    copy_without_annotations,
    describe_commit,
    in_utf16,
    load,
    without_blanked,
)
from benchmarks.references.peers import TITLES, Contender, peers
from benchmarks.references.score import Score, Verdict, judge, total, total_tiers
from benchmarks.search.quality import names_of
from benchmarks.server.peers import PeerFailed
from benchmarks.trees import scratch

OURS = "ours"
REACH = {
    "python": {"precision": 0.995, "recall_agreed": 0.975, "recall_union": 0.96, "recall_runtime": 0.90},
    "typescript": {"precision": 0.99, "recall_agreed": 0.95},
    "go": {"precision": 0.99, "recall_agreed": 0.85},
}
REACH_BARE = {"python": {"precision": 0.995, "recall_agreed": 0.90}}
_PEERS_READ = "python"
_COLUMNS = {
    "precision": "precision",
    "recall_agreed": "recall",
    "recall_union": "of the union",
    "recall_any_tier": "any tier",
    "recall_runtime": "at run time",
    "exact": "exact",
}
Verdicts = dict[str, list[tuple[Truth, Verdict]]]
"""By contender."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--repositories", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--languages", type=lambda text: text.split(","), help="of those in DATA (all)")
    arguments.add_argument("--peers", type=names_of(tuple(TITLES)), default=list(TITLES), help="or none (all)")
    arguments.add_argument("--peer-folder", type=Path, help="where peers are, or are to be, installed")
    arguments.add_argument("--without-annotations", action="store_true", help="on copies without them (Python alone)")
    arguments.add_argument("--by-search", action="store_true", help="ask search with mode references, not cpl refs")
    arguments.add_argument("--without-ours", action="store_true", help="ask only the peers")
    arguments.add_argument("--misses", type=int, default=0, metavar="N", help="list N references that we missed")
    arguments.add_argument("--errors", type=int, default=0, metavar="N", help="list N sure answers that are wrong")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    if given.peers and given.peer_folder is None:
        arguments.error("--peers needs --peer-folder, or say --peers none")
    rows = load(given.data.resolve())
    bare = given.without_annotations
    wanted = given.languages or ([_PEERS_READ] if bare else sorted({row.language for row in rows}))
    rows = [row for row in rows if row.language in wanted]
    if not rows:
        raise SystemExit(f"no rows of {', '.join(wanted)}")
    folder = given.peer_folder.resolve() if given.peer_folder else Path()
    asked = {name: start for name, start in peers(folder).items() if name in given.peers}
    result = measure(
        rows,
        given.repositories.resolve(),
        asked,
        bare=bare,
        ours=None if given.without_ours else partial(Ours, by_search=given.by_search),
    )
    _list(result, given.misses, given.errors)
    return emit(result, given.json)


def measure(
    rows: Sequence[Truth],
    repositories: Path,
    beside: Mapping[str, Callable[[], Contender]],
    *,
    bare: bool = False,
    ours: Callable[[Path], Contender] | None = Ours,
) -> Result:
    result = Result("references", 1)
    verdicts: Verdicts = {}
    with scratch() as room:
        starts: dict[str, Callable[[], Contender]] = {OURS: partial(ours, room / "user")} if ours else {}
        started: dict[str, Contender] = {}
        for name, start in (starts | dict(beside)).items():
            try:
                started[name] = start()
            except PeerFailed as error:
                result.notes.append(f"{_title(name)} could not be asked: {error}")
        try:
            for repo in dict.fromkeys(row.definition.repo for row in rows):
                wanted = [row for row in rows if row.definition.repo == repo]
                tree, of_repo = _prepare(result, repositories / repo, room / "trees" / repo, wanted, bare)
                for name, contender in list(started.items()):
                    theirs = [row for row in of_repo if name == OURS or row.language == _PEERS_READ]
                    try:
                        verdicts.setdefault(name, []).extend(_verdicts(contender, tree, theirs))
                    except PeerFailed as error:
                        result.notes.append(f"{_title(name)} on {repo}: {error}")
                        verdicts.pop(name, None)
                        started.pop(name).close()
        finally:
            for contender in started.values():
                contender.close()
    _report(result, verdicts, REACH_BARE if bare else REACH)
    return result.finish()


def _prepare(
    result: Result, source: Path, target: Path, rows: Sequence[Truth], bare: bool
) -> tuple[Path, Sequence[Truth]]:
    if not source.is_dir():
        raise SystemExit(f"{source} is missing; its rows are of commit {rows[0].commit}")
    if trouble := describe_commit(source, rows[0].commit):
        result.notes.append(trouble)
    if not bare:
        return copy_tree(source, target), rows
    tree, blanked = copy_without_annotations(source, target)
    result.notes.append(f"{source.name}: {sum(map(len, blanked.values()))} annotations in {len(blanked)} files blanked")
    return tree, [without_blanked(row, blanked) for row in rows]


def _verdicts(contender: Contender, tree: Path, rows: Sequence[Truth]) -> Iterable[tuple[Truth, Verdict]]:
    if not rows:
        return []
    contender.turn_to(tree)
    return [(row, judge(row, _asked(contender, tree, row))) for row in rows]


def _asked(contender: Contender, tree: Path, row: Truth) -> list[Answer]:
    answers = contender.ask(row.definition)
    return in_utf16(tree, answers) if row.language in UTF16_LANGUAGES else answers


def _report(result: Result, verdicts: Verdicts, reach: Mapping[str, Mapping[str, float]]) -> None:
    languages = list(dict.fromkeys(row.language for found in verdicts.values() for row, _ in found))
    for language in languages:
        scores = {
            name: total(verdict for row, verdict in found if row.language == language)
            for name, found in verdicts.items()
            if any(row.language == language for row, _ in found)
        }
        result.tables.append(_table(language, scores, reach.get(language, {})))
        result.tables.append(_kinds(language, verdicts))
        for name, score in scores.items():
            result.data.setdefault(name, {})[language] = score.as_document()
        if OURS in scores:
            result.tables.append(_tiers(language, verdicts[OURS]))
            result.figures += _figures(language, scores, reach.get(language, {}))
    result.data["judged"] = {
        name: [
            {
                "definition": _place(row.definition),
                "kind": row.definition.kind,
                "wrong": verdict.wrong,
                "missed": verdict.missed,
            }
            for row, verdict in found
            if verdict.wrong or verdict.missed
        ]
        for name, found in verdicts.items()
    }


def _table(language: str, scores: Mapping[str, Score], reach: Mapping[str, float]) -> Table:
    rows = [
        (
            _title(name),
            f"{score.answered}/{score.definitions}",
            str(score.errors),
            str(score.refuted),
            str(score.beyond),
            *(_cell(score.shares[share]) for share in _COLUMNS),
        )
        for name, score in scores.items()
    ]
    if reach:
        rows.append(("to reach", "", "", "", "", *(_cell(reach.get(share)) for share in _COLUMNS)))
    agreed = max(score.agreed for score in scores.values())
    columns = ("", "answered", "errors", "refuted", "beyond", *_COLUMNS.values())
    return Table(f"{language}: {agreed} agreed references", columns, tuple(rows))


def _kinds(language: str, verdicts: Verdicts) -> Table:
    """For each kind of definition, precision and recall of each contender."""
    found = {
        name: [(row, verdict) for row, verdict in of_name if row.language == language]
        for name, of_name in verdicts.items()
    }
    found = {name: of_name for name, of_name in found.items() if of_name}
    kinds = sorted({row.definition.kind for of_name in found.values() for row, _ in of_name})
    rows = []
    for kind in kinds:
        scores = [
            total(verdict for row, verdict in of_name if row.definition.kind == kind) for of_name in found.values()
        ]
        cells = [cell for score in scores for cell in (_cell(score.precision), _cell(score.shares["recall_agreed"]))]
        rows.append((kind, str(scores[0].definitions), *cells))
    columns = [f"{_title(name)}: {share}" for name in found for share in ("precision", "recall")]
    return Table(f"{language}, by kind", ("", "definitions", *columns), tuple(rows))


def _tiers(language: str, found: Sequence[tuple[Truth, Verdict]]) -> Table:
    tiers = total_tiers([verdict for row, verdict in found if row.language == language])
    rows = tuple((tier, str(given), _cell(right / given)) for tier, (given, right) in tiers.items())
    return Table(f"{language}, ours by tier", ("", "answers", "right"), rows)


def _figures(language: str, scores: Mapping[str, Score], reach: Mapping[str, float]) -> list[Figure]:
    found = []
    for share, least in reach.items():
        value = scores[OURS].shares[share]
        if value is not None:
            beside = ", ".join(
                f"{_title(name)} {_cell(score.shares[share])}" for name, score in scores.items() if name != OURS
            )
            short = max(0.0, round(least - value, 4))
            found.append(Figure(f"{language}, {_COLUMNS[share]}: short of {least}", short, "", 0.0, beside))
    return found


def _list(result: Result, misses: int, errors: int) -> None:
    verdict = result.data["judged"].get(OURS, [])
    for title, key, limit in (("missed", "missed", misses), ("wrong", "wrong", errors)):
        places = [
            (row["definition"], row["kind"], f"{place.path}:{place.line}:{place.col}")
            for row in verdict
            for place in row[key]
        ]
        if limit:
            result.tables.append(Table(f"ours, {title}: {len(places)}", ("of", "kind", "at"), tuple(places[:limit])))


def _place(definition: Definition) -> str:
    return f"{definition.repo}/{definition.path}:{definition.line} {definition.qualname}"


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".removeprefix("0")


def _title(contender: str) -> str:
    return TITLES.get(contender, "codeplane")


if __name__ == "__main__":
    sys.exit(main())
