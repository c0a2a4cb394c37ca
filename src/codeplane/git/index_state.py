"""Staged files and recorded stats from git's index, without reading the working tree.

libgit2 compares HEAD with the index. It could also compare the index with the working tree, but then it opens attribute
and ignore files there and blocks forever if one is a FIFO. So the index file is parsed here (gitformat-index(5)), and
callers compare the stats themselves.
"""

from __future__ import annotations

import os
import stat as modes
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pygit2
from pygit2.enums import DeltaStatus, DiffOption

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.git.errors import damaged, translate_errors
from codeplane.git.git_directory import (
    find_git_directories,
    has_git,
    named_reference,
    open_repository,
    read_file,
    read_line,
)

MAX_INDEX_BYTES = 256 * 1024 * 1024
_MAX_OBJECT_FILES = 1_000_000
_ALTERNATES_BYTES = 64 * 1024
_HEADER = struct.Struct(">4sLL")
_ENTRY = struct.Struct(">10L20sH")
_EXTENSION = struct.Struct(">4sL")
_CHECKSUM_BYTES = 20
_ASSUME_VALID = 0x8000
_EXTENDED = 0x4000
_STAGE = 0x3000
_NAME_LENGTH = 0x0FFF
_SKIP_WORKTREE = 0x4000
_INTENT_TO_ADD = 0x2000


Written = tuple[int, int, int]
"""Modification time, size and inode of a file; zeros if it does not exist."""


class GitIndexStamp(NamedTuple):
    """Changes whenever HEAD names another commit or the index is written."""

    head: str
    branch: Written
    packed: Written
    staged: Written


class IndexEntry(NamedTuple):
    """Index entry of a regular file: its stat when it was added, and its blob id. Numbers are modulo 2**32."""

    ctime_s: int
    ctime_ns: int
    mtime_s: int
    mtime_ns: int
    device: int
    inode: int
    mode: int
    user: int
    group: int
    size: int
    """0 may also mean that the stat is racy."""
    blob: bytes
    flags: int


class GitIndexState(NamedTuple):
    tracked: dict[RepoPath, IndexEntry]
    """Files whose content git compares; no submodules and no links."""
    staged: frozenset[RepoPath]
    """Files that are new or changed since HEAD, or in conflict; not removed files."""
    mtime_ns: int
    """Modification time of the index file; an entry that is not older is racy."""


def git_stamp(root: Path) -> GitIndexStamp:
    """Return the stamp at `root`, without libgit2, which takes ten times as long, and without reading the index."""
    if not has_git(root):
        raise _no_repository(root)
    with translate_errors(root):
        own, shared = find_git_directories(root)
        head = read_line(own / "HEAD") or ""
        branch = named_reference(head)
        return GitIndexStamp(
            head,
            _written(shared / branch) if branch else _NEVER,
            _written(shared / "packed-refs"),
            _written(own / "index"),
        )


def _written(path: Path) -> Written:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _NEVER
    return found.st_mtime_ns, found.st_size, found.st_ino


_NEVER = (0, 0, 0)


def index_state(root: Path) -> GitIndexState:
    """Return the index at `root`, and its differences from HEAD."""
    if not has_git(root):
        raise _no_repository(root)
    with translate_errors(root):
        repository = open_repository(root)
        found = _read_index(root, Path(repository.path, "index"))
        if found is None:
            return GitIndexState({}, frozenset(), 0)
        check_objects(root)
        try:
            tracked, marked, written = _parse(found[1])
        except (struct.error, ValueError, IndexError) as error:
            # libgit2 decides whether this is damage or an unsupported format.
            len(repository.index)
            raise damaged(root, "the index cannot be read") from error
        if repository.head_is_unborn:
            marked.update(tracked)
        else:
            marked.update(_list_staged(repository, written))
    return GitIndexState(tracked, frozenset(marked), found[0])


def _no_repository(root: Path) -> CodePlaneError:
    return CodePlaneError(ErrorCode.NOT_A_REPOSITORY, f"'{display(str(root))}' is not a git repository")


def _list_staged(repository: pygit2.Repository, written: bytes | None) -> Iterator[RepoPath]:
    head = repository.head.peel(pygit2.Commit)
    # Usually the cached tree of the index equals the tree of HEAD.
    if head.tree_id.raw == written:
        return
    for delta in head.tree.diff_to_index(repository.index, flags=DiffOption.IGNORE_SUBMODULES).deltas:
        if delta.status != DeltaStatus.DELETED:
            yield RepoPath(os.fsdecode(delta.new_file.raw_path))


