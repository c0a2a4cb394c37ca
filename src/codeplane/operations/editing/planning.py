"""From edits to what each file becomes: paths checked, files read, what was expected compared. Writes nothing.

All edits of one call speak of the files as they are before it. A path is opened beneath the
root without following links, and what a file holds is what was read through that opening.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display, parent
from codeplane.disk import text as texts
from codeplane.disk.beneath import Root
from codeplane.disk.policy import is_sensitive, refuse_closed, refuse_unportable, same_name
from codeplane.disk.writing import missing_folders, names_beside, read_to_replace
from codeplane.operations.editing.locate import Edited, Replacement, edit_text, with_endings, with_final_newline
from codeplane.operations.editing.model import (
    MAX_BATCH_BYTES,
    MAX_FILE_BYTES,
    MAX_MOVED_BYTES,
    Edit,
    EditPlan,
    FileChange,
)
from codeplane.tasks.model import Scope

Explain = Callable[[RepoPath, str, bytes], dict[str, object]]

_ENCODED_POINTS = re.compile(r"(?:%2e|\.){1,2}", re.IGNORECASE)


@dataclass(frozen=True)
class PlanOptions:
    """Under which a batch is planned."""

    scope: Scope
    """Which paths the task may change."""
    allow_sensitive: bool
    explain: Explain
    """What is known of how a file came to differ from what was expected of it."""


def plan_edits(root: Root, edits: Sequence[Edit], options: PlanOptions) -> EditPlan:
    """What the edits come to, or the error of the first that cannot be done."""
    groups: dict[RepoPath, list[tuple[int, Edit]]] = {}
    for number, edit in enumerate(edits):
        _require_path(edit.path, options)
        if edit.new_path is not None:
            _require_path(edit.new_path, options)
        groups.setdefault(edit.path, []).append((number, edit))
    vacated = {edit.path for edit in edits if edit.action in ("delete", "move")}
    planned: dict[RepoPath, FileChange] = {}
    for path, group in groups.items():
        for change in _plan_file(root, path, group, options):
            _put(planned, change, group[0][0])
    _require_places(root, planned, vacated)
    changes = sorted(planned.values(), key=lambda change: change.path)
    total = sum(len(change.old or b"") + len(change.new or b"") for change in changes)
    if total > MAX_BATCH_BYTES:
        raise CodePlaneError(ErrorCode.FILE_TOO_LARGE, f"the files of one call have {total} bytes together")
    made = {folder for change in changes if change.new is not None for folder in missing_folders(root, change.path)}
    return EditPlan(
        tuple(change for change in changes if not _is_same(change)),
        tuple(change.path for change in changes if _is_same(change)),
        tuple(sorted(made, key=lambda path: (path.count("/"), path))),
    )


def is_digest(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{64}", text) is not None


def _is_same(change: FileChange) -> bool:
    """Whether nothing becomes of it. A file that another one took the place of is another, whatever it holds."""
    return change.old == change.new and change.moved_from is None


def _require_path(path: RepoPath, options: PlanOptions) -> None:
    if not path or any(_ENCODED_POINTS.fullmatch(part) for part in path.split("/")):
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"'{display(path)}' names no file",
            expected="a path relative to the repository root",
            received=display(path),
            example="src/app.py",
        )
    refuse_closed(path)
    if is_sensitive(path) and not options.allow_sensitive:
        raise CodePlaneError(
            ErrorCode.CONFIRMATION_REQUIRED,
            f"'{display(path)}' decides what is run on somebody's machine",
            expected="allow_sensitive: true, if changing it was asked for",
            received="no allow_sensitive",
        )
    options.scope.require(path)


def _plan_file(root: Root, path: RepoPath, group: list[tuple[int, Edit]], options: PlanOptions) -> list[FileChange]:
    edits = [edit for _, edit in group]
    others = [edit for edit in edits if edit.action != "update"]
    if len(others) > 1 or (others and others[0].action != "move" and len(edits) > 1):
        raise _at(
            group[1][0],
            CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"two edits of '{display(path)}' contradict each other: {', '.join(edit.action for edit in edits)}",
                expected="one create, one delete, or any number of updates and at most one move",
            ),
        )
    if edits[0].action == "create":
        return [_created(edits[0])]
    updates = [edit for edit in edits if edit.action == "update"]
    limit = MAX_FILE_BYTES if updates else MAX_MOVED_BYTES
    old, linked = _read(root, path, limit, group[0][0])
    for number, edit in group:
        _require_digest(number, edit, old, options)
    change = FileChange(path, old, old, path, linked=linked)
    if updates:
        change = _updated(change, [pair for pair in group if pair[1].action == "update"])
    if not others:
        return [change]
    if others[0].action == "delete":
        return [replace(change, new=None, like=None)]
    target = others[0].new_path
    assert target is not None
    if target == path:
        return [change]
    gone = FileChange(path, old, None, moved_to=target, linked=linked)
    return [gone, replace(change, path=target, old=None, moved_from=path, linked=False)]


def _read(root: Root, path: RepoPath, limit: int, number: int) -> tuple[bytes, bool]:
    try:
        return read_to_replace(root, path, limit)
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            error.expected = "a file that is there; content, and nothing that is replaced, makes a new one"
            error.received = display(path)
            raise _at(number, error) from None
        raise


def _put(planned: dict[RepoPath, FileChange], change: FileChange, number: int) -> None:
    """What leaves a path and what comes to it are one change of it."""
    known = planned.get(change.path)
    if known is None:
        planned[change.path] = change
        return
    if known.old is not None and known.new is None and change.old is None:
        planned[change.path] = replace(change, old=known.old, moved_to=known.moved_to, linked=known.linked)
    elif known.old is None and change.old is not None and change.new is None:
        planned[change.path] = replace(known, old=change.old, moved_to=change.moved_to, linked=change.linked)
    else:
        raise _at(
            number,
            CodePlaneError(
                ErrorCode.ARGUMENT_INVALID, f"two edits would make '{display(change.path)}' what it becomes"
            ),
        )


def _created(edit: Edit) -> FileChange:
    try:
        data = (edit.content or "").encode("utf-8")
    except UnicodeEncodeError:
        raise CodePlaneError(
            ErrorCode.EDIT_UNENCODABLE,
            f"the content of '{display(edit.path)}' holds half of a character",
            expected="text that UTF-8 can hold",
        ) from None
    _require_size(edit.path, data)
    found = texts.decode(data)
    ending = found.line_ending if found is not None else None
    return FileChange(edit.path, None, data, executable=edit.executable, line_ending=ending)


def _updated(change: FileChange, group: list[tuple[int, Edit]]) -> FileChange:
    path, old = change.path, change.old or b""
    decoded = texts.decode(old)
    text = decoded.data.decode("utf-8") if decoded is not None else ""
    if decoded is None or texts.encode(text, decoded) != old:
        raise CodePlaneError(
            ErrorCode.NOT_TEXT,
            f"'{display(path)}' is not text that can be edited: {'damaged' if decoded else 'binary'}",
            received=display(path),
            remedy="Delete it and create it anew, if it is to be text.",
        )
    whole = [(number, edit) for number, edit in group if edit.content is not None]
    if whole and len(group) > 1:
        raise _at(
            group[1][0],
            CodePlaneError(
                ErrorCode.ARGUMENT_INVALID, f"all of '{display(path)}' is replaced, so no other edit of it has a place"
            ),
        )
    number, edit = group[0]
    if whole:
        edited = Edited(with_endings(_unmarked(edit.content or "", decoded), decoded.line_ending), ())
    else:
        replacements = [_replacement(edit, decoded) for _, edit in group]
        try:
            edited = edit_text(text, replacements, decoded.line_ending)
        except CodePlaneError as error:
            raise _of_file(error, path) from error
    result = edited.text
    wanted = next((edit.final_newline for _, edit in group if edit.final_newline is not None), None)
    if wanted is not None:
        result = with_final_newline(result, wanted, decoded.line_ending)
    data = texts.encode(result, decoded)
    if data is None:
        raise _at(
            number,
            CodePlaneError(
                ErrorCode.EDIT_UNENCODABLE,
                f"'{display(path)}' is written in {decoded.encoding}, which has no such characters",
                expected=f"text that {decoded.encoding} can hold",
            ),
        )
    _require_size(path, data)
    return replace(
        change,
        new=data,
        line_ending=decoded.line_ending,
        encoding=None if decoded.encoding == "utf-8" else decoded.encoding,
        sites=edited.sites,
    )


def _replacement(edit: Edit, file: texts.Text) -> Replacement:
    expected = None if edit.expected_content is None else _unmarked(edit.expected_content, file)
    return Replacement(_unmarked(edit.new_content or "", file), expected, edit.start_line, edit.end_line)


def _unmarked(text: str, file: texts.Text) -> str:
    """Without the byte order mark that the file keeps anyway."""
    return text.removeprefix("\ufeff") if file.bom else text


def _require_digest(number: int, edit: Edit, old: bytes, options: PlanOptions) -> None:
    current, expected = digest_bytes(old), edit.expected_sha256
    if expected is not None and expected != current:
        raise CodePlaneError(
            ErrorCode.HASH_MISMATCH,
            f"'{display(edit.path)}' is not what it was when it was read; nothing was changed",
            details={
                "path": edit.path,
                "edit": number + 1,
                "current_sha256": current,
                **options.explain(edit.path, expected, old),
            },
            expected=expected,
            received=current,
            remedy="Look at what changed, and repeat the edit with the current digest.",
        )
    blind = edit.action == "update" and expected is None and edit.expected_content is None
    if blind:
        raise _at(
            number,
            CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"nothing says what '{display(edit.path)}' is expected to hold",
                expected="expected_file_sha256, or expected_content with new_content",
                received="neither",
                remedy="Give the file_sha256 that reading it returned, or the text that is replaced.",
            ),
        )


def _require_places(root: Root, planned: dict[RepoPath, FileChange], vacated: set[RepoPath]) -> None:
    """New files need a free place, and a name that is theirs alone everywhere."""
    folded: dict[str, RepoPath] = {}
    for path in sorted(planned):
        change = planned[path]
        if change.old is not None or change.new is None:
            continue
        refuse_unportable(path)
        _require_free(root, path)
        twin = folded.setdefault(same_name(path), path)
        if twin != path:
            raise _twin(path, twin)
        missing = missing_folders(root, path)
        first = missing[0] if missing else path
        name = first.rpartition("/")[2]
        for other in sorted(names_beside(root, first)):
            if other != name and same_name(other) == same_name(name):
                beside = f"{parent(first)}/{other}" if parent(first) else other
                if RepoPath(beside) not in vacated:
                    raise _twin(path, RepoPath(beside))


def _require_free(root: Root, path: RepoPath) -> None:
    try:
        current = digest_bytes(read_to_replace(root, path, MAX_MOVED_BYTES)[0])
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            return
        raise
    raise CodePlaneError(
        ErrorCode.FILE_EXISTS,
        f"'{display(path)}' exists",
        details={"path": path, "current_sha256": current},
        remedy="To replace it, use action update with its content and expected_file_sha256.",
    )


def _twin(path: RepoPath, twin: RepoPath) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.PATH_UNPORTABLE,
        f"'{display(path)}' and '{display(twin)}' are the same file on some systems",
        received=display(path),
        remedy="Choose another name.",
    )


def _require_size(path: RepoPath, data: bytes) -> None:
    if len(data) > MAX_FILE_BYTES:
        raise CodePlaneError(
            ErrorCode.FILE_TOO_LARGE,
            f"'{display(path)}' would have {len(data)} bytes, more than {MAX_FILE_BYTES}",
            details={"size": len(data), "limit": MAX_FILE_BYTES},
        )


def _of_file(error: CodePlaneError, path: RepoPath) -> CodePlaneError:
    """The same error, with the file that it is about."""
    return CodePlaneError(
        error.code,
        f"'{display(path)}': {error.message}",
        details={"path": path, **error.details},
        expected=error.expected,
        received=error.received,
        remedy=error.remedy,
    )


def _at(number: int, error: CodePlaneError) -> CodePlaneError:
    error.details.setdefault("edit", number + 1)
    return error
