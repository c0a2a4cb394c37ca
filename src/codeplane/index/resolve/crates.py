"""Which file a Rust module is, which module a file belongs to, and which crates a file can name.

By the manifests and by what files declare with `mod`; no name is resolved here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from posixpath import basename, dirname, join, normpath
from typing import Any, NamedTuple

from codeplane.facts.ir import ExprKind
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope

_ROOTS = ("mod.rs", "lib.rs", "main.rs")
_TARGETS = frozenset({"bin", "tests", "examples", "benches"})


class Place(NamedTuple):
    """A module: a file, or the scope of one that stands in a file."""

    path: str
    scope: int = 0


class Package(NamedTuple):
    name: str
    library: str
    """Path of the root of its library, if it has one."""
    library_name: str
    dependencies: Mapping[str, str]
    """Name in the sources -> name of the package."""
    roots: frozenset[str]
    """Paths of its targets, as far as they are listed."""


class Crates:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._library = evaluator.library

    @property
    def _packages(self) -> dict[str, Package]:
        """By directory."""
        return self._evaluator.memo_tracked("packages of Rust", self._read_packages)

    def _read_packages(self) -> dict[str, Package]:
        found = {}
        for path in sorted(self._library.paths()):
            if basename(path) != "Cargo.toml":
                continue
            package = _read_package((self._library.declared(path) or {}).get("text", ""), dirname(path))
            if package is not None:
                found[dirname(path)] = package
        return found

    @property
    def _by_name(self) -> dict[str, list[Package]]:
        return self._evaluator.memo_tracked("named packages of Rust", self._read_names)

    def _read_names(self) -> dict[str, list[Package]]:
        found: dict[str, list[Package]] = {}
        for package in self._packages.values():
            found.setdefault(package.name, []).append(package)
        return found

    def package_of(self, path: str) -> Package | None:
        folder = dirname(path)
        return self._evaluator.memo_tracked(("package", folder), lambda: self._find_package(folder))

    def _find_package(self, folder: str) -> Package | None:
        packages = self._packages
        while folder and folder not in packages:
            folder = dirname(folder)
        return packages.get(folder)

    def find(self, near: str, name: str) -> str | None:
        """The root of the crate that a file knows by this name, if it is in the repository."""
        package = self.package_of(near)
        if package is None:
            return None
        found = [package]
        if name != package.library_name:
            wanted = package.dependencies.get(name)
            found = self._by_name.get(wanted, []) if wanted is not None else []
        library = found[0].library if len(found) == 1 else None
        return library if library is not None and self._library.tables(library) is not None else None

    def child(self, at: FileScope, definition: int) -> Place | None:
        """The module that a `mod` stands for."""
        scope = at.body.get(definition)
        if scope is not None:
            return Place(at.path, scope)
        for node in at.decorators(definition):
            if at.nodes[node][0] == ExprKind.STRING:
                path = normpath(join(dirname(at.path), at.texts[at.nodes[node][1]]))
                return Place(path) if self._library.tables(path) is not None else None
        row = at.defs[definition]
        inner = row.lexical_path.replace(".", "/")
        for folder in self._folders(at.path):
            for path in (join(folder, f"{inner}.rs"), join(folder, inner, "mod.rs")):
                if path != at.path and self._library.tables(path) is not None:
                    return Place(path)
        return None

    def _folders(self, path: str) -> Iterator[str]:
        """Where the modules of a file lie: beside it if it is the root of a crate or of a directory, else beneath."""
        if basename(path) in _ROOTS or self.parent(path) is None:
            yield dirname(path)
        else:
            yield path.removesuffix(".rs")

    def parent(self, path: str) -> Place | None:
        """The module that declares the one in a file; none for the root of a crate."""
        return self._evaluator.memo_tracked(("module around", path), lambda: self._find_parent(path))

    def _find_parent(self, path: str) -> Place | None:
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
        present = [
            candidate for candidate in above if candidate != path and self._library.tables(candidate) is not None
        ]
        return Place(present[0]) if len(present) == 1 else None

    def _read_roots(self, folder: str) -> dict[str, Place]:
        """What roots of crates that lie in a folder declare, by name or by path."""
        found: dict[str, Place] = {}
        for candidate in sorted(self._library.directory(folder)):
            if basename(candidate) not in _ROOTS and self._is_root(candidate):
                for name, place in self._declared_in(candidate).items():
                    found.setdefault(name, place)
        return found

    def _declares(self, candidate: str, name: str, path: str) -> Place | None:
        declared = self._evaluator.memo_tracked(("declares", candidate), lambda: self._declared_in(candidate))
        return declared.get(path) or declared.get(name)

    def _declared_in(self, candidate: str) -> dict[str, Place]:
        """Modules that a file declares and others hold, by their name, or by the path that is given to them."""
        at = self._library.tables(candidate)
        found: dict[str, Place] = {}
        for number, row in enumerate(at.defs if at is not None and at.language == "rust" else ()):
            if at is None or row.kind != "module" or number in at.body:
                continue
            renamed = at.decorators(number)
            for node in renamed:
                if at.nodes[node][0] == ExprKind.STRING:
                    path = normpath(join(dirname(candidate), at.texts[at.nodes[node][1]]))
                    found.setdefault(path, Place(candidate, row.scope))
            if not renamed:
                found.setdefault(row.lexical_path, Place(candidate, row.scope))
        return found

    def root(self, path: str) -> str | None:
        """The file that the crate of a file begins with; none for a file of which no crate seems to know."""
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
        """The file of a module that no `mod` in sight declares: a macro may write it."""
        if not name.isidentifier():
            return None
        for folder in self._folders(path):
            for file in (join(folder, f"{name}.rs"), join(folder, name, "mod.rs")):
                if file != path and self._library.tables(file) is not None:
                    parent = self.parent(file)
                    return file if parent is not None and parent.path == path else None
        return None


def _read_package(text: str, folder: str) -> Package | None:
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
    return Package(
        name,
        normpath(join(folder, declared if isinstance(declared, str) else "src/lib.rs")),
        (named if isinstance(named, str) else name).replace("-", "_"),
        dependencies,
        _listed_targets(manifest, folder),
    )


def _listed_targets(manifest: Mapping[str, Any], folder: str) -> frozenset[str]:
    targets = [_table(manifest, "lib")]
    for key in ("bin", "test", "example", "bench"):
        listed = manifest.get(key)
        targets += [target for target in listed if isinstance(target, dict)] if isinstance(listed, list) else []
    return frozenset(normpath(join(folder, path)) for target in targets if isinstance(path := target.get("path"), str))


def _table(of: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = of.get(key)
    return found if isinstance(found, dict) else {}
