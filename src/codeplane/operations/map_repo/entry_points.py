"""Entry points of programs and libraries, by the conventions of their languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from codeplane.base.symbols import symbol_ref
from codeplane.languages.registry import languages
from codeplane.languages.role_paths import Role
from codeplane.languages.spec import EntryPoints, MainFunction
from codeplane.query.overview import FileOverview, list_files_naming, list_mains
from codeplane.query.snapshot import Snapshot


class EntryPoint(NamedTuple):
    kind: str
    """Kind of the definition; `script` for a file that is run, `library` for one that others import first."""
    place: str
    """A symbol reference, or the path of a file."""

    def as_dict(self) -> dict[str, object]:
        return {"symbol_ref" if "#" in self.place else "path": self.place, "kind": self.kind}


_MAX_GLUE = 3
_RANKS = {"script": 1, "library": 2}
_TEST_ROLES = frozenset({Role.TEST, Role.FIXTURE})
_ROLES_WITHOUT_ENTRY = _TEST_ROLES | {Role.DOCS}


def find_entry_points(
    snapshot: Snapshot, files: Sequence[FileOverview], roles: Mapping[int, str]
) -> tuple[list[EntryPoint], list[EntryPoint]]:
    """Return the entry points of the product, and those of its tools and examples.

    Main functions come first, then scripts, then libraries; within each kind by depth.
    """
    rules = {language.name: language.entry_points for language in languages()}
    found = _main_functions(snapshot, {file.file_id: file for file in files}, roles, rules)
    taken = {path for *_, path, _ in found}
    ranked = sorted((*found, *_scripts_and_libraries(files, roles, rules.values(), taken)))
    return [point for aside, *_, point in ranked if not aside], [point for aside, *_, point in ranked if aside]


_Ranked = tuple[bool, int, int, str, EntryPoint]


def _main_functions(
    snapshot: Snapshot, files: Mapping[int, FileOverview], roles: Mapping[int, str], rules: Mapping[str, EntryPoints]
) -> list[_Ranked]:
    guards = {rule.main_guard for rule in rules.values() if rule.main_guard}
    guarded = {guard: list_files_naming(snapshot, guard) for guard in guards}
    found: list[_Ranked] = []
    for main in list_mains(snapshot):
        file = files.get(main.file_id)
        rule = rules.get(file.language) if file is not None else None
        # A file without an overview is outside of the mapped directory.
        if file is None or rule is None or rule.is_main is None or roles[file.file_id] in _TEST_ROLES:
            continue
        has_guard = main.file_id in guarded.get(rule.main_guard, ())
        if rule.is_main(MainFunction(file.path, "." in main.lexical_path, main.signature, has_guard)):
            point = EntryPoint(main.kind, symbol_ref(file.path, main.lexical_path, main.start_line))
            found.append((*_rank(file, roles, 0), point))
    return found


def _scripts_and_libraries(
    files: Sequence[FileOverview], roles: Mapping[int, str], rules: Iterable[EntryPoints], taken: set[str]
) -> Iterator[_Ranked]:
    declared = tuple(rules)
    patterns = {
        "script": _any_path(rule.scripts for rule in declared if rule.scripts),
        "library": _any_path(rule.libraries for rule in declared if rule.libraries),
    }
    glue = tuple(name for rule in declared for name in rule.glue)
    for file in files:
        if not file.lines or file.path in taken or roles[file.file_id] in _ROLES_WITHOUT_ENTRY:
            continue
        kind = next((kind for kind, pattern in patterns.items() if pattern.fullmatch(file.path)), None)
        if kind is not None and not _is_more_than_glue(file, glue):
            yield (*_rank(file, roles, _RANKS[kind]), EntryPoint(kind, file.path))


def _any_path(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def _is_more_than_glue(file: FileOverview, glue: tuple[str, ...]) -> bool:
    """True for a file named like the glue to a server that is the code of one."""
    return file.definitions > _MAX_GLUE and file.path.endswith(glue)


def _rank(file: FileOverview, roles: Mapping[int, str], kind: int) -> tuple[bool, int, int, str]:
    return roles[file.file_id] != Role.SOURCE, kind, file.path.count("/"), file.path
