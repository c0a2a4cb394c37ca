"""The benchmark of agent tasks: both sides run on trees of their own, are counted, and are checked by the end state."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from benchmarks.agent_tasks.model import Repository, TaskError, load_repositories, load_tasks
from benchmarks.agent_tasks.report import report, transcript
from benchmarks.agent_tasks.runner import named_lines, run
from benchmarks.agent_tasks.trees import diff_digest

from support.repositories import git, make_repository

SHOP = "def total(cart, tax=4):\n    return sum(cart) + tax\n\n\ndef checkout(cart):\n    return total(cart)\n"
DIFF = """\
diff --git a/shop.py b/shop.py
index 0000000..1111111 100644
--- a/shop.py
+++ b/shop.py
@@ -1 +1 @@ some title
-def total(cart, tax=4):
+def total(cart, tax=5):
"""
FIND: dict[str, object] = {
    "name": "find",
    "repository": "acme/shop",
    "language": "Python",
    "question": "What does `total` add?",
    "evidence": [r"sum\(cart\) \+ tax"],
    "calls": [{"read": {"target": "shop.py:1-2"}}],
    "commands": ["rg -n 'def total'", "sed -n 1,2p shop.py"],
}
CHANGE: dict[str, object] = {
    "name": "change",
    "repository": "acme/shop",
    "language": "Python",
    "question": "Make the default tax 5.",
    "changes": {"shop.py": "+1 -1"},
    "diff": diff_digest(DIFF),
    "calls": [{"write_source": {"edits": [{"path": "shop.py", "old_text": "tax=4", "new_text": "tax=5"}]}}],
    "commands": [{"edit": {"path": "shop.py", "old_text": "tax=4", "new_text": "tax=5"}}],
}


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    source = make_repository(tmp_path / "source", {"shop.py": SHOP, ".gitattributes": "shop.py export-ignore\n"})
    git(source, "clone", "-q", "--bare", str(source), str(tmp_path / "mirror" / "acme+shop" / "repo"))
    return tmp_path / "mirror"


def write_tasks(folder: Path, **classes: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in classes.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(rows))
    return folder


def test_both_sides_are_counted_and_checked(tmp_path: Path, mirror: Path) -> None:
    wrong = {**FIND, "name": "wrong", "evidence": ["no such text"]}
    tasks = load_tasks(write_tasks(tmp_path / "tasks", find_and_explain=[FIND, wrong], change_default=[CHANGE]))
    commit = git(tmp_path / "source", "rev-parse", "HEAD").strip()
    repositories = {"acme/shop": Repository("acme/shop", commit)}
    found = run(tasks, repositories, mirror, tmp_path / "work", len)

    results = {result.task.name: result for result in found.results}
    assert list(results) == ["change", "find", "wrong"]
    assert {name: result.correct for name, result in results.items()} == {"find": True, "wrong": False, "change": True}
    assert results["wrong"].shell.problems == ("not printed: no such text",)
    assert results["change"].server.digest == results["change"].shell.digest == CHANGE["diff"]
    find = results["find"]
    assert find.shell.tokens == sum(map(len, _shell_texts())), "arguments and answers are counted"
    assert find.ratio == find.server.tokens / find.shell.tokens
    assert found.costs.tools > 0
    assert (tmp_path / "work" / "acme+shop" / "server" / "shop.py").read_text() == SHOP, "trees are reset"

    figures = {figure.name: figure.value for figure in report(found, "characters").figures}
    assert figures["tasks with a wrong end state"] == 1
    assert "def total(cart, tax=4):" in transcript(find)


def _shell_texts() -> list[str]:
    return [
        'bash {"command":"rg -n \'def total\'"}',
        "shop.py:1:def total(cart, tax=4):",
        'bash {"command":"sed -n 1,2p shop.py"}',
        "def total(cart, tax=4):\n    return sum(cart) + tax",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "checkout\n< web/shop.py:6 return total(cart)  checkout\n> web/shop.py:1 def",
        "web/shop.py\n6: return total(cart)\n1\tdef total\nno.py:3 nothing",
        "web/\n< shop.py:6 return total(cart)  checkout\n< 1\tdef total",
        "checkout  web/shop.py:6\n< 1\tdef total",
    ],
)
def test_source_lines_are_found_by_place_and_by_row(tmp_path: Path, answer: str) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "shop.py").write_text(SHOP)
    assert named_lines(answer, tmp_path) == ["    return total(cart)", "def total(cart, tax=4):"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({key: value for key, value in FIND.items() if key != "calls"}, "calls missing"),
        ({**FIND, "evidense": []}, "unknown field evidense"),
        ({**FIND, "evidence": []}, "nothing is checked"),
        ({**FIND, "commands": [{"write": {}}]}, "a shell line or an edit"),
        ({**CHANGE, "changes": {"shop.py": "1 line"}}, "are written"),
    ],
)
def test_misspelled_tasks_are_rejected(tmp_path: Path, row: dict[str, object], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        load_tasks(write_tasks(tmp_path / "tasks", find_and_explain=[row]))


def test_tasks_of_the_benchmark_cover_classes_and_languages() -> None:
    tasks = load_tasks()
    assert {task.repository for task in tasks} <= load_repositories().keys()
    assert len(tasks) >= 24
    assert len({task.language for task in tasks}) >= 8
    assert {task.kind for task in tasks} == {
        "add_parameter",
        "callers",
        "change_default",
        "error_to_cause",
        "find_and_explain",
        "plain_language",
    }
