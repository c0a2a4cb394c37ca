"""One look at the whole tree: every regular file that is not ignored, with its stat.

Directories are opened in their parents and never through a link; no content is read but
that of ignore files. A directory whose own stat is unchanged and settled still holds the
same names, so a warm cache saves listing and matching, and only the files are stat'ed
again. What could not be read is named, so that nobody takes it for deleted.
"""

from __future__ import annotations

import os
import stat as modes
import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from codeplane.base.digests import Digest
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import MAX_NAME_BYTES, MAX_PATH_BYTES, ROOT, RepoPath, basename, is_inside, join
from codeplane.disk import ignore, stats
from codeplane.disk.ignore import IGNORE_FILES, IgnoreChain, IgnoreFile, IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.secrets import is_secret
from codeplane.disk.stats import FileStat, is_racy, stat_fields

MAX_OPEN_DIRECTORIES = 32
"""Ancestors kept open during the walk; older ones are opened again beneath the root when needed."""

MAX_PRUNED = 1000
"""Ignored directories that a scan names."""

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


class Scan(NamedTuple):
    files: dict[RepoPath, FileStat]
    """In the order of the walk: deterministic, not sorted by path."""
    symlinks: tuple[RepoPath, ...]
    """Neither followed nor read."""
    secrets: tuple[RepoPath, ...]
    """Files and directories that were left out because of their names."""
    pruned: tuple[RepoPath, ...]
    """Ignored directories, the first MAX_PRUNED of them."""
    unscanned: tuple[RepoPath, ...]
    """Directories that could not be listed; none lies inside another. The root is the empty path."""
    unreadable: tuple[RepoPath, ...]
    """Files that are there, but whose stat failed; ignore files that could not be read."""
    special: int
    """FIFOs, sockets, devices."""
    overlong: int
    """Entries whose path exceeds what a RepoPath may hold."""
    ignore_files: tuple[IgnoreFile, ...]
    """All that were met; one that is not `complete` exceeds a cap."""
    ignore_signature: Digest


class WalkCache:
    """What the last walk of one root saw. Lives in memory, belongs to one thread at a time."""

    def __init__(self) -> None:
        self.base: _Base | None = None
        self.listings: dict[str, _Listing] = {}


def walk(root: Root, rules: IgnoreRules, cache: WalkCache | None = None) -> Scan:
    """Scan the tree. Raises ROOT_CHANGED; any lesser trouble is part of the Scan."""
    root.check()
    cache = cache if cache is not None else WalkCache()
    started_at = time.time_ns()
    cache.base = _renew_base(root, rules, cache.base, started_at)
    found = _Findings(cache.base.files)
    seen: dict[str, _Listing] = {}
    for listing in _visit(root, rules, cache, found):
        seen[listing.path] = listing
        found.files.update(listing.files)
        if listing.uncommon:
            found.add(listing)
    # Only what this walk saw: directories that are gone leave no trace.
    cache.listings = seen
    return Scan(
        files=found.files,
        symlinks=tuple(found.symlinks),
        secrets=tuple(found.secrets),
        pruned=tuple(found.pruned[:MAX_PRUNED]),
        unscanned=outermost(found.unscanned),
        unreadable=tuple(found.unreadable),
        special=found.special,
        overlong=found.overlong,
        ignore_files=tuple(found.ignore_files),
        ignore_signature=ignore.rules_signature(rules, found.ignore_files),
    )


def outermost(prefixes: Iterable[RepoPath]) -> tuple[RepoPath, ...]:
    """Sorted, without repetitions and without directories inside others."""
    kept: list[RepoPath] = []
    # By segments, so that what lies inside a directory follows it at once ("a/b" before "a-b").
    for prefix in sorted(set(prefixes), key=lambda path: path.split("/")):
        if not kept or not is_inside(prefix, kept[-1]):
            kept.append(prefix)
    if ROOT in kept:
        return (ROOT,)
    return tuple(sorted(kept))


class _Base(NamedTuple):
    """Rules from outside the directories, and the chain that they make."""

    rules: IgnoreRules
    chain: IgnoreChain
    files: tuple[IgnoreFile, ...]


class _Listing(NamedTuple):
    """A directory: what its entries were found to be, and under which stat and rules that holds."""

    path: RepoPath
    stat: FileStat
    settled: bool
    inherited: IgnoreChain
    chain: IgnoreChain
    ignore_files: tuple[IgnoreFile, ...]
    names: list[str]
    stats: list[FileStat]
    """Of the accepted files, in the order of `names`."""
    files: dict[RepoPath, FileStat]
    folders: tuple[str, ...]
    symlinks: tuple[RepoPath, ...]
    secrets: tuple[RepoPath, ...]
    pruned: tuple[RepoPath, ...]
    unreadable: tuple[RepoPath, ...]
    special: int
    overlong: int

    @property
    def uncommon(self) -> bool:
        return bool(
            self.ignore_files
            or self.symlinks
            or self.secrets
            or self.pruned
            or self.unreadable
            or self.special
            or self.overlong
        )


