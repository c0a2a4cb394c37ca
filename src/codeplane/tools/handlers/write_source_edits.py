"""Arguments of write_source, parsed to edits: one at the top level, a batch, or corrections of a rejected batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, normalize
from codeplane.edits.model import SYMBOL_ACTIONS, Edit
from codeplane.edits.preconditions import MIN_DIGEST_DIGITS, is_digest
from codeplane.operations.read.targets import parse_line_range
from codeplane.operations.write_source.substitution import Substitution
from codeplane.tools.arguments import Arguments, shown
from codeplane.tools.catalog.write_source import EDIT_FIELDS

_NAMES = frozenset(field.name for field in EDIT_FIELDS)
_FIELDS: Mapping[str, set[str]] = {
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
    **{action: {"symbol", "new_text", "content"} for action in SYMBOL_ACTIONS},
    "replace_pattern": {"pattern", "new_text", "paths", "expected_count"},
}
"""Fields of each action, besides the common ones."""
_COMMON_FIELDS = {"path", "action", "expected_file_sha256"}
_RARE_FIELDS = {"executable", "final_newline", "whole_lines", "expected_count"}
_SELECTORS = ("start_line", "end_line", "replace_all")
"""Fields that select among several matches."""
_EXAMPLE = {"path": "src/app.py", "old_text": "retries = 3", "new_text": "retries = 5"}


@dataclass(frozen=True, kw_only=True)
class EditArguments(Arguments):
    """One edit as it was sent."""

    path: str | None = None
    action: str | None = None
    old_text: str | None = None
    new_text: str | None = None
    replace_all: bool = False
    content: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    symbol: str | None = None
    pattern: str | None = None
    paths: tuple[str, ...] | None = None
    expected_count: int | None = None
    expected_file_sha256: str | None = None
    new_path: str | None = None
    final_newline: bool | None = None
    executable: bool = False
    whole_lines: bool = False
    edit: int | None = None


@dataclass(frozen=True, kw_only=True)
class WriteSourceArguments(EditArguments):
    edits: tuple[EditArguments, ...] | None = field(default=None, metadata={"items": EditArguments})
    batch: str | None = None
    dry_run: bool = False
    allow_sensitive: bool = False
    idempotency_key: str | None = None


def requested_edits(args: WriteSourceArguments) -> tuple[EditArguments, ...]:
    """Return the edits of a call as they were sent: those of `edits`, or the one at the top level."""
    own = {name: value for name, value in args.as_dict().items() if name in _NAMES}
    if own and args.edits is not None:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            f"write_source has both edits and {next(iter(own))} at the top level",
            expected="the fields of one edit, or edits",
            received=", ".join([*own, "edits"]),
            example=_EXAMPLE,
        )
    edits = (EditArguments.parse(own),) if own else args.edits
    if not edits:
        raise CodePlaneError(
            ErrorCode.ARGUMENT_INVALID,
            "write_source needs an edit",
            expected="path, old_text and new_text; or edits",
            received=", ".join(args.given) or "no arguments",
            example=_EXAMPLE,
        )
    return edits


def corrected_edits(batch: Sequence[EditArguments], corrections: Sequence[EditArguments]) -> tuple[EditArguments, ...]:
    """Apply corrections to a rejected batch. Each names its edit; its fields replace those that were sent."""
    edits = list(batch)
    for correction in corrections:
        number = correction.edit if correction.edit is not None else 1 if len(edits) == 1 else None
        if number is None or number > len(edits):
            raise CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                "a correction does not say which edit of the batch it replaces"
                if number is None
                else f"the batch has {len(edits)} edits, not {number}",
                expected=f"edit: 1 to {len(edits)}",
                received=_named(correction),
                example={"batch": "b_2q5Zl1Y0", "edits": [{"edit": 2, "old_text": "retries = 3"}]},
            )
        edits[number - 1] = _corrected(edits[number - 1], correction)
    return tuple(edits)


def _corrected(edit: EditArguments, correction: EditArguments) -> EditArguments:
    before = edit.as_dict()
    if correction.action is not None and correction.action != edit.action:
        before = {name: value for name, value in before.items() if name == "path"}
    # Either one replaces the previous selection among several matches.
    if correction.replace_all or correction.start_line is not None:
        before = {name: value for name, value in before.items() if name not in _SELECTORS}
    changed = {name: value for name, value in correction.as_dict().items() if name != "edit"}
    return EditArguments.parse({**before, **changed})


def parse_edits(requested: Sequence[EditArguments]) -> list[Edit]:
    total = len(requested)
    return [_parse_edit(number if total > 1 else 0, edit) for number, edit in enumerate(requested, 1)]


def _parse_edit(number: int, sent: EditArguments) -> Edit:
    """Parse one edit. `number` is 0 for the only edit of a call."""
    edit = _with_place(sent)
    action = edit.action or _infer_action(number, edit)
    _require_fields(number, action, edit)
    new_text, content = edit.new_text, edit.content
    if action in SYMBOL_ACTIONS:
        new_text, content = content if new_text is None else new_text, None
    return Edit(
        path=_path(number, edit.path) if edit.path is not None else RepoPath(""),
        action=action,
        content=content,
        new_text=new_text,
        old_text=edit.old_text,
        start_line=edit.start_line,
        end_line=edit.end_line,
        replace_all=edit.replace_all,
        whole_lines=edit.whole_lines,
        symbol=edit.symbol,
        pattern=_substitution(number, edit.pattern or "", new_text or "") if action == "replace_pattern" else None,
        globs=edit.paths or (),
        expected_count=edit.expected_count,
        expected_sha256=_digest(number, edit.expected_file_sha256),
        new_path=_path(number, edit.new_path) if edit.new_path is not None else None,
        final_newline=edit.final_newline,
        executable=edit.executable,
    )


def _with_place(edit: EditArguments) -> EditArguments:
    """Split `path:line` and `path#name`, which answers print and every tool accepts."""
    path, values = edit.path or "", edit.as_dict()
    if edit.symbol is None and edit.action in SYMBOL_ACTIONS and ("#" in path or parse_line_range(path)):
        del values["path"]
        return EditArguments.parse({**values, "symbol": path})
    place = parse_line_range(path) if edit.new_text is not None and edit.start_line is None else None
    if place is None or values.keys() & {"symbol", "pattern", "replace_all"}:
        return edit
    values |= {"path": place.path, "start_line": place.first}
    if edit.old_text is None and place.last is not None:
        values["end_line"] = place.last
    return EditArguments.parse(values)


def _digest(number: int, sent: str | None) -> str | None:
    if sent is None:
        return None
    digest = sent.strip().lower().removeprefix("sha256:")
    if not is_digest(digest):
        expected = f"{MIN_DIGEST_DIGITS} to 64 hexadecimal digits"
        raise _invalid(number, "expected_file_sha256 is not a sha256", expected, shown(digest))
    return digest


def _path(number: int, sent: str) -> RepoPath:
    """Normalize a path. One that looks like a directory is rejected: it may be a mistake."""
    path = normalize(sent)
    if "//" in sent or sent.endswith(("/", "\\")):
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"{_prefix(number)}'{display(sent)}' is not the path of a file",
            details={"edit": number or 1},
            expected="names separated by single slashes",
            received=display(sent),
            example=path or "src/app.py",
        )
    return path


def _infer_action(number: int, edit: EditArguments) -> str:
    """Return the only action that the fields allow. A deletion is never inferred."""
    if edit.new_path is not None:
        return "move"
    if edit.pattern is not None:
        return "replace_pattern"
    if edit.symbol is not None and edit.old_text is None:
        return "replace_symbol"
    if edit.new_text is not None or (edit.content is not None and edit.expected_file_sha256 is not None):
        return "update"
    if edit.content is not None:
        return "create"
    if edit.old_text is not None:
        raise _invalid(number, "old_text has no new_text", 'new_text; "" to delete the text', _named(edit))
    raise _invalid(number, "the edit does not say what to do", f"action: {', '.join(_FIELDS)}", _named(edit))


def _require_fields(number: int, action: str, edit: EditArguments) -> None:
    """Reject fields that would have no effect, and require those that the action needs."""
    unused = sorted(set(edit.given) - _COMMON_FIELDS - _FIELDS[action])
    if edit.expected_file_sha256 is not None and (action == "create" or edit.paths is not None):
        unused.append("expected_file_sha256")
    if unused == ["edit"]:
        raise _invalid(number, "edit is for corrections of a rejected batch", "batch with edit", _named(edit))
    if unused:
        expected = ", ".join(["path", "action", *sorted(_FIELDS[action] - _RARE_FIELDS)])
        raise _invalid(number, f"{action} does not take {unused[0]}", expected, _named(edit))
    if edit.path is None and edit.symbol is None and edit.paths is None:
        raise _invalid(number, f"{action} needs a path", "path", _named(edit))
    problem = _update_problem(edit) if action == "update" else _problem(action, edit)
    if problem is not None:
        raise _invalid(number, *problem, _named(edit))


def _problem(action: str, edit: EditArguments) -> tuple[str, str] | None:
    """Return a message about missing or contradictory fields, and the expected ones."""
    if action == "create" and edit.content is None:
        return "create needs the content of the file", "content"
    if action == "move" and edit.new_path is None:
        return "move needs the new path", "new_path"
    if action in SYMBOL_ACTIONS:
        if edit.symbol is None:
            return f"{action} needs a symbol", "symbol: Class.method or path#name"
        if (edit.new_text is None) == (edit.content is None):
            return f"{action} needs new_text", "new_text"
        if not (edit.new_text or edit.content or "").strip():
            return f"{action} needs a new_text that is not blank", "new_text"
    if action == "replace_pattern":
        if edit.pattern is None or edit.new_text is None:
            missing = "pattern" if edit.pattern is None else "new_text"
            return f"replace_pattern needs {missing}", missing
        if edit.path is not None and edit.paths is not None:
            return "replace_pattern has both path and paths", "one of them"
    return None


def _update_problem(edit: EditArguments) -> tuple[str, str] | None:
    if (edit.content is None) == (edit.new_text is None):
        return "an update has either content or new_text", "one of them"
    if edit.content is not None and {"old_text", *_SELECTORS} & set(edit.given):
        return "content replaces the whole file, not a part of it", "new_text"
    if edit.end_line is not None and edit.start_line is None:
        return "end_line needs start_line", "start_line"
    if edit.new_text is not None and edit.start_line is None and edit.old_text is None:
        return "the edit does not say what new_text replaces", "old_text"
    if edit.replace_all and edit.start_line is not None:
        return "replace_all and start_line contradict each other", "one of them"
    for name in ("replace_all", "whole_lines"):
        if getattr(edit, name) and edit.old_text is None:
            return f"{name} needs old_text", "old_text"
    if edit.expected_count is not None and not edit.replace_all:
        return "expected_count needs replace_all", "replace_all: true"
    return None


def _named(edit: EditArguments) -> str:
    return ", ".join(edit.given)


def _prefix(number: int) -> str:
    return f"edit {number}: " if number else ""


def _substitution(number: int, pattern: str, replacement: str) -> Substitution:
    try:
        return Substitution(pattern, replacement)
    except CodePlaneError as error:
        error.message = f"{_prefix(number)}{error.message}"
        error.details["edit"] = number or 1
        if error.remedy is not None:
            error.remedy = "Escape literal characters with a backslash, or use old_text with replace_all."
        error.example = {"pattern": r"(\w+)\.size\(\)", "new_text": r"len(\1)", "paths": ["src/**/*.py"]}
        raise


def _invalid(number: int, message: str, expected: str, received: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"{_prefix(number)}{message}",
        details={"edit": number or 1},
        expected=expected,
        received=received,
        example=_EXAMPLE,
    )
