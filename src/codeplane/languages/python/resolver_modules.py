"""Maps dotted module names to files. An ambiguous name resolves to the nearest file, or to none."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from posixpath import dirname

from codeplane.base.paths import basename
from codeplane.index.resolve.proximity import shared_folders

_SOURCE_ROOTS = ("src", "lib")


class PythonModules:
    """Modules of a tree by dotted name. Packages without `__init__` are directories that contain modules.

    A file can have several names, since the root of its package tree is unknown; they are computed when a name with the
    same last part is looked up.
    """

    def __init__(self, paths: Iterable[str], roots: Iterable[str] = ()) -> None:
        self._files = frozenset(path for path in paths if path.endswith((".py", ".pyi")))
        self._packages = frozenset(
            dirname(path) for path in self._files if path.endswith(("/__init__.py", "/__init__.pyi"))
        )
        self._roots = frozenset({"", *roots})
        self._modules = _ByLastPart((basename(stem), path) for path in self._files if (stem := _stem(path)))
        self._module_folders = sorted(
            {(dirname(stem), dirname(path)) for path in self._files if (stem := _stem(path)) and _is_name(stem)}
        )
        """Directories of modules, each with the directory from which their names are rooted."""
        self._all_folders: set[str] = set()
        for folder in {dirname(path) for path in self._files}:
            while folder and folder not in self._all_folders:
                self._all_folders.add(folder)
                folder = dirname(folder)
        self._folders = _ByLastPart((basename(folder), folder) for folder in self._all_folders)
        self._found: dict[str, list[str]] = {}
        self._is_folder: dict[str, bool] = {}

    def names_of(self, path: str) -> list[str]:
        """Dotted names under which a file can be imported."""
        stem = _stem(path)
        if not stem:
            return []
        found = []
        for root in self._tops(dirname(path)):
            inner = stem[len(root) + 1 :] if root else stem
            if inner and all(part.isidentifier() for part in inner.split("/")):
                found.append(inner.replace("/", "."))
        return found

    def _tops(self, folder: str) -> list[str]:
        """Possible roots of the package tree of a directory."""
        top = folder
        while top in self._packages:
            top = dirname(top)
        tops = {top}
        # Without `__init__` the package may start further up.
        while top and top not in self._roots and basename(top) not in _SOURCE_ROOTS:
            top = dirname(top)
            tops.add(top)
        return sorted(tops)

    def _named(self, name: str) -> list[str]:
        found = self._found.get(name)
        if found is None:
            alike = self._modules.get(name.rpartition(".")[2])
            found = self._found[name] = [path for path in alike if name in self.names_of(path)]
        return found

    def find(self, name: str, near: str) -> str | None:
        """The file of a module, as the file `near` sees it."""
        found = self._named(name)
        if len(found) > 1:
            found = [path for path in found if not path.endswith(".pyi")] or found
        if not found:
            return None
        if len(found) == 1:
            return found[0]
        ranked = sorted(found, key=lambda path: (-shared_folders(path, near), path))
        return ranked[0] if shared_folders(ranked[0], near) > shared_folders(ranked[1], near) else None

    def is_directory(self, name: str) -> bool:
        """True if modules have this name as a prefix."""
        known = self._is_folder.get(name)
        if known is None:
            path = name.replace(".", "/")
            known = self._is_folder[name] = any(
                self._is_rooted(folder, folder[: -len(path)].rstrip("/"))
                for folder in self._folders.get(name.rpartition(".")[2])
                if f"/{folder}".endswith(f"/{path}")
            )
        return known

    def _is_rooted(self, folder: str, top: str) -> bool:
        """True if names of modules under a directory may be rooted at `top`."""
        for prefix in (folder, f"{folder}/"):
            at = bisect_left(self._module_folders, (prefix, ""))
            while at < len(self._module_folders):
                holding, within = self._module_folders[at]
                if holding != folder and not (prefix != folder and holding.startswith(prefix)):
                    break
                inner = holding[len(top) :].strip("/")
                if top in self._tops(within) and all(part.isidentifier() for part in inner.split("/")):
                    return True
                at += 1
        return False

    def relative(self, path: str, source: str) -> str:
        """Path of a relative import without an extension; empty for the root directory."""
        level = len(source) - len(source.lstrip("."))
        base = dirname(path)
        for _ in range(level - 1):
            base = dirname(base)
        inner = source[level:].replace(".", "/")
        return "/".join(part for part in (base, inner) if part)

    def at(self, stem: str) -> str | None:
        """The file of a module, by its path without an extension."""
        for path in (
            (f"{stem}/__init__.py", f"{stem}.py", f"{stem}.pyi", f"{stem}/__init__.pyi") if stem else ("__init__.py",)
        ):
            if path in self._files:
                return path
        return None

    def has_folder(self, stem: str) -> bool:
        return stem in self._all_folders


class _ByLastPart:
    """Paths by the last part of a name; most parts are unique."""

    def __init__(self, named: Iterable[tuple[str, str]]) -> None:
        self._one: dict[str, str] = {}
        self._more: dict[str, list[str]] = {}
        for name, path in named:
            if self._one.setdefault(name, path) != path:
                self._more.setdefault(name, []).append(path)

    def get(self, name: str) -> list[str]:
        one = self._one.get(name)
        return [] if one is None else sorted([one, *self._more.get(name, ())])


def _is_name(stem: str) -> bool:
    return basename(stem).isidentifier()


def _stem(path: str) -> str:
    """Path of a module without its extension; empty for a package at the root."""
    stem = path.rpartition(".")[0].removesuffix("/__init__")
    return "" if stem == "__init__" else stem
