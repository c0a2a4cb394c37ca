"""Reasons why a name cannot be taken: it is reserved, exists already, or would change what other names mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, parent
from codeplane.languages.names import Reach
from codeplane.languages.registry import detect
from codeplane.languages.spec import Language
from codeplane.operations.refactor.family import SymbolFamily
from codeplane.operations.refactor.model import NameSite
from codeplane.operations.refactor.scopes import BARE, FileScopes, ScopedName, read_scopes
from codeplane.query.contents import SearchableFile
from codeplane.query.defs import get_def, list_defs_by_name
from codeplane.query.overrides import find_owner
from codeplane.query.relations import list_attributes_named, list_hierarchy, list_members
from codeplane.query.snapshot import Snapshot

MAX_LISTED = 10
_MAX_NAMESAKES = 1000


def require_name(language: Language | None, old: str, new: str) -> None:
    """Raise ARGUMENT_INVALID unless the new name is another one, and valid in the language."""
    rules = language.name_rules if language is not None else None
    if new == old:
        raise _invalid(f"'{display(new)}' is the name already", new, "another name")
    if rules is None or language is None:
        return
    if rules.valid.fullmatch(new) is None:
        raise _invalid(f"'{display(new)}' is not a name in {language.name}", new, "an identifier")
    if new in rules.reserved:
        raise _invalid(f"'{new}' is a reserved word in {language.name}", new, "a name that is not reserved")


def find_family_collisions(
    snapshot: Snapshot, family: SymbolFamily, new: str, files: Iterable[SearchableFile], sites: Collection[NameSite]
) -> list[str]:
    """Describe what the new name collides with, by place; empty if nothing does."""
    found = [*_taken_members(snapshot, family, new), *_taken_names(snapshot, family, new)]
    edited: dict[RepoPath, set[tuple[int, int]]] = {}
    for site in sites:
        edited.setdefault(site.path, set()).add((site.line, site.column))
    for file in files:
        if file.path not in edited or file.language is None:
            continue
        scopes = read_scopes(snapshot, file.file_id, file.language)
        if scopes is None:
            continue
        occurrences = scopes.occurrences(sites_name(sites))
        own = [each for each in occurrences if (each.line, each.column) in edited[file.path]]
        found += find_scope_collisions(scopes, own, new)
        found += _unreachable(scopes, own, family, new)
    return list(dict.fromkeys(found))


def _unreachable(scopes: FileScopes, sites: Sequence[ScopedName], family: SymbolFamily, new: str) -> list[str]:
    """Describe sites where the form of the new name hides it, unless the old name was hidden in the same way."""
    language, symbol = detect(scopes.path), family.symbols[0]
    if language is None:
        return []
    reach = language.name_rules.reach(new)
    if reach >= language.name_rules.reach(symbol.name):
        return []
    own_files = {each.path for each in family.symbols}
    if reach is Reach.CLASS and family.is_member:
        spans = [(each.path, each.start_line, each.end_line) for each in family.owners]
        hidden = [
            site for site in sites if not any(path == scopes.path and a <= site.line <= b for path, a, b in spans)
        ]
    elif reach is Reach.PACKAGE:
        hidden = [] if parent(scopes.path) in {parent(path) for path in own_files} else list(sites)
    else:
        # A bare name that its file neither binds nor imports comes from `import *`.
        hidden = [site for site in sites if site.bind is None and site.usage in BARE and scopes.path not in own_files]
    return [f"{scopes.path}:{site.line}: '{new}' is not visible here" for site in hidden]


def sites_name(sites: Collection[NameSite]) -> str:
    return next(iter(sites)).old


def find_scope_collisions(scopes: FileScopes, sites: Sequence[ScopedName], new: str) -> list[str]:
    """Describe bindings that would take renamed references over, and references that the new name would capture."""
    found: list[str] = []
    bound_in = {scopes.binds[site.bind].scope for site in sites if site.bind is not None}
    bare = [site for site in sites if site.bind is not None]
    for site in bare:
        assert site.bind is not None
        if scopes.shadowing(site, scopes.binds[site.bind].scope, new):
            found.append(f"{scopes.path}:{site.line}: '{new}' means something else here")
    for scope in sorted(bound_in):
        found += [
            f"{scopes.path}:{use.line}: '{new}' would mean the renamed symbol here"
            for use in scopes.captured(scope, new)
        ]
    return found


def collision_error(old: str, new: str, found: Sequence[str]) -> CodePlaneError:
    shown = [display(line) for line in found[:MAX_LISTED]]
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return CodePlaneError(
        ErrorCode.REFACTOR_COLLISION,
        f"'{display(old)}' cannot become '{display(new)}': {shown[0]}{more}",
        details={"collisions": shown},
        received=display(new),
        remedy="Choose another name; nothing was changed.",
    )


def _taken_members(snapshot: Snapshot, family: SymbolFamily, new: str) -> list[str]:
    """List members of the new name in the classes of the family, their bases and derived classes."""
    classes: dict[int, None] = {}
    for owner in family.owners:
        classes[owner.number] = None
        for up in (True, False):
            classes |= dict.fromkeys(list_hierarchy(snapshot, owner.number, up=up)[0])
    if not classes:
        return []
    members = [member for number in classes for member in list_members(snapshot, number, new)]
    for attribute in list_attributes_named(snapshot, new):
        owner_of = find_owner(snapshot, attribute)
        if owner_of is not None and owner_of.number in classes:
            members.append(attribute)
    callables = ("method", "function", "constructor")
    language = detect(family.symbols[0].path)
    if language is not None and language.call_namespace:
        is_callable = family.symbols[0].kind in callables
        members = [member for member in members if (member.kind in callables) == is_callable]
    return [f"{member.path}:{member.line}: {member.lexical_path} exists" for member in members]


def _taken_names(snapshot: Snapshot, family: SymbolFamily, new: str) -> list[str]:
    """List definitions that would have the qualified name of a renamed one (in another file of a package)."""
    wanted: set[str] = set()
    units = set()
    for symbol in family.symbols:
        row = get_def(snapshot, symbol.def_uid)
        if row is not None and row.qualified_name.endswith(row.name):
            wanted.add(row.qualified_name.removesuffix(row.name) + new)
            units.add(row.unit_id)
    same = list_defs_by_name(snapshot, new, _MAX_NAMESAKES).rows
    return [
        f"{row.path}:{row.name_line}: {row.lexical_path} exists"
        for row in same
        if row.qualified_name in wanted and row.unit_id in units
    ]


def _invalid(message: str, received: str, expected: str) -> CodePlaneError:
    return CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, expected=expected, received=display(received))
