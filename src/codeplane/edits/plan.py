"""Turn edits into an EditPlan: check paths, read files, check preconditions. Writes nothing.

All edits of one call refer to the files as they are before it. A path is opened under the root without following
links, and the content of a file is what was read through that descriptor. Edits that cannot be made are reported
together, so that a caller can correct all of them at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codeplane.base.digests import digest_bytes
from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import RepoPath, display
from codeplane.disk import encoding as texts
from codeplane.disk.safe_open import Root
from codeplane.disk.write import read_with_links
from codeplane.edits.line_endings import with_endings, with_final_newline
from codeplane.edits.model import (
    MAX_BATCH_BYTES,
    MAX_FILE_BYTES,
    MAX_MOVED_BYTES,
    SYMBOL_ACTIONS,
    Edit,
    EditPlan,
    FileChange,
)
from codeplane.edits.preconditions import (
    MIN_DIGEST_DIGITS,
    at_edit,
    in_file,
    new_directories,
    refusal,
    require_free_names,
    require_path,
    require_size,
)
from codeplane.edits.splice import edit_text
from codeplane.edits.text_edit import EditedText, RefusedEdits, Replacement

_WHOLE_FILE_ACTIONS = ("create", "delete", "move")
_ERRORS_OF_ONE_EDIT = frozenset(
    {
        ErrorCode.EDIT_NOT_FOUND,
        ErrorCode.EDIT_AMBIGUOUS,
        ErrorCode.FILE_NOT_FOUND,
        ErrorCode.HASH_MISMATCH,
        ErrorCode.NOT_TEXT,
    }
)
"""Errors after which the other edits are still checked."""

NumberedEdits = list[tuple[int, Edit]]
"""Edits of one file, with their index in the call."""


def _no_symbols(edit: Edit, path: RepoPath, data: bytes, text: str, new: str) -> Replacement:
    raise CodePlaneError(ErrorCode.NOT_INDEXED, "symbols are located by the index, and there is none")


@dataclass(frozen=True)
class PlanOptions:
    """Rules and lookups for planning."""

    allow_sensitive: bool
    explain_mismatch: Callable[[RepoPath, str, bytes], dict[str, object]]
    """Details for a file that has another digest than expected: path, expected digest, content."""
    require_allowed: Callable[[RepoPath], None] = lambda path: None
    """Raises if the task may not change the path."""
    suggest: Callable[[RepoPath], Sequence[str]] = lambda path: ()
    """Similar paths for one that does not exist."""
    locate_symbol: Callable[[Edit, RepoPath, bytes, str, str], Replacement] = _no_symbols
    """Replacement for a symbol edit, in this content of the file: edit, path, bytes, text, new text."""
    check: Callable[[], None] = lambda: None
    """Called regularly; raises if the call was cancelled or takes too long."""


def plan_edits(root: Root, edits: Sequence[Edit], options: PlanOptions) -> EditPlan:
    """Plan the edits, or raise one error that names every edit that cannot be made."""
    groups = _group_by_file(root, edits, options)
    planned: dict[RepoPath, FileChange] = {}
    planner = _Planner(root, options)
    for path, group in groups.items():
        options.check()
        try:
            for change in planner.plan_file(path, group):
                _merge(planned, change, group[0][0])
        except CodePlaneError as error:
            if error.code not in _ERRORS_OF_ONE_EDIT:
                raise
            planner.refused.append((int(str(error.details.get("edit", group[0][0] + 1))) - 1, error))
    refused = planner.refused or _miscounted(edits, planner.counts)
    if refused:
        raise refusal(refused, len(edits))
    require_free_names(root, planned, {edit.path for edit in edits if edit.action in ("delete", "move")})
    changes = sorted(planned.values(), key=lambda change: change.path)
    total = sum(len(change.old or b"") + len(change.new or b"") for change in changes)
    if total > MAX_BATCH_BYTES:
        raise CodePlaneError(ErrorCode.FILE_TOO_LARGE, f"the files of one call have {total} bytes together")
    return EditPlan(
        tuple(change for change in changes if not _is_unchanged(change)),
        tuple(change.path for change in changes if _is_unchanged(change)),
        new_directories(root, changes),
    )


def _group_by_file(root: Root, edits: Sequence[Edit], options: PlanOptions) -> dict[RepoPath, NumberedEdits]:
    """Check the paths of all edits, and return the edits of each file."""
    groups: dict[RepoPath, NumberedEdits] = {}
    for number, edit in enumerate(edits):
        for path in edit.paths:
            require_path(root, path, options.allow_sensitive)
            options.require_allowed(path)
        for path in edit.files or (edit.path,):
            groups.setdefault(path, []).append((number, edit))
    return groups


class _Planner:
    """Plans one file after the other, collecting refused edits and the sites that each edit changes."""

    def __init__(self, root: Root, options: PlanOptions) -> None:
        self._root = root
        self._options = options
        self.refused: RefusedEdits = []
        self.counts: Counter[int] = Counter()

    def plan_file(self, path: RepoPath, group: NumberedEdits) -> list[FileChange]:
        edits = [edit for _, edit in group]
        whole = [edit for edit in edits if edit.action in _WHOLE_FILE_ACTIONS]
        if len(whole) > 1 or (whole and whole[0].action != "move" and len(edits) > 1):
            raise _contradiction(path, group)
        if edits[0].action == "create":
            return [_create(edits[0])]
        updates = [(number, edit) for number, edit in group if edit.action not in _WHOLE_FILE_ACTIONS]
        old, linked = self._read(path, MAX_FILE_BYTES if updates else MAX_MOVED_BYTES, group[0][0])
        for number, edit in group:
            self._require_digest(number, edit, path, old)
        change = FileChange(path, old, old, path, linked=linked)
        if updates:
            change = self._update(change, updates)
        if not whole:
            return [change]
        if whole[0].action == "delete":
            return [replace(change, new=None, like=None)]
        target = whole[0].new_path
        assert target is not None
        if target == path:
            return [change]
        source = FileChange(path, old, None, moved_to=target, linked=linked)
        return [source, replace(change, path=target, old=None, moved_from=path, linked=False)]

    def _read(self, path: RepoPath, limit: int, number: int) -> tuple[bytes, bool]:
        try:
            return read_with_links(self._root, path, limit)
        except CodePlaneError as error:
            if error.code is ErrorCode.FILE_NOT_FOUND:
                error.expected = "an existing file; to create one, send path and content"
                error.received = display(path)
                names = [display(name) for name in self._options.suggest(path)]
                if names:
                    error.details["nearest"] = names
                    error.message += f"; did you mean {' or '.join(names)}?"
                raise at_edit(number, error) from None
            raise

    def _require_digest(self, number: int, edit: Edit, path: RepoPath, old: bytes) -> None:
        current, expected = digest_bytes(old), edit.expected_sha256
        if expected is not None and not current.startswith(expected):
            known = self._options.explain_mismatch(path, expected, old)
            changed = known.get("changed_lines")
            where = f" at lines {', '.join(map(str, changed))}" if isinstance(changed, list) and changed else ""
            raise CodePlaneError(
                ErrorCode.HASH_MISMATCH,
                f"'{display(path)}' has changed{where}: its sha is {current[:MIN_DIGEST_DIGITS]}",
                details={"path": path, "edit": number + 1, "current_sha256": current, **known},
                expected=expected,
                received=current,
                remedy="Read what changed, and send the edit again with the current sha.",
            )
        if edit.action == "update" and expected is None and edit.old_text is None:
            raise at_edit(
                number,
                CodePlaneError(
                    ErrorCode.ARGUMENT_INVALID,
                    f"the edit of '{display(path)}' does not say what it expects in the file",
                    expected="old_text with new_text, or expected_file_sha256",
                    received="neither",
                    remedy="Send the text to replace, or the sha that read showed.",
                ),
            )

    def _update(self, change: FileChange, group: NumberedEdits) -> FileChange:
        path, old, first = change.path, change.old or b"", group[0][0]
        decoded = texts.decode(old)
        text = decoded.data.decode("utf-8") if decoded is not None else ""
        if decoded is None or texts.encode(text, decoded) != old:
            raise at_edit(first, _not_text(path, "damaged" if decoded else "binary"))
        edited = self._edit(text, decoded, change, group)
        for (number, _), count in zip(group, edited.counts, strict=True):
            self.counts[number] += count
        result = edited.text
        wanted = next((edit.final_newline for _, edit in group if edit.final_newline is not None), None)
        if wanted is not None:
            result = with_final_newline(result, wanted, decoded.line_ending)
        data = texts.encode(result, decoded)
        if data is None:
            raise at_edit(
                first,
                CodePlaneError(
                    ErrorCode.EDIT_UNENCODABLE,
                    f"'{display(path)}' is encoded in {decoded.encoding}, which cannot represent the new text",
                    expected=f"text that {decoded.encoding} can encode",
                ),
            )
        require_size(path, data)
        multiple = [edit.replace_all or edit.pattern is not None for _, edit in group]
        return replace(
            change,
            new=data,
            line_ending=decoded.line_ending,
            encoding=None if decoded.encoding == "utf-8" else decoded.encoding,
            sites=edited.sites,
            replacements=sum(count for count, many in zip(edited.counts, multiple, strict=True) if many),
        )

    def _edit(self, text: str, decoded: texts.DecodedText, change: FileChange, group: NumberedEdits) -> EditedText:
        path = change.path
        contents = [edit.content for _, edit in group if edit.content is not None]
        if contents and len(group) > 1:
            message = f"one edit replaces all of '{display(path)}', so no other can change it"
            raise at_edit(group[1][0], CodePlaneError(ErrorCode.ARGUMENT_INVALID, message))
        if contents:
            return EditedText(with_endings(_without_bom(contents[0], decoded), decoded.line_ending), (), (1,))
        replacements: list[Replacement] = []
        for number, edit in group:
            try:
                replacements.append(self._replacement(edit, text, decoded, change))
            except CodePlaneError as error:
                raise at_edit(number, error) from None
        failed: RefusedEdits = []
        try:
            edited = edit_text(text, replacements, decoded.line_ending, failed, self._options.check)
        except CodePlaneError as error:
            raise in_file(error, path) from error
        self.refused += [(group[index][0], in_file(error, path)) for index, error in failed]
        return edited

    def _replacement(self, edit: Edit, text: str, decoded: texts.DecodedText, change: FileChange) -> Replacement:
        new = _without_bom(edit.new_text or "", decoded)
        if edit.action in SYMBOL_ACTIONS:
            return self._options.locate_symbol(edit, change.path, change.old or b"", text, new)
        old = None if edit.old_text is None else _without_bom(edit.old_text, decoded)
        return Replacement(new, old, edit.start_line, edit.end_line, edit.replace_all, edit.whole_lines, edit.pattern)


def _miscounted(edits: Sequence[Edit], counts: Counter[int]) -> RefusedEdits:
    """Return the edits that would change another number of sites than expected."""
    refused: RefusedEdits = []
    for number, edit in enumerate(edits):
        expected, found = edit.expected_count, counts[number]
        if edit.pattern is not None and not found and expected != 0:
            where = display(edit.path) if not edit.files else f"{len(edit.files)} files"
            message = f"the pattern {edit.pattern.quoted} matches nothing in {where}"
            refused.append((number, CodePlaneError(ErrorCode.EDIT_NOT_FOUND, message)))
        elif expected is not None and found != expected:
            error = CodePlaneError(
                ErrorCode.EDIT_COUNT_MISMATCH,
                f"{found} places would be changed, but expected_count is {expected}",
                details={"found": found},
                expected=str(expected),
                received=str(found),
                remedy=f"Send expected_count={found} if all of them are meant; dry_run shows them.",
            )
            refused.append((number, error))
    return refused


def _is_unchanged(change: FileChange) -> bool:
    """True if nothing changes. A file that was moved here is a change, whatever its content."""
    return change.old == change.new and change.moved_from is None


def _merge(planned: dict[RepoPath, FileChange], change: FileChange, number: int) -> None:
    """Add a change; a file that leaves a path and one that arrives there become one change."""
    known = planned.get(change.path)
    if known is None:
        planned[change.path] = change
    elif known.old is not None and known.new is None and change.old is None:
        planned[change.path] = replace(change, old=known.old, moved_to=known.moved_to, linked=known.linked)
    elif known.old is None and change.old is not None and change.new is None:
        planned[change.path] = replace(known, old=change.old, moved_to=change.moved_to, linked=change.linked)
    else:
        message = f"two edits write the same path '{display(change.path)}'"
        raise at_edit(number, CodePlaneError(ErrorCode.ARGUMENT_INVALID, message))


def _create(edit: Edit) -> FileChange:
    try:
        data = (edit.content or "").encode("utf-8")
    except UnicodeEncodeError:
        raise CodePlaneError(
            ErrorCode.EDIT_UNENCODABLE,
            f"the content of '{display(edit.path)}' contains a lone surrogate and cannot be encoded as UTF-8",
            expected="text that UTF-8 can encode",
        ) from None
    require_size(edit.path, data)
    found = texts.decode(data)
    ending = found.line_ending if found is not None else None
    return FileChange(edit.path, None, data, executable=edit.executable, line_ending=ending)


def _contradiction(path: RepoPath, group: NumberedEdits) -> CodePlaneError:
    actions = ", ".join(edit.action for _, edit in group)
    error = CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"two edits of '{display(path)}' contradict each other: {actions}",
        expected="one create, one delete, or any number of updates and at most one move",
    )
    return at_edit(group[1][0], error)


def _not_text(path: RepoPath, reason: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.NOT_TEXT,
        f"'{display(path)}' is not editable text: {reason}",
        received=display(path),
        remedy="To replace it with text, delete it and create it again.",
    )


def _without_bom(text: str, file: texts.DecodedText) -> str:
    """Remove the byte order mark, which the file keeps in any case."""
    return text.removeprefix("\ufeff") if file.bom else text
