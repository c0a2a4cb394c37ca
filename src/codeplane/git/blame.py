"""Author of each line of a file. Runs in the git worker.

The git program computes it: libgit2 takes twenty times as long. Nothing that the repository configures is executed:
hooks, monitors, text conversion and promisor remotes are off, and the revision is a commit, so that no filter runs.
"""

from __future__ import annotations

import os
import signal

import pygit2

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.git.model import BlameRange
from codeplane.git.trees import require_path, resolve_commit
from codeplane.processes.program import run_program

CPU_SECONDS = 25
MAX_BYTES = 64 << 20
_CONFIG = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.quotePath=false",
    "mailmap.file=",
    "mailmap.blob=",
)
_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")
_ENVIRONMENT = {
    "PATH": os.defpath,
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


def read_blame(repository: pygit2.Repository, revision: str, path: str, first: int, last: int) -> list[BlameRange]:
    """Return ranges of consecutive lines with the commit that last changed them; `last` 0 is the end of the file."""
    commit = resolve_commit(repository, revision)
    blob = repository[require_path(commit.tree, path, revision)]
    if not isinstance(blob, pygit2.Blob):
        raise CodePlaneError(ErrorCode.ARGUMENT_INVALID, f"'{display(path)}' is not a file in {display(revision)}")
    total = blob.data.count(b"\n") + (not blob.data.endswith(b"\n") and blob.size > 0)
    if first > total:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{display(path)}' has {total:,} lines in {display(revision)}",
            expected=f"lines from 1 to {total}",
            received=str(first),
        )
    settings = [word for setting in _CONFIG for word in ("-c", setting)]
    lines = f"{first},{min(last, total) if last else total}"
    blame = ("blame", "--porcelain", "--no-textconv", "--ignore-revs-file=", "-L", lines, str(commit.id), "--", path)
    found = run_program(
        ["git", *_OPTIONS, *settings, f"--git-dir={repository.path}", *blame],
        _ENVIRONMENT,
        cwd=repository.workdir or repository.path,
        max_bytes=MAX_BYTES,
        cpu_seconds=CPU_SECONDS,
    )
    if found.status == -signal.SIGXCPU or not found.is_complete:
        raise CodePlaneError(
            ErrorCode.GIT_UNSUPPORTED, f"the history of '{display(path)}' is too long", remedy="Name fewer lines."
        )
    if found.status:
        raise CodePlaneError(ErrorCode.GIT_UNSUPPORTED, f"git cannot tell who changed '{display(path)}'")
    return _parse(found.output, path)


def _parse(output: bytes, path: str) -> list[BlameRange]:
    """Parse `git blame --porcelain` (git-blame(1)): the headers of a commit come with its first group of lines."""
    known: dict[str, dict[str, str]] = {}
    found: list[BlameRange] = []
    oid, original, line, count = "", 0, 0, 0
    for row in output.decode("utf-8", "surrogateescape").split("\n"):
        if row.startswith("\t"):
            if count:
                fields = known[oid]
                name = RepoPath(fields["filename"])
                shown = (oid, fields["author"], int(fields["author-time"]), fields["summary"])
                found.append(BlameRange(line, line + count - 1, *shown, name if name != path else None, original))
                count = 0
            continue
        word, _, rest = row.partition(" ")
        numbers = rest.split(" ")
        if len(word) in (40, 64) and numbers[0].isdecimal():
            oid = word
            known.setdefault(oid, {})
            if len(numbers) == 3:
                original, line, count = map(int, numbers)
        elif oid:
            known[oid][word] = rest
    return found
