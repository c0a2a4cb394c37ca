"""Keyword arguments that bear the name of a parameter or of a field that the constructor takes.

The call around a keyword argument is found by its brackets; whether it calls a given function is known from facts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from codeplane.base.paths import RepoPath
from codeplane.facts.model import Tier, Usage
from codeplane.operations.refactor.texts import FileText
from codeplane.operations.refactor.uses import SiteCollector
from codeplane.query.contents import SearchableFile
from codeplane.query.occurrences import list_occurrences, list_occurrences_at
from codeplane.query.relations import Symbol
from codeplane.query.routes import find_routes, list_routed_uses
from codeplane.query.snapshot import Snapshot

Places = Mapping[RepoPath, Collection[tuple[int, int]]]


def list_call_places(snapshot: Snapshot, symbols: Iterable[Symbol]) -> dict[RepoPath, set[tuple[int, int]]]:
    """Return the places of the names by which functions or classes are called."""
    found: dict[RepoPath, set[tuple[int, int]]] = {}
    for symbol in symbols:
        for use in list_routed_uses(snapshot, find_routes(snapshot, symbol)):
            if use.calls:
                found.setdefault(use.path, set()).add((use.start_line, use.start_col))
    return found


def collect_keywords(
    snapshot: Snapshot, collector: SiteCollector, files: Iterable[SearchableFile], calls: Places, callee: str
) -> None:
    """Collect keyword arguments of the calls; those of an unresolved call of the same name are possible."""
    for file in files:
        labels = [
            occurrence
            for occurrence in list_occurrences(snapshot, file.file_id, collector.old)
            if occurrence.usage is Usage.LABEL and not occurrence.targets
        ]
        source = collector.texts.read(file.path) if labels else None
        for label in labels:
            assert source is not None
            if not _is_keyword(source, label.line, label.column, collector.old):
                continue
            opening = source.opening(source.offset(label.line, label.column))
            if opening is None:
                continue
            name, start = source.word_before(opening)
            place = source.place(start)
            if place in calls.get(file.path, ()):
                collector.add(file.path, label.line, label.column, Tier.STRONG, "keyword argument", linked=False)
            elif name == callee and not _is_known(snapshot, file.file_id, place):
                collector.add(file.path, label.line, label.column, Tier.ANCHORED, "keyword of an unresolved call")
            elif callee in source.masked[opening : source.closing(opening)].replace(".", " ").split("(")[0:1]:
                collector.add(file.path, label.line, label.column, Tier.ANCHORED, f"passed along with {callee}")


def _is_keyword(source: FileText, line: int, column: int, name: str) -> bool:
    mark = source.language.name_rules.keyword_mark if source.language is not None else ""
    rest = source.masked[source.offset(line, column) + len(name) :].lstrip()[:2]
    return bool(mark) and rest.startswith(mark) and rest != "=="


def _is_known(snapshot: Snapshot, file_id: int, place: tuple[int, int]) -> bool:
    return any(occurrence.is_elsewhere for occurrence in list_occurrences_at(snapshot, file_id, [place]))
