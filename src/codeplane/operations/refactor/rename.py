"""Plan the rename of a symbol, or of a local name: read only, from one epoch and the texts that belong to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, basename, display, join, parent
from codeplane.facts.model import ReferenceRole, Tier
from codeplane.index.resolve.registry import resolved_languages
from codeplane.languages.registry import detect
from codeplane.languages.spec import Language
from codeplane.operations.refactor.collisions import (
    collision_error,
    find_family_collisions,
    find_scope_collisions,
    require_name,
)
from codeplane.operations.refactor.family import SymbolFamily, find_symbol_family
from codeplane.operations.refactor.keywords import collect_keywords, list_call_places
from codeplane.operations.refactor.local_names import (
    LocalName,
    find_function,
    find_local_name,
    find_parameter,
    list_local_uses,
)
from codeplane.operations.refactor.model import FileMove, NameSite, RefactorPlan
from codeplane.operations.refactor.strings import StringNames
from codeplane.operations.refactor.texts import FileTexts, stale_file
from codeplane.operations.refactor.uses import DEFINITION, SiteCollector, collect_uses
from codeplane.operations.search.search_task import SearchSources
from codeplane.operations.search.text_search import TextQuery, find_text
from codeplane.operations.symbols.forms import FilePosition, parse_written
from codeplane.operations.symbols.lookup import IndexedSymbols
from codeplane.operations.symbols.model import AmbiguousSymbol, SymbolNotFound
from codeplane.operations.symbols.resolve import resolve_symbol
from codeplane.query.contents import list_files_with_name
from codeplane.query.files import get_file
from codeplane.query.overrides import is_constructor, list_constructors
from codeplane.query.relations import ATTRIBUTE, FILE, Symbol
from codeplane.query.rows import require_links
from codeplane.query.snapshot import Snapshot

MAX_SITES = 20_000
_SECONDS = 10.0
_GENERATED = ("generated", "vendored")


class RenameRequest(NamedTuple):
    symbol: str
    new_name: str


def plan_rename(sources: SearchSources, request: RenameRequest) -> RefactorPlan | AmbiguousSymbol | SymbolNotFound:
    """Plan a rename. Raises REFACTOR_COLLISION if the new name is taken, LANGUAGE_UNSUPPORTED without references."""
    snapshot = sources.snapshot
    require_links(snapshot)
    local = _local_name(snapshot, request.symbol)
    if local is not None:
        return _plan_local(sources, local, request.new_name)
    found = resolve_symbol(IndexedSymbols(snapshot), request.symbol)
    if isinstance(found, AmbiguousSymbol):
        family = find_symbol_family(snapshot, found.candidates[0])
        if not family.numbers.issuperset(candidate.number for candidate in found.candidates):
            return found
        symbol = found.candidates[0]
    elif isinstance(found, SymbolNotFound):
        return found
    else:
        symbol = found.symbols[0]
    _require_named(symbol, request.symbol)
    return _plan_symbol(sources, symbol, request.new_name)


def _plan_symbol(sources: SearchSources, symbol: Symbol, new: str) -> RefactorPlan:
    snapshot, language = sources.snapshot, _supported(sources.snapshot, symbol)
    require_name(language, symbol.name, new)
    family = find_symbol_family(snapshot, symbol)
    texts = FileTexts(sources.root)
    collector = SiteCollector(texts, symbol.name, new)
    files = collect_uses(snapshot, collector, family)
    holders = [owner for owner in family.owners if not list_constructors(snapshot, owner)]
    if holders and symbol.kind in ("field", "property", ATTRIBUTE, "constant", "variable"):
        for holder in holders:
            collect_keywords(snapshot, collector, files, list_call_places(snapshot, [holder]), holder.name)
    query = TextQuery(symbol.name, case_sensitive=True, first_only=True, seconds=_SECONDS)
    StringNames(snapshot, collector, family).collect(find_text(sources, query).counts)
    collisions = find_family_collisions(snapshot, family, new, files, collector.sites.values())
    if collisions:
        raise collision_error(symbol.name, new, collisions)
    risks = _risks(language, symbol, family, new)
    plan = _plan(snapshot, collector, symbol.reference, symbol.kind, risks)
    return replace(
        plan,
        definitions=tuple((each.path, each.line, each.column) for each in family.symbols),
        also=tuple(each.reference for each in family.symbols[1:]),
        moves=tuple(_file_moves(language, family, new)),
    )


def _plan_local(sources: SearchSources, local: LocalName, new: str) -> RefactorPlan:
    snapshot = sources.snapshot
    language = detect(local.file.path)
    require_name(language, local.name, new)
    collector = SiteCollector(FileTexts(sources.root), local.name, new)
    function = find_function(snapshot, local) if local.is_parameter else None
    family = find_symbol_family(snapshot, function) if function is not None else None
    members = family.symbols[1:] if family is not None else ()
    others = [find_parameter(snapshot, member, local.name) for member in members]
    locals_ = [local, *(other for other in others if other is not None)]
    collisions = [line for each in locals_ for line in _collect_local(snapshot, collector, each)]
    if collisions:
        raise collision_error(local.name, new, collisions)
    if function is not None and family is not None:
        _collect_arguments(snapshot, collector, function, family)
    shown = f"{local.file.path}:{local.line}:{local.column + 1}"
    also = tuple(f"{each.file.path}:{each.line}:{each.column + 1}" for each in locals_[1:])
    plan = _plan(snapshot, collector, shown, "parameter" if local.is_parameter else "variable", [])
    return replace(plan, also=also)


def _collect_arguments(snapshot: Snapshot, collector: SiteCollector, function: Symbol, family: SymbolFamily) -> None:
    """Collect the keyword arguments that name a parameter of a function."""
    language = detect(function.path)
    if language is None or not language.name_rules.keyword_mark:
        return
    files = [file for file in list_files_with_name(snapshot, collector.old) if file.family == language.family]
    owner = function.lexical_path.rpartition(".")[0].rpartition(".")[2]
    callee = owner if is_constructor(function) and owner else function.name
    collect_keywords(snapshot, collector, files, list_call_places(snapshot, family.symbols), callee)


def _collect_local(snapshot: Snapshot, collector: SiteCollector, local: LocalName) -> list[str]:
    """Collect the uses of a local name; return what the new name collides with."""
    path = local.file.path
    scopes, uses = list_local_uses(snapshot, local)
    for use in uses:
        reason = DEFINITION if use.role == ReferenceRole.DEFINITION else ""
        written = _shorthand(collector, path, use.line, use.column, detect(path))
        collector.add(path, use.line, use.column, Tier.PROVEN, reason, new=written, linked=False)
    return find_scope_collisions(scopes, uses, collector.new)


def _plan(snapshot: Snapshot, collector: SiteCollector, symbol: str, kind: str, risks: Sequence[str]) -> RefactorPlan:
    sites, possible = _sorted(collector.sites.values()), _sorted(collector.possible.values())
    if len(sites) > MAX_SITES:
        raise CodePlaneError(ErrorCode.ANSWER_TOO_LARGE, f"'{collector.old}' has {len(sites):,} references")
    digests = {}
    files = {path: get_file(snapshot, path) for path in sorted({site.path for site in (*sites, *possible)})}
    for path, file in files.items():
        digests[path] = collector.texts.read(path).digest
        if file is not None and file.digest is not None and file.digest != digests[path]:
            raise stale_file(path)
    written = sorted(path for path, file in files.items() if file is not None and file.role in _GENERATED)
    if written:
        risks = [*risks, f"changes generated or vendored files: {', '.join(written[:3])}"]
    return RefactorPlan(
        symbol,
        kind,
        collector.old,
        collector.new,
        sites,
        possible,
        _sorted(collector.unknown.values()),
        tuple(risks),
        digests,
        snapshot.epoch.epoch,
    )


def _sorted(sites: Iterable[NameSite]) -> tuple[NameSite, ...]:
    return tuple(sorted(sites, key=lambda site: site[:3]))


def _local_name(snapshot: Snapshot, written: str) -> LocalName | None:
    for form in parse_written(written):
        if isinstance(form, FilePosition) and form.column is not None:
            return find_local_name(snapshot, form.path, form.line, max(0, form.column - 1))
    return None


def _require_named(symbol: Symbol, written: str) -> None:
    """Raise if a line was given on which nothing is named: the definition around it is not meant."""
    for form in parse_written(written):
        if isinstance(form, FilePosition) and form.column is None and form.line != symbol.line:
            message = f"no definition is named on line {form.line} of '{display(form.path)}'"
            expected = "the line of a definition's name, or path:line:column of any of its uses"
            raise CodePlaneError(ErrorCode.ARGUMENT_INVALID, message, expected=expected, received=display(written))
    if symbol.kind == FILE or not symbol.name:
        raise CodePlaneError(ErrorCode.ARGUMENT_INVALID, f"'{display(written)}' is not a symbol with a name")


def _supported(snapshot: Snapshot, symbol: Symbol) -> Language:
    file, language = get_file(snapshot, symbol.path), detect(symbol.path)
    name = file.language if file is not None else None
    if language is None or name not in resolved_languages():
        raise CodePlaneError(
            ErrorCode.LANGUAGE_UNSUPPORTED,
            f"references of {name or 'this file'} are not resolved across files, so a rename cannot be proven",
            details={"language": name or ""},
            remedy="Use write_source with pattern and expected_count.",
        )
    return language


def _risks(language: Language, symbol: Symbol, family: SymbolFamily, new: str) -> list[str]:
    risks = []
    if family.open:
        owner = family.owners[0].name
        risks.append(f"a base of {owner} outside of the repository may declare '{symbol.name}'")
    convention = language.name_rules.called_by_convention
    if convention is not None and convention.fullmatch(symbol.name) and not convention.fullmatch(new):
        risks.append(f"'{symbol.name}' is called by its name (by the language or a tool)")
    if language.name_rules.reach(new) > language.name_rules.reach(symbol.name):
        risks.append(f"'{new}' is visible where '{symbol.name}' was not")
    return risks


def _file_moves(language: Language, family: SymbolFamily, new: str) -> Iterable[FileMove]:
    """Yield the files that bear the name of a renamed type, where a language ties them together."""
    if not language.name_rules.type_names_file:
        return
    for symbol in family.symbols:
        stem, dot, ending = basename(symbol.path).partition(".")
        if symbol.kind in language.type_kinds and symbol.parent is None and stem == symbol.name:
            yield FileMove(symbol.path, join(parent(symbol.path), f"{new}{dot}{ending}"))


def _shorthand(
    collector: SiteCollector, path: RepoPath, line: int, column: int, language: Language | None
) -> str | None:
    """Return `old: new` for a local name that is written as a shorthand property, which keeps the old name."""
    if language is None or not language.name_rules.shorthand:
        return None
    source = collector.texts.read(path)
    offset = source.offset(line, column)
    opening = source.opening(offset)
    if opening is None or source.masked[opening] != "{":
        return None
    before = source.masked[:offset].rstrip()[-1:]
    after = source.masked[offset + len(collector.old) :].lstrip()[:1]
    is_alone = before in ("{", ",") and after in ("}", ",")
    return f"{collector.old}: {collector.new}" if is_alone and not _is_block(source.masked, opening) else None


def _is_block(masked: str, opening: int) -> bool:
    """True if a brace opens a block: it follows a parenthesis, an arrow of a return type, or a keyword."""
    before = masked[:opening].rstrip()
    line = before[before.rfind("\n") + 1 :]
    return before.endswith((")", ";", "else", "}", "=>")) or "->" in line