class _Findings:
    def __init__(self, ignore_files: tuple[IgnoreFile, ...]) -> None:
        self.files: dict[RepoPath, FileStat] = {}
        self.ignore_files = list(ignore_files)
        self.symlinks: list[RepoPath] = []
        self.secrets: list[RepoPath] = []
        self.pruned: list[RepoPath] = []
        self.unscanned: list[RepoPath] = []
        self.unreadable = [file.path for file in ignore_files if file.stat is None]
        self.special = 0
        self.overlong = 0

    def add(self, listing: _Listing) -> None:
        self.ignore_files += listing.ignore_files
        self.symlinks += listing.symlinks
        self.secrets += listing.secrets
        self.pruned += listing.pruned
        self.unreadable += listing.unreadable
        self.unreadable += [file.path for file in listing.ignore_files if file.stat is None]
        self.special += listing.special
        self.overlong += listing.overlong


class _Frame:
    """A directory whose folders are still to be visited."""

    __slots__ = ("chain", "fd", "path", "pending")

    def __init__(self, path: RepoPath, fd: int, chain: IgnoreChain, pending: list[str]) -> None:
        self.path = path
        self.fd = fd
        self.chain = chain
        self.pending = pending


def _visit(root: Root, rules: IgnoreRules, cache: WalkCache, found: _Findings) -> Iterator[_Listing]:
    """Depth first, by name. The stack holds at most MAX_OPEN_DIRECTORIES descriptors."""
    assert cache.base is not None
    frames: list[_Frame] = []
    path, fd = ROOT, _open_in(root, None, ROOT, "", found)
    chain = cache.base.chain
    try:
        while True:
            if fd >= 0:
                listing = _look(root, rules, path, fd, chain, cache.listings.get(path), found)
                if listing is None or not listing.folders:
                    os.close(fd)
                else:
                    frames.append(_Frame(path, fd, listing.chain, list(reversed(listing.folders))))
                    if len(frames) > MAX_OPEN_DIRECTORIES and frames[-1 - MAX_OPEN_DIRECTORIES].fd >= 0:
                        os.close(frames[-1 - MAX_OPEN_DIRECTORIES].fd)
                        frames[-1 - MAX_OPEN_DIRECTORIES].fd = -1
                fd = -1
                if listing is not None:
                    yield listing
            if not frames:
                return
            frame = frames[-1]
            name = frame.pending.pop()
            path, chain = join(frame.path, name), frame.chain
            fd = _open_in(root, frame, path, name, found)
            if not frame.pending:
                frames.pop()
                if frame.fd >= 0:
                    os.close(frame.fd)
    finally:
        for open_fd in (fd, *(frame.fd for frame in frames)):
            if open_fd >= 0:
                os.close(open_fd)


def _open_in(root: Root, frame: _Frame | None, path: RepoPath, name: str, found: _Findings) -> int:
    """A descriptor of the directory; -1 when it is gone, or cannot be read and is noted as unscanned."""
    try:
        if frame is not None and frame.fd >= 0:
            return os.open(name, _DIRECTORY_FLAGS, dir_fd=frame.fd)
        return root.open_directory(path)
    except FileNotFoundError:
        return -1
    except OSError as error:
        if not _is_gone(error, name, frame):
            found.unscanned.append(path)
    except CodePlaneError as error:
        if error.code not in (ErrorCode.FILE_NOT_FOUND, ErrorCode.PATH_SYMLINK):
            found.unscanned.append(path)
    return -1


