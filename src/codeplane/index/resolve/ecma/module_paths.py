"""Which file of the tree the source of an import is. A file that is built is the one that it is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import basename, dirname, join, normpath

from codeplane.index.resolve.ecma.packages import Packages
from codeplane.index.resolve.evaluator import Evaluator

_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".mjs", ".d.mts", ".cts", ".cjs", ".d.cts")
_WRITTEN = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".d.ts", ".jsx"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
}
"""Endings as they are written, of what is compiled, and those that the source may have."""
_BUILT = frozenset(
    {
        "dist",
        "build",
        "lib",
        "out",
        "esm",
        "cjs",
        "es",
        "types",
        "typings",
        "umd",
        "output",
        "node",
        "module",
        "commonjs",
    }
)
_SOURCES = ("src", "source", "lib", "")


class Modules:
    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._files = frozenset(evaluator.library.paths())
        self._packages = Packages(self._files, evaluator.library.configuration)

    def find(self, near: str, source: str) -> str | None:
        """The file that a source means, seen from the file `near`."""
        key = ("module", dirname(near), near.endswith((".cts", ".cjs")), source)
        return self._evaluator.memo_tracked(key, lambda: next(self._candidates(near, source), None))

    def _candidates(self, near: str, source: str) -> Iterator[str]:
        if source.startswith(("./", "../")) or source in (".", ".."):
            path = normpath(join(dirname(near), source))
            if not path.startswith(".."):
                yield from self._files_at("" if path == "." else path)
            return
        other = "import" if near.endswith((".cts", ".cjs")) else "require"
        if source.startswith("#"):
            package = self._packages.around(near)
            if package is not None:
                yield from self._built(package, self._packages.targets(package, source, "imports", other))
        yield from self._aliased(near, source)
        name, inner = _package_of(source)
        package = self._packages.named(near, name)
        if package is not None:
            yield from self._in_package(package, inner, other)

    def _aliased(self, near: str, source: str) -> Iterator[str]:
        aliases = self._packages.aliases(near)
        fitting = []
        for pattern, targets in aliases.patterns:
            before, star, after = pattern.partition("*")
            if source == pattern or (star and source.startswith(before) and source.endswith(after)):
                fitting.append((source != pattern, -len(before), pattern, targets))
        for _, _, pattern, targets in sorted(fitting)[:1]:
            before, _, after = pattern.partition("*")
            inner = source[len(before) : len(source) - len(after)] if "*" in pattern else ""
            for target in targets:
                yield from self._files_at(target.replace("*", inner))
        if aliases.base is not None:
            yield from self._files_at(join(aliases.base, source))

    def _in_package(self, package: str, inner: str, other: str) -> Iterator[str]:
        name = f"./{inner}" if inner else "."
        yield from self._built(package, self._packages.targets(package, name, "exports", other))
        if inner:
            yield from self._files_at(join(package, inner))
            yield from self._files_at(join(package, "src", inner))
        else:
            for folder in _SOURCES:
                yield from self._files_at(join(package, folder, "index"))

    def _built(self, package: str, targets: Iterable[str]) -> Iterator[str]:
        """The files that these are, or are built from."""
        targets = list(targets)
        for target in targets:
            yield from self._files_at(target)
        for target in targets:
            parts = target[len(package) + 1 if package else 0 :].split("/")
            while len(parts) > 1 and parts[0] in _BUILT:
                parts = parts[1:]
                stem = _without_ending("/".join(parts))
                for folder in _SOURCES:
                    yield from self._files_at(join(package, folder, stem))
            stem = _without_ending("/".join(parts))
            for folder in _SOURCES[:2]:
                yield from self._files_at(join(package, folder, stem))

    def _files_at(self, path: str) -> Iterator[str]:
        # What is in these directories decides, and what will be.
        self._evaluator.library.directory(dirname(path))
        self._evaluator.library.directory(path)
        name = basename(path)
        ending = next((end for end in _WRITTEN if name.endswith(end)), "")
        if ending:
            for other in _WRITTEN[ending]:
                candidate = path.removesuffix(ending) + other
                if candidate in self._files:
                    yield candidate
        elif path in self._files and name.endswith(_ENDINGS):
            yield path
        for other in _ENDINGS if path else ():
            if path + other in self._files:
                yield path + other
        if join(path, "package.json") in self._files and path:
            yield from self._built(path, [target for target in self._packages.targets(path, ".") if target != path])
        for other in _ENDINGS:
            candidate = join(path, f"index{other}")
            if candidate in self._files:
                yield candidate


def _package_of(source: str) -> tuple[str, str]:
    parts = source.split("/")
    count = 2 if source.startswith("@") else 1
    return "/".join(parts[:count]), "/".join(parts[count:])


def _without_ending(path: str) -> str:
    for ending in sorted(_ENDINGS, key=len, reverse=True):
        if path.endswith(ending):
            return path.removesuffix(ending)
    return path
