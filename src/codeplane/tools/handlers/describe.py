"""Handler of describe."""

from __future__ import annotations

from dataclasses import dataclass

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.describe import describe_repo
from codeplane.operations.health import index_word
from codeplane.operations.read_meta import read_meta
from codeplane.tools import catalog
from codeplane.tools.arguments import Arguments, nearest, shown
from codeplane.tools.calls import Call
from codeplane.tools.handler import Handler
from codeplane.tools.text.describe import render_describe


@dataclass(frozen=True, kw_only=True)
class DescribeArguments(Arguments):
    action: str = "repo"
    name: str | None = None
    path: str | None = None


def describe(call: Call, args: DescribeArguments) -> Answer:
    if args.action == "tool" or args.name is not None:
        return _describe_tool(args.name)
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
            f"no tool named '{shown(name)}'" if name else "describe needs 'name' for action tool",
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


HANDLERS = {"describe": Handler(DescribeArguments, describe, render=render_describe)}
