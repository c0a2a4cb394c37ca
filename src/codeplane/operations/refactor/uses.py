"""Occurrences of the name of a family: linked ones are sites, unresolved ones possible or unknown uses.

An occurrence that is known to refer to something else is none of them. Every place is compared with the text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from codeplane.base.paths import RepoPath, basename, parent
from codeplane.facts.model import ReferenceRole, Target, Tier, Usage
from codeplane.languages.registry import detect
from codeplane.languages.spec import Language
from codeplane.operations.refactor.family import SymbolFamily
from codeplane.operations.refactor.model import NameSite
from codeplane.operations.refactor.texts import FileText, FileTexts
from codeplane.query.contents import SearchableFile, list_files_with_name
from codeplane.query.imports import list_imports
from codeplane.query.occurrences import Occurrence, list_occurrences, list_occurrences_at
from codeplane.query.relations import find_symbols
from codeplane.query.snapshot import Snapshot

DEFINITION, IMPORT, EXPORT = "definition", "import", "export"
UNKNOWN_RECEIVER = "receiver unknown"
UNRESOLVED = "not resolved"
_MEMBERS = (Usage.MEMBER, Usage.MEMBER_CALL)
_MAX_IMPORTS = 1000
_RECEIVER = re.compile(r"([^\W\d]\w*)(?:\.\w+)*\.\Z")
_QUOTES = "\"'`:"


@dataclass
class SiteCollector:
    """Sites found so far; each place once."""

    texts: FileTexts
    old: str
    new: str
    sites: dict[tuple[RepoPath, int, int], NameSite] = field(default_factory=dict)
    possible: dict[tuple[RepoPath, int, int], NameSite] = field(default_factory=dict)
    unknown: dict[tuple[RepoPath, int, int], NameSite] = field(default_factory=dict)

    def add(
        self,
        path: RepoPath,
        line: int,
        column: int,
        tier: Tier,
        reason: str = "",
        *,
        new: str | None = None,
        linked: bool = True,
    ) -> None:
        """Add an occurrence by its tier, at the place where the text has the name."""
        source = self.texts.read(path)
        at = self._locate(source, line, column)
        if at is None:
            tier, at, reason = Tier.UNKNOWN, column, "written in another way"
        key = (path, line, at)
        site = NameSite(path, line, at, tier, self.old, new or self.new, reason, linked)
        if key in self.sites:
            return
        if tier >= Tier.STRONG:
            self.possible.pop(key, None)
            self.unknown.pop(key, None)
            self.sites[key] = site
        else:
            (self.possible if tier is Tier.ANCHORED else self.unknown).setdefault(key, site)

    def has_site(self, path: RepoPath) -> bool:
        return any(key[0] == path for key in self.sites)

    def _locate(self, source: FileText, line: int, column: int) -> int | None:
        if source.has(line, column, self.old):
            return column
        # The place of a quoted name includes its quote.
        quoted = 0 < line <= len(source.lines) and source.lines[line - 1][column : column + 1] in tuple(_QUOTES)
        return column + 1 if quoted and source.has(line, column + 1, self.old) else None


def collect_uses(snapshot: Snapshot, collector: SiteCollector, family: SymbolFamily) -> list[SearchableFile]:
    """Collect definitions, references and unresolved namesakes; return the searched files."""
    language = detect(family.symbols[0].path)
    defined = {(symbol.path, symbol.line, symbol.column) for symbol in family.symbols}
    for path, line, column in sorted(defined):
        collector.add(path, line, column, Tier.PROVEN, DEFINITION)
    files = [
        file
        for file in list_files_with_name(snapshot, collector.old)
        if language is None or file.family == language.family
    ]
    for file in files:
        own = _FileUses(snapshot, collector, family, file, language)
        occurrences = list_occurrences(snapshot, file.file_id, collector.old)
        for occurrence in occurrences:
            own.add(occurrence)
        own.add_from_outside(occurrences)
    return files


@dataclass
class _FileUses:
    snapshot: Snapshot
    collector: SiteCollector
    family: SymbolFamily
    file: SearchableFile
    language: Language | None

    def add(self, occurrence: Occurrence) -> None:
        mine = self.family.numbers.intersection(occurrence.targets)
        if mine:
            self._add_linked(occurrence, set(occurrence.targets) - mine)
        elif occurrence.role is ReferenceRole.REFERENCE and not self._is_elsewhere(occurrence):
            self._add_unresolved(occurrence)

    def _is_elsewhere(self, occurrence: Occurrence) -> bool:
        """True if it refers to something else; an import of another module does, even of one that is not known."""
        return occurrence.is_elsewhere or (occurrence.bound is Target.IMPORT and not self._imports_own_module)

    def add_from_outside(self, occurrences: Iterable[Occurrence]) -> None:
        """Add members of values that come from a library, in a file that uses the family: a library can hand an object
        of the repository back (`pickle.loads`, a generator)."""
        if not self.family.is_member or not self.collector.has_site(self.file.path):
            return
        for occurrence in occurrences:
            if occurrence.outside and not occurrence.targets and not self._is_of_import(occurrence):
                self._put(occurrence, Tier.UNKNOWN, "value from a library")

    def _is_of_import(self, occurrence: Occurrence) -> bool:
        """True if the receiver is an imported name, or a part of it."""
        source = self.collector.texts.read(self.file.path)
        line = source.lines[occurrence.line - 1][: occurrence.column]
        receiver = _RECEIVER.search(line)
        if receiver is None:
            return False
        place = (occurrence.line, receiver.start(1))
        found = list_occurrences_at(self.snapshot, self.file.file_id, [place])
        return any(each.bound is Target.IMPORT for each in found)

    @cached_property
    def _imports_own_module(self) -> bool:
        """True if the import that binds the name may be of a module of the family."""
        modules = {basename(each.path).partition(".")[0] for each in self.family.symbols}
        modules |= {basename(parent(each.path)) for each in self.family.symbols}
        for row in list_imports(self.snapshot, self.file.path, _MAX_IMPORTS).rows:
            source = row.source_literal or ""
            if self.collector.old in (row.alias, row.imported_name) and (
                source.startswith(".") or re.split(r"[./:\\]+", source)[-1] in modules
            ):
                return True
        return False

    def _add_linked(self, occurrence: Occurrence, others: Collection[int]) -> None:
        tier = occurrence.tier
        if self._is_shorthand(occurrence, others):
            new = f"{self.collector.new}: {self.collector.old}"
            self._put(occurrence, Tier.STRONG, "shorthand", new=new, linked=False)
        elif others:
            named = sorted(symbol.reference for symbol in find_symbols(self.snapshot, others).values())
            if named:
                self._put(occurrence, Tier.ANCHORED, f"may also be {', '.join(named[:3])}")
            else:
                self._put(occurrence, tier)
        else:
            self._put(occurrence, tier, "" if occurrence.role is ReferenceRole.REFERENCE else _ROLES[occurrence.role])

    def _is_shorthand(self, occurrence: Occurrence, others: Collection[int]) -> bool:
        """True if the occurrence is a variable, too, which keeps its name: `{size}`."""
        rules = self.language.name_rules if self.language is not None else None
        if rules is None or not rules.shorthand or not self.family.is_member or occurrence.usage is not Usage.NAME:
            return False
        is_definition = (self.file.path, occurrence.line, occurrence.column) in {
            (symbol.path, symbol.line, symbol.column) for symbol in self.family.symbols
        }
        return not is_definition and (
            occurrence.bound is not None and (occurrence.bound is not Target.DEF or bool(others))
        )

    def _add_unresolved(self, occurrence: Occurrence) -> None:
        if occurrence.usage is Usage.LABEL:
            return
        if occurrence.usage in _MEMBERS:
            tier = Tier.ANCHORED if self.family.is_member else Tier.UNKNOWN
            self._put(occurrence, tier, UNKNOWN_RECEIVER)
        elif not self.family.is_member:
            self._put(occurrence, Tier.UNKNOWN, UNRESOLVED)
        elif self.language is not None and self.language.bare_members:
            self._put(occurrence, Tier.ANCHORED, UNRESOLVED)

    def _put(
        self, occurrence: Occurrence, tier: Tier, reason: str = "", *, new: str | None = None, linked: bool = True
    ) -> None:
        self.collector.add(self.file.path, occurrence.line, occurrence.column, tier, reason, new=new, linked=linked)


_ROLES = {
    ReferenceRole.DEFINITION: DEFINITION,
    ReferenceRole.IMPORT: IMPORT,
    ReferenceRole.EXPORT: EXPORT,
}
