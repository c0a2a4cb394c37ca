"""Which file a Python module is. A name that several files could have stands for none of them, unless one is nearer."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import dirname

_SOURCE_ROOTS = ("src", "lib")


class PythonModules:
    """Modules of a tree by dotted name. Packages without `__init__` are directories that have modules."""

    def __init__(self, paths: Iterable[str], roots: Iterable[str] = ()) -> None:
        self._files = frozenset(path for path in paths if path.endswith((".py", ".pyi")))
        self._packages = frozenset(
            dirname(path) for path in self._files if path.endswith(("/__init__.py", "/__init__.pyi"))
        )
        self._roots = frozenset({"", *roots})
        self._beneath: set[str] = set()
        for path in self._files:
            folder = dirname(path)
            while folder and folder not in self._beneath:
                self._beneath.add(folder)
                folder = dirname(folder)
        self._names: dict[str, set[str]] = {}
        self._directories: dict[str, set[str]] = {}
        for path in self._files:
            for name in self.names_of(path):
                self._names.setdefault(name, set()).add(path)
                parent, _, _ = name.rpartition(".")
                while parent:
                    self._directories.setdefault(parent, set())
                    parent, _, _ = parent.rpartition(".")

    def names_of(self, path: str) -> list[str]:
        """Dotted names under which a file can be imported."""
        stem = path.rpartition(".")[0]
        stem = stem.removesuffix("/__init__")
        if stem == "__init__":
            return []
        top = dirname(path)
        while top in self._packages:
            top = dirname(top)
        tops = {top}
        # Without `__init__` the package may begin further out.
        while top and top not in self._roots and top.rpartition("/")[2] not in _SOURCE_ROOTS:
            top = dirname(top)
            tops.add(top)
        found = []
        for root in sorted(tops):
            inner = stem[len(root) + 1 :] if root else stem
            if inner and all(part.isidentifier() for part in inner.split("/")):
                found.append(inner.replace("/", "."))
        return found

    def find(self, name: str, near: str) -> str | None:
        """The file of a module, seen from the file `near`."""
        found = self._names.get(name)
        if not found:
            return None
        if len(found) == 1:
            return next(iter(found))
        stubs = {path for path in found if path.endswith(".pyi")}
        found = found - stubs or found
        if len(found) == 1:
            return next(iter(found))
        ranked = sorted(found, key=lambda path: (-shared_folders(path, near), path))
        return ranked[0] if shared_folders(ranked[0], near) > shared_folders(ranked[1], near) else None

    def is_directory(self, name: str) -> bool:
        return name in self._directories

    def relative(self, path: str, source: str) -> str:
        """`.a` as seen from a file, as a path without its ending; `` for the file's own directory at the top."""
        level = len(source) - len(source.lstrip("."))
        base = dirname(path)
        for _ in range(level - 1):
            base = dirname(base)
        inner = source[level:].replace(".", "/")
        return "/".join(part for part in (base, inner) if part)

    def at(self, stem: str) -> str | None:
        """The file of a module by its path without ending."""
        for path in (
            (f"{stem}/__init__.py", f"{stem}.py", f"{stem}.pyi", f"{stem}/__init__.pyi") if stem else ("__init__.py",)
        ):
            if path in self._files:
                return path
        return None

    def has_beneath(self, stem: str) -> bool:
        return stem in self._beneath


def shared_folders(a: str, b: str) -> int:
    """How many directories two paths begin with in common."""
    count = 0
    for left, right in zip(a.split("/")[:-1], b.split("/")[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
