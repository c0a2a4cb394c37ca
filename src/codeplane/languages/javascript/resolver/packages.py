"""Packages, workspaces and path aliases, from `package.json`, `tsconfig.json` and workspace files.

Only files of the repository count, not installed packages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from posixpath import dirname, join, normpath
from typing import NamedTuple

from codeplane.index.units.globs import Meter, Unreadable, matches

Declared = Callable[[str], Mapping[str, object] | None]

_CONFIGS = ("tsconfig.json", "jsconfig.json")
_MAX_EXTENDS = 8
_MAX_STEPS = 100_000


class Aliases(NamedTuple):
    """Path aliases of a `tsconfig.json`; directories are repository paths."""

    base: str | None
    """`baseUrl`: directory where bare module names are looked up first"""
    patterns: tuple[tuple[str, tuple[str, ...]], ...]
    """(name with at most one `*`, targets)"""


_NO_ALIASES = Aliases(None, ())


class Packages:
    def __init__(self, paths: frozenset[str], declared: Declared) -> None:
        self._paths = paths
        self._declared = declared
        self._aliases: dict[str, Aliases] = {}
        self._workspace_roots: dict[str, str | None] = {}
        self._workspace_patterns: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        members: set[str] = set()
        roots: set[str] = set()
        for path in sorted(self._paths):
            if path == "package.json" or path.endswith("/package.json"):
                package = self._declared(path) or {}
                name = package.get("name")
                if isinstance(name, str):
                    found.setdefault(name, []).append(dirname(path))
                members |= set(_workspace_dependencies(package))
                roots |= {dirname(path)} if self._patterns(dirname(path)) else set()
        for name in sorted(members - set(found)):
            found[name] = [folder for root in sorted(roots) for folder in self._ignored_package(root, name)]
        return found

    def _ignored_package(self, root: str, name: str) -> Iterator[str]:
        """Guess the directory of a workspace package whose `package.json` is ignored: one with the name of the package,
        where the workspace lists directories."""
        last = name.rpartition("/")[2]
        for pattern in self._patterns(root):
            above, _, below = pattern.removeprefix("./").rstrip("/").rpartition("/")
            folder = join(root, above, last)
            if below in ("*", last) and "*" not in above and join(folder, "package.json") not in self._paths:
                yield folder

    def named(self, near: str, name: str) -> str | None:
        """Return the directory of a package that a file can import: its own, or one of the same workspace."""
        folders = self._named.get(name, ())
        own = self.package_of(near) if folders else None
        if own is None or own in folders:
            return own
        root = self._root(own)
        same = [folder for folder in folders if root is not None and self._root(folder) == root]
        return same[0] if len(same) == 1 else None

    def _root(self, package: str) -> str | None:
        """Return the root of the workspace that a package belongs to."""
        if package not in self._workspace_roots:
            folder, found = package, None
            while found is None:
                inner = package[len(folder) + 1 if folder else 0 :]
                if _is_member(self._patterns(folder), inner):
                    found = folder
                if not folder:
                    break
                folder = dirname(folder)
            self._workspace_roots[package] = found
        return self._workspace_roots[package]

    def _patterns(self, folder: str) -> tuple[str, ...]:
        known = self._workspace_patterns.get(folder)
        if known is None:
            package = (
                self._declared(join(folder, "package.json")) if join(folder, "package.json") in self._paths else None
            )
            workspaces = (package or {}).get("workspaces")
            found = _strings(workspaces.get("packages") if isinstance(workspaces, Mapping) else workspaces)
            if join(folder, "lerna.json") in self._paths:
                found += _strings((self._declared(join(folder, "lerna.json")) or {}).get("packages"))
            if join(folder, "pnpm-workspace.yaml") in self._paths:
                text = (self._declared(join(folder, "pnpm-workspace.yaml")) or {}).get("text")
                found += _pnpm_patterns(text) if isinstance(text, str) else []
            known = self._workspace_patterns[folder] = tuple(found)
        return known

    def package_of(self, path: str) -> str | None:
        """Return the directory of the package that a file belongs to."""
        folder = dirname(path)
        while join(folder, "package.json") not in self._paths:
            if not folder:
                return None
            folder = dirname(folder)
        return folder

    def targets(self, folder: str, name: str, field: str = "exports", excluded: str = "require") -> list[str]:
        """Return the files that a package maps `name` (`.`, `./sub` or `#inner`) to. Targets under the condition
        `excluded` are skipped."""
        package = self._declared(join(folder, "package.json")) or {}
        found: list[str] = []
        table = package.get(field)
        if isinstance(table, str) and name == ".":
            found.append(table)
        elif isinstance(table, Mapping):
            if not any(str(key).startswith((".", "#")) for key in table):
                table = {".": table}
            found += _match_exports(table, name, excluded)
        if name == ".":
            found += [
                target
                for key in ("source", "types", "typings", "module", "main")
                for target in _strings(package.get(key))
            ]
        return [normpath(join(folder, target)) for target in dict.fromkeys(found)]

    def aliases(self, path: str) -> Aliases:
        """Return the aliases of the nearest configuration above a file."""
        folder = dirname(path)
        found = self._aliases.get(folder)
        if found is None:
            found = self._aliases[folder] = self._read_aliases(folder)
        return found

    def _read_aliases(self, folder: str) -> Aliases:
        for name in _CONFIGS:
            config = join(folder, name)
            if config in self._paths:
                return self._read_config(config, 0)
        return self.aliases(folder) if folder else _NO_ALIASES

    def _read_config(self, config: str, depth: int) -> Aliases:
        content = self._declared(config)
        if content is None or depth > _MAX_EXTENDS:
            return _NO_ALIASES
        folder = dirname(config)
        options = content.get("compilerOptions")
        options = options if isinstance(options, Mapping) else {}
        base = options.get("baseUrl")
        base = normpath(join(folder, base)) if isinstance(base, str) else None
        base = "" if base == "." else base
        table = options.get("paths")
        if isinstance(table, Mapping):
            start = base if base is not None else folder
            patterns = tuple(
                (str(key), tuple(normpath(join(start, text)) for text in _strings(value)))
                for key, value in table.items()
            )
            return Aliases(base, patterns)
        inherited = _NO_ALIASES
        for parent in reversed(_strings(content.get("extends"))):
            inherited = self._read_config(self._config_at(folder, parent), depth + 1)
            if inherited != _NO_ALIASES:
                break
        if base is None and inherited == _NO_ALIASES and depth == 0:
            inherited = self._from_references(folder, content, depth)
        return Aliases(base if base is not None else inherited.base, inherited.patterns)

    def _from_references(self, folder: str, content: Mapping[str, object], depth: int) -> Aliases:
        """Return the aliases of the first project reference that has some."""
        references = content.get("references")
        for reference in references if isinstance(references, list) else ():
            for text in _strings(reference.get("path")) if isinstance(reference, Mapping) else ():
                found = self._read_config(self._config_at(folder, text), depth + 1)
                if found != _NO_ALIASES:
                    return found
        return _NO_ALIASES

    def _config_at(self, folder: str, text: str) -> str:
        if not text.startswith("."):
            scope, _, rest = text.partition("/")
            if scope.startswith("@"):
                inner, _, rest = rest.partition("/")
                scope = f"{scope}/{inner}"
            package = self.named(join(folder, "tsconfig.json"), scope)
            if package is None:
                return ""
            text, folder = rest or "tsconfig.json", package
        path = normpath(join(folder, text))
        for candidate in (path, f"{path}.json", f"{path}/tsconfig.json"):
            if candidate in self._paths:
                return candidate
        return ""


def _workspace_dependencies(package: Mapping[str, object]) -> Iterator[str]:
    """Yield the dependencies of a package on packages of its workspace."""
    for field in ("dependencies", "devDependencies", "peerDependencies"):
        needed = package.get(field)
        for name, version in needed.items() if isinstance(needed, Mapping) else ():
            if isinstance(version, str) and version.startswith("workspace:"):
                yield str(name)


def _is_member(patterns: tuple[str, ...], path: str) -> bool:
    """True if a workspace with these patterns has a package at a path, or is the package itself."""
    if not path or not patterns:
        return bool(patterns)
    is_member, meter = False, Meter(_MAX_STEPS)
    for pattern in patterns:
        body = pattern.removeprefix("!").removeprefix("./").rstrip("/")
        try:
            if matches(body, path, meter) and meter.left >= 0:
                is_member = not pattern.startswith("!")
        except Unreadable:
            continue
    return is_member


def _pnpm_patterns(text: str) -> list[str]:
    """Return the patterns under `packages:` in a `pnpm-workspace.yaml`."""
    found: list[str] = []
    in_packages = False
    for line in text.splitlines():
        if line[:1].strip() and not line.startswith(("-", "#")):
            in_packages = line.startswith("packages:")
        elif in_packages and line.lstrip().startswith("-"):
            found.append(line.lstrip()[1:].split(" #")[0].strip().strip("\"'"))
    return found


def _match_exports(table: Mapping[str, object], name: str, excluded: str) -> Iterator[str]:
    if name in table:
        yield from _strings(table[name], excluded)
        return
    matching = []
    for key in table:
        before, star, after = str(key).partition("*")
        if star and name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
            matching.append((-len(before), str(key)))
    for _, key in sorted(matching)[:1]:
        before, _, after = key.partition("*")
        inner = name[len(before) : len(name) - len(after)]
        yield from (text.replace("*", inner) for text in _strings(table[key], excluded))


def _strings(field: object, excluded: str = "") -> list[str]:
    """Return all strings in a field, under any condition except one."""
    if isinstance(field, str):
        return [field]
    parts: Iterable[object] = ()
    if isinstance(field, Mapping):
        parts = [part for key, part in field.items() if key != excluded]
    elif isinstance(field, list):
        parts = field
    return [text for part in parts for text in _strings(part, excluded)]
