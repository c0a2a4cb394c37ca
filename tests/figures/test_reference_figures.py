"""The measures of references and calls can be trusted: their scores, their trees, and what is taken out of them."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from benchmarks.references.call_graph import compare, measure
from benchmarks.references.data import (
    Answer,
    Definition,
    Position,
    Truth,
    copy_without_annotations,
    describe_commit,
    in_utf16,
    load,
    without_blanked,
)
from benchmarks.references.latency import measure as measure_latency
from benchmarks.references.quality import OURS
from benchmarks.references.quality import measure as measure_references
from benchmarks.references.score import Score, judge, total, total_tiers
from benchmarks.references.strip_annotations import strip
from benchmarks.references.truth.rows import draw, gather
from benchmarks.server.peers import PeerFailed

from support.repositories import git, make_repository

PROJECT = Path(__file__).resolve().parents[2]
DEFINITION = Definition("repo", "a.py", 1, 4, "name", "name", "function")


def at(*lines: int) -> frozenset[Position]:
    return frozenset(Position("b.py", line, 0) for line in lines)


def a_truth(agreed: Iterable[Position], **more: frozenset[Position]) -> Truth:
    return Truth(DEFINITION, "python", "", frozenset(agreed), more.pop("contested", frozenset()), **more)


def answers(*lines: int, tier: str = "STRONG") -> list[Answer]:
    return [Answer("b.py", line, 0, tier) for line in lines]


def test_reference_of_neither_tool_is_an_error_unless_traced() -> None:
    truth = a_truth(at(1, 2, 3, 4), contested=at(5, 6), confirmed=at(1, 7, 8), refuted=at(9))
    verdict = judge(truth, answers(1, 2, 5, 7, 9, 10))
    assert verdict.score == Score(
        definitions=1,
        answered=1,
        agreed=4,
        union=6,
        hit_agreed=2,
        hit_union=3,
        hit_any_tier=2,
        errors=2,
        refuted=1,
        beyond=1,
        runtime=3,
        hit_runtime=2,
        exact=0,
    )
    assert verdict.wrong == tuple(sorted(at(9, 10)))
    assert verdict.missed == tuple(sorted(at(3, 4)))
    assert verdict.score.shares == {
        "precision": 4 / 6,
        "recall_agreed": 2 / 4,
        "recall_union": 3 / 6,
        "recall_any_tier": 2 / 4,
        "recall_runtime": 2 / 3,
        "exact": 0.0,
    }


def test_uncertain_answer_is_not_an_error() -> None:
    verdict = judge(a_truth(at(1, 2)), [*answers(1), *answers(2, 3, tier="ANCHORED")])
    assert (verdict.score.hit_agreed, verdict.score.hit_any_tier, verdict.score.errors) == (1, 2, 0)
    assert total_tiers([verdict, verdict]) == {"ANCHORED": (4, 2), "STRONG": (2, 2)}


def test_the_definition_itself_counts_on_neither_side() -> None:
    own = DEFINITION.position
    verdict = judge(a_truth([own, *at(1)]), [Answer(*own, "PROVEN"), *answers(1, tier="")])
    assert verdict.score.agreed == verdict.score.hit_agreed == verdict.score.exact == 1
    assert total([verdict, judge(a_truth([own]), [])]).exact == 2


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        ("def f(a: int, *b: str, **d: X) -> int: pass", "def f(a     , *b     , **d   )       : pass"),
        ("async def f(a: int = 1, *, b: X = 2): pass", "async def f(a      = 1, *, b    = 2): pass"),
        ("x: int = 3", "x      = 3"),
        ("x: int", "x:0   "),
        ("self.x: (int) = 3", "self.x        = 3"),
        ("def f(a: (int)): pass", "def f(a       ): pass"),
        ("def f() -> (\n    int\n): pass", "def f()     \\\n       \\\n : pass"),
        ("x: dict[\n  str, int] = {}", "x       \\\n            = {}"),
        ("class A:\n  x: int = 3\n  if x:\n    y: int\n", "class A:\n  x: int = 3\n  if x:\n    y: int\n"),
        (
            "class A:\n    def f(self, é: int):\n        y: Ü = 1\n",
            "class A:\n    def f(self, é     ):\n        y    = 1\n",
        ),
        ("f = lambda a: a", "f = lambda a: a"),
    ],
)  # fmt: skip
def test_annotations_become_blanks_and_all_else_stays_at_its_place(source: str, bare: str) -> None:
    text, spans = strip(source)
    assert text == bare
    ast.parse(text)
    assert bool(spans) == (text != source)


def test_names_in_annotations_are_not_queried(tmp_path: Path) -> None:
    root = make_repository(
        tmp_path / "repo", {"b.py": "class A: ...\ndef f(a: A) -> A: return A()\n", "bad.py": "def ("}
    )
    tree, blanked = copy_without_annotations(root, tmp_path / "copies" / "repo")
    assert (tree / "b.py").read_text() == "class A: ...\ndef f(a   )     : return A()\n"
    assert (tree / "bad.py").read_text() == "def ("
    positions = frozenset(Position("b.py", 2, col) for col in (9, 15, 25))
    left = without_blanked(a_truth(positions, contested=positions), blanked)
    assert left.agreed == left.contested == {Position("b.py", 2, 25)}


def test_columns_beyond_the_basic_plane_count_twice(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text('const a = "😀" + b\n', encoding="utf-8")
    assert in_utf16(tmp_path, [Answer("a.ts", 1, 6), Answer("a.ts", 1, 16)]) == [
        Answer("a.ts", 1, 6),
        Answer("a.ts", 1, 17),
    ]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    text = "def used():\n    pass\n\n\nused()\n"
    return make_repository(tmp_path / "repositories" / "repo", {"a.py": text, "b.py": "from a import used\n"})


@pytest.fixture
def data(tmp_path: Path, repository: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    definition = {"path": "a.py", "line": 1, "col": 4, "name": "used", "qualname": "used", "kind": "function"}
    same = {"repo": "repo", "commit": git(repository, "rev-parse", "HEAD").strip(), "def": definition}
    here, there = {"path": "a.py", "line": 5, "col": 0}, {"path": "b.py", "line": 1, "col": 14}
    row = {**same, "lang": "python", "refs": [here], "contested": [{**there, "by": "one"}]}
    (folder / "refs_py.jsonl").write_text(json.dumps(row) + "\n")
    seen = {**same, "runtime_refs": [here], "runtime_other": [there]}
    (folder / "runtime_py.jsonl").write_text(json.dumps(seen) + "\n")
    return folder


def test_rows_are_joined_with_what_was_seen_at_run_time(data: Path) -> None:
    (row,) = load(data)
    assert row.agreed == row.confirmed == {Position("a.py", 5, 0)}
    assert row.contested == row.refuted == {Position("b.py", 1, 14)}


def test_a_repository_in_another_state_is_named(data: Path, repository: Path) -> None:
    (row,) = load(data)
    assert describe_commit(repository, row.commit) is None
    (repository / "a.py").write_text("")
    assert "not committed" in (describe_commit(repository, row.commit) or "")
    git(repository, "commit", "-qam", "other")
    assert f"the rows are of {row.commit[:12]}" in (describe_commit(repository, row.commit) or "")


def test_failing_peer_is_reported(data: Path, repository: Path) -> None:
    def fail() -> None:
        raise PeerFailed("no network")

    result = measure_references(load(data), repository.parent, {"ty": fail})  # type: ignore[dict-item]
    assert result.data[OURS]["python"]["recall_agreed"] == result.data[OURS]["python"]["precision"] == 1.0
    assert result.notes == ["ty 0.0.100 could not be asked: no network"]
    assert not (repository / ".codeplane").exists()


def test_the_command_prints_what_was_missed(data: Path, repository: Path) -> None:
    words = ["--repositories", str(repository.parent), "--peers", "none", "--without-annotations", "--json"]
    command = [sys.executable, "-m", "benchmarks.references.quality", str(data), *words]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert found["data"][OURS]["python"]["hit_agreed"] == 1
    assert found["notes"] == ["repo: 0 annotations in 0 files blanked"]


def test_a_query_is_timed_for_as_many_definitions_as_were_asked_for(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"m{number}.py": f"def f{number}(): ...\nf{number}()\n" for number in range(4)}
    result = measure_latency([make_repository(tmp_path / "repo", files)], 3, {})
    found = result.data["repo"]
    assert len(found["seconds"]["ours"]) == found["found"]["ours"] == 3


def test_edges_are_compared_as_sets() -> None:
    truth = {"main": ["main.a", "main.b"], "main.a": []}
    found = compare("args/one", truth, {"main": ["main.a", "main.a", "main.c"], "main.b": []})
    assert (found.missed, found.wrong) == ((("main", "main.b"),), (("main", "main.c"),))
    assert (found.score.precision, found.score.recall, found.score.sound, found.score.complete) == (0.5, 0.5, 0, 0)
    assert compare("args/one", truth, truth).score.sound == 1


def test_a_snippet_is_asked_without_its_answer(tmp_path: Path) -> None:
    for name in ("args/one", "args/two", "lists/one"):
        folder = tmp_path / "snippets" / name
        folder.mkdir(parents=True)
        (folder / "main.py").write_text("def f(): ...\nf()\n")
        (folder / "callgraph.json").write_text('{"main": ["main.f"], "main.f": []}')

    def ask(tree: Path) -> dict[str, list[str]]:
        assert sorted(path.name for path in tree.iterdir()) == [".git", "main.py"]
        return {"main": ["main.f"]} if tree.parent.name == "args" else {}

    result = measure(["args/one", "args/two", "lists/one"], tmp_path / "snippets", ask)
    assert result.data["all"]["recall"] == 2 / 3
    assert result.data["categories"]["lists"]["missed"] == 1
    assert [figure.met for figure in result.figures] == [True, False]


def test_ambiguous_definitions_are_contested() -> None:
    def identifier(line: int, target: int, kind: str = "method") -> dict[str, object]:
        declared = {"path": "A.java", "line": target, "col": 0, "name": "f", "qualname": "A.f", "kind": kind}
        return {"path": "A.java", "line": line, "col": 0, "target": declared}

    listed = [identifier(1, 1), identifier(2, 2), identifier(3, 3), identifier(9, 1), identifier(9, 2)]
    listed += [identifier(8, 1), identifier(8, 3, "class")]
    rows = gather(listed)
    assert [(row["def"]["line"], row["def"]["kind"]) for row in rows] == [(1, "method"), (2, "method"), (3, "class")]
    assert [[place["line"] for place in row["refs"]] for row in rows] == [[8], [], [8]]
    assert [[place["line"] for place in row["contested"]] for row in rows] == [[9], [9], []]
    assert draw(rows, 2) == draw(rows, 2) and len(draw(rows, 2)) == 2 and draw(rows, 5) == rows


@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")
def test_java_identifiers_are_what_the_compiler_says(tmp_path: Path) -> None:
    one = "package p;\nimport lost.Lost;\npublic class One {\n"
    one += "  int n; /* two */ static One two(int n) { return new One(n); }\n"
    one += "  One(int n) { this.n = n; }\n  class In { Lost lost; }\n}\n"
    two = "package p;\nimport static p.One.two;\nclass Two { int a = two(1).n; Object o = two(new One(2).n); }\n"
    (tmp_path / "One.java").write_text(one)
    (tmp_path / "Two.java").write_text(two)
    program = PROJECT / "benchmarks" / "references" / "truth" / "JavaReferences.java"
    done = subprocess.run(["java", str(program), str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        target = row["target"]
        key = f"{target['kind']} {target['qualname']} {target['path']}:{target['line']}:{target['col']}"
        found.setdefault(key, []).append(f"{row['path'][:3]}:{row['line']}:{row['col']}")
    assert found == {
        "class One One.java:3:13": ["One:3:13", "One:4:26", "One:4:54", "Two:2:16", "Two:3:49"],
        "field One.n One.java:4:6": ["One:4:6", "One:5:20", "Two:3:27", "Two:3:56"],
        "method One.two One.java:4:30": ["One:4:30", "Two:2:20", "Two:3:20", "Two:3:41"],
        "constructor One.One One.java:5:2": ["One:4:54", "One:5:2", "Two:3:49"],
        "class One.In One.java:6:8": ["One:6:8"],
        "field One.In.lost One.java:6:18": ["One:6:18"],
        "class Two Two.java:3:6": ["Two:3:6"],
        "field Two.a Two.java:3:16": ["Two:3:16"],
        "field Two.o Two.java:3:37": ["Two:3:37"],
    }
