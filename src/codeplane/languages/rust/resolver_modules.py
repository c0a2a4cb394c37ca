"""Rust modules and crates: the file of a module, the parent module of a file, and the crates that a file can name.

Uses manifests and `mod` declarations only; resolves no names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from posixpath import basename, dirname, join, normpath
from typing import NamedTuple

from codeplane.facts.ir import StringExpr
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope

_ROOTS = ("mod.rs", "lib.rs", "main.rs")
_TARGETS = frozenset({"bin", "tests", "examples", "benches"})


class ModulePlace(NamedTuple):
    """A file, or the scope of an inline module."""

    path: str
    scope: int = 0


class CargoPackage(NamedTuple):
    name: str
    library: str
    """Path of the root of its library crate."""
    library_name: str
    dependencies: Mapping[str, str]
    """Local crate name -> package name."""
    roots: frozenset[str]
    """Paths of its explicit targets."""


class Crates:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._library = evaluator.library

    @property
    def _packages(self) -> dict[str, CargoPackage]:
        """By directory."""
        return self._evaluator.memo_tracked("cargo packages", self._read_packages)

    def _read_packages(self) -> dict[str, CargoPackage]:
        found = {}
        for path in sorted(self._library.paths()):
            if basename(path) != "Cargo.toml":
                continue
            package = _read_package(str((self._library.configuration(path) or {}).get("text", "")), dirname(path))
            if package is not None:
                found[dirname(path)] = package
        return found

    @property
    def _by_name(self) -> dict[str, list[CargoPackage]]:
        return self._evaluator.memo_tracked("cargo packages by name", self._read_names)

    def _read_names(self) -> dict[str, list[CargoPackage]]:
        found: dict[str, list[CargoPackage]] = {}
        for package in self._packages.values():
            found.setdefault(package.name, []).append(package)
        return found

    def package_of(self, path: str) -> CargoPackage | None:
        folder = dirname(path)
        return self._evaluator.memo_tracked(("package", folder), lambda: self._find_package(folder))

    def _find_package(self, folder: str) -> CargoPackage | None:
        packages = self._packages
        while folder and folder not in packages:
            folder = dirname(folder)
        return packages.get(folder)

    def find(self, near: str, name: str) -> str | None:
        """The root of the crate that a file can name, if it is in the repository."""
        package = self.package_of(near)
        if package is None:
            return None
        found = [package]
        if name != package.library_name:
            wanted = package.dependencies.get(name)
            found = self._by_name.get(wanted, []) if wanted is not None else []
        library = found[0].library if len(found) == 1 else None
        return library if library is not None and self._library.file(library) is not None else None

    def child(self, file: FileScope, definition: int) -> ModulePlace | None:
        """The module that a `mod` item declares."""
        scope = file.body.get(definition)
        if scope is not None:
            return ModulePlace(file.path, scope)
        for node in file.decorators(definition):
            if isinstance(expr := file.exprs[node], StringExpr):
                path = normpath(join(dirname(file.path), expr.text))
                return ModulePlace(path) if self._library.file(path) is not None else None
        row = file.defs[definition]
        inner = row.lexical_path.replace(".", "/")
        for folder in self._folders(file.path):
            for path in (join(folder, f"{inner}.rs"), join(folder, inner, "mod.rs")):
                if path != file.path and self._library.file(path) is not None:
                    return ModulePlace(path)
        return None

    def _folders(self, path: str) -> Iterator[str]:
        """Folders of the child modules: the file's own for a crate root or `mod.rs`, else one named after the file."""
        if basename(path) in _ROOTS or self.parent(path) is None:
            yield dirname(path)
        else:
            yield path.removesuffix(".rs")

    def parent(self, path: str) -> ModulePlace | None:
        """The module that declares the one in a file; None for a crate root."""
        return self._evaluator.memo_tracked(("module around", path), lambda: self._find_parent(path))

    def _find_parent(self, path: str) -> ModulePlace | None:
        name = basename(path).removesuffix(".rs")
        folder = dirname(path)
        if name in ("lib", "main"):
            return None
        if name == "mod":
            name, folder = basename(folder), dirname(folder)
        package = self.package_of(path)
        if package is not None and package.library == path:
            return None
        above = [join(folder, "mod.rs"), f"{folder}.rs", join(folder, "lib.rs"), join(folder, "main.rs")]
        for candidate in above:
            found = self._declares(candidate, name, path) if candidate != path else None
            if found is not None:
                return found
        outer = dirname(folder)
        for candidate in (join(outer, "mod.rs"), f"{outer}.rs", join(outer, "lib.rs"), join(outer, "main.rs")):
            found = self._declares(candidate, f"{basename(folder)}.{name}", path) if candidate != path else None
            if found is not None:
                return found
        beside = self._evaluator.memo_tracked(("declared beside", folder), lambda: self._read_roots(folder))
        found = beside.get(path) or beside.get(name)
        if found is not None and found.path != path:
            return found
        if self._is_root(path):
            return None
        present = [candidate for candidate in above if candidate != path and self._library.file(candidate) is not None]
        return ModulePlace(present[0]) if len(present) == 1 else None

    def _read_roots(self, folder: str) -> dict[str, ModulePlace]:
        """Modules that the crate roots of a folder declare, by name or by path."""
        found: dict[str, ModulePlace] = {}
        for candidate in sorted(self._library.directory(folder)):
            if basename(candidate) not in _ROOTS and self._is_root(candidate):
                for name, place in self._declared_in(candidate).items():
                    found.setdefault(name, place)
        return found

    def _declares(self, candidate: str, name: str, path: str) -> ModulePlace | None:
        declared = self._evaluator.memo_tracked(("declares", candidate), lambda: self._declared_in(candidate))
        return declared.get(path) or declared.get(name)

    def _declared_in(self, candidate: str) -> dict[str, ModulePlace]:
        """Modules in other files that a file declares, by name or by `#[path]`."""
        file = self._library.file(candidate)
        found: dict[str, ModulePlace] = {}
        for number, row in enumerate(file.defs if file is not None and file.language == "rust" else ()):
            if file is None or row.kind != "module" or number in file.body:
                continue
            renamed = file.decorators(number)
            for node in renamed:
                if isinstance(expr := file.exprs[node], StringExpr):
                    path = normpath(join(dirname(candidate), expr.text))
                    found.setdefault(path, ModulePlace(candidate, row.scope))
            if not renamed:
                found.setdefault(row.lexical_path, ModulePlace(candidate, row.scope))
        return found

    def root(self, path: str) -> str | None:
        """The root of the crate of a file; None if no crate seems to contain it."""
        return self._evaluator.memo_tracked(("root", path), lambda: self._find_root(path))

    def _find_root(self, path: str) -> str | None:
        seen = {path}
        while (parent := self.parent(path)) is not None and parent.path not in seen:
            path = parent.path
            seen.add(path)
        return path if self._is_root(path) else None

    def _is_root(self, path: str) -> bool:
        package = self.package_of(path)
        folder, _, file = path.rpartition("/")
        return (
            file in ("lib.rs", "main.rs", "build.rs")
            or basename(folder) in _TARGETS
            or (package is not None and path in package.roots)
        )

    def undeclared(self, path: str, name: str) -> str | None:
        """The file of a module without a visible `mod` item: a macro may expand to it."""
        if not name.isidentifier():
            return None
        for folder in self._folders(path):
            for candidate in (join(folder, f"{name}.rs"), join(folder, name, "mod.rs")):
                if candidate != path and self._library.file(candidate) is not None:
                    parent = self.parent(candidate)
                    return candidate if parent is not None and parent.path == path else None
        return None


