"""From edits to the change of each file: paths checked, files read, preconditions compared. Writes nothing.

All edits of one call refer to the files as they are before it. A path is opened beneath the root without following
links, and the content of a file is what was read through that descriptor. Edits that cannot be made are reported
together, so that a caller can correct all of them at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, basename, display, parent
from codeplane.disk import encoding as texts
from codeplane.disk.policy import fold_name, is_sensitive, refuse_restricted, refuse_unportable
from codeplane.disk.safe_open import Root
from codeplane.disk.writing import missing_folders, names_beside, read_to_replace
from codeplane.operations.editing.locate import (
    Edited,
    Refused,
    Replacement,
    edit_text,
    with_endings,
    with_final_newline,
)
from codeplane.operations.editing.model import (
    MAX_BATCH_BYTES,
    MAX_FILE_BYTES,
    MAX_MOVED_BYTES,
    SYMBOL_ACTIONS,
    Edit,
    EditPlan,
    FileChange,
)
from codeplane.operations.editing.symbol_edits import SymbolSite, symbol_replacement
from codeplane.tasks.model import Scope

MIN_DIGEST_DIGITS = 12
MAX_EXCERPT_LINES = 60

Explain = Callable[[RepoPath, str, bytes], dict[str, object]]
FindSymbol = Callable[[str, RepoPath, bytes], SymbolSite]
Group = list[tuple[int, Edit]]
"""Edits of one file, with their numbers in the call from 0."""

_ENCODED_POINTS = re.compile(r"(?:%2e|\.){1,2}", re.IGNORECASE)
_DIGEST = re.compile(rf"[0-9a-f]{{{MIN_DIGEST_DIGITS},64}}")
_OF_WHOLE_FILE = ("create", "delete", "move")
_OF_ONE_EDIT = frozenset(
    {
        ErrorCode.EDIT_NOT_FOUND,
        ErrorCode.EDIT_AMBIGUOUS,
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.HASH_MISMATCH,
        ErrorCode.NOT_TEXT,
    }
)
"""Errors of one edit, after which the others are still looked at."""


def _no_symbols(symbol: str, path: RepoPath, data: bytes) -> SymbolSite:
    raise CodePlaneError(ErrorCode.NOT_INDEXED, "symbols are found by the index, and there is none")


@dataclass(frozen=True)
class PlanOptions:
    """Rules and look-ups for planning a batch."""

    scope: Scope
    """Paths that the task may change."""
    allow_sensitive: bool
    explain: Explain
    """Explanation of why a file differs from the expected digest."""
    suggest: Callable[[RepoPath], Sequence[str]] = lambda path: ()
    """Paths that may have been meant by one that does not exist."""
    find_symbol: FindSymbol = _no_symbols
    """Lines of a symbol in one version of a file."""
    check: Callable[[], None] = lambda: None
    """Called now and then; raises when the caller has given up."""


def plan_edits(root: Root, edits: Sequence[Edit], options: PlanOptions) -> EditPlan:
    """The change that the edits make, or an error that names every edit that cannot be made."""
    groups: dict[RepoPath, Group] = {}
    for number, edit in enumerate(edits):
        for path in edit.paths:
            _require_path(path, options)
        for path in edit.files or (edit.path,):
            groups.setdefault(path, []).append((number, edit))
    vacated = {edit.path for edit in edits if edit.action in ("delete", "move")}
    planned: dict[RepoPath, FileChange] = {}
    refused: Refused = []
    counts: Counter[int] = Counter()
    for path, group in groups.items():
        options.check()
        try:
            for change in _plan_file(root, path, group, options, refused, counts):
                _put(planned, change, group[0][0])
        except CodePlaneError as error:
            if error.code not in _OF_ONE_EDIT:
                raise
            refused.append((int(str(error.details.get("edit", group[0][0] + 1))) - 1, error))
    if not refused:
        refused += _miscounted(edits, counts)
    if refused:
        raise refusal(refused, len(edits))
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
    """Whether it is a sha256, or enough of its first digits to tell one content from another."""
    return _DIGEST.fullmatch(text) is not None


def _miscounted(edits: Sequence[Edit], counts: Counter[int]) -> Refused:
    """Edits that would change another number of places than they should."""
    refused: Refused = []
    for number, edit in enumerate(edits):
        expected, found = edit.expected_count, counts[number]
        if edit.pattern is not None and not found and expected != 0:
            where = display(edit.path) if not edit.files else f"{len(edit.files)} files"
            message = f"the pattern {edit.pattern.quoted} matches nothing in {where}"
            refused.append((number, CodePlaneError(ErrorCode.EDIT_NOT_FOUND, message)))
        elif expected is not None and found != expected:
            error = CodePlaneError(
                ErrorCode.EDIT_COUNT_MISMATCH,
                f"{found} places would be changed, and expected_count is {expected}",
                details={"found": found},
                expected=str(expected),
                received=str(found),
                remedy=f"Send expected_count={found} if all of them are meant; dry_run shows them.",
            )
            refused.append((number, error))
    return refused


def refusal(refused: Refused, total: int) -> CodePlaneError:
    """One error for all edits that cannot be made: the first in full, the others by a line and what was found."""
    ordered = sorted(refused, key=lambda pair: pair[0])
    number, first = ordered[0]
    excerpt = _excerpt(first)
    for other, error in ordered[1:]:
        excerpt += [f"edit {other + 1}: {error.code.name}: {error.message}", *_excerpt(error)]
    tail = " Nothing was changed." if first.message.endswith("?") else "; nothing was changed"
    error = CodePlaneError(
        first.code,
        f"{f'edit {number + 1}: ' if total > 1 else ''}{first.message}{tail}",
        details={"edit": number + 1, **first.details},
        expected=first.expected,
        received=first.received,
        example=first.example,
        remedy=first.remedy,
    )
    if excerpt:
        error.details["excerpt"] = excerpt[:MAX_EXCERPT_LINES]
    if len(ordered) > 1:
        error.details["refused"] = sorted({other + 1 for other, _ in ordered})
    return error


def _excerpt(error: CodePlaneError) -> list[str]:
    found = error.details.get("excerpt")
    return list(map(str, found)) if isinstance(found, list) else []


def _is_same(change: FileChange) -> bool:
    """Whether it changes nothing. A file that was moved here is another one, whatever it holds."""
    return change.old == change.new and change.moved_from is None


def _require_path(path: RepoPath, options: PlanOptions) -> None:
    if not path or any(_ENCODED_POINTS.fullmatch(part) for part in path.split("/")):
        raise CodePlaneError(
            ErrorCode.PATH_INVALID,
            f"'{display(path)}' is not the path of a file",
            expected="a path relative to the repository root",
            received=display(path),
            example="src/app.py",
        )
    refuse_restricted(path)
    if is_sensitive(path) and not options.allow_sensitive:
        raise CodePlaneError(
            ErrorCode.CONFIRMATION_REQUIRED,
            f"'{display(path)}' is sensitive (CI, hooks, agent or editor config)",
            expected="allow_sensitive: true, if the user asked for this change; or paths that leave it out",
            received="no allow_sensitive",
        )
    options.scope.require(path)


def _plan_file(
    root: Root, path: RepoPath, group: Group, options: PlanOptions, refused: Refused, counts: Counter[int]
) -> list[FileChange]:
    edits = [edit for _, edit in group]
    others = [edit for edit in edits if edit.action in _OF_WHOLE_FILE]
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
    updates = [(number, edit) for number, edit in group if edit.action not in _OF_WHOLE_FILE]
    limit = MAX_FILE_BYTES if updates else MAX_MOVED_BYTES
    old, linked = _read(root, path, limit, group[0][0], options)
    for number, edit in group:
        _require_digest(number, edit, path, old, options)
    change = FileChange(path, old, old, path, linked=linked)
    if updates:
        change = _updated(change, updates, options, refused, counts)
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


def _read(root: Root, path: RepoPath, limit: int, number: int, options: PlanOptions) -> tuple[bytes, bool]:
    try:
        return read_to_replace(root, path, limit)
    except CodePlaneError as error:
        if error.code is ErrorCode.FILE_NOT_FOUND:
            error.expected = "an existing file; to create one, send path and content"
            error.received = display(path)
            names = [display(name) for name in options.suggest(path)]
            if names:
                error.details["nearest"] = names
                error.message += f"; did you mean {' or '.join(names)}?"
            raise _at(number, error) from None
        raise


def _put(planned: dict[RepoPath, FileChange], change: FileChange, number: int) -> None:
    """Merge what leaves a path and what comes to it into one change."""
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
            CodePlaneError(ErrorCode.ARGUMENT_INVALID, f"two edits write '{display(change.path)}'"),
        )


def _created(edit: Edit) -> FileChange:
    try:
        data = (edit.content or "").encode("utf-8")
    except UnicodeEncodeError:
        raise CodePlaneError(
            ErrorCode.EDIT_UNENCODABLE,
            f"the content of '{display(edit.path)}' contains an unpaired surrogate",
            expected="text that UTF-8 can encode",
        ) from None
    _require_size(edit.path, data)
    found = texts.decode(data)
    ending = found.line_ending if found is not None else None
    return FileChange(edit.path, None, data, executable=edit.executable, line_ending=ending)


def _updated(
    change: FileChange, group: Group, options: PlanOptions, refused: Refused, counts: Counter[int]
) -> FileChange:
    path, old = change.path, change.old or b""
    decoded = texts.decode(old)
    text = decoded.data.decode("utf-8") if decoded is not None else ""
    if decoded is None or texts.encode(text, decoded) != old:
        raise _at(
            group[0][0],
            CodePlaneError(
                ErrorCode.NOT_TEXT,
                f"'{display(path)}' is not text that can be edited: {'damaged' if decoded else 'binary'}",
                received=display(path),
                remedy="To replace it with text, delete it and create it again.",
            ),
        )
    whole = [edit for _, edit in group if edit.content is not None]
    if whole and len(group) > 1:
        raise _at(
            group[1][0],
            CodePlaneError(
                ErrorCode.ARGUMENT_INVALID, f"one edit replaces all of '{display(path)}', so no other can change it"
            ),
        )
    number = group[0][0]
    if whole:
        content = with_endings(_unmarked(whole[0].content or "", decoded), decoded.line_ending)
        edited = Edited(content, (), (1,))
    else:
        edited = _edited(text, decoded, change, group, options, refused)
    for (own, _), count in zip(group, edited.counts, strict=True):
        counts[own] += count
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
                f"'{display(path)}' is encoded in {decoded.encoding}, which cannot hold the new text",
                expected=f"text that {decoded.encoding} can encode",
            ),
        )
    _require_size(path, data)
    many = sum(count for (_, edit), count in zip(group, edited.counts, strict=True) if edit.replace_all or edit.pattern)
    return replace(
        change,
        new=data,
        line_ending=decoded.line_ending,
        encoding=None if decoded.encoding == "utf-8" else decoded.encoding,
        sites=edited.sites,
        replacements=many,
    )


def _edited(
    text: str, decoded: texts.DecodedText, change: FileChange, group: Group, options: PlanOptions, refused: Refused
) -> Edited:
    path, failed = change.path, Refused()
    replacements: list[Replacement] = []
    for number, edit in group:
        try:
            replacements.append(_replacement(edit, text, decoded, change, options))
        except CodePlaneError as error:
            raise _at(number, error) from None
    try:
        edited = edit_text(text, replacements, decoded.line_ending, failed, options.check)
    except CodePlaneError as error:
        raise _of_file(error, path) from error
    refused += [(group[index][0], _of_file(error, path)) for index, error in failed]
    return edited


def _replacement(
    edit: Edit, text: str, decoded: texts.DecodedText, change: FileChange, options: PlanOptions
) -> Replacement:
    new = _unmarked(edit.new_text or "", decoded)
    if edit.action in SYMBOL_ACTIONS:
        assert edit.symbol is not None
        site = options.find_symbol(edit.symbol, change.path, change.old or b"")
        return symbol_replacement(edit.action, new, text.replace("\r\n", "\n").split("\n"), site)
    old = None if edit.old_text is None else _unmarked(edit.old_text, decoded)
    return Replacement(new, old, edit.start_line, edit.end_line, edit.replace_all, edit.whole_lines, edit.pattern)


def _unmarked(text: str, file: texts.DecodedText) -> str:
    """Without the byte order mark, which the file keeps in any case."""
    return text.removeprefix("\ufeff") if file.bom else text


def _require_digest(number: int, edit: Edit, path: RepoPath, old: bytes, options: PlanOptions) -> None:
    current, expected = digest_bytes(old), edit.expected_sha256
    if expected is not None and not current.startswith(expected):
        known = options.explain(path, expected, old)
        changed = known.get("changed_lines")
        edited = f" at lines {', '.join(map(str, changed))}" if isinstance(changed, list) and changed else ""
        raise CodePlaneError(
            ErrorCode.HASH_MISMATCH,
            f"'{display(path)}' has changed{edited}: its sha is {current[:MIN_DIGEST_DIGITS]}",
            details={"path": path, "edit": number + 1, "current_sha256": current, **known},
            expected=expected,
            received=current,
            remedy="Read what changed, and send the edit again with the current sha.",
        )
    blind = edit.action == "update" and expected is None and edit.old_text is None
    if blind:
        raise _at(
            number,
            CodePlaneError(
                ErrorCode.ARGUMENT_INVALID,
                f"nothing says what '{display(path)}' is expected to hold",
                expected="old_text with new_text, or expected_file_sha256",
                received="neither",
                remedy="Send the text that is replaced, or the sha that read showed.",
            ),
        )


def _require_places(root: Root, planned: dict[RepoPath, FileChange], vacated: set[RepoPath]) -> None:
    """Require that new files replace nothing, and that no system takes their names for those of others."""
    folded: dict[str, RepoPath] = {}
    for path in sorted(planned):
        change = planned[path]
        if change.old is not None or change.new is None:
            continue
        refuse_unportable(path)
        _require_free(root, path)
        twin = folded.setdefault(fold_name(path), path)
        if twin != path:
            raise _twin(path, twin)
        missing = missing_folders(root, path)
        first = missing[0] if missing else path
        name = basename(first)
        for other in sorted(names_beside(root, first)):
            if other != name and fold_name(other) == fold_name(name):
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
        f"{display(path)}: {error.message}",
        details={"path": path, **error.details},
        expected=error.expected,
        received=error.received,
        remedy=error.remedy,
    )


def _at(number: int, error: CodePlaneError) -> CodePlaneError:
    error.details.setdefault("edit", number + 1)
    return error
