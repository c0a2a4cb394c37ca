"""Which files a file of C or C++ sees: what it includes, and what that includes."""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.python_modules import shared_folders

_KINDS = frozenset({"c_include", "c_include_system"})


class Includes:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def find(self, path: str, literal: str, *, system: bool) -> str | None:
        """The file that an include names. Where directories are given to a compiler is unknown: one must fit alone."""
        beside = normpath(join(dirname(path), literal))
        by_name = self._evaluator.memo_tracked("paths by name", self._read_names)
        candidates = by_name.get(basename(literal), [])
        if not system and beside in candidates:
            return beside
        literal = normpath(literal)
        fitting = [file for file in candidates if file == literal or file.endswith(f"/{literal}")]
        if system and "/" not in literal:
            return None
        if len(fitting) < 2:
            return fitting[0] if fitting else None
        ranked = sorted((-shared_folders(file, path), file) for file in fitting)
        return ranked[0][1] if ranked[0][0] < ranked[1][0] else None

    def _read_names(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._evaluator.library.paths()):
            found.setdefault(basename(path), []).append(path)
        return found

    def direct(self, path: str) -> tuple[str, ...]:
        return self._evaluator.memo_tracked(("includes", path), lambda: self._read(path))

    def _read(self, path: str) -> tuple[str, ...]:
        at = self._evaluator.library.tables(path)
        found = {
            file
            for row in (at.imports if at is not None else ())
            if row.kind in _KINDS and row.source
            if (file := self.find(path, row.source, system=row.kind != "c_include")) is not None
        }
        return tuple(sorted(found))

    def seen(self, path: str) -> frozenset[str]:
        """The file itself and all that it includes."""
        return self._evaluator.memo_tracked(("sees", path), lambda: self._close(path))

    def _close(self, path: str) -> frozenset[str]:
        found, todo = {path}, [path]
        while todo:
            for file in self.direct(todo.pop()):
                if file not in found:
                    found.add(file)
                    todo.append(file)
        return frozenset(found)
