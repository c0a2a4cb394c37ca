"""Check the messages of the commits since BASE: `python scripts/check_commits.py`.

The subject has at most 72 characters and starts with an imperative verb; the second line is blank; no "wip" and no
"fixup!". Without the history since BASE (no git, a shallow clone, another branch) nothing is checked.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BASE = "488402f767c8595c3777f6a934a383c1e2672139"
MAX_SUBJECT_CHARS = 72

_PROJECT = Path(__file__).resolve().parents[1]
_UNFINISHED = ("wip", "fixup!", "squash!", "amend!", "tmp", "temp")
_IMPERATIVES = frozenset(
    {"bring", "embed", "exceed", "feed", "need", "ping", "proceed", "seed", "shed", "speed", "string"}
)
"""Verbs whose base form ends like a participle."""
_PAST_FORMS = frozenset(
    {"built", "chose", "did", "found", "gave", "got", "kept", "made", "sent", "took", "was", "wrote"}
)


def find_problems(message: str) -> list[str]:
    """Return what is wrong with a commit message."""
    subject, *rest = message.splitlines() or [""]
    problems = []
    if len(subject) > MAX_SUBJECT_CHARS:
        problems.append(f"the subject has {len(subject)} characters, more than {MAX_SUBJECT_CHARS}")
    if rest and rest[0].strip():
        problems.append("the second line is not blank")
    first = subject.partition(" ")[0].rstrip(":,").lower()
    if first in _UNFINISHED or len(subject.split()) < 2:
        problems.append("the subject does not say what the commit does")
    elif first in _PAST_FORMS or (first.endswith(("ed", "ing")) and first not in _IMPERATIVES):
        problems.append(f"the subject starts with '{first}'; use the imperative (Add, Fix, Rename)")
    elif not subject[0].isupper() or not first.isalpha():
        problems.append("the subject does not start with a capitalized verb")
    return problems


def read_messages(project: Path, base: str) -> list[tuple[str, str]]:
    """Return (short id, message) of the commits after `base`; empty if `base` is not an ancestor."""
    if _git(project, "merge-base", "--is-ancestor", base, "HEAD") is None:
        return []
    log = _git(project, "log", "--no-merges", "--format=%h%x00%B%x01", f"{base}..HEAD") or ""
    entries = (entry.strip("\n").partition("\0") for entry in log.split("\x01"))
    return [(commit, message) for commit, _, message in entries if commit]


def _git(project: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(project), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout


def main() -> int:
    lines = [
        f"{commit} {message.splitlines()[0]!r}: {problem}"
        for commit, message in read_messages(_PROJECT, BASE)
        for problem in find_problems(message)
    ]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
