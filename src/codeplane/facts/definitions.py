"""Definitions: nesting, identity, signature, documentation, visibility.

Works on the sites of the structure and on the source, without the syntax tree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codeplane.facts.identity import Ids, qualify
from codeplane.facts.lines import Lines
from codeplane.facts.model import Def
from codeplane.facts.scopes import NON_LOCAL, ScopeTree, scope_before
from codeplane.facts.signatures import base_name, hash_signature, read_doc, read_signature, start_with_attributes
from codeplane.facts.structure import DefSite, Range, Structure
from codeplane.languages.spec import DefinitionHead, Language

VARIABLES = frozenset({"variable", "constant", "field"})
"""Kinds that are definitions only outside of functions, and only once per scope."""

_CALLABLES = frozenset({"function", "method", "macro", "constructor"})
"""Kinds that may have several clauses."""


@dataclass(frozen=True)
class Definitions:
    rows: list[Def]
    sites: list[DefSite]
    """One per row."""
    writes: list[tuple[DefSite, int]]
    """Sites that bind a variable without defining it, with the scope that binds it."""
    clauses: list[tuple[DefSite, int]] = field(default_factory=list)
    """Further clauses of a definition, with its row."""


def read_definitions(
    language: Language, path: str, family: str, structure: Structure, tree: ScopeTree, lines: Lines
) -> Definitions:
    reader = _Reader(language, path, family, structure, tree, lines)
    for site in _in_order(structure):
        if site.name:  # an empty name was inserted by the parser's error recovery
            reader.read(site)
    return Definitions(reader.rows, reader.sites, reader.writes, reader.clauses)


class _Enclosing(NamedTuple):
    """A definition or container around the current site."""

    end: int
    path: str
    kind: str | None
    row: int | None


_FILE = _Enclosing(-1, "", None, None)


class _Reader:
    """Builder of the rows of one file, site by site in document order."""

    def __init__(
        self, language: Language, path: str, family: str, structure: Structure, tree: ScopeTree, lines: Lines
    ) -> None:
        self._language = language
        self._tree = tree
        self._lines = lines
        self._source = lines.source
        self._module = language.module_name(path)
        self._ids = Ids(family, path)
        self._spans, self._decorators, self._docs = _wrapped_spans(structure)
        self._exported = {site.name for site in structure.exports}
        self._sections = _sections(structure, tree)
        self._marks = {(scope_before(tree, start, start), name): text for start, name, text in sorted(structure.marks)}
        self._announced: set[int] = set()
        if language.announces is not None:
            self._announced = _announced(language, structure, tree, lines.source)
        self._around: list[_Enclosing] = []
        """Stack of enclosing definitions and containers."""
        self._seen_variables: set[tuple[int, str | None, str]] = set()
        self._first_clauses: dict[tuple[int, str, str, int], int] = {}
        self.rows: list[Def] = []
        self.sites: list[DefSite] = []
        self.writes: list[tuple[DefSite, int]] = []
        self.clauses: list[tuple[DefSite, int]] = []

    def read(self, site: DefSite) -> None:
        around = self._around
        while around and around[-1].end <= site.start:
            around.pop()
        level = self._level(site)
        parent = around[level] if level >= 0 else _FILE
        if site.kind == "container":
            name = base_name(site.name)
            around.append(_Enclosing(site.end, f"{parent.path}.{name}" if parent.path else name, "container", None))
            return
        scope = self._scope(site)
        if self._binds_only(site, scope):
            self.writes.append((site, scope))
            return
        if site.variant == "forward" and site.name_start in self._announced:
            return
        kind = self._kind(site, scope, parent)
        if self._language.clause_key is not None and kind in _CALLABLES and self._is_further_clause(site, kind, parent):
            return
        lexical_path = self._lexical_path(site, parent)
        self._add(site, kind, scope, parent, lexical_path)
        beside_type = (
            level < len(around) - 1 and around[-1].end == site.end and around[-1].kind in self._language.type_kinds
        )
        if not beside_type:
            around.append(_Enclosing(site.end, lexical_path, kind, len(self.rows) - 1))

    def _level(self, site: DefSite) -> int:
        """Return the index of the enclosing definition or container; -1 for the file."""
        if site.place == "filewide":
            return -1
        level = len(self._around) - 1
        while level >= 0 and self._is_beside(site, self._around[level]):
            level -= 1
        return level

    def _is_beside(self, site: DefSite, outer: _Enclosing) -> bool:
        """True if a site is not nested in a definition although its span is."""
        if outer.kind in VARIABLES and (site.kind == "variable" or outer.end == site.end):
            # In `a = b = 0` and in `x, y int` the second is not inside the first.
            return True
        if outer.row is None:
            return False
        named = self.sites[outer.row]
        if outer.end == site.end and named.start == site.start:
            return True
        # In `struct s { int x; } v` the type is not inside of the variable.
        return site.kind in self._language.type_kinds and named.name_start >= site.end

    def _scope(self, site: DefSite) -> int:
        if site.place == "inner":
            return scope_before(self._tree, site.name_start, site.name_end)
        if site.place == "filewide":
            return 0
        scope = scope_before(self._tree, site.start, site.end)
        return self._tree.function_of(scope) if site.place == "hoisted" else scope

    def _binds_only(self, site: DefSite, scope: int) -> bool:
        """True for a forward declaration or a variable in a function, and for another site of a variable."""
        is_local = self._tree.kinds[scope] not in NON_LOCAL
        if site.variant == "forward" and (is_local or site.name_start in self._announced):
            return is_local
        if site.kind not in VARIABLES or self._language.variables_are_items:
            return False
        key = (scope, site.owner, site.name)
        if is_local or key in self._seen_variables:
            return True
        self._seen_variables.add(key)
        return False

    def _kind(self, site: DefSite, scope: int, parent: _Enclosing) -> str:
        in_type = parent.kind == "container" or parent.kind in self._language.type_kinds
        if in_type and self._tree.kinds[scope] not in ("function", "lambda", "block"):
            return self._language.member_kinds.get(site.kind, site.kind)
        return site.kind

    def _is_further_clause(self, site: DefSite, kind: str, parent: _Enclosing) -> bool:
        """Add a clause to its definition; False for the first clause."""
        assert self._language.clause_key is not None
        clause = (parent.end, kind, site.name, self._language.clause_key(_params(site, self._source)))
        first = self._first_clauses.setdefault(clause, len(self.rows))
        if first == len(self.rows):
            return False
        self.clauses.append((site, first))
        last: int | None = len(self.rows) - 1
        while last is not None and last > first:
            last = self.rows[last].parent
        if last == first:
            end_line, end_col = self._lines.position(site.end - site.tail)
            self.rows[first] = self.rows[first]._replace(end_line=end_line, end_col=end_col)
        self._around.append(_Enclosing(site.end, self.rows[first].lexical_path, kind, first))
        return True

    def _lexical_path(self, site: DefSite, parent: _Enclosing) -> str:
        owner = parent.path if site.owner is None else base_name(site.owner)
        if site.owner is not None and self._language.owner_path is not None:
            owner = ".".join(filter(None, (parent.path, self._language.owner_path(site.owner))))
        return f"{owner}.{site.name}" if owner else site.name

    def _add(self, site: DefSite, kind: str, scope: int, parent: _Enclosing, lexical_path: str) -> None:
        language, source, position = self._language, self._source, self._lines.position
        start, end = self._spans.get(site.start, (site.start, site.end))
        # A decorator may be before the definition, not around it.
        end = max(end, site.end) if end != site.end else end - site.tail
        if source[end - 1 : end] == b"\n":
            end -= 1  # some grammars include the line ending
        signature_hash = hash_signature(site, source)
        head = source[start : site.name_start].decode("utf-8", "replace")
        # The comment above `type T struct{ x int }` documents T, not x.
        own_line = parent.row is None or self.rows[parent.row].name_line != position(start)[0]
        if language.attribute_prefixes and own_line:
            start = start_with_attributes(language, self._lines, start)
        start_line, start_col = position(start)
        end_line, end_col = position(end)
        name_line, name_col = position(site.name_start)
        has_doc = own_line or language.doc_style == "docstring"
        self.rows.append(
            Def(
                self._ids.of_definition(kind, lexical_path, signature_hash),
                parent.row,
                scope,
                kind,
                site.name,
                qualify(language, self._module, lexical_path),
                lexical_path,
                start_line,
                start_col,
                end_line,
                end_col,
                name_line,
                name_col,
                read_signature(language, site, source),
                signature_hash,
                read_doc(language, site, start_line, self._lines, self._docs.get(site.start)) if has_doc else None,
                self._visibility(site, kind, scope, parent, head),
                (*self._decorators.get(site.start, ()), *site.decorators),
            )
        )
        self.sites.append(site)

    def _visibility(self, site: DefSite, kind: str, scope: int, parent: _Enclosing, head: str) -> str:
        section = self._marks.get((scope, site.name)) or _section(self._sections.get(scope, ()), site.start)
        outer = self.rows[parent.row].visibility if parent.row is not None else None
        exported = site.name in self._exported if self._exported else None
        return self._language.visibility(DefinitionHead(site.name, head, parent.kind, kind, section, outer, exported))


def _in_order(structure: Structure) -> list[DefSite]:
    """Return definitions and containers by position, outer before inner, each name once."""
    containers = (
        DefSite(site.start, site.end, "container", site.name, site.start, site.start, None, None, None, None, ())
        for site in structure.containers
    )
    unique: dict[tuple[int, str], DefSite] = {}
    for site in sorted((*structure.defs, *containers), key=_rank):
        unique.setdefault((site.name_start, "container" if site.kind == "container" else ""), site)
    return list(unique.values())


def _rank(site: DefSite) -> tuple[int, int, int, bool, bool]:
    """Sort key: outer before inner; of two patterns for one name, the function before the variable that holds it, and
    the one that says where the name is bound before the one that does not.
    """
    return site.start, -site.end, site.name_start, site.kind in VARIABLES, not (site.place or site.variant)


def _announced(language: Language, structure: Structure, tree: ScopeTree, source: bytes) -> set[int]:
    """Return the forward declarations, by the offset of their name, of functions that the file defines in the same
    scope.
    """
    defined: dict[tuple[int, str, str], list[str]] = {}
    forward = [site for site in structure.defs if site.variant == "forward"]
    names = {site.name for site in forward}
    for site in structure.defs:
        if site.variant != "forward" and site.params is not None and site.name in names and site.owner is None:
            scope = scope_before(tree, site.start, site.end)
            defined.setdefault((scope, site.kind, site.name), []).append(_params(site, source))
    found = set()
    for site in forward:
        definitions = defined.get((scope_before(tree, site.start, site.end), site.kind, site.name), ())
        if language.announces is not None and any(
            language.announces(_params(site, source), params) for params in definitions
        ):
            found.add(site.name_start)
    return found


def _params(site: DefSite, source: bytes) -> str:
    return source[slice(*site.params)].decode("utf-8", "replace") if site.params else ""


def _sections(structure: Structure, tree: ScopeTree) -> dict[int, list[tuple[int, str]]]:
    """Return the sections of each scope, in order."""
    found: dict[int, list[tuple[int, str]]] = {}
    for site in sorted(structure.sections):
        found.setdefault(scope_before(tree, site.start, site.end), []).append((site.start, site.text))
    return found


def _section(sections: Sequence[tuple[int, str]], start: int) -> str:
    number = bisect_left(sections, (start, "")) - 1
    return sections[number][1] if number >= 0 else ""


def _wrapped_spans(structure: Structure) -> tuple[dict[int, Range], dict[int, tuple[str, ...]], dict[int, str]]:
    """Return spans, decorators and docs of wrapped definitions, by the start of the wrapped node; wrappers may nest."""
    spans: dict[int, Range] = {}
    decorators: dict[int, tuple[str, ...]] = {}
    docs: dict[int, str] = {}
    for wrapper in sorted(structure.wrappers, key=lambda site: (site.start, -site.end)):
        span = spans.pop(wrapper.start, (wrapper.start, wrapper.end))
        spans[wrapper.wrapped] = span
        outer = decorators.pop(wrapper.start, ()) if wrapper.start != wrapper.wrapped else ()
        decorators[wrapper.wrapped] = (*decorators.get(wrapper.wrapped, ()), *outer, *wrapper.decorators)
        doc = wrapper.doc if wrapper.doc is not None else docs.get(wrapper.start)
        if doc is not None:
            docs[wrapper.wrapped] = doc
    return spans, decorators, docs
