"""The index and the server: manage_index, health_check, list_codebases, describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations import manage_index as operation
from codeplane.tools.calls import Call, path_argument


def check_manage_index(args: Mapping[str, Any]) -> None:
    operation.parse_settings(args.get("ignore_patterns"), args.get("custom_extensions"))
    _require_effect(args["action"], args)


def manage_index(call: Call, args: Mapping[str, Any]) -> Answer:
    def suggest(arguments: Mapping[str, object], command: str) -> dict[str, object]:
        return call.next_call("manage_index", {**arguments, **path_argument(args)}, command)

    action = args["action"]
    settings = operation.parse_settings(args.get("ignore_patterns"), args.get("custom_extensions"))
    wait = args.get("wait", False) or call.once
    if not call.roots.may_change(call.root):
        if action == "clear" and args.get("confirm"):
            call.roots.forget(call.root)
            return Answer({"removed": [], "bytes": 0}, message="It is no longer answered about here; its index stays.")
        _require_own_settings(settings is None)
    if action == "create":
        return operation.create(
            call.root,
            force=args.get("force", False),
            settings=settings,
            wait=wait,
            suggest=suggest,
            tell=call.progress,
            cancelled=call.cancelled,
        )
    if action == "reindex":
        return operation.reindex(
            call.root,
            allow_unnecessary=args.get("allow_unnecessary_reindex", False),
            settings=settings,
            wait=wait,
            suggest=suggest,
            tell=call.progress,
            cancelled=call.cancelled,
        )
    if action == "sync":
        return operation.sync(call.root, tell=call.progress, cancelled=call.cancelled)
    if action == "clear":
        answer = operation.clear(call.root, confirm=args.get("confirm", False))
        call.roots.forget(call.root)
        return answer
    return operation.status(call.root)


def _require_own_settings(own: bool) -> None:
    """An agent of one repository may ask about another, and not settle what belongs to its index."""
    if not own:
        raise CodePlaneError(
            ErrorCode.READ_ONLY,
            "what is indexed of another repository is not settled from here",
            expected="no ignore_patterns and no custom_extensions",
            remedy="Do it in that repository, or ask for the setting server.allowed_roots.",
        )


_ONLY = {
    "force": ("create",),
    "custom_extensions": ("create", "reindex"),
    "ignore_patterns": ("create", "reindex"),
    "allow_unnecessary_reindex": ("reindex",),
    "confirm": ("clear",),
    "wait": ("create", "reindex"),
}


def _require_effect(action: str, args: Mapping[str, Any]) -> None:
    """A parameter that would have no effect is refused: whoever gave it expects one."""
    for name, actions in _ONLY.items():
        if args.get(name) not in (None, False) and action not in actions:
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"'{name}' has no effect with action {action}",
                expected=f"{name} with action {' or '.join(actions)}",
                received=f"action {action}",
                example={"action": actions[0], name: args[name]},
            )
