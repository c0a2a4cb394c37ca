"""Renames judged by the repository's own check: its tests, its compiler or its type checker.

    python -m benchmarks.refactor.renames REPOSITORY --check COMMAND [--definitions FILE | --random N] [--seed S]
        [--seconds S] [--verbose] [--json]

REPOSITORY is a git work tree that the run may change; every rename is rolled back and the tree compared byte by byte.
COMMAND is run in it by the shell, and succeeds before the first rename. FILE holds one JSON object a line, with `def`
(`path`, `line`, `name`) and `new_name`, as in the data of the project; without it N definitions are chosen at random.
A rename is *green* if the check succeeds afterwards, *refused* if nothing was changed and the answer says why, *warned*
if it breaks and the answer named possible or unknown uses, or a risk; otherwise it is a *silent* break. A warning is
*needless* if the check succeeds.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from codeplane.config.model import Config, FreshnessConfig, ServerConfig
from codeplane.operations.context import Context
from codeplane.query.snapshot import open_current
from codeplane.server.assembly import open_pipeline
from codeplane.store.layout import StateDirectory
from codeplane.tools.calls import CallRequest
from codeplane.tools.pipeline import CallPipeline
from codeplane.tools.surface import EVERYTHING

KINDS = (
    "function",
    "method",
    "class",
    "interface",
    "struct",
    "enum",
    "trait",
    "type",
    "field",
    "property",
    "variable",
    "constant",
)
SECONDS = 300.0


class Rename(NamedTuple):
    symbol: str
    new_name: str


class Verdict(NamedTuple):
    rename: Rename
    outcome: str
    """green, warned, silent, refused, or error"""
    is_warned: bool
    edits: int
    detail: str


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--check", required=True, metavar="COMMAND")
    arguments.add_argument("--definitions", type=Path, metavar="FILE")
    arguments.add_argument("--random", type=int, default=0, metavar="N")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=SECONDS, help="limit of one check")
    arguments.add_argument("--under", default="", metavar="DIRECTORY", help="choose definitions only here")
    arguments.add_argument("--verbose", action="store_true", help="one line per rename")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    root = given.repository.resolve()
    failure = check(root, given.check, given.seconds)
    if failure:
        arguments.error(f"the check fails before any rename: {failure}")
    with serving(root) as call:
        if given.definitions is not None:
            renames = list(read_renames(given.definitions, root))
        else:
            renames = choose_renames(root, given.random, given.seed, given.under)
        verdicts = []
        for rename in renames:
            verdicts.append(judge(root, call, rename, given.check, given.seconds))
            if given.verbose:
                print(*verdicts[-1], sep="\t", flush=True)
    figures = summary(verdicts)
    print(json.dumps(figures) if given.json else "  ".join(f"{name} {value}" for name, value in figures.items()))
    return 0


def judge(root: Path, call: Call, rename: Rename, command: str, seconds: float) -> Verdict:
    """Rename as an agent does, check, and roll back."""
    before = tree(root)
    arguments = {"symbol": rename.symbol, "new_name": rename.new_name}
    plan = call("refactor_rename", arguments)
    result = plan.get("result", {})
    is_warned = any(result.get(name) for name in ("possible", "unknown", "risks"))
    if plan["status"] != "ok":
        told = plan.get("error", {}).get("message") or plan.get("message", "")
        return Verdict(rename, "refused", True, 0, told)
    done = call("refactor_rename", {**arguments, "apply": True, "include": ["none"]})
    if done["status"] != "ok":
        told = done.get("error", {}).get("message") or done.get("message", "")
        outcome = "refused" if tree(root) == before else "error"
        return Verdict(rename, outcome, True, result["matches"], told)
    failure = check(root, command, seconds)
    back = call("rollback", {"mutation_id": done["result"]["mutation_id"]})
    if back["status"] != "ok" or tree(root) != before:
        return Verdict(rename, "error", is_warned, result["matches"], "the rollback did not restore the tree")
    outcome = "green" if not failure else "warned" if is_warned else "silent"
    told = [f"{site['path']}:{site['line']}" for name in ("possible", "unknown") for site in result.get(name, ())[:2]]
    return Verdict(rename, outcome, is_warned, result["matches"], " ".join([*told, *result.get("risks", ()), failure]))


def summary(verdicts: list[Verdict]) -> dict[str, object]:
    counts = Counter(verdict.outcome for verdict in verdicts)
    return {
        "renames": len(verdicts),
        **{name: counts[name] for name in ("green", "warned", "silent", "refused", "error")},
        "needless_warnings": sum(verdict.is_warned for verdict in verdicts if verdict.outcome == "green"),
    }


def check(root: Path, command: str, seconds: float) -> str:
    """Return the last line of the output of a failed check; empty if it succeeds."""
    try:
        done = subprocess.run(
            ["sh", "-c", command], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "no answer in time"
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines() or [f"exit status {done.returncode}"]
    told = [line for line in lines if "rror" in line or "FAILED" in line] or lines[-1:]
    return " | ".join(told[:3])[:300] if done.returncode else ""


def read_renames(file: Path, root: Path) -> Iterator[Rename]:
    """Yield the renames of the definitions that exist in the repository."""
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        definition = row["def"]
        if row["repo"] == root.name:
            place = f"{definition['path']}:{definition['line']}:{definition['col'] + 1}"
            yield Rename(place, row["new_name"])


def choose_renames(root: Path, count: int, seed: int, under: str) -> list[Rename]:
    """Choose definitions of source files at random, the same for the same seed."""
    marks = ",".join("?" * len(KINDS))
    sql = (
        "SELECT path, name_line, name_col, name FROM defs JOIN files ON files.file_id = def_id >> 20"
        f" WHERE role = 'source' AND kind IN ({marks}) AND family IN (SELECT family FROM files WHERE role = 'source'"
        " GROUP BY family ORDER BY count(*) DESC LIMIT 1) AND path >= ? AND path < ? ORDER BY path, def_id"
    )
    with open_current(StateDirectory(root / ".codeplane")) as snapshot:
        rows = list(snapshot.reader.rows(sql, (*KINDS, under, f"{under}\U0010ffff")))
    rows = [row for row in rows if row[3].strip("_") and not row[3].startswith("__")]
    chosen = random.Random(seed).sample(rows, min(count, len(rows)))
    return [Rename(f"{path}:{line}:{column + 1}", f"{name}Rnm") for path, line, column, name in chosen]


def tree(root: Path) -> dict[str, bytes]:
    """Return the contents of all tracked files."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE, check=True).stdout
    paths = [root / name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name]
    return {str(path): path.read_bytes() for path in paths if path.is_file() and not path.is_symlink()}


Envelope = Mapping[str, Any]


class Call:
    """Calls tools of one open repository."""

    def __init__(self, pipeline: CallPipeline) -> None:
        self._pipeline = pipeline

    def __call__(self, tool: str, arguments: Mapping[str, object]) -> Envelope:
        body = self._pipeline.call(CallRequest(tool, arguments, "benchmark", EVERYTHING)).body
        found: Envelope = json.loads(body)
        return found


@contextmanager
def serving(root: Path) -> Iterator[Call]:
    config = Config(freshness=FreshnessConfig(watcher=False), server=ServerConfig(prewarm=False))
    with tempfile.TemporaryDirectory() as state:

        def load(other: Path) -> Context:
            return Context(other, config, Path(state))

        pipeline = open_pipeline(load(root), load)
        try:
            call = Call(pipeline)
            call("manage_index", {"action": "create"})
            while call("manage_index", {"action": "status"}).get("result", {}).get("index_status") != "indexed":
                pipeline.wait_until_open(1.0)
            call("search", {"query": "main", "mode": "references", "freshness_policy": "strict"})
            yield call
        finally:
            pipeline.close(10)


if __name__ == "__main__":
    sys.exit(main())
