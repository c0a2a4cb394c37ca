"""What the references of a file stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeplane.facts.blocks import Columns
from codeplane.facts.ir import ExprKind
from codeplane.facts.model import Certainty, Namespace, Role, Target, Tier, Usage
from codeplane.index.resolve.ecma.context import attributes
from codeplane.index.resolve.ecma.members import access, members, reached
from codeplane.index.resolve.ecma.names import MAX_DECLARATIONS
from codeplane.index.resolve.ecma.shapes import ANY, Value, Values
from codeplane.index.resolve.ecma.types import space
from codeplane.index.resolve.ecma.values import source_value
from codeplane.index.resolve.ecma.world import World
from codeplane.index.resolve.file_scope import FileScope
from codeplane.index.resolve.value import Site

_TYPES = frozenset({"interface", "type"})
_BOTH = frozenset({"class", "enum", "module"})


def references(world: World, at: FileScope, names: Sequence[str], columns: Columns) -> Iterator[tuple[int, list[Site]]]:
    """Reference and sites, of what the file alone does not prove."""
    nodes = {row[3]: row for row in at.nodes if row[0] in (ExprKind.MEMBER, ExprKind.INDEXED_ACCESS) and row[3] >= 0}
    keys = dict(_keys(at))
    bound_to: dict[int, list[Site]] = {}
    for ref, (flags, bound) in enumerate(zip(columns.flags, columns.binds, strict=True)):
        role, usage = flags & 3, flags >> 2 & 7
        found: list[Site] = []
        if ref in keys:
            found += _key_sites(world, at, *keys[ref], names[columns.names[ref]])
        if role == Role.DEFINITION and bound:
            found += _same_sites(world, at, bound - 1)
        elif usage in (Usage.MEMBER, Usage.MEMBER_CALL):
            row = nodes.get(ref)
            if row is not None:
                found += _member_sites(world, at, row, columns)
        elif usage != Usage.LABEL:
            if bound and bound not in bound_to:
                bound_to[bound] = world.names.local(at, at.binds[bound - 1].scope, at.binds[bound - 1].name)
            if bound:
                found += _bound_sites(world, at, columns.flags[ref], bound, bound_to[bound])
            elif role == Role.IMPORT:
                found += _before_alias(world, at, columns, ref)
            else:
                found += _meant(world, world.names.shared(names[columns.names[ref]]), usage)
        if found:
            yield ref, sorted(set(found))


def _bound_sites(world: World, at: FileScope, flags: int, bound: int, sites: list[Site]) -> list[Site]:
    """Of what a name is bound to that which is meant."""
    bind = at.binds[bound - 1]
    if bind.target_kind == Target.UNKNOWN or (bind.certainty == Certainty.UNCERTAIN and len(sites) == 1):
        return []
    if bind.target_kind == Target.DEF and len(sites) == 1:
        return sites if (flags >> 5 & 3) != Tier.PROVEN else []
    return sites if flags & 3 in (Role.IMPORT, Role.EXPORT) else _meant(world, sites, flags >> 2 & 7)


def _same_sites(world: World, at: FileScope, bind: int) -> list[Site]:
    """All declarations of what is declared more than once: overloads, merged interfaces and namespaces."""
    row = at.binds[bind]
    numbers = at.defs_in.get((row.scope, row.name), ())
    if row.target_kind != Target.DEF or not 1 < len(numbers) <= MAX_DECLARATIONS:
        return []
    if row.namespace == Namespace.MEMBER:
        # Types without a scope of their own have their members in the one around.
        if at.summary.scopes[row.scope][1] != "class" or len({world.script(at.path).is_static(n) for n in numbers}) > 1:
            return []
        return [(at.path, "d", number) for number in numbers]
    usage = Usage.TYPE if row.namespace == Namespace.TYPE else Usage.NAME
    sites = _meant(world, world.names.local(at, row.scope, row.name), usage)
    return sites if len(sites) > 1 else []


def _before_alias(world: World, at: FileScope, columns: Columns, ref: int) -> list[Site]:
    """`A` in `import { A as B }`: the name that follows is bound to the import."""
    if ref + 1 >= len(columns.binds) or not columns.binds[ref + 1] or columns.flags[ref + 1] & 3 != Role.IMPORT:
        return []
    bind = at.binds[columns.binds[ref + 1] - 1]
    found: list[Site] = []
    for number in world.script(at.path).imports_by_name.get((bind.scope, bind.name), ()):
        if at.imports[number].alias == bind.name and at.imports[number].imported_name not in ("*", "default"):
            found += world.names.imported(at, number)
    return found


def _meant(world: World, sites: list[Site], usage: int) -> list[Site]:
    """Of definitions of one name those of values or those of types."""
    other = _TYPES if usage != Usage.TYPE else None
    found = []
    for site in sites:
        kind = world.at(site[0]).defs[site[2]].kind if site[1] == "d" else "module"
        if other is not None:
            keep = kind not in _TYPES
        else:
            keep = kind in _TYPES or kind in _BOTH
        if keep:
            found.append(site)
    return found


def _member_sites(world: World, at: FileScope, row: Sequence[int], columns: Columns) -> list[Site]:
    kind, of, text, _ = row
    if kind == ExprKind.INDEXED_ACCESS:
        return members(world, world.type_of(at.path, of), at.texts[at.nodes[text][1]])[0]
    name = at.texts[text]
    if at.nodes[of][0] == ExprKind.STRING:
        path = world.names.module(at.path, at.texts[at.nodes[of][1]])
        return world.names.exported(path, name) if path is not None else []
    head = of
    while at.nodes[head][0] == ExprKind.MEMBER:
        head = at.nodes[head][1]
    reference = at.nodes[head][3] if at.nodes[head][0] == ExprKind.NAME else -1
    if reference >= 0 and columns.flags[reference] >> 2 & 7 == Usage.TYPE:
        return _meant(world, members(world, space(world, at, of), name)[0], Usage.TYPE)
    sites = reached(world, at, of, name)[0]
    return [site for site in sites if site[1] != "d" or world.at(site[0]).defs[site[2]].kind not in _TYPES]


def _keys(at: FileScope) -> Iterator[tuple[int, tuple[int, int]]]:
    """References that are keys of object literals, of patterns and of elements: node around them, its kind."""
    for number, (kind, a, b, _) in enumerate(at.nodes):
        if kind == ExprKind.DICT:
            for part in at.lists[a]:
                inner, key, name, reference = at.nodes[part]
                if inner in (ExprKind.PAREN, ExprKind.PAIR):
                    inner, _, _, reference = at.nodes[key]
                elif inner == ExprKind.FUNCTION:
                    inner, _, _, reference = at.nodes[name]
                if inner == ExprKind.NAME and reference >= 0:
                    yield reference, (number, kind)
        elif kind == ExprKind.CALL:
            for part in at.lists[b]:
                if at.nodes[part][0] == ExprKind.LABELLED and at.nodes[part][3] >= 0:
                    yield at.nodes[part][3], (number, ExprKind.LABELLED)


def _key_sites(world: World, at: FileScope, node: int, kind: int, name: str) -> list[Site]:
    wanted: Values
    if kind == ExprKind.LABELLED:
        wanted = attributes(world, at, node)
    else:
        source = world.script(at.path).pattern(node)
        if source is not None:
            return access(world, source_value(world, at, source), name)[0]
        wanted = world.wanted(at.path, node)
    return members(world, wanted, name)[0]


def runs(world: World, at: FileScope, call: int) -> list[Value]:
    """What a call runs, as all languages say it. A function without a name goes by that of what holds it."""
    found: list[Value] = []
    outside: list[Value] = []
    for callee in world.called(at.path, call):
        if callee[0] == "c" or (callee[0] == "f" and callee[2] in world.at(callee[1]).owner):
            found.append(callee[:3])
        elif callee[0] == "x" and callee not in ANY:
            outside.append(("x", callee[1]))
        elif callee[0] == "e" and callee[1][0] == "x" and callee[1] not in ANY:
            outside.append(("x", f"{callee[1][1]}.{callee[2]}"))
    if not found:
        found += [("c", path, number) for path, kind, number in _callee_sites(world, at, call) if kind == "d"]
    return found + outside


def _callee_sites(world: World, at: FileScope, call: int) -> list[Site]:
    kind, a, b, _ = at.nodes[at.nodes[call][1]]
    if kind == ExprKind.NAME and a:
        sites = world.names.local(at, at.binds[a - 1].scope, at.texts[b])
    elif kind == ExprKind.MEMBER and at.nodes[a][0] != ExprKind.STRING:
        sites = reached(world, at, a, at.texts[b])[0]
    else:
        return []
    return _meant(world, sites, Usage.NAME)
