"""Extraction of facts from one file. Total: bad source gives facts and problems, never an exception."""

from __future__ import annotations

from typing import cast

from tree_sitter import Node, QueryCursor

from codeplane.facts.attributes import read_attributes
from codeplane.facts.definitions import VARIABLES, Definitions, read_definitions
from codeplane.facts.documents import read_document
from codeplane.facts.flow import read_flow
from codeplane.facts.grammar import Grammar, load, read_problems
from codeplane.facts.identity import Ids
from codeplane.facts.ir import NO_FLOW
from codeplane.facts.lines import Lines
from codeplane.facts.model import (
    Attribute,
    Bind,
    Certainty,
    Export,
    Extraction,
    Facts,
    Import,
    Problem,
    Reexport,
    ReexportMode,
    Scope,
    Target,
)
from codeplane.facts.nesting import TOO_DEEP, is_too_deep
from codeplane.facts.references import read_references
from codeplane.facts.scopes import Bindings, ScopeTree, scope_before
from codeplane.facts.structure import Structure, read_structure
from codeplane.languages.registry import by_name
from codeplane.languages.spec import CALLABLE, TYPE, VALUE, Language

_CUT = Problem("cut", 1, "too much of it is broken at a time; something may be missing")


def extract(language: str, path: str, source: bytes, family: str = "") -> Extraction:
    """Return the facts of `source` (UTF-8, without BOM), which the repository holds at `path`.

    `family` is that of the containing document when the source is an embedded part; default: that of the language.
    """
    known = by_name(language)
    family = family or known.family
    if known.read is not None:
        return read_document(known, path, family, source, extract)
    if is_too_deep(source):
        return TOO_DEEP
    grammar = load(language)
    root, parsed = _parse(grammar, source)
    lines = Lines(source)
    structure = read_structure(grammar, root, source)
    tree = ScopeTree(structure.scopes, structure.outer, len(source))
    definitions = read_definitions(grammar.language, path, family, structure, tree, lines)
    imports = _read_imports(grammar.language, path, family, structure, tree, lines)
    names, refs, bindings, identifiers = read_references(grammar, root, parsed, structure, tree, definitions, lines)
    attributes: list[Attribute] = []
    flow = NO_FLOW
    if grammar.flow is not None:
        bodies = {(site.start, site.end): at for at, site in enumerate(definitions.sites) if site.kind not in VARIABLES}
        spans = [(site.start, site.end) for site in definitions.sites]
        flow = read_flow(grammar.flow, root, source, tree, identifiers, bodies, spans, lines.position, grammar.language)
        attributes = read_attributes(flow, tree, definitions.rows, refs, grammar.language, Ids(family, path))
    exports = _read_exports(grammar.language, structure, definitions, bindings)
    facts = Facts(
        names=names,
        scopes=[
            cast(Scope, (tree.parents[number] if number else None, site.kind, *lines.span(site.start, site.end)))
            for number, site in enumerate(tree.sites)
        ],
        defs=definitions.rows,
        imports=imports,
        binds=cast(list[Bind], bindings.rows),
        refs=refs,
        exports=exports,
        reexports=_read_reexports(structure),
        attributes=attributes,
        flow=flow,
    )
    problems = read_problems(grammar.errors, root, lines.starts)
    return Extraction(facts, (*problems, _CUT) if structure.cut else problems)


def _parse(grammar: Grammar, source: bytes) -> tuple[Node, bytes]:
    """Return the syntax tree and its text: the repaired source if that has fewer errors. Offsets are the same."""
    if grammar.language.rewrite is not None:
        source = grammar.language.rewrite(source)
    root = grammar.parser.parse(source).root_node
    repair = grammar.language.repair
    if repair is None or not root.has_error:
        return root, source
    text = repair(source)
    repaired = grammar.parser.parse(text).root_node
    return (repaired, text) if _error_count(grammar, repaired) < _error_count(grammar, root) else (root, source)


def _error_count(grammar: Grammar, root: Node) -> int:
    return sum(map(len, QueryCursor(grammar.errors).captures(root).values()))


def _read_imports(
    language: Language, path: str, family: str, structure: Structure, tree: ScopeTree, lines: Lines
) -> list[Import]:
    ids = Ids(family, path)
    rows = []
    for site in structure.imports:
        uid = ids.of_import(site.kind, site.source, site.name, site.alias)
        scope = scope_before(tree, site.start, site.end)
        at = site.bound_at or (site.start, site.end)
        rows.append(
            Import(uid, scope, site.name, site.alias, site.source, site.kind, int(Certainty.CERTAIN), *lines.span(*at))
        )
    return rows


def _read_exports(
    language: Language, structure: Structure, definitions: Definitions, bindings: Bindings
) -> list[Export]:
    rows: list[Export] = []
    explicit = {site.evidence for site in structure.exports}
    defined_at = {site.name_start: number for number, site in enumerate(definitions.sites)} if explicit else {}
    if language.export_evidence is not None and language.explicit_exports not in explicit:
        rows.extend(
            Export(row.name, number, int(Certainty.CERTAIN), language.export_evidence)
            for number, row in enumerate(definitions.rows)
            if row.parent is None and row.scope == 0 and row.visibility == "public" and "." not in row.lexical_path
        )
    for site in structure.exports:
        definition = defined_at.get(site.name_start)
        if definition is None:
            definition = _definition_named(bindings, site.name)
        certainty = Certainty.CERTAIN if definition is not None else Certainty.UNCERTAIN
        local = site.name if site.alias and site.alias != site.name else ""
        rows.append(Export(site.alias or site.name, definition, int(certainty), site.evidence, local))
    return list(dict.fromkeys(rows))


def _definition_named(bindings: Bindings, name: str) -> int | None:
    """Return the file's own definition of a top-level name, if that is certain."""
    for namespace in (VALUE, TYPE, CALLABLE):
        number = bindings.find(0, namespace, name)
        if number is not None:
            _, _, _, kind, target, certainty, _ = bindings.rows[number]
            if kind == Target.DEF and certainty == Certainty.CERTAIN:
                return cast(int, target)
    return None


def _read_reexports(structure: Structure) -> list[Reexport]:
    statements: dict[tuple[int, str, str], list[tuple[str | None, str | None]]] = {}
    for site in structure.reexports:
        statements.setdefault((site.statement, site.source, site.evidence), []).append((site.name, site.alias))
    rows = []
    for (_, source, evidence), names in statements.items():
        plain = tuple(name for name, alias in names if name is not None and alias is None)
        aliased = tuple((name, alias) for name, alias in names if name is not None and alias is not None)
        if (None, None) in names:
            rows.append(Reexport(source, ReexportMode.REEXPORT_ALL, (), (), evidence))
        if plain:
            rows.append(Reexport(source, ReexportMode.EXPLICIT_NAMES, plain, (), evidence))
        if aliased:
            rows.append(Reexport(source, ReexportMode.ALIAS_MAP, (), aliased, evidence))
    return rows
