"""Changing files: write_source, rollback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.operations.editing import undoing, writing
from codeplane.operations.editing.model import Edit
from codeplane.operations.editing.planning import PlanOptions, is_digest, plan_edits
from codeplane.tasks.model import digest_params
from codeplane.tools.arguments import shown
from codeplane.tools.calls import Call

_OF_ACTION = {
    "create": {"content", "executable"},
    "update": {"content", "new_content", "expected_content", "start_line", "end_line", "final_newline"},
    "delete": set[str](),
    "move": {"new_path"},
}
_ALWAYS = {"path", "action", "expected_file_sha256"}


def check_write_source(args: Mapping[str, Any]) -> None:
    _edits(args)


def write_source(call: Call, args: Mapping[str, Any]) -> Answer:
    context, edits = _desk(call), _edits(args)
    options = PlanOptions(call.session.scope, args.get("allow_sensitive", False), context.editor.explain)
    paths = [path for edit in edits for path in (edit.path, edit.new_path) if path is not None]
    request = writing.MutationRequest(
        list(dict.fromkeys(paths)),
        lambda root: plan_edits(root, edits, options),
        digest_params({"edits": args["edits"]}),
        args.get("idempotency_key"),
    )
    if args.get("dry_run"):
        return writing.preview(context, request, None if call.surface.everything else writing.MAX_DIFF_CHARS)
    assert call.journal is not None
    return writing.change(context, request, call.journal)


def rollback(call: Call, args: Mapping[str, Any]) -> Answer:
    assert call.journal is not None
    return undoing.take_back(_desk(call), args["mutation_id"], call.journal, call.session.scope)


def _desk(call: Call) -> writing.EditContext:
    if call.editor is None:
        raise CodePlaneError(ErrorCode.READ_ONLY, "files cannot be changed here")
    return writing.EditContext(call.editor, call.root.workspace, call.cancelled)


def _edits(args: Mapping[str, Any]) -> list[Edit]:
    return [_edit(number, fields) for number, fields in enumerate(args["edits"], 1)]


def _edit(number: int, fields: Mapping[str, Any]) -> Edit:
    action = fields.get("action") or _action(number, fields)
    _require_meaning(number, action, fields)
    digest = fields.get("expected_file_sha256")
    if digest is not None:
        digest = digest.strip().lower().removeprefix("sha256:")
        if not is_digest(digest):
            raise _wrong(number, "expected_file_sha256 is no sha256", "64 hexadecimal digits", shown(digest))
    return Edit(
        path=_path(number, fields["path"]),
        action=action,
        content=fields.get("content"),
        new_content=fields.get("new_content"),
        expected_content=fields.get("expected_content"),
        start_line=fields.get("start_line"),
        end_line=fields.get("end_line"),
        expected_sha256=digest,
        new_path=_path(number, fields["new_path"]) if "new_path" in fields else None,
        final_newline=fields.get("final_newline"),
        executable=fields.get("executable", False),
    )


def _path(number: int, written: str) -> RepoPath:
    """Of a file that is written there is one spelling: one that seems to mean a directory may be a mistake."""
    path = normalize(written)
    if "//" in written or written.endswith(("/", "\\")):
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"edit {number}: '{display(written)}' is not how the path of a file is written",
            details={"edit": number},
            expected="names with one '/' between them",
            received=display(written),
            example=path or "src/app.py",
        )
    return path


def _action(number: int, fields: Mapping[str, Any]) -> str:
    """What an edit can only mean. That something is deleted is never guessed."""
    if "new_path" in fields:
        return "move"
    if "new_content" in fields or ("content" in fields and "expected_file_sha256" in fields):
        return "update"
    if "content" in fields:
        return "create"
    raise _wrong(number, "it is not said what to do", "action: create, update, delete or move", _named(fields))


def _require_meaning(number: int, action: str, fields: Mapping[str, Any]) -> None:
    """Fields that would have no effect are refused, and those that are needed asked for."""
    needless = sorted(set(fields) - _ALWAYS - _OF_ACTION[action])
    if action == "create" and "expected_file_sha256" in fields:
        needless.append("expected_file_sha256")
    if needless:
        raise _wrong(number, f"{action} takes no {needless[0]}", _taken(action), _named(fields))
    if action == "create" and "content" not in fields:
        raise _wrong(number, "a file is created with content", "content", _named(fields))
    if action == "move" and "new_path" not in fields:
        raise _wrong(number, "a move needs the new path", "new_path", _named(fields))
    if action != "update":
        return
    whole, part = "content" in fields, "new_content" in fields
    if whole == part:
        raise _wrong(number, "an update has either content or new_content", "one of them", _named(fields))
    if whole and {"expected_content", "start_line", "end_line"} & set(fields):
        raise _wrong(
            number, "content is the whole file, so that no place in it can be meant", "new_content", _named(fields)
        )
    if "end_line" in fields and "start_line" not in fields:
        raise _wrong(number, "end_line says nothing without start_line", "start_line", _named(fields))
    if part and "start_line" not in fields and "expected_content" not in fields:
        raise _wrong(
            number, "it is not said what new_content replaces", "expected_content, or start_line", _named(fields)
        )


def _taken(action: str) -> str:
    return ", ".join(["path", "action", *sorted(_OF_ACTION[action] - {"executable", "final_newline"})])


def _named(fields: Mapping[str, Any]) -> str:
    return ", ".join(fields)


def _wrong(number: int, message: str, expected: str, received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"edit {number}: {message}",
        details={"edit": number},
        expected=expected,
        received=received,
        example={"edits": [{"path": "src/app.py", "expected_content": "retries = 3", "new_content": "retries = 5"}]},
    )
