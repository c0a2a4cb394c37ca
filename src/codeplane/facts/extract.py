"""One file's text becomes its facts. Total: bad source gives facts and problems, never an exception."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from typing import cast

from tree_sitter import Node, QueryCursor

from codeplane.base.limits import MAX_NESTING, MAX_PROBLEMS_PER_FILE
from codeplane.facts.blocks import NO_COLUMNS, Columns, Refs, flags
from codeplane.facts.definitions import VARIABLES, Definitions, read_definitions
from codeplane.facts.grammar import Grammar, load
from codeplane.facts.lines import Lines
from codeplane.facts.model import (
    Bind,
    BindReason,
    Certainty,
    DynamicSite,
    Export,
    Extraction,
    Facts,
    Import,
    Problem,
    Role,
    Scope,
    Target,
    Thunk,
    ThunkMode,
    Tier,
    Usage,
)
from codeplane.facts.scopes import Bindings, ScopeTree, locate, scope_before
from codeplane.facts.structure import ImportMatch, Structure, read_structure
from codeplane.languages.spec import CALLABLE, MEMBER, TYPE, VALUE, Language

_NO_BRACKETS = bytes(set(range(256)) - set(b"([{}])"))
_ONE_BRACKET = bytes.maketrans(b"[{]}", b"(())")
_NAMESPACES_OF_ALL = (VALUE,)
_USAGES = (("name", 0), ("type", 2), ("member", 3), ("label", 5))
"""Captures of names.scm in the order in which they overrule each other, as numbers of Usage."""
_PROVEN = flags(0, 0, Tier.PROVEN, Certainty.CERTAIN)
_CALLED = {int(Usage.NAME): int(Usage.CALL), int(Usage.MEMBER): int(Usage.MEMBER_CALL)}


def extract(language: str, path: str, unit: int, source: bytes) -> Extraction:
    """Facts of `source` (UTF-8, without BOM), which the repository holds at `path`."""
    if _too_deep(source):
        return Extraction(Facts(), (Problem("too_deep", 1, f"nested deeper than {MAX_NESTING} brackets"),))
    grammar = load(language)
    root = _parse(grammar, source)
    lines = Lines(source)
    structure = read_structure(grammar, root, source)
    tree = ScopeTree(structure.scopes, structure.outer, len(source))
    definitions = read_definitions(grammar.language, path, unit, structure, tree, lines)
    imports = _read_imports(grammar.language, path, unit, structure, tree, lines)
    names, refs, bindings = _read_names(grammar, root, structure, tree, definitions, lines)
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
        thunks=_read_thunks(structure),
        dynamic_sites=[
            DynamicSite(
                *lines.position(site.start),
                site.pattern,
                (site.literal,) if site.literal is not None else (),
                site.has_key and site.literal is None,
            )
            for site in structure.dynamic
        ],
    )
    return Extraction(facts, _read_problems(grammar, root))


def _parse(grammar: Grammar, source: bytes) -> Node:
    """The syntax tree; of the mended source where that has fewer flaws. Offsets are the same in both."""
    root = grammar.parser.parse(source).root_node
    mend = grammar.language.mend
    if mend is None or not root.has_error:
        return root
    mended = grammar.parser.parse(mend(source)).root_node
    return mended if _flaws(grammar, mended) < _flaws(grammar, root) else root


def _flaws(grammar: Grammar, root: Node) -> int:
    return sum(map(len, QueryCursor(grammar.errors).captures(root).values()))


def _too_deep(source: bytes) -> bool:
    """Whether brackets nest so deep that queries turn quadratic. Those in strings count too: rare, and safe."""
    brackets = source.translate(_ONE_BRACKET, _NO_BRACKETS)
    for _ in range(MAX_NESTING):
        # The innermost pairs go; what is left of ordinary code after a few rounds is what strings hold.
        remaining = brackets.replace(b"()", b"")
        if len(remaining) == len(brackets):
            return brackets.count(b"(") > MAX_NESTING
        brackets = remaining
    return b"(" in brackets


def _read_imports(
    language: Language, path: str, unit: int, structure: Structure, tree: ScopeTree, lines: Lines
) -> list[Import]:
    identities: dict[str, int] = {}
    rows = []
    for site in structure.imports:
        identity = f"{unit}:{path}:{site.kind}:{site.source}:{site.name}:{site.alias or ''}"
        sibling = identities[identity] = identities.get(identity, -1) + 1
        uid = hashlib.sha256(f"{identity}:{sibling}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
        scope = scope_before(tree, site.start, site.end)
        at = site.bound_at or (site.start, site.end)
        rows.append(
            Import(uid, scope, site.name, site.alias, site.source, site.kind, int(Certainty.CERTAIN), *lines.span(*at))
        )
    return rows


def _read_names(
    grammar: Grammar, root: Node, structure: Structure, tree: ScopeTree, definitions: Definitions, lines: Lines
) -> tuple[list[str], Refs, Bindings]:
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
    macros = {node.start_byte for node in captures.get("macro", ())}
    for node in (*captures.get("call", ()), *captures.get("macro", ())):
        start = node.start_byte
        usage = usages.get(start, 0)
        usages[start] = _CALLED.get(usage, usage)
    for node in captures.get("none", ()):
        ends.pop(node.start_byte, None)
    # Without an end behind its start, the parser made an identifier up to repair the source.
    offsets = sorted(offset for offset, end in ends.items() if end > offset) if root.has_error else sorted(ends)
    innermost, lookup = locate(tree, offsets)
    bindings = Bindings(tree, language, structure.open, structure.sealed)
    roles: dict[int, tuple[int, int | None]] = {}
    _bind_all(language, structure, tree, definitions, innermost, offsets, bindings, roles, source)

    exported = {site.name_start for site in structure.exports}
    tokens = [source[offset : ends[offset]] for offset in offsets]
    unique = dict.fromkeys(tokens)
    texts = [token.decode("utf-8", "replace") for token in unique]
    numbers = dict(zip(unique, range(len(texts)), strict=True))
    rows: list[tuple[int, ...]] = []
    starts, line, line_count = lines.starts, 1, len(lines.starts)
    line_start, next_line = 0, starts[1] if line_count > 1 else 1 << 62
    plain = lines.ascii
    resolve, bound = bindings.resolve, bindings.rows
    call_namespace = language.call_namespace
    has_types = bool(language.namespaces)
    find_role, find_usage, append = roles.get, usages.get, rows.append
    resolved: dict[tuple[int, int, int], tuple[int, bool] | None] = {}
    """Where declaration order does not matter, a name means the same throughout its scope."""
    ordered = language.sequential
    bind: int | None
    certain: bool
    for offset, token, scope, inner in zip(offsets, tokens, lookup, innermost, strict=True):
        name = numbers[token]
        while offset >= next_line:
            line += 1
            line_start = next_line
            next_line = starts[line] if line < line_count else 1 << 62
        if plain:
            start_col = offset - line_start
        else:
            start_col = len(source[line_start:offset].decode("utf-8", "replace"))
        usage = find_usage(offset, 0)
        known = find_role(offset)
        if known is not None:
            role, bind = known
            if bind is None:
                append((scope, name, line, start_col, role | usage << 2, 0))
                continue
            row = bound[bind]
            # A definition stands in the scope that it binds its name in, not in the one that it opens.
            scope = cast(int, row[0]) if role == 1 else inner
            certain = row[5] == 1
        elif usage > 2:
            append((scope, name, line, start_col, usage << 2, 0))
            continue
        else:
            namespace = VALUE
            if has_types:
                namespace = TYPE if usage == 2 else call_namespace if usage == 1 else VALUE
                if offset in macros:
                    namespace = CALLABLE
            role = 3 if offset in exported else 0
            key = (scope, name, namespace)
            if ordered or key not in resolved or tree.kinds[scope] == "class":
                resolved[key] = resolve(scope, namespace, texts[name], offset)
            found = resolved[key]
            if found is None and role == 3 and has_types:
                found = resolve(scope, TYPE, texts[name], offset)
            if found is None:
                append((scope, name, line, start_col, role | usage << 2, 0))
                continue
            bind, certain = found
        if certain:
            append((scope, name, line, start_col, role | usage << 2 | _PROVEN, bind + 1))
        else:
            append((scope, name, line, start_col, role | usage << 2, bind + 1))
    refs = Refs(texts, Columns(*zip(*rows, strict=True)) if rows else NO_COLUMNS)
    return texts, refs, bindings


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
    sites: list[tuple[int, int, Role]] = []
    for bind in structure.binds:
        if bind.how in ("global", "nonlocal"):
            scope = innermost[min(bisect_left(offsets, bind.start), len(offsets) - 1)]
            name = source[bind.start : bind.end].decode("utf-8", "replace")
            bindings.redirect(scope, name, 0 if bind.how == "global" else tree.enclosing_function(scope))
    for number, (row, site) in enumerate(zip(definitions.rows, definitions.sites, strict=True)):
        if site.kind in VARIABLES:
            bindings.variables.add(number)
        if site.owner is not None or (language.members_qualified and tree.kinds[row.scope] == "class"):
            roles[site.name_start] = (int(Role.DEFINITION), bindings.add_member(row.scope, row.name, number))
            continue
        visible = site.visible_from
        if visible is None:
            visible = site.end if site.kind in VARIABLES and not language.variables_are_items else 0
        for namespace in language.namespaces.get(row.kind, _NAMESPACES_OF_ALL):
            entry = bindings.add(
                row.scope, namespace, row.name, Target.DEF, number, BindReason.DEF_IN_SCOPE, visible_from=visible
            )
            if not site.implied:
                sites.append((site.name_start, entry, Role.DEFINITION))
    for site, scope in definitions.writes:
        entry = bindings.add_local(scope, VALUE, site.name, BindReason.LOCAL_ASSIGN, site.end)
        sites.append((site.name_start, entry, Role.DEFINITION))
    looked_up = _looked_up(language)
    for number, imported in enumerate(structure.imports):
        local, certain = _local_name(language, imported)
        if local is None:
            continue
        scope = scope_before(tree, imported.start, imported.end)
        identity = local if "." in imported.name and not imported.alias else f"{imported.source}:{imported.name}"
        for namespace in looked_up:
            entry = bindings.add(
                scope,
                namespace,
                local,
                Target.IMPORT,
                number,
                BindReason.IMPORT_ALIAS,
                certain=certain,
                identity=identity,
            )
            if imported.bound_at is not None and namespace == VALUE:
                sites.append((imported.bound_at[0], entry, Role.IMPORT))
    bound = {bind.start for bind in structure.binds if bind.how != "maybe"}
    defined = {site.name_start for site in definitions.sites}
    for bind in structure.binds:
        place = bisect_left(offsets, bind.start)
        if bind.how in ("global", "nonlocal") or place == len(offsets) or offsets[place] != bind.start:
            continue
        certain = bind.how != "maybe"
        if not certain and bind.start in bound:
            continue
        scope = innermost[place]
        if bind.how == "hoisted":
            scope = tree.function_of(scope)
        elif bind.how == "inferred":
            scope = tree.conditional_of(scope)
        name = source[bind.start : bind.end].decode("utf-8", "replace")
        if bind.start in defined and (known := bindings.find(scope, VALUE, name)) is not None:
            sites.append((bind.start, known, Role.DEFINITION))  # the very site of a definition, not another one
            continue
        reason = BindReason.PARAM if bind.how == "param" else BindReason.LOCAL_ASSIGN
        namespace = TYPE if bind.how in ("type", "inferred") else VALUE
        if certain and bind.how != "let":
            entry = bindings.add_local(scope, namespace, name, reason, bind.visible_from)
        else:
            entry = bindings.add(
                scope,
                namespace,
                name,
                Target.UNKNOWN,
                None,
                reason,
                certain=certain,
                visible_from=bind.visible_from,
                hides=bind.how == "let",
            )
        sites.append((bind.start, entry, Role.DEFINITION))
    for start, entry, role in sites:
        if start not in roles or role is Role.DEFINITION:
            roles[start] = (int(role), entry)
    for start, end in {(imported.start, imported.end) for imported in structure.imports}:
        for offset in offsets[bisect_left(offsets, start) : bisect_left(offsets, end)]:
            roles.setdefault(offset, (int(Role.IMPORT), None))


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
        rows.append(Export(site.alias or site.name, definition, int(certainty), site.evidence))
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


def _read_thunks(structure: Structure) -> list[Thunk]:
    statements: dict[tuple[int, str, str], list[tuple[str | None, str | None]]] = {}
    for site in structure.reexports:
        statements.setdefault((site.statement, site.source, site.evidence), []).append((site.name, site.alias))
    rows = []
    for (_, source, evidence), names in statements.items():
        plain = tuple(name for name, alias in names if name is not None and alias is None)
        aliased = tuple((name, alias) for name, alias in names if name is not None and alias is not None)
        if (None, None) in names:
            rows.append(Thunk(source, ThunkMode.REEXPORT_ALL, (), (), evidence))
        if plain:
            rows.append(Thunk(source, ThunkMode.EXPLICIT_NAMES, plain, (), evidence))
        if aliased:
            rows.append(Thunk(source, ThunkMode.ALIAS_MAP, (), aliased, evidence))
    return rows


def _read_problems(grammar: Grammar, root: Node) -> tuple[Problem, ...]:
    if not root.has_error:
        return ()
    captures = QueryCursor(grammar.errors).captures(root)
    lines = sorted({(node.start_point[0] + 1, kind) for kind, nodes in captures.items() for node in nodes})
    messages = {"error": "the parser could not read this", "missing": "something is missing here"}
    return tuple(Problem(f"syntax_{kind}", line, messages[kind]) for line, kind in lines[:MAX_PROBLEMS_PER_FILE])
