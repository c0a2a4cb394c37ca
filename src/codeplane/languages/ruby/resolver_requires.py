"""Ruby files that `require`, `require_relative`, `load` and `autoload` name.

The load path is not known. It is taken to contain `lib`, `test` and `spec` of every directory around the requiring
file, the root of the repository, and `lib` of every gem in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from posixpath import dirname, join, normpath

_LOAD_FOLDERS = ("lib", "test", "spec")


class RequiredFiles:
    def __init__(self, paths: Callable[[], Iterable[str]]) -> None:
        self._paths = paths

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(path for path in self._paths() if path.endswith((".rb", ".rake")))

    @cached_property
    def _gems(self) -> list[str]:
        """Directories with a gem specification."""
        return sorted({dirname(path) for path in self._paths() if path.endswith(".gemspec")})

    def find(self, near: str, source: str, *, is_relative: bool) -> str | None:
        """Return the file that a feature names; of several gems that have it, none."""
        if is_relative:
            return self._at(dirname(near), source)
        if source.startswith(("/", "~", ".")):
            return None
        folder = dirname(near)
        while True:
            for inner in (*_LOAD_FOLDERS, *(() if folder else ("",))):
                path = self._at(join(folder, inner), source)
                if path is not None and path != near:
                    return path
            if not folder:
                break
            folder = dirname(folder)
        found = {path for gem in self._gems if (path := self._at(join(gem, "lib"), source)) is not None}
        return found.pop() if len(found) == 1 else None

    def _at(self, folder: str, source: str) -> str | None:
        path = normpath(join(folder, source))
        return next((each for each in (path, f"{path}.rb") if each in self._files), None)
