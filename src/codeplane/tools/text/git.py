"""Text forms of the git tools, close to what git prints but shorter.

A changed file heads its changes: `src/app.py +3 -1`, then `@@ 41 Server.start` with the line of the new version and the
enclosing symbol, then lines with ` `, `+` or `-`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from codeplane.base.paths import RepoPath, display
from codeplane.base.text_lines import TextLine, diff, heading, note, plural, text
from codeplane.git.model import BlameRange, ChangedPath, Commit, CommitTag, Diff, FileDiff, Hunk, Log, WorkTreeStatus
from codeplane.operations.git import SHORT_OID

_LETTERS = {"added": "A", "modified": "M", "deleted": "D", "renamed": "R", "copied": "C", "typechange": "T"}
_MAX_SYMBOLS = 5
_MAX_STATUS_ROWS = 100
_MAX_ROW_CHARS = 200


def status_lines(status: WorkTreeStatus, symbols: Mapping[RepoPath, Sequence[str]]) -> list[TextLine]:
    rows = [
        *(f"UU {display(conflict.path)}" for conflict in status.conflicts),
        *(f"{_LETTERS[change.status]}  {_names(change)}" for change in status.staged),
        *(f" {_LETTERS[change.status]} {_names(change)}{_symbols(symbols, change)}" for change in status.modified),
        *(f"?? {display(path)}" for path in status.untracked),
    ]
    lines = [text(_branch(status) + ("" if rows else "  clean"))]
    shown = [row if len(row) <= _MAX_ROW_CHARS else f"{row[:_MAX_ROW_CHARS]}…" for row in rows[:_MAX_STATUS_ROWS]]
    lines += map(text, shown)
    return lines + (
        [note(f"more: {len(rows) - _MAX_STATUS_ROWS:,} (paths=...)")] if len(rows) > _MAX_STATUS_ROWS else []
    )


def diff_lines(found: Diff, symbols: Mapping[RepoPath, Sequence[str]]) -> list[TextLine]:
    lines: list[TextLine] = []
    without: list[FileDiff] = []
    cut = 0
    for file in found.files:
        if file.hunks or not file.is_cut:
            lines += _file_lines(file, symbols.get(file.path, ()))
            cut += file.is_cut
        else:
            without.append(file)
    lines += [heading(file.path, f"{_counts(file)}  not shown") for file in without]
    if not lines:
        return [text("no changes")]
    counts = ((cut, "cut"), (len(without), "without lines"), (found.total - len(found.files), "not listed"))
    words = [f"{plural(count, 'file')} {what}" for count, what in counts if count]
    return [*lines, note(f"more: {', '.join(words)} (paths=..., max_lines=...)")] if words else lines


def commit_lines(commit: Commit) -> list[TextLine]:
    author = commit.author
    names = f" ({', '.join(map(display, commit.refs))})" if commit.refs else ""
    merge = (
        f"  merge of {', '.join(parent[:SHORT_OID] for parent in commit.parents)}" if len(commit.parents) > 1 else ""
    )
    head = f"{commit.oid}{names} {display(author.name)} {_date(author.time)}{merge}"
    return [text(head), *(text(display(line)) for line in commit.message.splitlines())]


def log_lines(log: Log, cursor: str | None, limit: int) -> list[TextLine]:
    if not log.commits:
        return [text("no commits")]
    lines = [text(_commit_row(commit)) for commit in log.commits]
    if log.has_more:
        lines.append(note(f"more: cursor={cursor}" if cursor is not None else f"more: limit={limit * 5}"))
    return lines


def blame_lines(rows: Sequence[BlameRange]) -> list[TextLine]:
    """Return a row for each range; a commit is described once."""
    described: set[str] = set()
    lines = []
    for row in rows:
        span = f"{row.first}-{row.last}" if row.last > row.first else str(row.first)
        about = f" {_date(row.time)} {display(row.author)}: {display(row.summary)}" if row.oid not in described else ""
        described.add(row.oid)
        lines.append(text(f"{span} {row.oid[:SHORT_OID]}{about}"))
    return lines or [text("no lines")]


def tag_lines(tags: Sequence[CommitTag]) -> list[TextLine]:
    rows = (f"{display(tag.name)} {tag.oid[:SHORT_OID]} {_date(tag.time)}" for tag in tags)
    return [text(row) for row in rows] or [text("no tags")]


def _branch(status: WorkTreeStatus) -> str:
    if status.branch is None:
        words = f"detached at {(status.head or '')[:SHORT_OID]}"
    else:
        words = display(status.branch) + (f"...{display(status.upstream)}" if status.upstream else "")
    if status.head is None:
        words += "  no commits yet"
    counts = [f"{word} {count}" for word, count in (("ahead", status.ahead), ("behind", status.behind)) if count]
    words += f" [{', '.join(counts)}]" if counts else ""
    return words + (f"  {status.state} in progress" if status.state != "none" else "")


def _names(change: ChangedPath) -> str:
    old = f"{display(change.old_path)} -> " if change.old_path is not None else ""
    return f"{old}{display(change.path)}"


def _symbols(symbols: Mapping[RepoPath, Sequence[str]], change: ChangedPath) -> str:
    names = symbols.get(change.path, ())
    more = f" and {len(names) - _MAX_SYMBOLS} more" if len(names) > _MAX_SYMBOLS else ""
    return f"  {', '.join(map(display, names[:_MAX_SYMBOLS]))}{more}" if names else ""


def _file_lines(file: FileDiff, symbols: Sequence[str]) -> Iterator[TextLine]:
    old = f"  was {display(file.old_path)}" if file.old_path is not None else ""
    status = f"  {file.status}" if file.status not in ("modified", "renamed") else ""
    counts = "not in this clone" if file.is_missing else _counts(file)
    binary = "  binary" if file.is_binary else "  cut" if file.is_cut else ""
    yield heading(file.path, f"{counts}{status}{old}{binary}")
    names = symbols or [""] * len(file.hunks)
    for hunk, name in zip(file.hunks, names, strict=True):
        if file.status != "added":
            yield diff(f"@@ {_place(hunk)} {display(name)}".rstrip())
        yield from (diff(_printable(line)) for line in hunk.lines)


def _place(hunk: Hunk) -> int:
    return hunk.new_start if hunk.new_lines else hunk.new_start + 1


def _printable(line: str) -> str:
    return "\t".join(map(display, line.split("\t")))


def _counts(file: FileDiff) -> str:
    return f"+{file.insertions} -{file.deletions}"


def _commit_row(commit: Commit) -> str:
    subject = display(commit.message.partition("\n")[0])
    names = f" ({', '.join(map(display, commit.refs))})" if commit.refs else ""
    where = f"  {display(commit.path)}" if commit.path is not None and commit.lines is None else ""
    if commit.lines is not None and commit.path is not None:
        where = f"  {display(commit.path)}:{commit.lines[0]}-{commit.lines[1]}"
    return f"{commit.oid[:SHORT_OID]} {_date(commit.author.time)} {subject}{names}{where}"


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
