"""What git says of tracked files without looking at the working tree: what is staged, and which stat each file had.

libgit2 compares HEAD with the index, for which it reads objects. It would also compare the index with the working
tree, but reads attribute and ignore files there, and waits for ever where one of them is a pipe; so the stats are taken
from the index file itself, for those who know the files better. Nothing here writes.
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
from codeplane.git.errors import damaged, translated
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
"""When a file was written, its size and its inode; zeros where there is none."""


class GitStamp(NamedTuple):
    """Another one whenever HEAD names another commit, or the index was written."""

    head: str
    branch: Written
    packed: Written
    staged: Written


class IndexEntry(NamedTuple):
    """A regular file as the index has it: its stat when its content was taken, and the id of that. All modulo 2**32."""

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
    """0 may also mean that the stat is not to be believed."""
    blob: bytes
    flags: int


class IndexState(NamedTuple):
    tracked: dict[RepoPath, IndexEntry]
    """Files whose content git would compare; submodules and links are none."""
    staged: frozenset[RepoPath]
    """Files that HEAD has not, or has otherwise, and those in conflict; what was removed is not among them."""
    mtime_ns: int
    """Of the index file: an entry that is not older may have changed since, and look the same."""


def git_stamp(root: Path) -> GitStamp:
    """How git stands at `root`, without reading its index or any object, nor asking libgit2, which takes ten times."""
    if not has_git(root):
        raise _no_repository(root)
    with translated(root):
        own, shared = find_git_directories(root)
        head = read_line(own / "HEAD") or ""
        branch = named_reference(head)
        return GitStamp(
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


def index_state(root: Path) -> IndexState:
    """The index at `root`, and how it differs from HEAD."""
    if not has_git(root):
        raise _no_repository(root)
    with translated(root):
        repository = open_repository(root)
        found = _read_index(root, Path(repository.path, "index"))
        if found is None:
            return IndexState({}, frozenset(), 0)
        check_objects(root)
        try:
            tracked, marked, written = _parse(found[1])
        except (struct.error, ValueError, IndexError) as error:
            # It is for libgit2 to say whether that is damage, or a format that neither of us knows.
            len(repository.index)
            raise damaged(root, "the index cannot be read") from error
        if repository.head_is_unborn:
            marked.update(tracked)
        else:
            marked.update(_list_staged(repository, written))
    return IndexState(tracked, frozenset(marked), found[0])


def _no_repository(root: Path) -> CodePlaneError:
    return CodePlaneError(ErrorCode.NOT_A_REPOSITORY, f"'{display(str(root))}' is not a git repository")


def _list_staged(repository: pygit2.Repository, written: bytes | None) -> Iterator[RepoPath]:
    head = repository.head.peel(pygit2.Commit)
    # Mostly the index says itself that it is this very tree.
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
        raise damaged(root, "the index is not a file of a usual size")
    return found[0].st_mtime_ns, found[1]


def _parse(data: bytes) -> tuple[dict[RepoPath, IndexEntry], set[RepoPath], bytes | None]:
    """Files that are compared by content, those that differ from HEAD whatever it is, and the tree that it all is."""
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
    """The id of the tree that was last written from the index, if that still stands."""
    found = None
    while position + _EXTENSION.size <= len(data) - _CHECKSUM_BYTES:
        name, length = _EXTENSION.unpack_from(data, position)
        position += _EXTENSION.size
        if name[:1].islower():
            # Without understanding these, what is in the index cannot be known.
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
    """libgit2 waits at a pipe in place of an object too. Entries tell what they are without a stat of each."""
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
    """Directories that lend their objects, relative to the directory of those that they are lent to."""
    found = read_file(path, _ALTERNATES_BYTES)
    lines = found[1].split(b"\n") if found is not None else []
    objects = os.path.dirname(os.path.dirname(path))
    return [os.path.join(objects, os.fsdecode(line)) for line in lines if line and not line.startswith(b"#")]
