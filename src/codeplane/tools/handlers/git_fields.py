"""JSON fields of git values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from codeplane.base.paths import RepoPath
from codeplane.git.model import BlameRange, ChangedPath, Commit, CommitTag, Diff, FileDiff, Hunk, Log, WorkTreeStatus
from codeplane.operations.git import SHORT_OID

T = TypeVar("T")

_MAX_STATUS_CHARS = 15_000
_ROW_CHARS = 5
Symbols = Mapping[RepoPath, Sequence[str]]


def status_fields(status: WorkTreeStatus, symbols: Symbols) -> dict[str, object]:
    conflicts = [
        {"path": path}
        | {f"{side}_oid": oid for side, oid in zip(("ancestor", "ours", "theirs"), oids, strict=True) if oid}
        for path, *oids in status.conflicts
    ]
    room = _MAX_STATUS_CHARS
    staged, room = _fitting([_change_fields(change, ()) for change in status.staged], room)
    modified, room = _fitting(
        [_change_fields(change, symbols.get(change.path, ())) for change in status.modified], room
    )
    untracked, room = _fitting(status.untracked, room)
    changes = (status.staged, status.modified, status.untracked, status.conflicts)
    left = sum(map(len, changes[:3])) - len(staged) - len(modified) - len(untracked)
    upstream = {"upstream": status.upstream, "ahead": status.ahead, "behind": status.behind} if status.upstream else {}
    head = {"branch": status.branch, "head_commit": status.head}
    return {
        **{name: value for name, value in head.items() if value is not None},
        **upstream,
        "is_clean": not any(changes),
        "staged": staged,
        "modified": modified,
        "untracked": untracked,
        "conflicts": conflicts,
        "state": status.state,
        **({"left_out": left} if left else {}),
    }


def _fitting(rows: Sequence[T], room: int) -> tuple[list[T], int]:
    """Return the first rows that fit into so many characters, and the room that is left."""
    found: list[T] = []
    for row in rows:
        room -= len(str(row)) + _ROW_CHARS
        if room < 0:
            return found, 0
        found.append(row)
    return found, room


def diff_fields(diff: Diff, symbols: Symbols) -> dict[str, object]:
    shown = [_file_fields(file, symbols.get(file.path, ())) for file in diff.files]
    stats = {
        "files_changed": diff.total,
        "insertions": sum(file.insertions for file in diff.files),
        "deletions": sum(file.deletions for file in diff.files),
    }
    left = {"files_left_out": diff.total - len(diff.files)} if diff.total > len(diff.files) else {}
    return {"base": diff.base, "target": diff.target, "files": shown, "stats": stats, **left}


def log_fields(log: Log) -> dict[str, object]:
    return {"commits": [commit_fields(commit) for commit in log.commits]}


def commit_fields(commit: Commit) -> dict[str, object]:
    author = commit.author
    fields: dict[str, object] = {
        "oid": commit.oid,
        "short_oid": commit.oid[:SHORT_OID],
        "message": commit.message,
        "author": {"name": author.name, "email": author.email, "time": author.time},
        "parents": list(commit.parents),
    }
    fields |= {"refs": list(commit.refs)} if commit.refs else {}
    fields |= {"path": commit.path} if commit.path is not None else {}
    return fields | ({"line_start": commit.lines[0], "line_end": commit.lines[1]} if commit.lines is not None else {})


def blame_fields(rows: Sequence[BlameRange]) -> list[dict[str, object]]:
    return [
        {
            "line_start": row.first,
            "line_end": row.last,
            "oid": row.oid,
            "author": row.author,
            "time": row.time,
            "summary": row.summary,
            "original_line": row.original_first,
        }
        | ({"original_path": row.original_path} if row.original_path is not None else {})
        for row in rows
    ]


def tag_fields(tags: Sequence[CommitTag]) -> list[dict[str, object]]:
    return [tag._asdict() for tag in tags]


def _change_fields(change: ChangedPath, symbols: Sequence[str]) -> dict[str, object]:
    old = {"old_path": change.old_path} if change.old_path is not None else {}
    return {"path": change.path, "status": change.status, **old, **({"symbols": list(symbols)} if symbols else {})}


def _file_fields(file: FileDiff, symbols: Sequence[str]) -> dict[str, object]:
    names = symbols or [""] * len(file.hunks)
    hunks = [_hunk_fields(hunk, name) for hunk, name in zip(file.hunks, names, strict=True)]
    old = {"old_path": file.old_path} if file.old_path is not None else {}
    counts: dict[str, object] = {"insertions": file.insertions, "deletions": file.deletions}
    counts |= {"missing": True} if file.is_missing else {}
    counts |= {"cut": True} if file.is_cut else {}
    return {"path": file.path, "status": file.status, **old, "binary": file.is_binary, **counts, "hunks": hunks}


def _hunk_fields(hunk: Hunk, symbol: str) -> dict[str, object]:
    place = {name: getattr(hunk, name) for name in ("old_start", "old_lines", "new_start", "new_lines")}
    return {**place, "header": symbol, "lines": list(_line_fields(hunk))}


def _line_fields(hunk: Hunk) -> Iterator[dict[str, object]]:
    old, new = hunk.old_start, hunk.new_start
    for line in hunk.lines:
        origin, content = line[:1], line[1:]
        fields: dict[str, object] = {"origin": origin, "content": content}
        if origin in " -":
            fields["old_lineno"] = old
            old += 1
        if origin in " +":
            fields["new_lineno"] = new
            new += 1
        yield fields
