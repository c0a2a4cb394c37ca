"""Handler of manage_index: create, rebuild, sync, inspect or clear the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations import manage_index as operation
from codeplane.store.registry import RootSettings
from codeplane.tools.arguments import Arguments
from codeplane.tools.calls import Call, path_argument
from codeplane.tools.handler import Handler
from codeplane.tools.handlers.paging import reject_unused
from codeplane.tools.text.manage_index import render_manage_index


@dataclass(frozen=True, kw_only=True)
class ManageIndexArguments(Arguments):
    action: str
    path: str | None = None
    force: bool = False
    custom_extensions: tuple[str, ...] | None = None
    ignore_patterns: tuple[str, ...] | None = None
    allow_unnecessary_reindex: bool = False
    confirm: bool = False
    wait: bool = False


_ONLY = {
    "force": ("create",),
    "custom_extensions": ("create", "reindex"),
    "ignore_patterns": ("create", "reindex"),
    "allow_unnecessary_reindex": ("reindex",),
    "confirm": ("clear",),
    "wait": ("create", "reindex"),
}
"""Actions with which each parameter has an effect."""


def check_manage_index(args: ManageIndexArguments) -> None:
    operation.parse_settings(args.ignore_patterns, args.custom_extensions)
    reject_unused(args, _ONLY)


def manage_index(call: Call, args: ManageIndexArguments) -> Answer:
    settings = operation.parse_settings(args.ignore_patterns, args.custom_extensions)
    if not call.roots.may_change(call.root):
        if args.action == "clear" and args.confirm:
            call.roots.forget(call.root)
            message = "This server no longer serves the repository; its index is kept."
            return Answer({"removed": [], "bytes": 0}, message=message)
        _reject_settings(settings is not None)
    if args.action in ("create", "reindex"):
        return _build(call, args, settings)
    if args.action == "sync":
        return operation.sync(call.root, tell=call.progress, cancelled=call.cancelled)
    if args.action == "clear":
        answer = operation.clear(call.root, confirm=args.confirm)
        call.roots.forget(call.root)
        return answer
    return operation.status(call.root)


def _build(call: Call, args: ManageIndexArguments, settings: RootSettings | None) -> Answer:
    def suggest(arguments: Mapping[str, object], command: str) -> dict[str, object]:
        return call.next_call("manage_index", {**arguments, **path_argument(args.path)}, command)

    wait = args.wait or call.once
    if args.action == "create":
        return operation.create(
            call.root,
            force=args.force,
            settings=settings,
            wait=wait,
            suggest=suggest,
            tell=call.progress,
            cancelled=call.cancelled,
        )
    return operation.reindex(
        call.root,
        allow_unnecessary=args.allow_unnecessary_reindex,
        settings=settings,
        wait=wait,
        suggest=suggest,
        tell=call.progress,
        cancelled=call.cancelled,
    )


def _reject_settings(has_settings: bool) -> None:
    """An agent of one repository may read another, but not change what its index contains."""
    if has_settings:
        raise CodePlaneError(
            ErrorCode.READ_ONLY,
            "the index settings of another repository cannot be changed from here",
            expected="no ignore_patterns and no custom_extensions",
            remedy="Change them in that repository, or ask a person to set server.allowed_roots.",
        )


HANDLERS = {"manage_index": Handler(ManageIndexArguments, manage_index, check_manage_index, render_manage_index)}