def _read_index(root: Path, path: Path) -> tuple[int, bytes] | None:
    try:
        found = read_file(path, MAX_INDEX_BYTES)
    except FileNotFoundError:
        return None
    if found is None or found[0].st_size != len(found[1]):
        raise damaged(root, "the index is not a regular file, or too large")
    return found[0].st_mtime_ns, found[1]


def _parse(data: bytes) -> tuple[dict[RepoPath, IndexEntry], set[RepoPath], bytes | None]:
    """Return entries compared by content, paths that always differ from HEAD, and the id of the cached tree."""
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in (2, 3, 4):
        raise ValueError(version)
    tracked: dict[RepoPath, IndexEntry] = {}
    marked: set[RepoPath] = set()
    unpack, make, decode, size = _ENTRY.unpack_from, IndexEntry._make, os.fsdecode, _ENTRY.size
    position, previous = _HEADER.size, b""
    for _ in range(count):
        entry = make(unpack(data, position))
        flags = entry.flags
        begin = position + size
        extended = 0
        if flags & _EXTENDED:
            extended = int.from_bytes(data[begin : begin + 2], "big")
            begin += 2
        if version == 4:
            dropped, begin = _read_varint(data, begin)
            end = data.index(b"\0", begin)
            previous = previous[: len(previous) - dropped] + data[begin:end]
            path = RepoPath(decode(previous))
            position = end + 1
        else:
            known = flags & _NAME_LENGTH
            end = begin + known if known < _NAME_LENGTH else data.index(b"\0", begin + known)
            path = RepoPath(decode(data[begin:end]))
            # Padded with one to eight NULs to a multiple of eight.
            position += (end - position + 8) & ~7
        if flags & _STAGE or extended & _INTENT_TO_ADD:
            marked.add(path)
        elif modes.S_ISREG(entry.mode) and not flags & _ASSUME_VALID and not extended & _SKIP_WORKTREE:
            tracked[path] = entry
    return tracked, marked, _find_tree(data, position)


def _find_tree(data: bytes, position: int) -> bytes | None:
    """Return the id of the cached tree, if it is valid."""
    found = None
    while position + _EXTENSION.size <= len(data) - _CHECKSUM_BYTES:
        name, length = _EXTENSION.unpack_from(data, position)
        position += _EXTENSION.size
        if name[:1].islower():
            # Extensions in lowercase are mandatory to understand the index.
            raise ValueError("unsupported")
        if name == b"TREE" and data[position : position + 1] == b"\0":
            end = data.index(b"\n", position)
            if not data.startswith(b"-", position + 1):
                found = data[end + 1 : end + 21]
        position += length
    return found


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    byte = data[position]
    position += 1
    value = byte & 127
    while byte & 128:
        byte = data[position]
        position += 1
        value = ((value + 1) << 7) | (byte & 127)
    return value, position


def check_objects(root: Path) -> None:
    """Raise GIT_DAMAGED if an object is not a regular file; libgit2 would block on a FIFO."""
    pending = [os.path.join(find_git_directories(root).shared, "objects")]
    seen: set[str] = set()
    count = 0
    while pending:
        folder = os.path.realpath(pending.pop())
        if folder in seen or not Path(folder).is_dir():
            continue
        seen.add(folder)
        with os.scandir(folder) as entries:
            for entry in entries:
                count += 1
                if entry.is_dir():
                    pending.append(entry.path)
                elif not entry.is_file() and (not entry.is_symlink() or Path(entry.path).exists()):
                    raise damaged(root, "an object is not a regular file")
                elif entry.name == "alternates":
                    pending.extend(_list_alternates(entry.path))
        if count > _MAX_OBJECT_FILES:
            raise damaged(root, "there are too many object files")


def _list_alternates(path: str) -> list[str]:
    """Return the object directories in an alternates file; relative paths start at the borrowing directory."""
    found = read_file(path, _ALTERNATES_BYTES)
    lines = found[1].split(b"\n") if found is not None else []
    objects = os.path.dirname(os.path.dirname(path))
    return [os.path.join(objects, os.fsdecode(line)) for line in lines if line and not line.startswith(b"#")]