def _read_package(text: str, folder: str) -> CargoPackage | None:
    try:
        manifest = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    name = _table(manifest, "package").get("name")
    if not isinstance(name, str):
        return None
    target = _table(manifest, "lib")
    declared = target.get("path")
    named = target.get("name")
    dependencies: dict[str, str] = {}
    for section in (manifest, *(part for part in _table(manifest, "target").values() if isinstance(part, dict))):
        for key in ("dependencies", "dev-dependencies", "build-dependencies"):
            for local, wanted in _table(section, key).items():
                package = wanted.get("package", local) if isinstance(wanted, dict) else local
                dependencies[local.replace("-", "_")] = str(package)
    return CargoPackage(
        name,
        normpath(join(folder, declared if isinstance(declared, str) else "src/lib.rs")),
        (named if isinstance(named, str) else name).replace("-", "_"),
        dependencies,
        _listed_targets(manifest, folder),
    )


def _listed_targets(manifest: Mapping[str, object], folder: str) -> frozenset[str]:
    targets = [_table(manifest, "lib")]
    for key in ("bin", "test", "example", "bench"):
        listed = manifest.get(key)
        targets += [target for target in listed if isinstance(target, dict)] if isinstance(listed, list) else []
    return frozenset(normpath(join(folder, path)) for target in targets if isinstance(path := target.get("path"), str))


def _table(manifest: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = manifest.get(key)
    return found if isinstance(found, dict) else {}
