"""Status, differences, logs, authors and line histories are those of the git program."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeplane.git.client import GitClient
from support.repositories import git, make_repository, write

SEEDS = range(6)
NAMES = ("a.py", "b.py", "src/c.py", "src/d e.py", "src/deep/é.txt", "z.bin")


@pytest.fixture(scope="module")
def client() -> Iterator[GitClient]:
    client = GitClient()
    yield client
    client.close()


@pytest.fixture(scope="module", params=SEEDS)
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with random commits, a merge, renames, and uncommitted changes of every kind."""
    chance = random.Random(request.param)
    root = make_repository(tmp_path_factory.mktemp("history") / "repo", {name: text(chance) for name in NAMES})
    for number in range(12):
        change(root, chance)
        git(root, "add", "-A")
        git(root, "commit", "-qm", f"commit {number}", "--allow-empty")
        if number == 5:
            git(root, "checkout", "-qb", "side", "HEAD~2")
            write(root, "side.py", text(chance))
            git(root, "add", "-A")
            git(root, "commit", "-qm", "side")
            git(root, "checkout", "-q", "main")
            git(root, "merge", "-q", "--no-edit", "side")
    change(root, chance)
    git(root, "add", "-A")
    change(root, chance)
    write(root, "new folder/untracked.py", "x\n")
    return root


def text(chance: random.Random) -> str:
    return "".join(f"line {chance.randrange(1000)}\n" for _ in range(chance.randrange(20, 40)))


def change(root: Path, chance: random.Random) -> None:
    files = sorted(path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    for path in chance.sample(files, min(3, len(files))):
        lines = path.read_text().splitlines(keepends=True)
        kind = chance.randrange(5)
        if kind == 0:
            path.unlink()
        elif kind == 1:
            path.rename(path.with_name(f"moved{chance.randrange(100)}.py"))
        else:
            place = chance.randrange(len(lines) + 1)
            lines[place : place + chance.randrange(4)] = [f"changed {chance.randrange(1000)}\n"] * chance.randrange(4)
            path.write_text("".join(lines))
    if chance.random() < 0.5:
        write(root, f"added{chance.randrange(100)}.py", text(chance))


def run(client: GitClient, root: Path, operation: str, **arguments: object) -> Any:
    return client.run(operation, root, arguments, lambda: False)


def output(root: Path, *arguments: str) -> list[str]:
    command = ["git", "-c", "core.quotePath=false", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()


def test_status(client: GitClient, history: Path) -> None:
    branch, head, _, _, _, state, staged, modified, untracked, conflicts = run(client, history, "status", paths=[])
    assert (branch, head, state, conflicts) == ("main", output(history, "rev-parse", "HEAD")[0], "none", [])
    expected: dict[str, set[tuple[str, ...]]] = {"staged": set(), "modified": set(), "untracked": set()}
    fields = iter(subprocess.check_output(["git", "status", "-z"], cwd=history, text=True).split("\0")[:-1])
    for field in fields:
        codes, path = field[:2], field[3:]
        old = (next(fields),) if "R" in codes else ()
        if codes == "??":
            expected["untracked"].add((path,))
        if codes[0] in "AMDR":
            expected["staged"].add((path, codes[0], *old))
        if codes[1] in "MDR":
            expected["modified"].add((path, codes[1], *(old if codes[1] == "R" else ())))
    assert {(path,) for path in untracked} == expected["untracked"]
    assert described(staged) == expected["staged"]
    assert described(modified) == expected["modified"]


def described(changes: list[Any]) -> set[tuple[str, ...]]:
    return {(path, status[0].upper(), *((old,) if old else ())) for path, status, old in changes}


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ([], {}),
        (["--cached"], {"staged": True}),
        (["HEAD~3", "HEAD"], {"base": "HEAD~3", "target": "HEAD"}),
        (["HEAD~2"], {"base": "HEAD~2"}),
    ],
    ids=["unstaged", "staged", "two commits", "since a commit"],
)
def test_differences(client: GitClient, history: Path, arguments: list[str], given: dict[str, Any]) -> None:
    defaults: dict[str, Any] = {
        "base": None,
        "target": None,
        "staged": False,
        "untracked": False,
        "paths": [],
        "context": 0,
    }
    files, total, _, _ = run(client, history, "diff", **defaults | {"limits": [10_000, 1_000_000, 0, 0]} | given)
    numbers = output(history, "diff", "--numstat", "--no-renames", *arguments)
    inserted = sum(int(line.split("\t")[0]) for line in numbers)
    deleted = sum(int(line.split("\t")[1]) for line in numbers)
    pairs = output(history, "diff", "--name-status", "-M50", *arguments)
    assert total == len(files) == len(pairs)
    renamed = sum(len(line.split("\t")) == 3 for line in pairs)
    assert sum(file[2] is not None for file in files) == renamed
    if not renamed:
        assert (sum(file[4] for file in files), sum(file[5] for file in files)) == (inserted, deleted)


def test_log(client: GitClient, history: Path) -> None:
    given = {"revision": "HEAD", "limit": 100, "skip": 0, "since": None, "until": None, "paths": [], "follow": False}
    commits, has_more, _ = run(client, history, "log", **given)
    assert ([commit[0] for commit in commits], has_more) == (output(history, "log", "--format=%H"), False)
    page, has_more, _ = run(client, history, "log", **given | {"limit": 3, "skip": 2})
    assert (page, has_more) == (commits[2:5], True)
    for name in NAMES:
        some, _, _ = run(client, history, "log", **given | {"paths": [name]})
        expected = output(history, "log", "--format=%H", "--", name)
        assert [commit[0] for commit in some] == expected, name


def test_blame(client: GitClient, history: Path) -> None:
    for path in output(history, "ls-tree", "-r", "--name-only", "HEAD"):
        if (history / path).suffix != ".py":
            continue
        rows = run(client, history, "blame", revision="HEAD", path=path, first=1, last=0)
        found = [(line, row[2]) for row in rows for line in range(row[0], row[1] + 1)]
        expected = output(history, "blame", "-s", "-l", "--root", "HEAD", "--", path)
        assert found == [(number, line[:40]) for number, line in enumerate(expected, 1)]


def test_history_of_lines(client: GitClient, history: Path) -> None:
    for path in output(history, "ls-tree", "-r", "--name-only", "HEAD"):
        count = len(output(history, "show", f"HEAD:{path}"))
        if count < 10 or path.startswith('"'):
            continue
        given = {"revision": "HEAD", "path": path, "first": 5, "last": 9, "limit": 100, "skip": 0}
        commits, _, _ = run(client, history, "line_history", **given)
        expected = output(history, "log", "-L", f"5,9:{path}", "-s", "--format=%H")
        assert [commit[0] for commit in commits] == expected, path
