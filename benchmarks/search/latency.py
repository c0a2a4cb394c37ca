"""Latency of search by mode, compared with `rg` on the same tree; the scan for changes is timed separately.

    python -m benchmarks.search.latency REPOSITORY [--rounds N] [--json]

On an unchanged indexed copy, warm, in one process, through the pipeline of tools: from the arguments to the
finished envelope. Queries are made from the repository by a fixed seed: names of its definitions, pieces of its lines,
patterns around its names, questions of its words, and a long text like that of an issue. Every round asks each mode
with the query of that round, and starts `rg` with the same literal or pattern. `rg` is a new process each time, as for
an agent. Calls are timed with the policy that never looks at the tree; the look, and a call with the default policy,
are timed beside them. The first queries are not counted.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path

from benchmarks.measure import Figure, Result, Series, Table, amount, emit, interleaved, parser, spread, timed
from benchmarks.search.bm25 import files_under, read
from benchmarks.search.codeplane_search import Ours
from benchmarks.trees import SEED, copy_repository, scratch, settle

from codeplane.query.snapshot import Snapshot, open_current
from codeplane.store.layout import open_state

MOST_SYMBOL = 0.005
MOST_LEXICAL = 0.015
MOST_AUTO = 0.030
MOST_REGEX_RATIO = 3.0
MOST_EXPLAINED = 1.10
ROUNDS = 200
_WARM_UP = 20
_LONG_LINES = 60
_EXPLAINED = "auto, reasons told"
_RG = ("rg", "--no-config", "--line-number", "--no-heading", "--hidden", "--glob=!.git", "--glob=!.codeplane")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

Queries = dict[str, list[str]]


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    given = arguments.parse_args()
    return emit(measure(given.repository, given.rounds), given.json)


def measure(repository: Path, rounds: int) -> Result:
    if shutil.which("rg") is None:
        raise SystemExit("rg is not on the PATH")
    result = Result("search_latency", rounds)
    with scratch() as room:
        tree = copy_repository(repository, room / "tree")
        settle(tree)
        ours = Ours(room)
        try:
            ours.turn_to(tree)
            queries = _queries(tree, rounds + _WARM_UP)
            calls = _calls(ours, tree, queries)
            interleaved(_WARM_UP, calls)
            found = interleaved(rounds, calls)
        finally:
            ours.close()
    _report(result, repository.resolve().name, found)
    return result.finish()


def _queries(tree: Path, count: int) -> Queries:
    """The same for the same tree."""
    chance = random.Random(SEED)
    state = open_state(tree)
    assert state is not None
    with open_current(state, lexical=False) as snapshot:
        rows = snapshot.reader.rows("SELECT DISTINCT name FROM defs WHERE length(name) > 3 ORDER BY name")
        names = [str(row[0]) for row in rows if re.fullmatch(r"\w+", str(row[0]))]
    if not names:
        raise SystemExit("the repository has no definitions")
    drawn = [chance.choice(names) for _ in range(count)]
    lines = _lines(tree, chance)
    return {
        "symbol": drawn,
        "lexical": [name if number % 2 else _piece(chance, lines) for number, name in enumerate(drawn)],
        "regex": [_pattern(number, name) for number, name in enumerate(drawn)],
        "auto": [_question(number, name, chance.choice(names)) for number, name in enumerate(drawn)],
        "auto, long text": ["\n".join(chance.sample(lines, min(_LONG_LINES, len(lines)))) for _ in drawn],
    }


def _lines(tree: Path, chance: random.Random) -> list[str]:
    files = chance.sample(files := files_under(tree), min(300, len(files)))
    texts = (read(file) for path, file in files if not path.startswith(".git/"))
    found = [line.strip() for text in texts for line in text.splitlines()]
    return [line for line in found if 12 < len(line) < 120 and line.isascii() and line.isprintable()]


def _piece(chance: random.Random, lines: list[str]) -> str:
    """Return a piece of a line as a query. Its first word has no colon, so it is not a filter."""
    words = chance.choice(lines).split()
    start = chance.randrange(len(words))
    return " ".join(words[start : start + 3]).replace(":", " ").strip('"') or words[0]


def _pattern(number: int, name: str) -> str:
    shapes = (rf"{name}\s*\(", rf"\b{name[:4]}\w*\b", rf"\.{name}\b", rf"\b\w+_{name[-4:]}\b", rf"^\s*\w+ {name}")
    return shapes[number % len(shapes)]


def _question(number: int, name: str, other: str) -> str:
    words, others = (" ".join(_CAMEL.findall(text)).lower() for text in (name, other))
    shapes = (name, words, f"how does {words} work", f"{words} when {others} fails", f"{name} {others}")
    return shapes[number % len(shapes)]


def _calls(ours: Ours, tree: Path, queries: Queries) -> dict[str, Callable[[], float]]:
    def asking(kind: str, **arguments: object) -> Callable[[], float]:
        asked = cycle(queries[kind])

        def call() -> float:
            named = {"query": next(asked), "freshness_policy": "best_effort", **arguments}
            return timed(lambda: ours.send({name: value for name, value in named.items() if value is not None}))

        return call

    def grepping(kind: str, *words: str) -> Callable[[], float]:
        asked = cycle(queries[kind])

        def call() -> float:
            command = [*_RG, "--smart-case", *words, "--regexp", next(asked)]
            return timed(lambda: _run(command, tree))

        return call

    def look() -> None:
        if ours.workspace.read(_nothing, "strict").freshness.status != "fresh":
            raise RuntimeError("the copy was edited")

    return {
        "symbol": asking("symbol", mode="symbol"),
        "lexical": asking("lexical", mode="lexical"),
        "rg, the same literal": grepping("lexical", "--fixed-strings"),
        "regex": asking("regex", mode="regex"),
        "rg, the same pattern": grepping("regex"),
        "auto": asking("auto"),
        _EXPLAINED: asking("auto", ranking_explain_level="basic"),
        "auto, long text": asking("auto, long text"),
        "auto, default policy": asking("auto", freshness_policy=None),
        "the look for changes": lambda: timed(look),
    }


def _nothing(snapshot: Snapshot) -> None:
    """The look alone is what is timed."""


def _run(command: list[str], tree: Path) -> None:
    done = subprocess.run(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if done.returncode > 1:
        raise RuntimeError(f"{command} ended with {done.returncode}")


def _report(result: Result, name: str, found: Mapping[str, Series]) -> None:
    rows = tuple((kind, *spread(series), amount(max(series.values) * 1000, "ms")) for kind, series in found.items())
    result.tables.append(Table(f"{name}: one call, without the look unless named", ("", "median", "p95", "max"), rows))
    look = f"the look for changes {amount(found['the look for changes'].p95 * 1000, 'ms')}"
    for kind, most in (("symbol", MOST_SYMBOL), ("lexical", MOST_LEXICAL), ("auto", MOST_AUTO)):
        beside = f"{look}, rg {amount(found['rg, the same literal'].p95 * 1000, 'ms')}"
        result.figures.append(Figure(f"{kind}: p95", found[kind].p95 * 1000, "ms", most * 1000, beside))
    ours, peer = found["regex"], found["rg, the same pattern"]
    ratios = Series(tuple(a / b for a, b in zip(ours.values, peer.values, strict=True)))
    beside = (
        f"the median of the ratios of each pattern {amount(ratios.median, '×')}, their p95 {amount(ratios.p95, '×')}"
    )
    result.figures.append(Figure("regex / rg: p95", ours.p95 / peer.p95, "×", MOST_REGEX_RATIO, beside))
    told = sum(found[_EXPLAINED].values) / sum(found["auto"].values)
    result.figures.append(Figure("auto with basic reasons / without", told, "×", MOST_EXPLAINED, ""))
    result.data = {kind: series.values for kind, series in found.items()}


if __name__ == "__main__":
    sys.exit(main())
