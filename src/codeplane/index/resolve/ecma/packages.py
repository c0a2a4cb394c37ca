"""What build files say about where modules lie: `package.json` of the packages of a tree, and `tsconfig.json`.

Only the tree itself counts: what is installed from elsewhere is no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import Any, NamedTuple

Declared = Callable[[str], Mapping[str, Any] | None]

_CONFIGS = ("tsconfig.json", "jsconfig.json")
_MAX_EXTENDS = 8


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
        self._named: dict[str, str | None] | None = None

    def named(self, name: str) -> str | None:
        """The directory of the package of this name, if there is exactly one."""
        if self._named is None:
            self._named = {}
            for path in sorted(self._paths):
                if path == "package.json" or path.endswith("/package.json"):
                    found = (self._declared(path) or {}).get("name")
                    if isinstance(found, str):
                        self._named[found] = None if found in self._named else dirname(path)
        return self._named.get(name)

    def around(self, path: str) -> str | None:
        """The directory of the package that a file belongs to."""
        folder = dirname(path)
        while join(folder, "package.json") not in self._paths:
            if not folder:
                return None
            folder = dirname(folder)
        return folder

    def targets(self, folder: str, name: str, field: str = "exports") -> list[str]:
        """Files, as the package in a directory says, that `name` (`.`, `./sub` or `#inner`) may stand for."""
        package = self._declared(join(folder, "package.json")) or {}
        found: list[str] = []
        table = package.get(field)
        if isinstance(table, str) and name == ".":
            found.append(table)
        elif isinstance(table, Mapping):
            if not any(str(key).startswith((".", "#")) for key in table):
                table = {".": table}
            found += _matching(table, name)
        if name == ".":
            found += [said for key in ("source", "types", "typings", "module", "main") for said in _texts(package.get(key))]
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
                (str(key), tuple(normpath(join(start, text)) for text in _texts(value)))
                for key, value in table.items()
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
            package = self.named(scope)
            if package is None:
                return ""
            text, folder = rest or "tsconfig.json", package
        path = normpath(join(folder, text))
        for candidate in (path, f"{path}.json", f"{path}/tsconfig.json"):
            if candidate in self._paths:
                return candidate
        return ""


def _matching(table: Mapping[str, Any], name: str) -> Iterator[str]:
    if name in table:
        yield from _texts(table[name])
        return
    fitting = []
    for key in table:
        before, star, after = str(key).partition("*")
        if star and name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
            fitting.append((-len(before), str(key)))
    for _, key in sorted(fitting)[:1]:
        before, _, after = key.partition("*")
        inner = name[len(before) : len(name) - len(after)]
        yield from (text.replace("*", inner) for text in _texts(table[key]))


def _texts(said: Any) -> list[str]:
    """All texts in what a field says, whatever the conditions are that they stand under."""
    if isinstance(said, str):
        return [said]
    parts: Iterable[Any] = said.values() if isinstance(said, Mapping) else said if isinstance(said, list) else ()
    return [text for part in parts for text in _texts(part)]
