"""Strings that are proven to be a name: lists of names, reflection with a literal, and qualified names.

A string whose receiver is not known is a possible use; any other string is a string.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from codeplane.base.paths import RepoPath
from codeplane.facts.links import uid_number
from codeplane.facts.model import Tier
from codeplane.languages.registry import detect
from codeplane.operations.refactor.family import SymbolFamily
from codeplane.operations.refactor.texts import FileText
from codeplane.operations.refactor.uses import DEFINITION, IMPORT, SiteCollector
from codeplane.query.defs import get_def
from codeplane.query.enclosing import find_enclosing
from codeplane.query.files import get_file
from codeplane.query.imports import list_imported_files, list_imports
from codeplane.query.occurrences import list_occurrences_at
from codeplane.query.overrides import find_owner
from codeplane.query.relations import find_symbols, list_hierarchy
from codeplane.query.snapshot import Snapshot

_MAX_IMPORTS = 1000
_MAX_STAR_STEPS = 10
_RECEIVER = re.compile(r"\(\s*([A-Za-z_][\w.]*)\s*,\s*\Z")
_ASSIGNED = re.compile(r"(\w+)\s*(?::[^=\n]*)?(?:\+=|=|\.(?:extend|append|remove)\s*\(?)\s*\Z")
_QUALIFIED = re.compile(r"[.:\\/]")


@dataclass(frozen=True)
class StringNames:
    """Finds strings that name a family."""

    snapshot: Snapshot
    collector: SiteCollector
    family: SymbolFamily

    def collect(self, candidates: Iterable[RepoPath]) -> None:
        """Collect from the files that contain the name as text."""
        candidates = list(candidates)
        binding = {site.path for site in self.collector.sites.values() if site.reason in (DEFINITION, IMPORT)}
        binding |= self._star_importers(binding, candidates)
        qualified = self._qualified_names(binding)
        modules = {language.module_name(path) for path in binding if (language := detect(path)) is not None}
        for path in sorted({*binding, *candidates}):
            source = self.collector.texts.read(path)
            for line, column in self._quoted(source):
                tier, reason = self._quoted_tier(source, line, column, path in binding, modules)
                if tier is not None:
                    self.collector.add(path, line, column, tier, reason, linked=False)
            for line, column in _qualified_places(source, qualified, self.collector.old):
                self.collector.add(path, line, column, Tier.STRONG, "qualified name in a string", linked=False)

    def _star_importers(self, binding: Collection[RepoPath], candidates: Iterable[RepoPath]) -> set[RepoPath]:
        """Return the files that import all names of a file that binds the name, directly or through each other."""
        found: set[RepoPath] = set()
        stars = [
            (path, list_imported_files(self.snapshot, path))
            for path in candidates
            if any(row.imported_name == "*" for row in list_imports(self.snapshot, path, _MAX_IMPORTS).rows)
        ]
        for _ in range(_MAX_STAR_STEPS):
            fresh = {path for path, files in stars if path not in found and not found.union(binding).isdisjoint(files)}
            found |= fresh
            if not fresh:
                break
        return found - set(binding)

    def _qualified_names(self, binding: Iterable[RepoPath]) -> set[str]:
        """Return the qualified names under which the family can be reached."""
        rows = [get_def(self.snapshot, symbol.def_uid) for symbol in self.family.symbols]
        found = {row.qualified_name for row in rows if row is not None and row.qualified_name.endswith(row.name)}
        if not self.family.is_member:
            languages = [(path, language) for path in binding if (language := detect(path)) is not None]
            found |= {f"{each.module_name(path)}{each.separator}{self.collector.old}" for path, each in languages}
        return {name for name in found if _QUALIFIED.search(name)}

    def _quoted(self, source: FileText) -> Iterator[tuple[int, int]]:
        """Yield the places of the name as a whole string, in languages where a string can be a name."""
        language = source.language
        if language is None or not (language.name_rules.name_lists or language.name_rules.name_readers):
            return
        pattern = re.compile(rf"(?<![\w.])([\"']){re.escape(self.collector.old)}\1")
        for number, line in enumerate(source.lines, 1):
            if self.collector.old in line:
                yield from ((number, found.start() + 1) for found in pattern.finditer(line))

    def _quoted_tier(
        self, source: FileText, line: int, column: int, binds: bool, modules: Collection[str]
    ) -> tuple[Tier | None, str]:
        """Return the tier of a string and what it is; None if it is not known to be a name."""
        opening = source.opening(source.offset(line, column))
        if opening is None or source.language is None:
            return None, ""
        rules = source.language.name_rules
        listed = _assigned(source, opening)
        if listed in rules.name_lists:
            is_listed = self._is_in_owner(source.path, line) if self.family.is_member else binds
            return Tier.STRONG if is_listed else None, f"listed in {listed}"
        callee, _ = source.word_before(opening)
        if callee not in rules.name_readers:
            return None, ""
        return self._receiver_tier(source, opening, source.offset(line, column) - 1, modules), f"name in {callee}()"

    def _is_in_owner(self, path: RepoPath, line: int) -> bool:
        return any(each.path == path and each.start_line <= line <= each.end_line for each in self.family.owners)

    def _receiver_tier(self, source: FileText, opening: int, end: int, modules: Collection[str]) -> Tier | None:
        """Return the tier of a name that is given beside its receiver; None if it names something else."""
        found = _RECEIVER.match(source.masked[opening:end])
        if found is None:
            return Tier.ANCHORED if self.family.is_member else None
        last = found[1].rpartition(".")[2]
        if not self.family.is_member:
            return Tier.STRONG if self._module_of(source.path, found[1]) in modules else None
        types = self._types_at(source.path, source.place(opening + found.end(1) - len(last)), last)
        if types.intersection(owner.number for owner in self.family.owners):
            return Tier.STRONG
        return None if types else Tier.ANCHORED

    def _types_at(self, path: RepoPath, place: tuple[int, int], word: str) -> set[int]:
        """Return the class that a receiver is, or the class around it if it is the object itself, with their bases."""
        file, language = get_file(self.snapshot, path), detect(path)
        if file is None or language is None:
            return set()
        targets = {
            target for each in list_occurrences_at(self.snapshot, file.file_id, [place]) for target in each.targets
        }
        if not targets and word in ("self", "cls") and language.attributes_through == "parameter":
            targets = self._class_around(path, place)
        return {each for target in targets for each in (target, *list_hierarchy(self.snapshot, target, up=True)[0])}

    def _class_around(self, path: RepoPath, place: tuple[int, int]) -> set[int]:
        for _, _, (inner,) in find_enclosing(self.snapshot, {path: [place]}):
            method = find_symbols(self.snapshot, [uid_number(inner.def_uid)] if inner is not None else [])
            owners = [find_owner(self.snapshot, symbol) for symbol in method.values()]
            return {owner.number for owner in owners if owner is not None}
        return set()

    def _module_of(self, path: RepoPath, dotted: str) -> str | None:
        """Return the module that a dotted name means in a file, by its imports."""
        head, _, rest = dotted.partition(".")
        for row in list_imports(self.snapshot, path, _MAX_IMPORTS).rows:
            source = row.source_literal or ""
            is_module = row.imported_name == source
            whole = source if is_module else f"{source}.{row.imported_name}"
            if (row.alias or row.imported_name) == head:
                return f"{whole}.{rest}" if rest else whole
            if is_module and row.alias is None and whole.partition(".")[0] == head:
                return dotted
        return None


def _assigned(source: FileText, opening: int) -> str:
    """Return the variable that a list is assigned to, or that it extends."""
    before = source.masked[max(0, opening - 200) : opening]
    found = _ASSIGNED.search(before)
    if found is None and source.masked[opening] == "(":
        found = re.search(r"(\w+)\s*\.\s*(?:append|remove)\s*\Z", before)
    return found[1] if found is not None else ""


def _qualified_places(source: FileText, names: Collection[str], old: str) -> Iterator[tuple[int, int]]:
    """Yield the places of qualified names in strings, and in files that are no code."""
    if not names:
        return
    written = sorted({r"[.:]+".join(map(re.escape, re.split(r"[^\w]+", name))) for name in names})
    pattern = re.compile(rf"(?<![\w./])(?:{'|'.join(written)})(?!\w)")
    is_code = source.language is not None and source.language.coverage != "definitions"
    for number, line in enumerate(source.lines, 1):
        for found in pattern.finditer(line) if old in line else ():
            column = found.end() - len(old)
            if not is_code or _is_in_string(source, number, column):
                yield number, column


def _is_in_string(source: FileText, line: int, column: int) -> bool:
    """True for a masked place after an open quote of its line; a comment has none."""
    before = source.lines[line - 1][:column]
    is_masked = not source.masked[source.offset(line, column)].strip()
    return is_masked and (before.count('"') % 2 == 1 or before.count("'") % 2 == 1)
