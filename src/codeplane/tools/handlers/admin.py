"""The index and the server: manage_index, health_check, list_codebases, describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations import codebases, managing
from codeplane.operations.describe import describe_repo
from codeplane.operations.health import health_fields, index_word, is_newer
from codeplane.operations.reads import read_meta
from codeplane.tools import catalog
from codeplane.tools.arguments import nearest
from codeplane.tools.calls import Call, path_argument


def check_manage_index(args: Mapping[str, Any]) -> None:
    managing.parse_settings(args.get("ignore_patterns"), args.get("custom_extensions"))
    _require_effect(args["action"], args)


def manage_index(call: Call, args: Mapping[str, Any]) -> Answer:
    def suggest(arguments: Mapping[str, object], command: str) -> dict[str, object]:
        return call.next_call("manage_index", {**arguments, **path_argument(args)}, command)

    action = args["action"]
    settings = managing.parse_settings(args.get("ignore_patterns"), args.get("custom_extensions"))
    wait = args.get("wait", False) or call.once
    if not call.roots.may_change(call.root):
        if action == "clear" and args.get("confirm"):
            call.roots.forget(call.root)
            return Answer({"removed": [], "bytes": 0}, message="It is no longer answered about here; its index stays.")
        _require_own_settings(settings is None)
    if action == "create":
        return managing.create(
            call.root,
            force=args.get("force", False),
            settings=settings,
            wait=wait,
            suggest=suggest,
            tell=call.progress,
            cancelled=call.cancelled,
        )
    if action == "reindex":
        return managing.reindex(
            call.root,
            allow_unnecessary=args.get("allow_unnecessary_reindex", False),
            settings=settings,
            wait=wait,
            suggest=suggest,
            tell=call.progress,
            cancelled=call.cancelled,
        )
    if action == "sync":
        return managing.sync(call.root, tell=call.progress, cancelled=call.cancelled)
    if action == "clear":
        answer = managing.clear(call.root, confirm=args.get("confirm", False))
        call.roots.forget(call.root)
        return answer
    return managing.status(call.root)


def _require_own_settings(own: bool) -> None:
    """An agent of one repository may ask about another, and not settle what belongs to its index."""
    if not own:
        raise CodePlaneError(
            ErrorCode.READ_ONLY,
            "what is indexed of another repository is not settled from here",
            expected="no ignore_patterns and no custom_extensions",
            remedy="Do it in that repository, or ask for the setting server.allowed_roots.",
        )


def health_check(call: Call, args: Mapping[str, Any]) -> Answer:
    state = call.root.workspace.state()
    mends = {"incompatible": ("reindex", {"action": "reindex"}), "absent": ("create", {"action": "create"})}
    hints: dict[str, object] = {}
    if state.phase in mends and not is_newer(state):
        name, arguments = mends[state.phase]
        hints[name] = call.next_call("manage_index", arguments | path_argument(args), "cpl init")
    return Answer(health_fields(state), hints=hints)


def list_codebases(call: Call, args: Mapping[str, Any]) -> Answer:
    return Answer(codebases.list_codebases(call.roots))


def describe(call: Call, args: Mapping[str, Any]) -> Answer:
    if args["action"] == "tool" or "name" in args:
        return _describe_tool(args.get("name"))
    root, shown = call.root.path, {"tool_count": len(catalog.visible(call.surface))}
    state = call.root.workspace.state()
    word = index_word(state.phase, state.published)
    if state.phase != "ready" and not (state.phase == "waiting" and state.published):
        return Answer(describe_repo(None, root, word) | shown)
    read = call.root.workspace.read(lambda snapshot: describe_repo(snapshot, root, word), cancelled=call.cancelled)
    return Answer(read.value | shown, warnings=read.notices, meta=read_meta(read))


def _describe_tool(name: str | None) -> Answer:
    spec = catalog.BY_NAME.get(name or "")
    if spec is None:
        known = sorted(catalog.BY_NAME)
        guess = nearest(name, known) if name else None
        raise CodePlaneError(
            ErrorCode.UNKNOWN_TOOL if name else ErrorCode.ARGUMENT_INVALID,
            "there is no such tool" if name else "describe needs 'name' for action tool",
            expected=guess or ", ".join(known),
            received=name or "nothing",
            example={"action": "tool", "name": guess or "file_outline"},
        )
    result: dict[str, object] = {"name": spec.name, "description": spec.doc, "category": spec.category}
    if spec.deprecated is not None:
        result["use_instead"] = spec.deprecated.canonical
    else:
        result |= {"when_to_use": list(spec.when), "when_not_to_use": list(spec.when_not)}
    result["parameters"] = {param.name: param.schema() for param in spec.params}
    result["examples"] = [
        {"description": example.description, "params": dict(example.arguments)} for example in spec.examples
    ]
    return Answer(result)


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
