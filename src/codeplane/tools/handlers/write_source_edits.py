"""From the arguments of write_source to edits: one at the top level, a batch, or corrections of a refused batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.operations.editing.model import SYMBOL_ACTIONS, Edit
from codeplane.operations.editing.planning import MIN_DIGEST_DIGITS, is_digest
from codeplane.operations.editing.substitution import Substitution
from codeplane.operations.read.targets import parse_line_range
from codeplane.tools.arguments import shown
from codeplane.tools.catalog.write_source import EDIT_FIELDS

Fields = Mapping[str, Any]
"""One edit by the names of its fields."""

_NAMES = frozenset(field.name for field in EDIT_FIELDS)
_SYMBOL_FIELDS = {"symbol", "new_text", "content"}
_OF_ACTION: Mapping[str, set[str]] = {
    "create": {"content", "executable"},
    "update": {
        "content",
        "new_text",
        "old_text",
        "start_line",
        "end_line",
        "replace_all",
        "expected_count",
        "final_newline",
        "whole_lines",
    },
    "delete": set(),
    "move": {"new_path"},
    **dict.fromkeys(SYMBOL_ACTIONS, _SYMBOL_FIELDS),
    "replace_pattern": {"pattern", "new_text", "paths", "expected_count"},
}
_ALWAYS = {"path", "action", "expected_file_sha256"}
_RARE = {"executable", "final_newline", "whole_lines", "expected_count"}


def requested_edits(args: Mapping[str, Any]) -> tuple[Fields, ...]:
    """The edits of a call as they were sent: those of `edits`, or one whose fields are at the top level."""
    own = {name: value for name, value in args.items() if name in _NAMES}
    if own and "edits" in args:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"write_source has both edits and {next(iter(own))} at the top level",
            expected="the fields of one edit, or edits",
            received=", ".join([*own, "edits"]),
            example=_EXAMPLE,
        )
    edits = (own,) if own else tuple(args.get("edits", ()))
    if not edits:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "write_source needs an edit",
            expected="path, old_text and new_text; or edits",
            received=", ".join(args) or "no arguments",
            example=_EXAMPLE,
        )
    return edits


def corrected_edits(batch: Sequence[Fields], corrections: Sequence[Fields]) -> tuple[Fields, ...]:
    """A refused batch with corrections: each names its edit, and its fields replace those that were sent."""
    edits = [dict(fields) for fields in batch]
    for correction in corrections:
        number = correction.get("edit", 1 if len(edits) == 1 else None)
        if number is None or number > len(edits):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "a correction does not say which edit of the batch it replaces"
                if number is None
                else f"the batch has {len(edits)} edits, and not {number}",
                expected=f"edit: 1 to {len(edits)}",
                received=_named(correction),
                example={"batch": "b_2q5Zl1Y0", "edits": [{"edit": 2, "old_text": "retries = 3"}]},
            )
        given = {name: value for name, value in correction.items() if name != "edit"}
        before = edits[number - 1]
        if given.get("action", before.get("action")) != before.get("action"):
            before = {name: value for name, value in before.items() if name == "path"}
        # Either says which of several matches is meant, so that the one before does not hold any more.
        if given.get("replace_all") or "start_line" in given:
            before = {name: value for name, value in before.items() if name not in _CHOOSING}
        edits[number - 1] = {**before, **given}
    return tuple(edits)


def parse_edits(requested: Sequence[Fields]) -> list[Edit]:
    total = len(requested)
    return [_edit(number if total > 1 else 0, fields) for number, fields in enumerate(requested, 1)]


_CHOOSING = ("start_line", "end_line", "replace_all")
_EXAMPLE = {"path": "src/app.py", "old_text": "retries = 3", "new_text": "retries = 5"}


def _edit(number: int, sent: Fields) -> Edit:
    """`number` is 0 for the only edit of a call."""
    fields = _with_place(sent)
    action = fields.get("action") or _action(number, fields)
    _require_meaning(number, action, fields)
    new_text = fields.get("new_text")
    if action in SYMBOL_ACTIONS and new_text is None:
        new_text = fields.get("content")
    pattern = None
    if action == "replace_pattern":
        pattern = _numbered(number, lambda: Substitution(fields["pattern"], new_text or ""))
    return Edit(
        path=_path(number, fields["path"]) if "path" in fields else RepoPath(""),
        action=action,
        content=fields.get("content") if action not in SYMBOL_ACTIONS else None,
        new_text=new_text,
        old_text=fields.get("old_text"),
        start_line=fields.get("start_line"),
        end_line=fields.get("end_line"),
        replace_all=fields.get("replace_all", False),
        whole_lines=fields.get("whole_lines", False),
        symbol=fields.get("symbol"),
        pattern=pattern,
        globs=tuple(fields.get("paths", ())),
        expected_count=fields.get("expected_count"),
        expected_sha256=_digest(number, fields.get("expected_file_sha256")),
        new_path=_path(number, fields["new_path"]) if "new_path" in fields else None,
        final_newline=fields.get("final_newline"),
        executable=fields.get("executable", False),
    )


def _with_place(fields: Fields) -> Fields:
    """`path:line` and `path#name`, which answers print and every tool takes, by their parts."""
    path = fields.get("path", "")
    if "symbol" not in fields and fields.get("action") in SYMBOL_ACTIONS and ("#" in path or parse_line_range(path)):
        return {**{name: value for name, value in fields.items() if name != "path"}, "symbol": path}
    place = parse_line_range(path) if "new_text" in fields and "start_line" not in fields else None
    if place is None or "symbol" in fields or "pattern" in fields or "replace_all" in fields:
        return fields
    lines = {"start_line": place.first}
    if "old_text" not in fields and place.last is not None:
        lines["end_line"] = place.last
    return {**fields, "path": place.path, **lines}


def _digest(number: int, written: str | None) -> str | None:
    if written is None:
        return None
    digest = written.strip().lower().removeprefix("sha256:")
    if not is_digest(digest):
        expected = f"{MIN_DIGEST_DIGITS} to 64 hexadecimal digits"
        raise _wrong(number, "expected_file_sha256 is not a sha256", expected, shown(digest))
    return digest


def _path(number: int, written: str) -> RepoPath:
    """A path that is written has one spelling: one that looks like a directory may be a mistake."""
    path = normalize(written)
    if "//" in written or written.endswith(("/", "\\")):
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"{_prefix(number)}'{display(written)}' is not the path of a file",
            details={"edit": number or 1},
            expected="names with one '/' between them",
            received=display(written),
            example=path or "src/app.py",
        )
    return path


def _action(number: int, fields: Fields) -> str:
    """The only action that the fields can mean. A deletion is never guessed."""
    if "new_path" in fields:
        return "move"
    if "pattern" in fields:
        return "replace_pattern"
    if "symbol" in fields and "old_text" not in fields:
        return "replace_symbol"
    if "new_text" in fields or ("content" in fields and "expected_file_sha256" in fields):
        return "update"
    if "content" in fields:
        return "create"
    if "old_text" in fields:
        raise _wrong(number, "old_text has no new_text", 'new_text; "" to delete the text', _named(fields))
    raise _wrong(number, "it does not say what to do", f"action: {', '.join(_OF_ACTION)}", _named(fields))


def _require_meaning(number: int, action: str, fields: Fields) -> None:
    """Refuse fields that would have no effect, and ask for those that are needed."""
    needless = sorted(set(fields) - _ALWAYS - _OF_ACTION[action])
    if "expected_file_sha256" in fields and (action == "create" or "paths" in fields):
        needless.append("expected_file_sha256")
    if needless == ["edit"]:
        raise _wrong(number, "edit is for corrections of a refused batch", "batch with edit", _named(fields))
    if needless:
        raise _wrong(number, f"{action} does not take {needless[0]}", _taken(action), _named(fields))
    if "path" not in fields and "symbol" not in fields and "paths" not in fields:
        raise _wrong(number, f"{action} needs a path", "path", _named(fields))
    if action == "update":
        _require_update(number, fields)
    elif action == "create" and "content" not in fields:
        raise _wrong(number, "create needs the content of the file", "content", _named(fields))
    elif action == "move" and "new_path" not in fields:
        raise _wrong(number, "move needs the new path", "new_path", _named(fields))
    elif action in SYMBOL_ACTIONS:
        if "symbol" not in fields:
            raise _wrong(number, f"{action} needs a symbol", "symbol: Class.method or path#name", _named(fields))
        if ("new_text" in fields) == ("content" in fields):
            raise _wrong(number, f"{action} needs new_text", "new_text", _named(fields))
        if not (fields.get("new_text") or fields.get("content", "")).strip():
            raise _wrong(number, f"{action} needs a new_text that is not blank", "new_text", _named(fields))
    elif action == "replace_pattern":
        for name in ("pattern", "new_text"):
            if name not in fields:
                raise _wrong(number, f"replace_pattern needs {name}", name, _named(fields))
        if "path" in fields and "paths" in fields:
            raise _wrong(number, "replace_pattern has both path and paths", "one of them", _named(fields))


def _require_update(number: int, fields: Fields) -> None:
    whole, part = "content" in fields, "new_text" in fields
    if whole == part:
        raise _wrong(number, "an update has either content or new_text", "one of them", _named(fields))
    if whole and {"old_text", *_CHOOSING} & set(fields):
        raise _wrong(number, "content replaces the whole file, and not a part of it", "new_text", _named(fields))
    if "end_line" in fields and "start_line" not in fields:
        raise _wrong(number, "end_line needs start_line", "start_line", _named(fields))
    if part and "start_line" not in fields and "old_text" not in fields:
        raise _wrong(number, "it does not say what new_text replaces", "old_text", _named(fields))
    if fields.get("replace_all") and "start_line" in fields:
        raise _wrong(number, "replace_all and start_line contradict each other", "one of them", _named(fields))
    for name in ("replace_all", "whole_lines"):
        if fields.get(name) and "old_text" not in fields:
            raise _wrong(number, f"{name} needs old_text", "old_text", _named(fields))
    if "expected_count" in fields and not fields.get("replace_all"):
        raise _wrong(number, "expected_count needs replace_all", "replace_all: true", _named(fields))


def _taken(action: str) -> str:
    return ", ".join(["path", "action", *sorted(_OF_ACTION[action] - _RARE)])


def _named(fields: Fields) -> str:
    return ", ".join(fields)


def _prefix(number: int) -> str:
    return f"edit {number}: " if number else ""


def _numbered(number: int, parse: Any) -> Any:
    try:
        return parse()
    except CodePlaneError as error:
        error.message = f"{_prefix(number)}{error.message}"
        error.details["edit"] = number or 1
        if error.remedy is not None:
            error.remedy = (
                "Put a backslash before a character that is meant literally, or use old_text with replace_all."
            )
        error.example = {"pattern": r"(\w+)\.size\(\)", "new_text": r"len(\1)", "paths": ["src/**/*.py"]}
        raise


def _wrong(number: int, message: str, expected: str, received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"{_prefix(number)}{message}",
        details={"edit": number or 1},
        expected=expected,
        received=received,
        example=_EXAMPLE,
    )
