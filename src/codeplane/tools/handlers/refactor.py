"""Handlers of the refactoring tools. A plan is stored behind a handle of its session until it expires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.read_meta import read_meta
from codeplane.operations.refactor.apply import ApplyOptions, apply_plan
from codeplane.operations.refactor.model import ALL, NONE, NameSite, RefactorPlan
from codeplane.operations.refactor.presenter import inspect_fields, plan_fields, preview_diff, site_lines
from codeplane.operations.refactor.rename import RenameRequest, plan_rename
from codeplane.operations.refactor.texts import FileTexts
from codeplane.operations.symbols.model import AmbiguousSymbol, SymbolNotFound
from codeplane.operations.symbols.presenter import candidate_fields, unresolved_lines, unresolved_message
from codeplane.tasks.model import digest_params
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.write_source import edit_context
from codeplane.tools.text.refactor import (
    render_applied,
    render_cancelled,
    render_inspection,
    render_preview,
)
from codeplane.workspace.freshness import FreshResult

Planned = RefactorPlan | AmbiguousSymbol | SymbolNotFound


@dataclass(frozen=True, kw_only=True)
class RenameArguments(Arguments):
    symbol: str
    new_name: str
    apply: bool = False
    include: tuple[str, ...] | None = None
    plan: str | None = None
    allow_broken: bool = False
    allow_sensitive: bool = False
    idempotency_key: str | None = None


@dataclass(frozen=True, kw_only=True)
class ApplyArguments(Arguments):
    plan_id: str
    include: tuple[str, ...] | None = None
    allow_broken: bool = False
    allow_sensitive: bool = False
    idempotency_key: str | None = None


@dataclass(frozen=True, kw_only=True)
class InspectArguments(Arguments):
    plan_id: str
    tier: str | None = None
    limit: int = 100


@dataclass(frozen=True, kw_only=True)
class CancelArguments(Arguments):
    plan_id: str


def refactor_rename(call: Call, args: RenameArguments) -> Answer:
    context = edit_context(call)
    request = digest_params(args.as_dict())
    if args.apply:
        answer = context.replay(request, args.idempotency_key)
        if answer is not None:
            return answer
    read = call.root.workspace.read(
        lambda snapshot: plan_rename(
            call.root.finder.sources(snapshot, call.cancelled), RenameRequest(args.symbol, args.new_name)
        ),
        "strict",
        lexical=True,
        references=True,
        cancelled=call.cancelled,
    )
    plan = read.value
    if not isinstance(plan, RefactorPlan):
        return _unresolved(plan, read)
    _require_included(plan, args.include or ())
    if args.plan is not None and args.plan != plan.fingerprint:
        raise CodePlaneError(
            ErrorCode.PLAN_STALE, "the rename would not be the previewed one any more", remedy="Preview it again."
        )
    if args.apply and (plan.is_certain or args.include):
        options = ApplyOptions(
            request, args.include or (), args.idempotency_key, args.allow_broken, args.allow_sensitive
        )
        return apply_plan(context, plan, call.session.scope, options)
    return _preview(call, args, plan, read)


def refactor_apply(call: Call, args: ApplyArguments) -> Answer:
    context = edit_context(call)
    request = digest_params(args.as_dict())
    answer = context.replay(request, args.idempotency_key)
    if answer is not None:
        return answer
    plan = _stored_plan(call, args.plan_id)
    _require_included(plan, args.include or ())
    options = ApplyOptions(request, args.include or (), args.idempotency_key, args.allow_broken, args.allow_sensitive)
    answer = apply_plan(context, plan, call.session.scope, options)
    call.handles.discard("plan", call.session.id, args.plan_id)
    return answer


def refactor_inspect(call: Call, args: InspectArguments) -> Answer:
    plan = _stored_plan(call, args.plan_id)
    sites = [
        site for site in (*plan.possible, *plan.unknown, *plan.sites) if args.tier in (None, site.tier.name.lower())
    ]
    shown = sites[: args.limit]
    return Answer(inspect_fields(plan, _lines(call, shown), len(sites)))


def refactor_cancel(call: Call, args: CancelArguments) -> Answer:
    _stored_plan(call, args.plan_id)
    call.handles.discard("plan", call.session.id, args.plan_id)
    return Answer({"cancelled": args.plan_id}, message="The plan was discarded; nothing was changed.")


def _preview(call: Call, args: RenameArguments, plan: RefactorPlan, read: FreshResult[Planned]) -> Answer:
    plan_id = None if call.once else call.handles.mint("plan", call.session.id, plan)
    fields = plan_fields(plan, plan_id, _lines(call, (*plan.sites, *plan.possible, *plan.unknown)))
    hints = {}
    if plan_id is not None:
        command = f"cpl rename {args.symbol} {args.new_name}"
        hints["apply"] = call.next_call("refactor_apply", {"plan_id": plan_id}, command)
    if call.surface.everything:
        fields["diff"] = preview_diff(edit_context(call), plan, args.include or ())
    status, message = "ok", "Nothing was changed yet."
    if args.apply:
        status = "needs_decision"
        message = f"Not applied: {len(plan.possible)} possible uses need a decision."
    return Answer(fields, status, message=message, warnings=read.notices, hints=hints, meta=read_meta(read))


def _lines(call: Call, sites: Sequence[NameSite]) -> list[dict[str, object]]:
    return site_lines(FileTexts(call.root.workspace.editor.root), sites)


def _stored_plan(call: Call, plan_id: str) -> RefactorPlan:
    try:
        plan = call.handles.take("plan", call.session.id, plan_id)
    except CodePlaneError as error:
        if error.code is ErrorCode.HANDLE_EXPIRED:
            error.remedy = "Plan it again: call refactor_rename with the same arguments."
        raise
    assert isinstance(plan, RefactorPlan)
    return plan


def _require_included(plan: RefactorPlan, include: Sequence[str]) -> None:
    missing = plan.unknown_places(include)
    if missing:
        known = [site.place for site in plan.possible]
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"'{missing[0]}' is not a possible use of '{plan.old_name}'",
            expected=", ".join([*known[:5], ALL, NONE]),
            received=missing[0],
        )


def _unresolved(found: AmbiguousSymbol | SymbolNotFound, read: FreshResult[Planned]) -> Answer:
    fields: dict[str, object] = {}
    if isinstance(found, AmbiguousSymbol):
        fields["candidates"] = [candidate_fields(each) for each in found.candidates]
    elif found.suggestions:
        fields["similar"] = list(found.suggestions)
    status = "ambiguous" if isinstance(found, AmbiguousSymbol) else "not_found"
    answer = Answer(fields, status, message=unresolved_message(found), warnings=read.notices, meta=read_meta(read))
    return replace(answer, lines=unresolved_lines(found))


HANDLERS = {
    "refactor_rename": Handler(RenameArguments, refactor_rename, render=render_preview),
    "refactor_apply": Handler(ApplyArguments, refactor_apply, render=render_applied),
    "refactor_inspect": Handler(InspectArguments, refactor_inspect, render=render_inspection),
    "refactor_cancel": Handler(CancelArguments, refactor_cancel, render=render_cancelled),
}
