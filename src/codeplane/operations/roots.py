"""The repositories that one engine can answer about: its home, and others that were registered.

A repository is registered by `manage_index create`, once a person has indexed it or has
allowed the directory that it lies in: a caller cannot give itself the right to read.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.operations.context import Context
from codeplane.operations.file_parser import FileParser
from codeplane.operations.map_repo.map_cache import MapCache
from codeplane.operations.outline import FileOutlineRows
from codeplane.operations.revisions import RevisionReader
from codeplane.operations.search.finder import Finder
from codeplane.operations.settings import index_options, workspace_settings
from codeplane.operations.unindexed_file import parse_file
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
    maps: MapCache = field(default_factory=MapCache)

    @property
    def path(self) -> Path:
        return self.context.root

    def parse(self, path: RepoPath) -> FileOutlineRows:
        """The definitions of one file of the working tree, without the index."""
        return parse_file(self.context, self.parser, path)

    def close(self, timeout: float = 5.0) -> None:
        self.workspace.close(timeout)
        self.finder.close()
        self.parser.close()


class Roots:
    """Home is open from the start; every other root is opened when it is first asked about."""

    def __init__(self, home: OpenRoot, load: Callable[[Path], Context]) -> None:
        self.home = home
        self._load = load
        self._open: dict[Path, OpenRoot] = {home.path: home}
        self._lock = threading.Lock()

    def resolve(self, path: str | None) -> OpenRoot:
        """The repository that holds `path`: home without one, or the nearest registered parent."""
        if not path:
            return self.home
        place = Path(os.path.realpath(self.home.path / path))
        known = self._nearest_known(place)
        if known is None:
            raise _not_registered(path)
        if not os.path.lexists(place):
            # A name that was mistyped must not stand for the repository around it.
            raise _no_directory(path)
        return self._opened(known, path)

    def may_change(self, root: OpenRoot) -> bool:
        """Home, and what lies where the operator allows it; of others only the asking is ours."""
        return root.path == self.home.path or self._is_allowed(root.path)

    def register(self, path: str) -> OpenRoot:
        """Let further calls ask about another repository."""
        place = Path(os.path.realpath(self.home.path / path))
        known = self._nearest_known(place)
        if known is not None:
            return self._opened(known, path)
        # First whether it may be asked about: what lies elsewhere on the machine is not told.
        self._require_allowed(place, path)
        if not _is_directory(place):
            raise _no_directory(path)
        self._remember(lambda roots: _with_one_more(roots, place))
        return self._opened(place, path)

    def registered(self) -> tuple[Path, ...]:
        """Roots besides home, by path."""
        return read_roots(self.home.context.user_state, self.home.path)

    def opened(self, path: Path) -> OpenRoot | None:
        return self._open.get(path)

    def context_of(self, path: Path) -> Context:
        return self._load(path)

    def forget(self, root: OpenRoot) -> None:
        """After its index was cleared, a repository that is not home is not ours any more."""
        if root.path != self.home.path:
            self._remember(lambda roots: [path for path in roots if path != root.path])
            with self._lock:
                self._open.pop(root.path, None)
            root.close()

    def close(self, timeout: float) -> None:
        """All at once: none waits for another."""
        with self._lock:
            open_roots = list(self._open.values())
        closing = [threading.Thread(target=root.close, args=(timeout,)) for root in open_roots]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()

    def _nearest_known(self, place: Path) -> Path | None:
        known = {self.home.path, *self.registered()}
        return next((directory for directory in (place, *place.parents) if directory in known), None)

    def _opened(self, path: Path, received: str) -> OpenRoot:
        with self._lock:
            found = self._open.get(path)
            if found is None:
                # Another call may just have made us forget it.
                if path not in self.registered():
                    raise _not_registered(received)
                found = self._open[path] = open_root(self._load(path), build=False)
            return found

    def _is_allowed(self, place: Path) -> bool:
        allowed = self.home.context.config.server.allowed_roots
        return any(Path(directory) in (place, *place.parents) for directory in allowed)

    def _require_allowed(self, place: Path, received: str) -> None:
        if not self._is_allowed(place) and read_binding(self.home.context.user_state, place) is None:
            raise CodePlaneError(
                ErrorCode.ROOT_NOT_REGISTERED,
                "another repository can be added once a person has indexed it",
                received=display(received[:_MAX_SHOWN]),
                remedy="Ask for 'cpl init' to be run there, or for the setting server.allowed_roots.",
            )

    def _remember(self, change: Callable[[tuple[Path, ...]], list[Path]]) -> None:
        try:
            change_roots(self.home.context.user_state, self.home.path, change)
        except OSError as error:
            raise CodePlaneError(
                ErrorCode.STATE_DIRECTORY_READ_ONLY,
                "which repositories were added cannot be kept",
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
        "this server does not answer about that path",
        expected="a path in this repository, or in another that was added",
        received=display(received[:_MAX_SHOWN]),
        remedy="Leave 'path' out for this repository.",
    )


def _with_one_more(roots: tuple[Path, ...], place: Path) -> list[Path]:
    if place not in roots and len(roots) >= _MAX_ROOTS:
        raise CodePlaneError(ErrorCode.ARGUMENT_INVALID, f"there are {_MAX_ROOTS} repositories already")
    return sorted({*roots, place})


def _is_directory(place: Path) -> bool:
    try:
        return place.is_dir()
    except OSError:
        return False


def open_root(context: Context, *, once: bool = False, build: bool = True, prewarm: bool = True) -> OpenRoot:
    """Open a repository for as long as a server runs, or for `once`: then nothing goes on behind the answer."""
    settings = ONE_SHOT if once else workspace_settings(context, build=build, prewarm=prewarm)
    workspace = Workspace(index_options(context), settings)
    workspace.start()
    parser = FileParser()
    return OpenRoot(context, workspace, Finder(context.root), RevisionReader(context, parser), parser)
