"""Scan of the working tree: every regular file that is not ignored, with its stat.

Directories are opened in their parents and never through a link. Only ignore files are read. A directory whose own stat
is unchanged and not racy contains the same names, so with a warm cache its entries are neither listed nor matched
again, only stat'ed. Directories and files that could not be read are reported, so they are not mistaken for deleted.
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
from codeplane.disk.allowed_secrets import is_blocked_secret
from codeplane.disk.ignore import IGNORE_FILES, IgnoreChain, IgnoreFile, IgnoreRules
from codeplane.disk.safe_open import Root
from codeplane.disk.stats import FileStat, is_racy, stat_fields

MAX_OPEN_DIRECTORIES = 32
"""Ancestors that stay open during the walk; older ones are reopened under the root when needed."""

MAX_PRUNED = 1000
"""Limit for the ignored directories listed in a scan."""

_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


class Scan(NamedTuple):
    files: dict[RepoPath, FileStat]
    """In walk order: deterministic, not sorted by path."""
    symlinks: tuple[RepoPath, ...]
    """Not followed and not read."""
    secrets: tuple[RepoPath, ...]
    """Files and directories excluded because of their names."""
    pruned: tuple[RepoPath, ...]
    """The first MAX_PRUNED ignored directories."""
    unscanned: tuple[RepoPath, ...]
    """Directories that could not be listed; none is inside another. The root is the empty path."""
    unreadable: tuple[RepoPath, ...]
    """Files whose stat failed, and ignore files that could not be read."""
    special: int
    """FIFOs, sockets, devices."""
    overlong: int
    """Entries whose path is longer than a RepoPath may be."""
    ignore_files: tuple[IgnoreFile, ...]
    """All ignore files found; one that is not `complete` exceeds a limit."""
    ignore_signature: Digest


class WalkCache:
    """Result of the last walk of one root, in memory. Not thread-safe."""

    def __init__(self) -> None:
        self.base: _Base | None = None
        self.listings: dict[str, _Listing] = {}


def walk(root: Root, rules: IgnoreRules, cache: WalkCache | None = None) -> Scan:
    """Scan the tree. Raises ROOT_CHANGED; smaller problems are part of the Scan."""
    root.check()
    cache = cache if cache is not None else WalkCache()
    started_at = time.time_ns()
    cache.base = _load_base(root, rules, cache.base, started_at)
    found = _Findings(cache.base.files)
    seen: dict[str, _Listing] = {}
    for listing in _visit(root, rules, cache, found):
        seen[listing.path] = listing
        found.files.update(listing.files)
        if listing.has_findings:
            found.add(listing)
    # Only the listings of this walk, so removed directories leave the cache.
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
    """Sort paths and drop duplicates and paths inside other paths."""
    result: list[RepoPath] = []
    # By segments, so the content of a directory directly follows it ("a/b" before "a-b").
    for prefix in sorted(set(prefixes), key=lambda path: path.split("/")):
        if not result or not is_inside(prefix, result[-1]):
            result.append(prefix)
    return tuple(sorted(result))


class _Base(NamedTuple):
    """Rules from outside the tree, and their chain."""

    rules: IgnoreRules
    chain: IgnoreChain
    files: tuple[IgnoreFile, ...]


class _Listing(NamedTuple):
    """Classified entries of a directory, with the stat and rules for which the classification is valid."""

    path: RepoPath
    stat: FileStat
    settled: bool
    inherited: IgnoreChain
    chain: IgnoreChain
    ignore_files: tuple[IgnoreFile, ...]
    names: list[str]
    stats: list[FileStat]
    """Stats of the accepted files, in the order of `names`."""
    files: dict[RepoPath, FileStat]
    folders: tuple[str, ...]
    symlinks: tuple[RepoPath, ...]
    secrets: tuple[RepoPath, ...]
    pruned: tuple[RepoPath, ...]
    unreadable: tuple[RepoPath, ...]
    special: int
    overlong: int

    @property
    def has_findings(self) -> bool:
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
    """A directory whose subdirectories are not all visited yet."""

    __slots__ = ("chain", "fd", "path", "pending")

    def __init__(self, path: RepoPath, fd: int, chain: IgnoreChain, pending: list[str]) -> None:
        self.path = path
        self.fd = fd
        self.chain = chain
        self.pending = pending


def _visit(root: Root, rules: IgnoreRules, cache: WalkCache, found: _Findings) -> Iterator[_Listing]:
    """Yield listings depth first, by name, with at most MAX_OPEN_DIRECTORIES open descriptors."""
    assert cache.base is not None
    frames: list[_Frame] = []
    path, fd = ROOT, _open_in(root, None, ROOT, "", found)
    chain = cache.base.chain
    try:
        while True:
            if fd >= 0:
                listing = _scan_directory(root, rules, path, fd, chain, cache.listings.get(path), found)
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
    """Open the directory; return -1 if it vanished, or if it is unreadable and added to `unscanned`."""
    try:
        if frame is not None and frame.fd >= 0:
            return os.open(name, _DIRECTORY_FLAGS, dir_fd=frame.fd)
        return root.open_directory(path)
    except FileNotFoundError:
        return -1
    except OSError as error:
        if not _was_replaced(error, name, frame):
            found.unscanned.append(path)
    except CodePlaneError as error:
        if error.code not in (ErrorCode.FILE_NOT_FOUND, ErrorCode.PATH_SYMLINK):
            found.unscanned.append(path)
    return -1


def _was_replaced(error: OSError, name: str, frame: _Frame | None) -> bool:
    """True if the directory was removed or replaced since its parent was listed."""
    if frame is None or isinstance(error, PermissionError):
        return False
    try:
        return not modes.S_ISDIR(os.stat(name, dir_fd=frame.fd, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _load_base(root: Root, rules: IgnoreRules, before: _Base | None, now_ns: int) -> _Base:
    chain, files = ignore.base_chain(root, rules, now_ns)
    if before is not None and before.rules == rules and _same_content(before.files, files):
        return before._replace(files=files)
    return _Base(rules, chain, files)


def _same_content(before: tuple[IgnoreFile, ...], after: tuple[IgnoreFile, ...]) -> bool:
    return [(file.path, file.digest) for file in before] == [(file.path, file.digest) for file in after]


def _scan_directory(
    root: Root,
    rules: IgnoreRules,
    path: RepoPath,
    fd: int,
    inherited: IgnoreChain,
    before: _Listing | None,
    found: _Findings,
) -> _Listing | None:
    """Return the listing of an open directory, from the cache if it is still valid."""
    now_ns = time.time_ns()
    try:
        stat = stat_fields(os.fstat(fd))
        if before is not None and before.settled and before.stat == stat and before.inherited is inherited:
            restated = _restat(root, fd, before, now_ns)
            if restated is not None:
                return restated
        return _list_directory(root, rules, path, fd, FileStat._make(stat), inherited, before, now_ns)
    except OSError:
        found.unscanned.append(path)
        return None


def _restat(root: Root, fd: int, before: _Listing, now_ns: int) -> _Listing | None:
    """Return `before` with current stats, or None if the directory must be listed again."""
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


def _reuse_chain(
    chain: IgnoreChain, before: _Listing | None, inherited: IgnoreChain, files: tuple[IgnoreFile, ...]
) -> IgnoreChain:
    """Return the earlier object for unchanged rules; a new one would cause all subdirectories to be listed again."""
    if before is not None and before.inherited is inherited and _same_content(before.ignore_files, files):
        return before.chain
    return chain


def _is_current(file: IgnoreFile, result: os.stat_result) -> bool:
    return file.stat is not None and file.stat == stat_fields(result) and not is_racy(file.stat, file.observed_at_ns)


def _list_directory(
    root: Root,
    rules: IgnoreRules,
    path: RepoPath,
    fd: int,
    stat: FileStat,
    inherited: IgnoreChain,
    before: _Listing | None,
    now_ns: int,
) -> _Listing:
    """List the directory and classify each entry. `stat` was taken before, so later changes are detected."""
    with os.scandir(fd) as iterator:
        entries = sorted(iterator, key=lambda entry: entry.name)
    present = {entry.name for entry in entries}
    chain, ignore_files = ignore.extend_chain(
        root, inherited, path, tuple(name for name in IGNORE_FILES if name in present), now_ns
    )
    chain = _reuse_chain(chain, before, inherited, ignore_files)
    names: list[str] = []
    accepted: list[FileStat] = []
    files: dict[RepoPath, FileStat] = {}
    folders: list[str] = []
    symlinks: list[RepoPath] = []
    secrets: list[RepoPath] = []
    pruned: list[RepoPath] = []
    unreadable: list[RepoPath] = []
    special = overlong = 0
    name_limit = MAX_PATH_BYTES - 2 - len(os.fsencode(path))
    for entry in entries:
        name = entry.name
        entry_path = join(path, name)
        if name_limit < MAX_NAME_BYTES and len(os.fsencode(name)) > name_limit:
            overlong += 1
            continue
        is_directory = entry.is_dir(follow_symlinks=False)
        is_ignored = chain.find_reason(entry_path, name, is_directory=is_directory) is not None
        if is_ignored and is_directory:
            pruned.append(entry_path)
        elif rules.block_secrets and is_blocked_secret(root.path, entry_path, is_directory=is_directory):
            secrets.append(entry_path)
        elif is_ignored:
            continue
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
