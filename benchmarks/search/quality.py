"""Search quality: NDCG@10 on questions with known answers, compared with BM25, grep and Semble.

    python -m benchmarks.search.quality DATA --mirror CLONES --work FOLDER [--sets A,B,C,D,S] [--sample 40]
        [--peers bm25,grep,semble | none] [--peer-folder FOLDER] [--json]

DATA holds questions and says what belongs to a corpus, CLONES the bare clones `<owner>+<name>/repo` that they are
about (see `search.data`): issues of SWE-bench (A), messages of commits (B), sentences of doc comments (C), names of
symbols from universal-ctags (D), and Semble's published annotations (S) can be brought into that shape from public
sources. Trees, indexes and answers are kept in FOLDER; what is there already is not asked again, so that an
interrupted run goes on where it stopped. Our answers are kept by a fingerprint of the code. Every contender gets the
whole corpus, tests included; we are asked for one page with default arguments. `--sample` takes that many rows of set
A, always the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import Figure, Result, Table, emit
from benchmarks.search.codeplane_search import Ours, fingerprint
from benchmarks.search.data import SETS, Data, Question
from benchmarks.search.peers import TITLES, VERSIONS, Contender, peers
from benchmarks.search.runs import answers_of
from benchmarks.search.score import Score, score
from benchmarks.server.peers import PeerFailed

REACH = {"A": 0.68, "B": 0.72, "C": 0.72, "D": 0.95, "S": 0.88}
REACH_OF_KINDS = {"exact": 0.99, "typo": 0.90}
OURS = "ours"
_SPANS = ("span Hit@1", "span Hit@5", "span Hit@10", "span MRR")
_KINDS_OF = "D"
Scores = dict[str, dict[str, Score]]
"""By contender, then by set, or by kind where a set has kinds."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--mirror", type=Path, required=True, metavar="CLONES")
    arguments.add_argument("--work", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--sets", type=names_of(SETS), default=list(SETS), help="of A,B,C,D,S (all)")
    arguments.add_argument("--sample", type=int, help="rows of set A (all)")
    arguments.add_argument("--peers", type=names_of(tuple(TITLES)), default=list(TITLES), help="or none (all)")
    arguments.add_argument("--peer-folder", type=Path, help="where Semble is, or is to be, installed (FOLDER/peers)")
    arguments.add_argument("--without-ours", action="store_true", help="ask only the peers")
    arguments.add_argument("--json", action="store_true", help="one line of JSON with every value")
    given = arguments.parse_args()
    data = Data(given.data.resolve(), given.mirror.resolve(), given.work.resolve())
    asked = {name: data.questions(name, given.sample if name == "A" else None) for name in given.sets}
    folder = (given.peer_folder or data.work / "peers").resolve()
    return emit(measure(data, asked, given.peers, folder, ours=not given.without_ours), given.json)


def measure(
    data: Data, asked: Mapping[str, Sequence[Question]], beside: Sequence[str], peer_folder: Path, *, ours: bool = True
) -> Result:
    result = Result("search_quality", 1)
    contenders: dict[str, tuple[str, Callable[[], Contender]]] = {}
    if ours:
        contenders[OURS] = (f"{OURS}-{fingerprint()}", partial(Ours, data.work))
    for name in beside:
        contenders[name] = (f"{name}-{VERSIONS[name]}", peers(peer_folder)[name])
    by_set: Scores = {}
    by_kind: Scores = {}
    for contender, (kept_as, start) in contenders.items():
        try:
            for name, questions in asked.items():
                answers = answers_of(data, kept_as, start, name, questions)
                by_set.setdefault(contender, {})[name] = score(questions, answers)
                for kind in dict.fromkeys(question.kind for question in questions) if name == _KINDS_OF else ():
                    of_kind = [question for question in questions if question.kind == kind]
                    by_kind.setdefault(contender, {})[kind] = score(of_kind, answers)
        except PeerFailed as error:
            result.notes.append(f"{TITLES[contender]} could not be asked: {error}")
    _report(result, asked, by_set, by_kind)
    return result.finish()


def _report(result: Result, asked: Mapping[str, Sequence[Question]], by_set: Scores, by_kind: Scores) -> None:
    counts = ", ".join(f"{name} {len(questions)}" for name, questions in asked.items())
    result.tables.append(
        _table(f"NDCG@10 with its 95 % interval; questions: {counts}", by_set, list(asked), REACH, with_interval=True)
    )
    if by_kind:
        kinds = list(next(iter(by_kind.values())))
        result.tables.append(_table(f"NDCG@10 by kind, set {_KINDS_OF}", by_kind, kinds, REACH_OF_KINDS))
    spanned = [name for name, questions in asked.items() if any(question.gold for question in questions)]
    for name in spanned:
        rows = [
            (_title(contender), *(f"{scores[name].measures[column]:.3f}" for column in _SPANS))
            for contender, scores in by_set.items()
            if name in scores
        ]
        result.tables.append(Table(f"spans, set {name}", ("", *_SPANS), tuple(rows)))
    for wanted, scores in ((REACH, by_set), (REACH_OF_KINDS, by_kind)):
        for name, reach in wanted.items():
            if name in scores.get(OURS, {}):
                others = (
                    f"{_title(contender)} {found[name].ndcg:.3f}"
                    for contender, found in scores.items()
                    if contender != OURS and name in found
                )
                value = scores[OURS][name].ndcg
                result.figures.append(
                    Figure(f"{name}: short of {reach}", max(0.0, round(reach - value, 4)), "", 0.0, ", ".join(others))
                )
    result.data = {
        contender: {
            name: {"questions": found.questions, "low": found.low, "high": found.high, **found.measures}
            for name, found in (*scores.items(), *by_kind.get(contender, {}).items())
        }
        for contender, scores in by_set.items()
    }


def _table(
    title: str, scores: Scores, columns: Sequence[str], reach: Mapping[str, float], *, with_interval: bool = False
) -> Table:
    def cell(found: Score | None) -> str:
        if found is None:
            return ""
        return f"{found.ndcg:.3f} {found.low:.2f}–{found.high:.2f}" if with_interval else f"{found.ndcg:.3f}"

    rows = [
        (_title(contender), *(cell(found.get(column)) for column in columns)) for contender, found in scores.items()
    ]
    rows.append(("to reach", *(f"{reach[column]:.2f}" if column in reach else "" for column in columns)))
    return Table(title, ("", *columns), tuple(rows))


def _title(contender: str) -> str:
    return TITLES.get(contender, "codeplane")


def names_of(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = [] if text == "none" else text.split(",")
        if unknown := [name for name in names if name not in known]:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)} is none of {', '.join(known)}")
        return names

    return parse


if __name__ == "__main__":
    sys.exit(main())
