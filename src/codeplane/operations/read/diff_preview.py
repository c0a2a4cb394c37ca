"""Diff of one file between git, the disk and a proposed text.

| against | before | after |
|---|---|---|
| HEAD | the last commit | the file on disk, or the proposed text |
| INDEX | the staged content | the file on disk, or the proposed text |
| WORKTREE | the file on disk | the proposed text, or else the staged content |
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from codeplane.base.digests import Digest, digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.limits import MAX_LEXICAL_BYTES
from codeplane.base.paths import RepoPath, display
from codeplane.disk.encoding import decode, find_line_ending
from codeplane.disk.policy import refuse_restricted
from codeplane.disk.safe_open import Root
from codeplane.git.revisions import find_file_at
from codeplane.git.text_diff import diff_texts
from codeplane.operations.read.documents import Document, TextBody, open_document

Baseline = Literal["HEAD", "WORKTREE", "INDEX"]


@dataclass(frozen=True)
class Comparison:
    path: RepoPath
    document: Document | None
    """The file on disk, if it exists."""
    change: str
    """unchanged, modified, added, deleted or binary."""
    body: TextBody
    """Hunks of a unified diff."""
    insertions: int = 0
    deletions: int = 0
    line_endings: tuple[str, str] | None = None
    """Line endings before and after, if they differ throughout; lines are then compared without them."""
    coarse: bool = False
    """True if the diff is larger than necessary."""

    def fields(self) -> dict[str, object]:
        fields: dict[str, object] = {"change": self.change}
        if self.insertions or self.deletions:
            fields |= {"insertions": self.insertions, "deletions": self.deletions}
        if self.line_endings is not None:
            fields["line_endings"] = list(self.line_endings)
        if self.coarse:
            fields["coarse"] = True
        return fields


def compare_file(root: Root, path: RepoPath, against: Baseline, proposed: str | None) -> Comparison:
    refuse_restricted(root.path, path)
    document, disk = _on_disk(root, path)
    if against == "WORKTREE":
        before = disk
        after = proposed.encode("utf-8") if proposed is not None else _in_git(root.path, path, "INDEX")
    else:
        before = _in_git(root.path, path, against)
        after = proposed.encode("utf-8") if proposed is not None else disk
    if before is None and after is None:
        raise CodePlaneError(
            ErrorCode.FILE_NOT_FOUND,
            f"'{display(path)}' is neither on disk nor in git",
            expected="a file of the repository",
            received=display(path),
        )
    if isinstance(before, _Binary) or isinstance(after, _Binary):
        return Comparison(path, document, "unchanged" if before == after else "binary", TextBody(b""))
    change = "added" if before is None else "deleted" if after is None else "modified"
    old, new = before or b"", after or b""
    endings = (find_line_ending(old), find_line_ending(new))
    differ = change == "modified" and set(endings) == {"lf", "crlf"}
    if differ:
        old, new = old.replace(b"\r\n", b"\n"), new.replace(b"\r\n", b"\n")
    found = diff_texts(old, new)
    if change == "modified" and not found.hunks and not differ:
        change = "unchanged"
    return Comparison(
        path,
        document,
        change,
        TextBody(found.hunks),
        found.insertions,
        found.deletions,
        endings if differ else None,
        found.coarse,
    )


@dataclass(frozen=True)
class _Binary:
    digest: Digest


def _on_disk(root: Root, path: RepoPath) -> tuple[Document | None, bytes | _Binary | None]:
    try:
        document = open_document(root, path)
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            return None, None
        raise
    if document.size > MAX_LEXICAL_BYTES:
        raise CodePlaneError(
            ErrorCode.FILE_TOO_LARGE,
            f"'{display(path)}' has {document.size} bytes, too many to compare",
            details={"size": document.size, "limit": MAX_LEXICAL_BYTES},
        )
    if document.body is None:
        return document, _Binary(document.digest)
    return document, document.body.data


def _in_git(root: Path, path: RepoPath, version: Literal["HEAD", "INDEX"]) -> bytes | _Binary | None:
    data = find_file_at(root, version, path, MAX_LEXICAL_BYTES)
    if data is None:
        return None
    text = decode(data)
    return text.data if text is not None else _Binary(digest_bytes(data))
