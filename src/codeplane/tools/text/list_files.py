"""Text form of list_files: a directory heads its entries. Files have their number of lines, directories their number of
files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from codeplane.base.envelope import Answer
from codeplane.base.paths import display
from codeplane.base.text_lines import TextLine, entry, heading, note, plural, text
from codeplane.tools.arguments import Arguments
from codeplane.tools.text.common import call_text

_TOLD_ROLES = frozenset({"generated", "vendored"})
"""Roles that are printed; tests and docs are recognized by their names."""
_BYTES = 1_000


def render_list_files(arguments: Arguments, answer: Answer) -> list[TextLine]:
    result: Mapping[str, Any] = answer.result
    entries: Mapping[str, Mapping[str, Any]] = result["entries"]
    lines = list(_folder_lines(entries, result.get("roles", {}), result["file_count"]))
    if not entries:
        lines.append(text("no files" if answer.message is None else "no indexed files here"))
    return [*lines, *_left_lines(answer, result)]


def _folder_lines(
    entries: Mapping[str, Mapping[str, Any]], roles: Mapping[str, str], file_count: int
) -> Iterator[TextLine]:
    for folder, rows in entries.items():
        place = folder.removeprefix("./")
        role = roles.get(folder, "")
        if len(rows) == 1 and len(entries) > 1 and role not in _TOLD_ROLES:
            ((name, value),) = rows.items()
            yield _entry(place + name, place + name, value)
            continue
        words = [plural(file_count, "file")] if len(entries) == 1 else []
        words += [role] if role in _TOLD_ROLES else []
        yield heading(folder, ", ".join(words))
        for name, value in rows.items():
            yield _entry(place + name, name, value)


def _entry(path: str, shown: str, value: object) -> TextLine:
    return entry(path, f"{display(shown)} {_amount(value)}".rstrip())


def _amount(value: object) -> str:
    if not isinstance(value, Mapping):
        return str(value)
    words = [str(value["lines"])] if "lines" in value else []
    for name, note_ in value.items():
        if name == "bytes":
            words.append(_size(int(note_)))
        elif name == "ignored":
            words.append(f"ignored by {note_}" if ":" in str(note_) else f"ignored ({note_})")
        elif name != "lines" and (name != "role" or note_ in _TOLD_ROLES):
            words.append(str(note_))
    return display(" ".join(words))


def _size(count: int) -> str:
    return f"{count} B" if count < _BYTES else f"{count // _BYTES:,} KB"


def _left_lines(answer: Answer, result: Mapping[str, Any]) -> Iterator[TextLine]:
    left = result.get("left_out", 0)
    if left:
        cursor = result.get("pagination", {}).get("next_cursor")
        yield note(f"more: {plural(left, 'entry', 'entries')}" + (f" (list_files cursor={cursor})" if cursor else ""))
    if result.get("not_listed"):
        yield note(f"not listed: {plural(result['not_listed'], 'entry', 'entries')}; list a sub-directory")
    if result.get("secrets"):
        yield note(f"{plural(result['secrets'], 'file')} with secrets not named")
    if result.get("incomplete"):
        yield note("incomplete: too many entries to look at; list a sub-directory")
    ignored = answer.hints.get("ignored")
    if isinstance(ignored, Mapping):
        yield note(f"hint: {call_text(ignored)}")