def _is_gone(error: OSError, name: str, frame: _Frame | None) -> bool:
    """Whether the directory was replaced by something else since its parent was listed."""
    if frame is None or isinstance(error, PermissionError):
        return False
    try:
        return not modes.S_ISDIR(os.stat(name, dir_fd=frame.fd, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _renew_base(root: Root, rules: IgnoreRules, before: _Base | None, now_ns: int) -> _Base:
    chain, files = ignore.base_chain(root, rules, now_ns)
    if before is not None and before.rules == rules and _same_content(before.files, files):
        return before._replace(files=files)
    return _Base(rules, chain, files)


def _same_content(before: tuple[IgnoreFile, ...], after: tuple[IgnoreFile, ...]) -> bool:
    return [(file.path, file.digest) for file in before] == [(file.path, file.digest) for file in after]


def _look(
    root: Root,
    rules: IgnoreRules,
    path: RepoPath,
    fd: int,
    inherited: IgnoreChain,
    before: _Listing | None,
    found: _Findings,
) -> _Listing | None:
    """The listing of an open directory: the one from before where it still holds, else a new one."""
    now_ns = time.time_ns()
    try:
        stat = stat_fields(os.fstat(fd))
        if before is not None and before.settled and before.stat == stat and before.inherited is inherited:
            again = _look_again(root, fd, before, now_ns)
            if again is not None:
                return again
        return _list(root, rules, path, fd, FileStat._make(stat), inherited, before, now_ns)
    except OSError:
        found.unscanned.append(path)
        return None


def _look_again(root: Root, fd: int, before: _Listing, now_ns: int) -> _Listing | None:
    """`before` with the stats of now, or None when the directory must be listed after all."""
    stat_entry = partial(os.stat, dir_fd=fd, follow_symlinks=False)
    try:
        if before.ignore_files and not all(
            _is_current(file, stat_entry(basename(file.path))) for file in before.ignore_files
        ):
            return None
        results = list(map(stat_entry, before.names))
    except OSError:
        return None
    fields = list(map(stat_fields, results))
    if fields == before.stats:
        return before
    renewed = before.stats.copy()
    for position, (now, known) in enumerate(zip(fields, before.stats, strict=True)):
        if now != known:
            if not modes.S_ISREG(results[position].st_mode):
                return None
            renewed[position] = FileStat._make(now)
    return before._replace(stats=renewed, files=dict(zip(before.files, renewed, strict=True)))


def _is_current(file: IgnoreFile, result: os.stat_result) -> bool:
    return file.stat is not None and file.stat == stat_fields(result) and not is_racy(file.stat, file.observed_at_ns)


def _list(
    root: Root,
    rules: IgnoreRules,
    path: RepoPath,
    fd: int,
    stat: FileStat,
    inherited: IgnoreChain,
    before: _Listing | None,
    now_ns: int,
) -> _Listing:
    """Read the directory and judge each entry. `stat` was taken before, so that a later change shows."""
    with os.scandir(fd) as iterator:
        entries = sorted(iterator, key=lambda entry: entry.name)
    present = {entry.name for entry in entries}
    chain, ignore_files = ignore.extend_chain(
        root, inherited, path, tuple(name for name in IGNORE_FILES if name in present), now_ns
    )
    if before is not None and before.inherited is inherited and _same_content(before.ignore_files, ignore_files):
        # The same rules must stay the same object, or everything beneath would be judged again.
        chain = before.chain
    names: list[str] = []
    accepted: list[FileStat] = []
    files: dict[RepoPath, FileStat] = {}
    folders: list[str] = []
    symlinks: list[RepoPath] = []
    secrets: list[RepoPath] = []
    pruned: list[RepoPath] = []
    unreadable: list[RepoPath] = []
    special = overlong = 0
    room = MAX_PATH_BYTES - 2 - len(os.fsencode(path))
    for entry in entries:
        name = entry.name
        entry_path = join(path, name)
        if room < MAX_NAME_BYTES and len(os.fsencode(name)) > room:
            overlong += 1
            continue
        is_directory = entry.is_dir(follow_symlinks=False)
        if chain.find_reason(entry_path, name, is_directory) is not None:
            if is_directory:
                pruned.append(entry_path)
            elif rules.block_secrets and is_secret(entry_path):
                secrets.append(entry_path)
        elif rules.block_secrets and is_secret(entry_path):
            secrets.append(entry_path)
        elif is_directory:
            folders.append(name)
        elif entry.is_symlink():
            symlinks.append(entry_path)
        else:
            try:
                result = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError:
                unreadable.append(entry_path)
                continue
            if modes.S_ISREG(result.st_mode):
                names.append(name)
                accepted.append(stats.file_stat(result))
                files[entry_path] = accepted[-1]
            else:
                special += 1
    return _Listing(
        path=path,
        stat=stat,
        settled=not is_racy(stat, now_ns) and not unreadable,
        inherited=inherited,
        chain=chain,
        ignore_files=ignore_files,
        names=names,
        stats=accepted,
        files=files,
        folders=tuple(folders),
        symlinks=tuple(symlinks),
        secrets=tuple(secrets),
        pruned=tuple(pruned),
        unreadable=tuple(unreadable),
        special=special,
        overlong=overlong,
    )
