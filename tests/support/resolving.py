"""Resolves the references of a small tree in memory."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence

from codeplane.base.paths import parent
from codeplane.facts.blocks import Refs
from codeplane.facts.extract import extract
from codeplane.facts.model import Facts, Tier
from codeplane.facts.summary import pack_summary, unpack_summary
from codeplane.index.resolve.evaluator import Evaluator
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.references import link_references
from codeplane.index.resolve.registry import resolved_languages, resolver_of
from codeplane.index.resolve.types import SiteKind
from codeplane.languages.registry import detect

Place = tuple[str, int, int]


class MemoryLibrary:
    """Files by their path. Those in a language without rules are there, and say nothing."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self.facts: dict[str, Facts] = {}
        self._scopes: dict[str, FileScope] = {}
        self._named: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._defined: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._detaching: dict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            language = detect(path, files[path].encode())
            if language is None or language.name not in resolved_languages():
                continue
            facts = self.facts[path] = extract(language.name, path, files[path].encode()).facts
            at = self._scopes[path] = FileScope(path, language.name, *unpack_summary(pack_summary(facts)))
            for number, row in enumerate(at.defs):
                self._named[row.name].append((path, number))
                self._defined[row.lexical_path].append((path, number))
            for owner in sorted({owner.rpartition(".")[2] for owner in at.detached}):
                self._detaching[owner].append(path)

    def paths(self) -> Sequence[str]:
        return list(self._files)

    def file(self, path: str) -> FileScope | None:
        return self._scopes.get(path)

    def file_key(self, path: str) -> int:
        return 0

    def definitions_named(self, name: str) -> Sequence[tuple[str, int]]:
        return self._named.get(name, [])

    def definitions_at(self, lexical_path: str) -> Sequence[tuple[str, int]]:
        return self._defined.get(lexical_path, [])

    def files_extending(self, owner: str) -> Sequence[str]:
        return self._detaching.get(owner, [])

    def directory(self, path: str) -> Sequence[str]:
        return sorted(held for held in self._files if parent(held) == path)

    def configuration(self, path: str) -> Mapping[str, object] | None:
        text = self._files.get(path)
        if text is None:
            return None
        loaded: Mapping[str, object] = json.loads(text) if path.endswith(".json") else {"text": text}
        return loaded


def resolve(files: Mapping[str, str], tier: Tier = Tier.STRONG) -> dict[Place, list[tuple[str, int]]]:
    """Return links of at least this tier: position of a reference -> positions of its definitions."""
    library = MemoryLibrary(files)
    evaluator = Evaluator(library, resolver_of)
    found: dict[Place, list[tuple[str, int]]] = {}
    for path, facts in library.facts.items():
        at = library.file(path)
        assert at is not None
        assert isinstance(facts.refs, Refs)
        columns = facts.refs.columns
        for link in link_references(evaluator, at, facts.names, columns):
            if link.tier >= tier:
                place = (path, columns.lines[link.ref], columns.columns[link.ref])
                found[place] = [_line(library, *site) for site in link.sites]
    return found


def list_imports(files: Mapping[str, str], path: str) -> list[str]:
    """Return the files that a file imports."""
    library = MemoryLibrary(files)
    file, facts = library.file(path), library.facts[path]
    assert file is not None
    assert isinstance(facts.refs, Refs)
    evaluator = Evaluator(library, resolver_of)
    links = link_references(evaluator, file, facts.names, facts.refs.columns)
    used = {site.path for link in links for site in link.sites}
    return sorted(set(evaluator.resolver(file).imported_files(file, used)) - {path})


def _line(library: MemoryLibrary, path: str, kind: SiteKind, number: int) -> tuple[str, int]:
    facts = library.facts[path]
    if kind is SiteKind.DEFINITION:
        return path, facts.defs[number].name_line
    return path, facts.attributes[number].line if kind is SiteKind.ATTRIBUTE else 1
