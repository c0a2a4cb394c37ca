"""Module resolution: the repository file that an import names. A build output resolves to its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import basename, dirname, join, normpath

from codeplane.index.resolve.evaluator import Evaluator
from codeplane.languages.javascript.resolver.packages import Packages

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".mjs", ".d.mts", ".cts", ".cjs", ".d.cts")
_COMPILED = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".d.ts", ".jsx"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
}
"""Suffix of a compiled file -> suffixes that its source may have"""
_OUTPUT_DIRECTORIES = frozenset(
    {
        "dist", "build", "lib", "out", "esm", "cjs", "es", "types", "typings", "umd", "output", "node", "module",
        "commonjs",
    }
)  # fmt: skip
_SOURCE_DIRECTORIES = ("src", "source", "lib", "")


class ModulePaths:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._files = frozenset(evaluator.library.paths())
        self._packages = Packages(self._files, evaluator.library.configuration)

    def find(self, near: str, source: str) -> str | None:
        """Return the file that a module name refers to in the file `near`."""
        key = ("module", dirname(near), near.endswith((".cts", ".cjs")), source)
        return self._evaluator.memo_tracked(key, lambda: next(self._candidates(near, source), None))

    def find_data(self, near: str, source: str) -> str | None:
        """Return the file that a relative path names, whatever its suffix."""
        path = normpath(join(dirname(near), source))
        self._evaluator.library.directory(dirname(path))
        return path if source.startswith(".") and path in self._files else None

    def _candidates(self, near: str, source: str) -> Iterator[str]:
        if source.startswith(("./", "../")) or source in (".", ".."):
            path = normpath(join(dirname(near), source))
            if not path.startswith(".."):
                yield from self._files_at("" if path == "." else path)
            return
        excluded = "import" if near.endswith((".cts", ".cjs")) else "require"
        if source.startswith("#"):
            package = self._packages.package_of(near)
            if package is not None:
                yield from self._built(package, self._packages.targets(package, source, "imports", excluded))
        yield from self._aliased(near, source)
        name, rest = _package_of(source)
        package = self._packages.named(near, name)
        if package is not None:
            yield from self._in_package(package, rest, excluded)

    def _aliased(self, near: str, source: str) -> Iterator[str]:
        aliases = self._packages.aliases(near)
        matches = []
        for pattern, targets in aliases.patterns:
            before, star, after = pattern.partition("*")
            if source == pattern or (star and source.startswith(before) and source.endswith(after)):
                matches.append((source != pattern, -len(before), pattern, targets))
        for _, _, pattern, targets in sorted(matches)[:1]:
            before, _, after = pattern.partition("*")
            rest = source[len(before) : len(source) - len(after)] if "*" in pattern else ""
            for target in targets:
                yield from self._files_at(target.replace("*", rest))
        if aliases.base is not None:
            yield from self._files_at(join(aliases.base, source))

    def _in_package(self, package: str, rest: str, excluded: str) -> Iterator[str]:
        name = f"./{rest}" if rest else "."
        yield from self._built(package, self._packages.targets(package, name, "exports", excluded))
        if rest:
            yield from self._files_at(join(package, rest))
            yield from self._files_at(join(package, "src", rest))
        else:
            for folder in _SOURCE_DIRECTORIES:
                yield from self._files_at(join(package, folder, "index"))

    def _built(self, package: str, targets: Iterable[str]) -> Iterator[str]:
        """Yield these files, or the files that they are built from."""
        targets = list(targets)
        for target in targets:
            yield from self._files_at(target)
        for target in targets:
            parts = target[len(package) + 1 if package else 0 :].split("/")
            while len(parts) > 1 and parts[0] in _OUTPUT_DIRECTORIES:
                parts = parts[1:]
                stem = _without_suffix("/".join(parts))
                for folder in _SOURCE_DIRECTORIES:
                    yield from self._files_at(join(package, folder, stem))
            stem = _without_suffix("/".join(parts))
            for folder in _SOURCE_DIRECTORIES[:2]:
                yield from self._files_at(join(package, folder, stem))

    def _files_at(self, path: str) -> Iterator[str]:
        # The result depends on these directories: files may be added there.
        self._evaluator.library.directory(dirname(path))
        self._evaluator.library.directory(path)
        name = basename(path)
        suffix = next((end for end in _COMPILED if name.endswith(end)), "")
        if suffix:
            for candidate_suffix in _COMPILED[suffix]:
                candidate = path.removesuffix(suffix) + candidate_suffix
                if candidate in self._files:
                    yield candidate
        elif path in self._files and name.endswith(_SUFFIXES):
            yield path
        for suffix in _SUFFIXES if path else ():
            if path + suffix in self._files:
                yield path + suffix
        if join(path, "package.json") in self._files and path:
            yield from self._built(path, [target for target in self._packages.targets(path, ".") if target != path])
        for suffix in _SUFFIXES:
            candidate = join(path, f"index{suffix}")
            if candidate in self._files:
                yield candidate


def _package_of(source: str) -> tuple[str, str]:
    parts = source.split("/")
    count = 2 if source.startswith("@") else 1
    return "/".join(parts[:count]), "/".join(parts[count:])


def _without_suffix(path: str) -> str:
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if path.endswith(suffix):
            return path.removesuffix(suffix)
    return path
