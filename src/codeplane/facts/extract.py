"""One file's text becomes its facts. Total: bad source gives facts and problems, never an exception."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import repeat
from typing import cast

from tree_sitter import Node, QueryCursor

from codeplane.facts.attributes import read_attributes
from codeplane.facts.blocks import Columns, Refs, flags
from codeplane.facts.definitions import VARIABLES, Definitions, read_definitions
from codeplane.facts.documents import read_document
from codeplane.facts.flow import Identifiers, read_flow
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
    Role,
    Scope,
    Target,
    Tier,
    Usage,
)
from codeplane.facts.nesting import TOO_DEEP, is_too_deep
from codeplane.facts.scopes import (
    DEF_IN_SCOPE,
    IMPORT_ALIAS,
    LOCAL_ASSIGN,
    PARAM,
    Bindings,
    ScopeTree,
    locate,
    scope_before,
)
from codeplane.facts.structure import ImportMatch, Structure, read_structure
from codeplane.languages.registry import by_name
from codeplane.languages.spec import CALLABLE, MEMBER, TYPE, VALUE, Language

_NAMESPACES_OF_ALL = (VALUE,)
_MEMBERS_ONLY = (MEMBER,)
_USAGES = (("name", 0), ("type", 2), ("member", 3), ("label", 5))
"""Captures of names.scm in the order in which they overrule each other, as numbers of Usage."""
_LOOKED_UP_IN = (("as_type", TYPE), ("as_callable", CALLABLE), ("macro", CALLABLE), ("as_value", VALUE))
"""Captures that say where a name is looked up; the later overrule the earlier."""
_CUT = Problem("cut", 1, "too much of it is broken at a time; something may be missing")
_DEFINITION, _IMPORT = int(Role.DEFINITION), int(Role.IMPORT)
_AS_CALL, _AS_TYPE = flags(0, Usage.CALL, 0, 0), flags(0, Usage.TYPE, 0, 0)
_LAST_LOOKED_UP = _AS_TYPE
"""Members and labels are not names of a scope."""
_PROVEN = flags(0, 0, Tier.PROVEN, Certainty.CERTAIN)
_OTHER = re.compile(rb"[^\0]+(?:\0{1,2}[^\0]+)*")
_WORD_USAGES = {"call": int(Usage.CALL), "member": int(Usage.MEMBER), "type": int(Usage.TYPE)}
_CALLED = {int(Usage.NAME): int(Usage.CALL), int(Usage.MEMBER): int(Usage.MEMBER_CALL)}


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
    names, refs, bindings, identifiers = _read_names(grammar, root, parsed, structure, tree, definitions, lines)
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
    """The syntax tree and what it is of: the mended source where that has fewer flaws. Offsets are the same in all."""
    if grammar.language.rewrite is not None:
        source = grammar.language.rewrite(source)
    root = grammar.parser.parse(source).root_node
    repair = grammar.language.repair
    if repair is None or not root.has_error:
        return root, source
    text = repair(source)
    repaired = grammar.parser.parse(text).root_node
    return (repaired, text) if _flaws(grammar, repaired) < _flaws(grammar, root) else (root, source)


def _flaws(grammar: Grammar, root: Node) -> int:
    return sum(map(len, QueryCursor(grammar.errors).captures(root).values()))


def _unread(source: bytes, parsed: bytes) -> list[tuple[int, int]]:
    """Where the parser was shown something else than the source."""
    if parsed == source or len(parsed) != len(source):
        return []
    other = int.from_bytes(source, "big") ^ int.from_bytes(parsed, "big")
    return [found.span() for found in _OTHER.finditer(other.to_bytes(len(source), "big"))]


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


def _read_names(
    grammar: Grammar,
    root: Node,
    parsed: bytes,
    structure: Structure,
    tree: ScopeTree,
    definitions: Definitions,
    lines: Lines,
) -> tuple[list[str], Refs, Bindings, Identifiers]:
    """Every identifier: where it stands, what it does there, and the binding that it means."""
    language, source = grammar.language, lines.source
    captures = QueryCursor(grammar.names).captures(root)
    ends: dict[int, int] = {}
    usages: dict[int, int] = {}
    """Of identifiers that are not plain names."""
    for capture, usage in _USAGES:
        captured = {node.start_byte: node.end_byte for node in captures.get(capture, ())}
        ends |= captured
        if usage != Usage.NAME:
            usages |= dict.fromkeys(captured, usage)
    expand = language.expand_words
    for node in captures.get("words", ()) if expand is not None else ():
        for start, end, capture in expand(source, node.start_byte, node.end_byte) if expand is not None else ():
            ends[start] = end
            if capture != "name":
                usages[start] = _WORD_USAGES[capture]
    unread: set[int] = set()
    """Identifiers that the parser was not shown: what they mean is never certain."""
    for span in _unread(source, parsed) if language.lists_unread else ():
        for start, end, capture in expand(source, *span) if expand is not None else ():
            if start not in ends:
                unread.add(start)
                ends[start] = end
                if capture != "name":
                    usages[start] = _WORD_USAGES[capture]
    elsewhere = {
        node.start_byte: namespace for capture, namespace in _LOOKED_UP_IN for node in captures.get(capture, ())
    }
    """Of identifiers whose usage does not tell the namespace."""
    for node in (*captures.get("call", ()), *captures.get("macro", ())):
        start = node.start_byte
        usage = usages.get(start, 0)
        usages[start] = _CALLED.get(usage, usage)
    for node in captures.get("none", ()):
        ends.pop(node.start_byte, None)
    # Without an end behind its start, the parser made an identifier up to repair the source.
    offsets = sorted(offset for offset, end in ends.items() if end > offset) if root.has_error else sorted(ends)
    innermost, lookup = locate(tree, offsets)
    bindings = Bindings(tree, language, structure.open, structure.sealed, structure.receivers)
    roles: dict[int, tuple[int, int | None]] = {}
    _bind_all(language, structure, tree, definitions, innermost, offsets, bindings, roles, source)

    exported = {site.name_start for site in structure.exports}
    tokens = [source[offset : ends[offset]] for offset in offsets]
    unique = dict.fromkeys(tokens)
    texts = [token.decode("utf-8", "replace") for token in unique]
    numbers = dict(zip(unique, range(len(texts)), strict=True))
    names = list(map(numbers.__getitem__, tokens))
    on_lines, columns = lines.positions(offsets)
    marks = [usage << 2 for usage in map(usages.get, offsets, repeat(0))]
    scopes, binds = lookup.copy(), [0] * len(offsets)
    resolve, bound = bindings.resolve, bindings.rows
    call_namespace = language.call_namespace
    has_types = any(TYPE in spaces for spaces in language.namespaces.values())
    has_namespaces = bool(language.namespaces)
    find_role = roles.get
    resolved: dict[tuple[int, int, int], tuple[int, bool] | None] = {}
    """Where declaration order does not matter, a name means the same throughout its scope."""
    ordered, unlinked = language.sequential, language.coverage != "full"
    bind: int | None
    certain: bool
    for at, (offset, name, scope, mark) in enumerate(zip(offsets, names, lookup, marks, strict=True)):
        known = find_role(offset)
        if known is not None:
            role, bind = known
            if bind is None:
                marks[at] = role | mark
                continue
            row = bound[bind]
            # A definition stands in the scope that it binds its name in, not in the one that it opens.
            scopes[at] = cast(int, row[0]) if role == _DEFINITION else innermost[at]
            certain = row[5] == 1
        elif mark > _LAST_LOOKED_UP:
            continue
        else:
            namespace = VALUE
            if has_types:
                namespace = TYPE if mark == _AS_TYPE else call_namespace if mark == _AS_CALL else VALUE
            if has_namespaces and offset in elsewhere:
                namespace = elsewhere[offset]
            role = 3 if offset in exported else 0
            key = (scope, name, namespace)
            if unlinked:
                found = None
            elif ordered or key not in resolved or tree.kinds[scope] == "class":
                found = resolved[key] = resolve(scope, namespace, texts[name], offset)
            else:
                found = resolved[key]
            if found is None and role == 3 and has_types and not unlinked:
                found = resolve(scope, TYPE, texts[name], offset)
            if found is None:
                marks[at] = role | mark
                continue
            bind, certain = found
            certain = certain and offset not in unread
        marks[at] = role | mark | _PROVEN if certain else role | mark
        binds[at] = bind + 1
    refs = Refs(texts, Columns(scopes, names, on_lines, columns, marks, binds))
    told: Sequence[int] = binds
    if language.calls_dispatched:
        told = [0 if bind and bound[bind - 1][2] == CALLABLE else bind for bind in binds]
    return texts, refs, bindings, Identifiers(offsets, ends, told, scopes, marks)


def _bind_all(
    language: Language,
    structure: Structure,
    tree: ScopeTree,
    definitions: Definitions,
    innermost: list[int],
    offsets: list[int],
    bindings: Bindings,
    roles: dict[int, tuple[int, int | None]],
    source: bytes,
) -> None:
    """Enter every binding site, then say for each of their identifiers which binding it is a site of.

    Identifiers of an import statement name things elsewhere: they are never looked up here.
    """
    sites: list[tuple[int, int, int]] = []
    for bind in structure.binds:
        if bind.how in ("global", "nonlocal"):
            scope = innermost[min(bisect_left(offsets, bind.start), len(offsets) - 1)]
            name = source[bind.start : bind.end].decode("utf-8", "replace")
            bindings.redirect(scope, name, 0 if bind.how == "global" else tree.enclosing_function(scope))
    scope_at = (
        {(opened.start, opened.end): number for number, opened in enumerate(tree.sites)}
        if structure.shared or structure.implicit
        else {}
    )
    shared = {scope_at[span] for span in structure.shared if span in scope_at}
    for number, (row, site) in enumerate(zip(definitions.rows, definitions.sites, strict=True)):
        if site.kind in VARIABLES:
            bindings.variables.add(number)
        variant = f"{row.kind}.{site.variant}" if site.variant else row.kind
        spaces = language.namespaces.get(variant) or language.namespaces.get(row.kind, _NAMESPACES_OF_ALL)
        in_class = tree.kinds[row.scope] == "class"
        # Members of literals in one scope have nothing to do with each other.
        if site.owner is not None or (language.members_qualified if in_class else spaces == _MEMBERS_ONLY):
            roles[site.name_start] = (_DEFINITION, bindings.add_member(row.scope, row.name, number))
            continue
        visible = site.visible_from
        if visible is None:
            visible = site.end if site.kind in VARIABLES and not language.variables_are_items else 0
        for namespace in spaces:
            entry = bindings.add(
                row.scope,
                namespace,
                row.name,
                Target.DEF,
                number,
                DEF_IN_SCOPE,
                certain=site.start not in structure.conditional,
                visible_from=visible,
                identity=row.kind if row.kind in language.redeclared else "",
            )
            if not site.implied:
                sites.append((site.name_start, entry, _DEFINITION))
            if row.scope in shared:
                seen_from = tree.parents[row.scope]
                certain = site.start not in structure.conditional
                reason = DEF_IN_SCOPE
                bindings.add(seen_from, namespace, row.name, Target.DEF, number, reason, certain=certain)
    for span, name in structure.implicit:
        if span in scope_at:
            bindings.add(scope_at[span], VALUE, name, Target.UNKNOWN, None, PARAM, certain=False)
    for site, number in definitions.clauses:
        row = definitions.rows[number]
        for namespace in language.namespaces.get(row.kind, _NAMESPACES_OF_ALL):
            known = bindings.find(row.scope, namespace, row.name)
            if known is not None:
                sites.append((site.name_start, known, _DEFINITION))
    for site, scope in definitions.writes:
        visible = site.end if site.visible_from is None else site.visible_from
        entry = bindings.add_local(scope, VALUE, site.name, LOCAL_ASSIGN, visible)
        sites.append((site.name_start, entry, _DEFINITION))
    looked_up = _looked_up(language)
    for number, imported in enumerate(structure.imports):
        local, certain = _local_name(language, imported)
        if local is None:
            continue
        scope = scope_before(tree, imported.start, imported.end)
        identity = local if "." in imported.name and not imported.alias else f"{imported.source}:{imported.name}"
        bound_in = language.import_namespaces.get(imported.kind, looked_up)
        for namespace in bound_in:
            entry = bindings.add(
                scope,
                namespace,
                local,
                Target.IMPORT,
                number,
                IMPORT_ALIAS,
                certain=certain,
                identity=identity,
            )
            if imported.bound_at is not None and namespace == bound_in[0]:
                sites.append((imported.bound_at[0], entry, _IMPORT))
    bound = {start for start, _, how, _ in structure.binds if how != "maybe"}
    defined = {site.name_start for site in definitions.sites}
    # What an assignment means depends on those before it.
    by_position = any(bind.how == "assign" for bind in structure.binds)
    last = len(offsets)
    for start, end, how, visible_from in sorted(structure.binds) if by_position else structure.binds:
        place = bisect_left(offsets, start)
        if how in ("global", "nonlocal") or place == last or offsets[place] != start:
            continue
        certain = how != "maybe"
        if not certain and start in bound:
            continue
        scope = innermost[place]
        if how == "hoisted":
            scope = tree.function_of(scope)
        elif how == "inferred":
            scope = tree.conditional_of(scope)
        if how == "param" and tree.kinds[scope] in ("file", "namespace"):
            continue  # of something that did not parse
        name = source[start:end].decode("utf-8", "replace")
        if how == "assign":
            scope = bindings.assigned_in(scope, name, start)
        if start in defined and (known := bindings.find(scope, VALUE, name)) is not None:
            sites.append((start, known, _DEFINITION))  # the very site of a definition, not another one
            continue
        reason = PARAM if how == "param" else LOCAL_ASSIGN
        namespace = TYPE if how in ("type", "inferred") else VALUE
        if certain and how != "let":
            entry = bindings.add_local(scope, namespace, name, reason, visible_from)
        else:
            entry = bindings.add(
                scope,
                namespace,
                name,
                Target.UNKNOWN,
                None,
                reason,
                certain=certain,
                visible_from=visible_from,
                hides=how == "let",
            )
        sites.append((start, entry, _DEFINITION))
    for start, entry, role in sites:
        if start not in roles or role == _DEFINITION:
            roles[start] = (role, entry)
    elsewhere = (_IMPORT, None)
    for start, end in {(imported.start, imported.end) for imported in structure.imports}:
        for offset in offsets[bisect_left(offsets, start) : bisect_left(offsets, end)]:
            roles.setdefault(offset, elsewhere)


def _looked_up(language: Language) -> tuple[int, ...]:
    """The namespaces in which names are looked up: an imported one may stand for something in any of them."""
    bound = {namespace for namespaces in language.namespaces.values() for namespace in namespaces}
    return tuple(sorted({VALUE, language.call_namespace, *bound} - {MEMBER}))


def _local_name(language: Language, site: ImportMatch) -> tuple[str | None, bool]:
    if site.alias is not None:
        return (site.alias if site.alias not in language.blank_aliases else None), True
    if site.name == "*" or (site.bound_at is None and language.expand_import is not None):
        return None, True
    if language.import_binding is not None:
        return language.import_binding(site.source, site.name)
    return site.name, True


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
    """The file's own definition of a top-level name, when that is certain."""
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
