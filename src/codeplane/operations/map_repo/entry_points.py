"""Where programs and libraries begin, as far as names and conventions say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from codeplane.base.symbols import symbol_ref
from codeplane.languages.role_paths import Role
from codeplane.query.overview import FileOverview, MainBrief, list_files_naming, list_mains
from codeplane.query.snapshot import Snapshot


class EntryPoint(NamedTuple):
    kind: str
    """Kind of the definition; `script` for a file that is run, `library` for one that others import first."""
    place: str
    """A symbol reference, or the path of a file."""

    def as_dict(self) -> dict[str, object]:
        return {"symbol_ref" if "#" in self.place else "path": self.place, "kind": self.kind}


_SCRIPTS = re.compile(
    r"(?:.*/)?__main__\.py"
    r"|(?:.*/)?manage\.py"
    r"|(?:[^/]+/)?(?:wsgi|asgi)\.py"
    r"|(?:[^/]+/)?(?:src/)?(?:[^/]+/)?(?:cli|app)\.py"
    r"|(?:[^/]+/){0,3}bin/[^/]+\.[cm]?[jt]s"
    r"|(?:(?:packages|apps|projects)/[^/]+/)?(?:src/)?(?:main|server|cli|app)\.[cm]?[jt]sx?"
)
_LIBRARIES = re.compile(
    r"(?:.*/)?src/lib\.rs"
    r"|(?:(?:packages|libs|apps|projects)/[^/]+/)?(?:(?:src|lib)/)?(?:index|public_api|mod)\.[cm]?[jt]sx?"
)
_RUST_MAINS = re.compile(r"(?:.*/)?(?:main\.rs|src/bin/[^/]+\.rs|bin/[^/]+\.rs|src/bin/[^/]+/main\.rs)")
_PLAIN_MAINS = frozenset({"c", "cpp", "kotlin", "swift", "zig"})
"""Languages in which a function of that name is where a program begins."""
_MAX_GLUE = 3
_RANKS = {"script": 1, "library": 2}
_OF_TESTS = frozenset({Role.TEST, Role.FIXTURE})
_NO_ENTRY = _OF_TESTS | {Role.DOCS}


def find_entry_points(
    snapshot: Snapshot, files: Sequence[FileOverview], roles: Mapping[int, str]
) -> tuple[list[EntryPoint], list[EntryPoint]]:
    """Those of the product, and those of its tools and examples.

    Functions that are run come first, then scripts, then libraries; of each kind the shallower path.
    """
    by_id = {file.file_id: file for file in files}
    named = list_files_naming(snapshot, "__name__")
    found: list[tuple[bool, int, int, str, EntryPoint]] = []
    taken: set[str] = set()
    for main in list_mains(snapshot):
        file = by_id.get(main.file_id)
        if file is None:
            # It is outside the directory that is mapped.
            continue
        if _is_entry(main, file, main.file_id in named) and roles[file.file_id] not in _OF_TESTS:
            point = EntryPoint(main.kind, symbol_ref(file.path, main.lexical_path, main.start_line))
            found.append((*_rank(file, roles, 0), point))
            taken.add(file.path)
    for file in files:
        if not file.lines or _is_too_much(file) or file.path in taken or roles[file.file_id] in _NO_ENTRY:
            continue
        for kind, pattern in (("script", _SCRIPTS), ("library", _LIBRARIES)):
            if pattern.fullmatch(file.path):
                found.append((*_rank(file, roles, _RANKS[kind]), EntryPoint(kind, file.path)))
                break
    ranked = sorted(found)
    return [point for aside, *_, point in ranked if not aside], [point for aside, *_, point in ranked if aside]


def _is_too_much(file: FileOverview) -> bool:
    """Whether a file called like the glue to a web server is rather the code of one."""
    return file.definitions > _MAX_GLUE and file.path.endswith(("wsgi.py", "asgi.py"))


def _rank(file: FileOverview, roles: Mapping[int, str], kind: int) -> tuple[bool, int, int, str]:
    return roles[file.file_id] != Role.SOURCE, kind, file.path.count("/"), file.path


def _is_entry(main: MainBrief, file: FileOverview, asks_its_name: bool) -> bool:
    nested = "." in main.lexical_path
    if file.language == "python":
        return not nested and (asks_its_name or file.path.endswith(("__main__.py", "manage.py")))
    if file.language == "go":
        return not nested and main.signature.startswith("func main()")
    if file.language == "rust":
        return not nested and _RUST_MAINS.fullmatch(file.path) is not None
    if file.language == "java":
        return "static" in main.signature and "void main(" in main.signature
    return file.language in _PLAIN_MAINS and not nested
