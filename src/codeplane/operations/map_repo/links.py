"""Which files import from which folder of the repository, as far as paths tell. Used to rank, never to answer."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence

from codeplane.base.paths import parent
from codeplane.languages.registry import by_name
from codeplane.operations.map_repo.origins import go_modules
from codeplane.query.overview import FileBrief, ImportBrief

Importers = Mapping[str, set[int]]
"""Folder -> files that import something of it."""

_Locate = Callable[[str, str, str], Iterable[str]]
"""(folder of the importing file, module as written, name) -> folders that may be meant."""

_MAX_LEVELS = 3
_RELATIVE = (".", "crate", "self", "super")


def find_importers(files: Sequence[FileBrief], imports: Sequence[ImportBrief], repo_name: str) -> Importers:
    homes = {file.file_id: parent(file.path) for file in files}
    folders = {above for folder in set(homes.values()) for above in _and_above(folder)}
    javascript = _javascript(files, folders)
    locators: dict[str, _Locate] = {
        "python": _python(files, folders),
        "go": _go(go_modules(files, {each.source for each in imports if "." in each.source}, repo_name)),
        "java": _java(files),
        "rust": _rust(files),
        "javascript": javascript,
        "typescript": javascript,
        "tsx": javascript,
    }
    languages = {file.file_id: file.language for file in files}
    found: dict[str, set[int]] = {}
    answers: dict[tuple[str, str, str, str], tuple[str, ...]] = {}
    for file_id, source, name in imports:
        language = languages[file_id]
        # Only what is written relative to its file means something else elsewhere.
        folder = homes[file_id] if source.startswith(_RELATIVE) else ""
        key = (language, folder, source, name)
        targets = answers.get(key)
        if targets is None:
            locate = locators.get(language)
            targets = answers[key] = tuple(locate(folder, source, name)) if locate is not None else ()
        for target in targets:
            users = found.get(target)
            if users is None:
                users = found[target] = set()
            users.add(file_id)
    return found


def count_users(
    importers: Importers, folder: str, mentioning: Iterable[int], home: Mapping[int, str], known: set[int]
) -> int:
    """How many files that mention a name may mean the one of this folder: they import from it, or lie in it."""
    reach = set(known)
    above = folder
    for _ in range(_MAX_LEVELS):
        reach |= importers.get(above, set())
        if not above:
            break
        above = parent(above)
    return sum(1 for file_id in mentioning if file_id in reach or home[file_id] == folder)


def _and_above(folder: str) -> Iterable[str]:
    while folder:
        yield folder
        folder = parent(folder)
    yield ""


def _python(files: Sequence[FileBrief], folders: set[str]) -> _Locate:
    modules = {file.path[:-3] for file in files if file.path.endswith(".py")}

    def locate(folder: str, source: str, name: str) -> Iterable[str]:
        rest = source.lstrip(".")
        dots = len(source) - len(rest)
        path = rest.replace(".", "/")
        starts: tuple[str, ...] = (path, f"src/{path}", f"lib/{path}")
        if dots:
            for _ in range(dots - 1):
                folder = parent(folder)
            starts = (f"{folder}/{path}".strip("/"),)
        for start in starts:
            inner = f"{start}/{name}" if start else name
            if inner in folders:
                return (inner,)
            if start in folders:
                return (start,)
            if start in modules:
                return (parent(start),)
        return ()

    return locate


def _go(modules: set[str]) -> _Locate:
    def locate(folder: str, source: str, name: str) -> Iterable[str]:
        if source in modules:
            return ("",)
        return [source[len(module) + 1 :] for module in modules if source.startswith(f"{module}/")]

    return locate


def _java(files: Sequence[FileBrief]) -> _Locate:
    package_of = by_name("java").module_name
    packages: dict[str, set[str]] = {}
    for file in files:
        if file.language == "java":
            packages.setdefault(package_of(file.path), set()).add(parent(file.path))

    def locate(folder: str, source: str, name: str) -> Iterable[str]:
        return packages.get(source) or packages.get(source.rpartition(".")[0]) or ()

    return locate


def _rust(files: Sequence[FileBrief]) -> _Locate:
    homes = {parent(parent(file.path)): "" for file in files if file.path.endswith(("src/lib.rs", "src/main.rs"))}
    crates = {home.rpartition("/")[2].replace("-", "_"): home for home in sorted(homes)}

    def locate(folder: str, source: str, name: str) -> Iterable[str]:
        first = source.removeprefix("::").partition("::")[0]
        if first in ("crate", "self", "super"):
            return (next((above for above in _and_above(folder) if above in homes), folder),)
        home = crates.get(first) or crates.get(first.rpartition("_")[2])
        return (home, f"{home}/src") if home else ()

    return locate


def _javascript(files: Sequence[FileBrief], folders: set[str]) -> _Locate:
    homes: dict[str, str] = {}
    for file in files:
        if file.path.endswith("/package.json"):
            home = parent(file.path)
            homes.setdefault(home.rpartition("/")[2], home)

    def locate(folder: str, source: str, name: str) -> Iterable[str]:
        if source.startswith("."):
            target = posixpath.normpath(posixpath.join(folder, source))
            target = "" if target == "." else target
            return (target,) if target in folders else (parent(target),)
        parts = source.split("/")
        home = homes.get(parts[1] if source.startswith("@") and len(parts) > 1 else parts[0])
        return (home,) if home else ()

    return locate
