"""A branch that is come back to, and a new worktree, beside a cold index of the same tree.

    python -m benchmarks.index.switching REPOSITORY [--changed 5000] [--rounds N] [--json]

Each round indexes a copy of the repository from nothing, goes to a branch on which so many files have another line,
comes back, goes there again, and makes a linked worktree of it. Every look is a fresh process that opens the index,
looks, and searches for a word that only the branch has; the time is all of it. What git itself does is not in it.
"""

from __future__ import annotations

import shutil
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.index.stages import MARK
from benchmarks.measure import Figure, Result, Series, Table, amount, emit, parser, run_module, spread
from benchmarks.trees import copy_repository, git, scratch, settle

from codeplane.disk.encoding import decode
from codeplane.languages.registry import detect

MOST_BACK = 0.15
MOST_WORKTREE = 0.10
CHANGED = 5000
ROUNDS = 3
LOOKS = {
    "cold": "cold index",
    "there": "to a branch never seen",
    "back": "back to what was seen before",
    "again": "to the branch again",
    "worktree": "a new linked worktree",
}
_TOO_LONG = 1_000_000
"""Only the text of such a file is indexed."""


def main() -> int:
    arguments = parser(__doc__, ROUNDS)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--changed", type=int, default=CHANGED, help=f"files to change on the branch ({CHANGED})")
    given = arguments.parse_args()
    return emit(measure(given.repository, given.changed, given.rounds), given.json)


def measure(repository: Path, changed: int, rounds: int, *, wait: bool = True) -> Result:
    """`wait` until files are old enough for their stat to be trusted, before each look."""
    result = Result("switching", rounds)
    name = repository.resolve().name
    taken: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with scratch() as place:
        tree = copy_repository(repository, place / "tree")
        changed = _make_branch(tree, changed)
        for number in range(rounds):
            for look, found in _round(tree, place / f"round{number}", wait).items():
                taken[look].append(found)
    _report(result, name, changed, taken)
    return result.finish()


def _make_branch(tree: Path, count: int) -> int:
    """A branch `other` on which the first files have another line; how many."""
    git(tree, "branch", "-M", "main")
    git(tree, "checkout", "-q", "-b", "other")
    changed = 0
    for path in sorted(path for path in tree.rglob("*") if ".git" not in path.relative_to(tree).parts):
        if changed == count or path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if len(data) > _TOO_LONG or decode(data) is None:
            continue
        language = detect(path.name, data)
        comment = language.comments[0] if language is not None and language.comments else "#"
        path.write_bytes(data + f"\n{comment} {MARK}\n".encode())
        changed += 1
    git(tree, "commit", "-q", "-a", "-m", "other", "--no-gpg-sign")
    git(tree, "checkout", "-q", "main")
    return changed


def _round(tree: Path, place: Path, wait: bool) -> dict[str, dict[str, Any]]:
    place.mkdir()
    worktree = place / "worktree"
    shutil.rmtree(tree / ".codeplane", ignore_errors=True)
    found = {"cold": _look(tree, place, wait, marked=False)}
    for look, branch in (("there", "other"), ("back", "main"), ("again", "other")):
        git(tree, "checkout", "-q", branch)
        found[look] = _look(tree, place, wait, marked=branch == "other")
    git(tree, "worktree", "add", "-q", "--detach", str(worktree), "other")
    found["worktree"] = _look(worktree, place, wait, marked=True)
    git(tree, "worktree", "remove", "--force", str(worktree))
    git(tree, "checkout", "-q", "main")
    shutil.rmtree(place)
    return found


def _look(tree: Path, place: Path, wait: bool, *, marked: bool) -> dict[str, Any]:
    if wait:
        settle(tree)
    found, _ = run_module("index.stages", "look", tree, place)
    if found["pending"] or found["marked"] != marked:
        raise RuntimeError(f"a wrong answer after a look that {found['decision']} the index of {tree}")
    return found


def _report(result: Result, name: str, changed: int, taken: dict[str, list[dict[str, Any]]]) -> None:
    cold = Series(tuple(each["seconds"] for each in taken["cold"]))
    rows = []
    shares: dict[str, Series] = {}
    for look, words in LOOKS.items():
        found = taken[look]
        seconds = Series(tuple(each["seconds"] for each in found))
        # Of each round by itself: both sides of a share had the same neighbours on the machine.
        shares[look] = Series(tuple(one / other for one, other in zip(seconds.values, cold.values, strict=True)))
        parsed = ", ".join(f"{each:,}" for each in sorted({each["parsed"] for each in found}))
        cpu = Series(tuple(each["cpu"] for each in found))
        share = spread(shares[look], "%", 100)
        rows.append((words, *spread(seconds, "s", 1), amount(cpu.median, "s"), *share, parsed))
    files = taken["cold"][0]["files"]
    columns = ("", "median", "p95", "CPU", "of a cold index", "p95", "files parsed")
    title = f"{name}: {files:,} files, {changed:,} of them others on the branch"
    result.tables.append(Table(title, columns, tuple(rows)))
    for look, most in (("back", MOST_BACK), ("worktree", MOST_WORKTREE)):
        seconds = Series(tuple(each["seconds"] for each in taken[look]))
        beside = f"{amount(seconds.median, 's')} beside {amount(cold.median, 's')}"
        label = f"{LOOKS[look]}, {changed:,} files of {name}" if look == "back" else f"{LOOKS[look]} of {name}"
        figure = Figure(f"{label}, of a cold index", shares[look].median * 100, "%", most * 100, beside)
        result.figures.append(figure)
    result.data = {"files": files, "changed": changed, "looks": dict(taken)}


if __name__ == "__main__":
    sys.exit(main())
