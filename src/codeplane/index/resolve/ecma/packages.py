"""What build files say about where modules lie: `package.json` of the packages of a tree, and `tsconfig.json`.

Only the tree itself counts: what is installed from elsewhere is no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from posixpath import dirname, join, normpath
from typing import Any, NamedTuple

from codeplane.index.units.globs import Meter, Unreadable, matches

Declared = Callable[[str], Mapping[str, Any] | None]

_CONFIGS = ("tsconfig.json", "jsconfig.json")
_MAX_EXTENDS = 8
_MAX_STEPS = 100_000


class Aliases(NamedTuple):
    """Directories are paths of the repository; `` is its top."""

    base: str | None
    """Where names without a dot are looked for first."""
    patterns: tuple[tuple[str, tuple[str, ...]], ...]
    """Names, with at most one `*`, and what they stand for."""


_NO_ALIASES = Aliases(None, ())


class Packages:
    def __init__(self, paths: frozenset[str], declared: Declared) -> None:
        self._paths = paths
        self._declared = declared
        self._aliases: dict[str, Aliases] = {}
        self._roots: dict[str, str | None] = {}
        self._members: dict[str, tuple[str, ...]] = {}

    @cached_property
    def _named(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        members: set[str] = set()
        roots: set[str] = set()
        for path in sorted(self._paths):
            if path == "package.json" or path.endswith("/package.json"):
                said = self._declared(path) or {}
                name = said.get("name")
                if isinstance(name, str):
                    found.setdefault(name, []).append(dirname(path))
                members |= set(_members_of_workspace(said))
                roots |= {dirname(path)} if self._patterns(dirname(path)) else set()
        for name in sorted(members - set(found)):
            found[name] = [folder for root in sorted(roots) for folder in self._unseen(root, name)]
        return found

    def _unseen(self, root: str, name: str) -> Iterator[str]:
        """Where a package is that others take from their workspace, but whose own `package.json` is ignored: where the
        workspace lists directories, in one that is called like the package."""
        last = name.rpartition("/")[2]
        for pattern in self._patterns(root):
            above, _, below = pattern.removeprefix("./").rstrip("/").rpartition("/")
            folder = join(root, above, last)
            if below in ("*", last) and "*" not in above and join(folder, "package.json") not in self._paths:
                yield folder

    def named(self, near: str, name: str) -> str | None:
        """The directory of the package of this name that a file sees: its own, or one of the same workspace."""
        folders = self._named.get(name, ())
        own = self.around(near) if folders else None
        if own is None or own in folders:
            return own
        root = self._root(own)
        same = [folder for folder in folders if root is not None and self._root(folder) == root]
        return same[0] if len(same) == 1 else None

    def _root(self, package: str) -> str | None:
        """The directory of the workspace that a package is a member of, or the root of."""
        if package not in self._roots:
            folder, found = package, None
            while found is None:
                inner = package[len(folder) + 1 if folder else 0 :]
                if _takes(self._patterns(folder), inner):
                    found = folder
                if not folder:
                    break
                folder = dirname(folder)
            self._roots[package] = found
        return self._roots[package]

    def _patterns(self, folder: str) -> tuple[str, ...]:
        known = self._members.get(folder)
        if known is None:
            package = (
                self._declared(join(folder, "package.json")) if join(folder, "package.json") in self._paths else None
            )
            said = (package or {}).get("workspaces")
            found = _texts(said.get("packages") if isinstance(said, Mapping) else said)
            if join(folder, "lerna.json") in self._paths:
                found += _texts((self._declared(join(folder, "lerna.json")) or {}).get("packages"))
            if join(folder, "pnpm-workspace.yaml") in self._paths:
                text = (self._declared(join(folder, "pnpm-workspace.yaml")) or {}).get("text")
                found += _listed(text) if isinstance(text, str) else []
            known = self._members[folder] = tuple(found)
        return known

    def around(self, path: str) -> str | None:
        """The directory of the package that a file belongs to."""
        folder = dirname(path)
        while join(folder, "package.json") not in self._paths:
            if not folder:
                return None
            folder = dirname(folder)
        return folder

    def targets(self, folder: str, name: str, field: str = "exports", other: str = "require") -> list[str]:
        """Files, as the package in a directory says, that `name` (`.`, `./sub` or `#inner`) may stand for. What is said
        under the condition `other` is for others."""
        package = self._declared(join(folder, "package.json")) or {}
        found: list[str] = []
        table = package.get(field)
        if isinstance(table, str) and name == ".":
            found.append(table)
        elif isinstance(table, Mapping):
            if not any(str(key).startswith((".", "#")) for key in table):
                table = {".": table}
            found += _matching(table, name, other)
        if name == ".":
            found += [
                said for key in ("source", "types", "typings", "module", "main") for said in _texts(package.get(key))
            ]
        return [normpath(join(folder, target)) for target in dict.fromkeys(found)]

    def aliases(self, path: str) -> Aliases:
        """What the nearest configuration around a file says."""
        folder = dirname(path)
        found = self._aliases.get(folder)
        if found is None:
            found = self._aliases[folder] = self._read_aliases(folder)
        return found

    def _read_aliases(self, folder: str) -> Aliases:
        for name in _CONFIGS:
            config = join(folder, name)
            if config in self._paths:
                return self._configured(config, 0)
        return self.aliases(folder) if folder else _NO_ALIASES

    def _configured(self, config: str, depth: int) -> Aliases:
        said = self._declared(config)
        if said is None or depth > _MAX_EXTENDS:
            return _NO_ALIASES
        folder = dirname(config)
        options = said.get("compilerOptions")
        options = options if isinstance(options, Mapping) else {}
        base = options.get("baseUrl")
        base = normpath(join(folder, base)) if isinstance(base, str) else None
        base = "" if base == "." else base
        table = options.get("paths")
        if isinstance(table, Mapping):
            start = base if base is not None else folder
            patterns = tuple(
                (str(key), tuple(normpath(join(start, text)) for text in _texts(value))) for key, value in table.items()
            )
            return Aliases(base, patterns)
        inherited = _NO_ALIASES
        for other in reversed(_texts(said.get("extends"))):
            inherited = self._configured(self._config_at(folder, other), depth + 1)
            if inherited != _NO_ALIASES:
                break
        if base is None and inherited == _NO_ALIASES and depth == 0:
            inherited = self._referred(folder, said, depth)
        return Aliases(base if base is not None else inherited.base, inherited.patterns)

    def _referred(self, folder: str, said: Mapping[str, Any], depth: int) -> Aliases:
        """A configuration that only refers to others speaks through those."""
        references = said.get("references")
        for reference in references if isinstance(references, list) else ():
            for text in _texts(reference.get("path")) if isinstance(reference, Mapping) else ():
                found = self._configured(self._config_at(folder, text), depth + 1)
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


def _members_of_workspace(package: Mapping[str, Any]) -> Iterator[str]:
    """Packages of the same workspace that a package says to need."""
    for field in ("dependencies", "devDependencies", "peerDependencies"):
        needed = package.get(field)
        for name, version in needed.items() if isinstance(needed, Mapping) else ():
            if isinstance(version, str) and version.startswith("workspace:"):
                yield str(name)


def _takes(patterns: tuple[str, ...], path: str) -> bool:
    """Whether a workspace with these patterns has a package at a path, or is the package itself."""
    if not path or not patterns:
        return bool(patterns)
    taken, meter = False, Meter(_MAX_STEPS)
    for pattern in patterns:
        body = pattern.removeprefix("!").removeprefix("./").rstrip("/")
        try:
            if matches(body, path, meter) and meter.left >= 0:
                taken = not pattern.startswith("!")
        except Unreadable:
            continue
    return taken


def _listed(text: str) -> list[str]:
    """The patterns below `packages:` in a file for pnpm."""
    found: list[str] = []
    within = False
    for line in text.splitlines():
        if line[:1].strip() and not line.startswith(("-", "#")):
            within = line.startswith("packages:")
        elif within and line.lstrip().startswith("-"):
            found.append(line.lstrip()[1:].split(" #")[0].strip().strip("\"'"))
    return found


def _matching(table: Mapping[str, Any], name: str, other: str) -> Iterator[str]:
    if name in table:
        yield from _texts(table[name], other)
        return
    fitting = []
    for key in table:
        before, star, after = str(key).partition("*")
        if star and name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
            fitting.append((-len(before), str(key)))
    for _, key in sorted(fitting)[:1]:
        before, _, after = key.partition("*")
        inner = name[len(before) : len(name) - len(after)]
        yield from (text.replace("*", inner) for text in _texts(table[key], other))


def _texts(said: Any, other: str = "") -> list[str]:
    """All texts in what a field says, whatever the conditions are that they stand under, but for one."""
    if isinstance(said, str):
        return [said]
    parts: Iterable[Any] = ()
    if isinstance(said, Mapping):
        parts = [part for key, part in said.items() if key != other]
    elif isinstance(said, list):
        parts = said
    return [text for part in parts for text in _texts(part, other)]
