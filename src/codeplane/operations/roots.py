"""Repositories that one engine serves: its home, and registered others.

A repository is registered by `manage_index create`, after a person has indexed it or allowed its parent directory: a
caller cannot grant itself read access.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.git.client import GitClient
from codeplane.operations.context import Context
from codeplane.operations.file_parser import FileParser, RevisionReader, parse_file
from codeplane.operations.map_repo.map_cache import MapCache
from codeplane.operations.outline import FileOutlineRows
from codeplane.operations.search.finder import Finder
from codeplane.operations.settings import index_options, workspace_settings
from codeplane.store.registry import read_binding
from codeplane.store.roots import change_roots, read_roots
from codeplane.workspace.freshness import ONE_SHOT
from codeplane.workspace.workspace import Workspace

_MAX_ROOTS = 32
_MAX_SHOWN = 200


@dataclass(frozen=True)
class OpenRoot:
    context: Context
    workspace: Workspace
    finder: Finder
    past: RevisionReader
    parser: FileParser
    git: GitClient = field(default_factory=GitClient)
    maps: MapCache = field(default_factory=MapCache)

    @property
    def path(self) -> Path:
        return self.context.root

    def parse(self, path: RepoPath) -> FileOutlineRows:
        """Return the definitions of one working tree file, without the index."""
        return parse_file(self.context, self.parser, path)

    def drop_caches(self) -> None:
        self.workspace.drop_snapshots()
        self.finder.drop_caches()
        self.maps.clear()
        self.parser.drop_caches()

    def cache_sizes(self) -> dict[str, int]:
        """Return the size of each cache between calls: bytes, or a number of entries."""
        return {
            **self.finder.cache_sizes(),
            "cached_maps": len(self.maps),
            "cached_outlines": len(self.parser),
            "open_snapshots": self.workspace.open_snapshots,
        }

    def close(self, timeout: float = 5.0) -> None:
        self.workspace.close(timeout)
        self.finder.close()
        self.parser.close()
        self.git.close()


class Roots:
    """Home is opened at start; other roots are opened on first use."""

    def __init__(self, home: OpenRoot, load: Callable[[Path], Context]) -> None:
        self.home = home
        self._load = load
        self._open: dict[Path, OpenRoot] = {home.path: home}
        self._lock = threading.Lock()

    def resolve(self, path: str | None) -> OpenRoot:
        """Return the repository that contains `path`: home without one, else the nearest registered parent."""
        if not path:
            return self.home
        resolved = Path(os.path.realpath(self.home.path / path))
        known = self._nearest_known(resolved)
        if known is None:
            raise _not_registered(path)
        if not os.path.lexists(resolved):
            # A mistyped path must not resolve to the repository around it.
            raise _no_directory(path)
        return self._opened(known, path)

    def may_change(self, root: OpenRoot) -> bool:
        """True for home and roots in allowed directories; other roots are read-only."""
        return root.path == self.home.path or self._is_allowed(root.path)

    def register(self, path: str) -> OpenRoot:
        """Register another repository for later calls."""
        resolved = Path(os.path.realpath(self.home.path / path))
        known = self._nearest_known(resolved)
        if known is not None:
            return self._opened(known, path)
        # Check permission first: the existence of other paths is not disclosed.
        self._require_allowed(resolved, path)
        if not _is_directory(resolved):
            raise _no_directory(path)
        self._update_registry(lambda roots: _with_one_more(roots, resolved))
        return self._opened(resolved, path)

    def registered(self) -> tuple[Path, ...]:
        """Return the registered roots, by path."""
        return read_roots(self.home.context.user_state, self.home.path)

    def opened(self, path: Path) -> OpenRoot | None:
        return self._open.get(path)

    def context_of(self, path: Path) -> Context:
        return self._load(path)

    def forget(self, root: OpenRoot) -> None:
        """Unregister a repository after its index was cleared; home stays."""
        if root.path != self.home.path:
            self._update_registry(lambda roots: [path for path in roots if path != root.path])
            with self._lock:
                self._open.pop(root.path, None)
            root.close()

    def drop_caches(self) -> None:
        for root in list(self._open.values()):
            root.drop_caches()

    def cache_sizes(self) -> dict[str, int]:
        """Return the sizes of the caches of all open roots together."""
        total: Counter[str] = Counter()
        for root in list(self._open.values()):
            total.update(root.cache_sizes())
        return dict(total)

    def close(self, timeout: float) -> None:
        """Close all roots concurrently."""
        with self._lock:
            open_roots = list(self._open.values())
        closing = [threading.Thread(target=root.close, args=(timeout,)) for root in open_roots]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()

    def _nearest_known(self, resolved: Path) -> Path | None:
        known = {self.home.path, *self.registered()}
        return next((directory for directory in (resolved, *resolved.parents) if directory in known), None)

    def _opened(self, path: Path, received: str) -> OpenRoot:
        with self._lock:
            found = self._open.get(path)
            if found is None:
                # Another call may just have unregistered it.
                if path not in self.registered():
                    raise _not_registered(received)
                found = self._open[path] = open_root(self._load(path), build=False)
            return found

    def _is_allowed(self, resolved: Path) -> bool:
        allowed = self.home.context.config.server.allowed_roots
        return any(Path(directory) in (resolved, *resolved.parents) for directory in allowed)

    def _require_allowed(self, resolved: Path, received: str) -> None:
        if not self._is_allowed(resolved) and read_binding(self.home.context.user_state, resolved) is None:
            raise CodePlaneError(
                ErrorCode.ROOT_NOT_REGISTERED,
                "a person must index another repository before it can be added",
                received=display(received[:_MAX_SHOWN]),
                remedy="Ask the user to run 'cpl init' there, or to set server.allowed_roots.",
            )

    def _update_registry(self, change: Callable[[tuple[Path, ...]], list[Path]]) -> None:
        try:
            change_roots(self.home.context.user_state, self.home.path, change)
        except OSError as error:
            raise CodePlaneError(
                ErrorCode.STATE_DIRECTORY_READ_ONLY,
                "the list of added repositories cannot be saved",
                details={"why": error.strerror or type(error).__name__},
            ) from error


def _no_directory(path: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"no directory '{display(path[:_MAX_SHOWN])}'",
        expected="a directory",
        received=display(path[:_MAX_SHOWN]),
        remedy="Leave 'path' out for this repository.",
    )


def _not_registered(received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ROOT_NOT_REGISTERED,
        "this server does not serve that path",
        expected="a path in this repository, or in another registered one",
        received=display(received[:_MAX_SHOWN]),
        remedy="Leave 'path' out for this repository.",
    )


def _with_one_more(roots: tuple[Path, ...], resolved: Path) -> list[Path]:
    if resolved not in roots and len(roots) >= _MAX_ROOTS:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID, f"{_MAX_ROOTS} repositories are registered already (the maximum)"
        )
    return sorted({*roots, resolved})


def _is_directory(resolved: Path) -> bool:
    try:
        return resolved.is_dir()
    except OSError:
        return False


def open_root(context: Context, *, once: bool = False, build: bool = True, prewarm: bool = True) -> OpenRoot:
    """Open a repository for the lifetime of a server, or for one call (`once`), without background work."""
    settings = ONE_SHOT if once else workspace_settings(context, build=build, prewarm=prewarm)
    workspace = Workspace(index_options(context), settings)
    workspace.start()
    parser = FileParser()
    return OpenRoot(context, workspace, Finder(context.root), RevisionReader(context, parser), parser)
