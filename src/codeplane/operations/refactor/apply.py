"""Apply a plan as one mutation, and check the result before it is committed.

When the files are changed, the index parses and resolves them; a new syntax error, a lost reference or a captured name
rolls everything back. A kill before the commit does the same at the next start.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from codeplane.base.digests import Digest
from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.edits.model import Edit
from codeplane.edits.plan import PlanOptions, plan_edits
from codeplane.facts.links import uid_number
from codeplane.facts.model import Tier
from codeplane.operations.refactor.model import NameSite, RefactorPlan
from codeplane.operations.refactor.texts import FileTexts
from codeplane.operations.refactor.uses import DEFINITION
from codeplane.operations.write_source.presenter import present_delta, read_before
from codeplane.operations.write_source.write import EditContext, key_digest
from codeplane.query.defs import list_defs_by_name
from codeplane.query.files import get_file, list_problems
from codeplane.query.occurrences import list_occurrences_at
from codeplane.query.refs import list_uses_of
from codeplane.query.relations import list_attributes_named
from codeplane.query.snapshot import Snapshot
from codeplane.tasks.model import TaskScope

_MAX_LISTED = 10
_MAX_NAMESAKES = 1000
_MAX_PROBLEMS = 1


@dataclass(frozen=True)
class ApplyOptions:
    request: Digest
    """Digest of the request, to recognise a repeated one"""
    include: tuple[str, ...] = ()
    idempotency_key: str | None = None
    allow_broken: bool = False
    """Keep the change even if a reference is lost."""
    allow_sensitive: bool = False


def apply_plan(context: EditContext, plan: RefactorPlan, scope: TaskScope, options: ApplyOptions) -> Answer:
    """Apply the certain sites and the included possible ones. PLAN_STALE if a file changed, REFACTOR_BROKEN if the
    result would be broken; nothing is changed then."""
    sites = plan.chosen(options.include)
    workspace = context.workspace
    edits = make_edits(FileTexts(workspace.editor.root), plan, sites)
    paths = list(dict.fromkeys(path for edit in edits for path in edit.paths))
    with context.mutation(paths) as mutation:
        rules = PlanOptions(options.allow_sensitive, workspace.editor.explain_mismatch, scope.require)
        changes = plan_edits(mutation.root, edits, rules)
        problems = workspace.read(lambda snapshot: _problems(snapshot, plan.digests), "best_effort").value
        broken: list[str] = []

        def check() -> None:
            read = workspace.read(
                lambda snapshot: find_breakage(snapshot, plan, sites, problems),
                "strict",
                references=True,
                cancelled=context.cancelled,
            )
            broken[:] = read.value
            if broken and not options.allow_broken:
                raise _broken_error(plan, broken)

        before = read_before(workspace, changes)
        text = options.idempotency_key or context.retry_key
        key = key_digest(text) if text else None
        delta = mutation.apply(changes, key=key, request=options.request, check=check)
    journal = context.require_journal()
    answer = present_delta(workspace, journal, delta, before, context.cancelled, keep_result=key is not None)
    fields: dict[str, object] = {
        "symbol": plan.symbol,
        "new_name": plan.new_name,
        "edits": len(sites),
        "semantic": True,
    }
    if broken:
        fields["broken"] = broken[:_MAX_LISTED]
    return replace(answer, result={**answer.result, **fields})


def make_edits(texts: FileTexts, plan: RefactorPlan, sites: Sequence[NameSite]) -> list[Edit]:
    """Return one edit per file with its complete new text, for exactly the contents that were planned for."""
    moves = {move.path: move.new_path for move in plan.moves}
    by_path: dict[RepoPath, list[NameSite]] = {path: [] for path in moves}
    for site in sites:
        by_path.setdefault(site.path, []).append(site)
    edits: list[Edit] = []
    for path, own in sorted(by_path.items()):
        source = texts.read(path)
        if source.digest != plan.digests[path]:
            raise _stale_error(path)
        lines = list(source.lines)
        for site in sorted(own, key=lambda site: (site.line, -site.column)):
            line = lines[site.line - 1]
            lines[site.line - 1] = line[: site.column] + site.new + line[site.column + len(site.old) :]
        edits.append(Edit(path, "update", content="\n".join(lines), expected_sha256=source.digest))
        if path in moves:
            edits.append(Edit(path, "move", new_path=moves[path], expected_sha256=source.digest))
    return edits


def find_breakage(
    snapshot: Snapshot, plan: RefactorPlan, sites: Sequence[NameSite], problems: Mapping[RepoPath, int]
) -> list[str]:
    """Describe what the change has broken: syntax, references that lost their definition, names that were captured."""
    moves = {move.path: move.new_path for move in plan.moves}
    places = _new_places(sites, moves)
    touched = sorted({site.path for site in sites})
    found = [
        f"{moves.get(path, path)}: does not parse any more"
        for path in touched
        if _count_problems(snapshot, moves.get(path, path)) > problems.get(path, 0)
    ]
    if not plan.definitions:
        return found
    numbers = _renamed_numbers(snapshot, plan, places)
    for path in touched:
        file = get_file(snapshot, moves.get(path, path))
        wanted = [place for place in places.values() if place[0] == moves.get(path, path)]
        if file is None:
            continue
        known = {
            (each.line, each.column): numbers.intersection(each.targets)
            for each in list_occurrences_at(snapshot, file.file_id, {place[1:] for place in wanted})
        }
        found += [
            f"{site.path}:{site.line}: does not resolve any more"
            for site in sites
            if site.path == path and _is_checked(site) and not known.get(places[site][1:])
        ]
    edited = set(places.values())
    for number in sorted(numbers):
        found += [
            f"{use.path}:{use.start_line}: means the renamed symbol now"
            for use in list_uses_of(snapshot, number)
            if use.names and (use.path, use.start_line, use.start_col) not in edited
        ]
    return list(dict.fromkeys(found))


Place = tuple[RepoPath, int, int]


def _new_places(sites: Sequence[NameSite], moves: Mapping[RepoPath, RepoPath]) -> dict[NameSite, Place]:
    """Map each site to its place after the change."""
    found: dict[NameSite, Place] = {}
    shift, line = 0, ("", 0)
    for site in sites:
        if (site.path, site.line) != line:
            shift, line = 0, (site.path, site.line)
        found[site] = (moves.get(site.path, site.path), site.line, site.column + shift)
        shift += len(site.new) - len(site.old)
    return found


def _is_checked(site: NameSite) -> bool:
    """True if the site was resolved before, so that it must be afterwards."""
    return site.linked and site.tier >= Tier.STRONG and site.reason != DEFINITION


def _renamed_numbers(snapshot: Snapshot, plan: RefactorPlan, places: Mapping[NameSite, Place]) -> frozenset[int]:
    at = {(site.path, site.line, site.column): place for site, place in places.items()}
    wanted = {at[definition] for definition in plan.definitions if definition in at}
    numbers = {
        each.number
        for each in list_attributes_named(snapshot, plan.new_name)
        if (each.path, each.line, each.column) in wanted
    }
    for row in list_defs_by_name(snapshot, plan.new_name, _MAX_NAMESAKES).rows:
        if (row.path, row.name_line, row.name_col) in wanted:
            numbers.add(uid_number(row.def_uid))
    return frozenset(numbers)


def _problems(snapshot: Snapshot, paths: Collection[RepoPath]) -> dict[RepoPath, int]:
    return {path: _count_problems(snapshot, path) for path in paths}


def _count_problems(snapshot: Snapshot, path: RepoPath) -> int:
    return list_problems(snapshot, _MAX_PROBLEMS, path).total


def _stale_error(path: RepoPath) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.PLAN_STALE,
        f"'{display(path)}' changed since the refactoring was planned; nothing was changed",
        details={"stale_paths": [path], "suggested_refresh_scope": [path]},
        remedy="Plan it again: call refactor_rename with the same arguments.",
    )


def _broken_error(plan: RefactorPlan, broken: Sequence[str]) -> CodePlaneError:
    more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
    return CodePlaneError(
        ErrorCode.REFACTOR_BROKEN,
        f"the rename to '{plan.new_name}' was rolled back: {broken[0]}{more}",
        details={"broken": list(broken[:_MAX_LISTED])},
        remedy="Choose another name, or send allow_broken=true to keep the change and repair it by editing.",
    )
