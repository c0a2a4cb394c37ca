"""Convert a unified diff, as diff and git write it, into edits. Pure.

Every hunk becomes an update that expects its lines: a hunk that has moved is found, and one that matches nowhere is
refused. Binary content, copies, and changes of mode or line endings are not supported and refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import display

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}
_DEV_NULL = "/dev/null"
_EXECUTABLE = "100755"
_EMPTY = hashlib.sha256(b"").hexdigest()
_PREFIXES = ("a/", "b/", "i/", "w/", "c/", "o/")


@dataclass
class _Hunk:
    start: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    old_open: bool = False
    """True if the last line of the old file has no line ending."""
    new_open: bool = False


@dataclass
class _File:
    old: str | None = None
    new: str | None = None
    renamed: tuple[str, str] | None = None
    mode: str | None = None
    header: str = ""
    """The rest of the `diff --git` line, the only place that names a file without content."""
    is_created: bool = False
    is_deleted: bool = False
    hunks: list[_Hunk] = field(default_factory=list)


def parse_patch(text: str) -> list[dict[str, Any]]:
    """Return the `write_source` edits of a patch. ARGUMENT_INVALID if it is not a supported patch."""
    files = _parse_files(text)
    edits = [edit for file in files for edit in _edits(file)]
    if not edits:
        raise _patch_error("it changes no file")
    return edits


class _Lines:
    """Cursor over the lines of a patch."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._next = 0

    def peek(self) -> str | None:
        return self._lines[self._next] if self._next < len(self._lines) else None

    def take(self) -> str | None:
        line = self.peek()
        self._next += 1
        return line


def _parse_files(text: str) -> list[_File]:
    files: list[_File] = []
    lines = _Lines(text)
    while (line := lines.take()) is not None:
        current = files[-1] if files else None
        if line.startswith("diff --git "):
            files.append(_File(header=line.removeprefix("diff --git ").rstrip("\r")))
        elif line.startswith("--- "):
            if current is None or current.old is not None or current.new is not None:
                current = _File()
                files.append(current)
            current.old = _path(line[4:])
            following = lines.take() or ""
            if not following.startswith("+++ "):
                raise _patch_error("a '---' line is not followed by a '+++' line")
            current.new = _path(following[4:])
        elif current is not None:
            _read_line(current, line, lines)
    return files


def _read_line(file: _File, line: str, lines: _Lines) -> None:
    if (match := _HUNK.match(line)) is not None:
        if file.old is None and file.new is None:
            raise _patch_error("a hunk comes before the names of its file")
        file.hunks.append(_hunk(match, lines))
    elif line.startswith("rename from "):
        file.renamed = (_unquote(line.removeprefix("rename from ")), "")
    elif line.startswith("rename to ") and file.renamed is not None:
        file.renamed = (file.renamed[0], _unquote(line.removeprefix("rename to ")))
    elif line.startswith("new file mode "):
        file.is_created = True
        file.mode = line.removeprefix("new file mode ").strip()
        if not file.mode.startswith("100"):
            raise _patch_error("a link or a submodule cannot be written as a file")
    elif line.startswith("deleted file mode "):
        file.is_deleted = True
    elif line.startswith("new mode 1"):
        raise _patch_error("it changes the mode of a file, which is not supported")
    elif line.startswith(("copy from ", "GIT binary patch", "Binary files ")):
        raise _patch_error(f"not supported: {' '.join(line.split(' ')[:2])}")


def _hunk(match: re.Match[str], lines: _Lines) -> _Hunk:
    old_left, new_left = int(match[2] or 1), int(match[4] or 1)
    hunk = _Hunk(int(match[1]))
    last = ""
    while old_left > 0 or new_left > 0:
        line = lines.take()
        if line is None:
            raise _patch_error("its last hunk is truncated")
        if line.startswith("\\"):
            _mark_unterminated(hunk, last)
            continue
        # Editors strip the single space of an empty context line.
        last, body = (line[0], line[1:]) if line else (" ", "")
        if last not in " +-":
            raise _patch_error("a line of a hunk starts with neither a space nor + nor -")
        if last in " -":
            hunk.old.append(body)
            old_left -= 1
        if last in " +":
            hunk.new.append(body)
            new_left -= 1
    if old_left or new_left:
        raise _patch_error("a hunk does not have the number of lines in its header")
    if (lines.peek() or "").startswith("\\"):
        lines.take()
        _mark_unterminated(hunk, last)
    return hunk


def _mark_unterminated(hunk: _Hunk, last: str) -> None:
    """Handle the `\\ No newline at end of file` marker."""
    hunk.old_open = hunk.old_open or last in (" ", "-")
    hunk.new_open = hunk.new_open or last in (" ", "+")


def _path(text: str) -> str | None:
    name = _unquote(text.split("\t", 1)[0].rstrip("\r"))
    return None if name == _DEV_NULL else name


def _unquote(name: str) -> str:
    """Unquote a name that git quoted because of special characters."""
    if not (len(name) > 1 and name[0] == name[-1] == '"'):
        return name
    parts = bytearray()
    position = 1
    body = name[:-1]
    for match in _ESCAPED.finditer(body):
        parts += body[position : match.start()].encode("utf-8", "surrogateescape")
        code = match[1]
        parts += bytes([int(code, 8) & 255]) if code.isdigit() else _PLAIN.get(code, code).encode()
        position = match.end()
    parts += body[position:].encode("utf-8", "surrogateescape")
    return parts.decode("utf-8", "surrogateescape")


def _edits(file: _File) -> Iterator[dict[str, Any]]:
    old: str | None
    new: str | None
    if file.renamed is not None:
        old, new = file.renamed
        yield {"path": old, "action": "move", "new_path": new}
    elif file.old is None and file.new is None and (file.is_created or file.is_deleted):
        name = _name_in_header(file.header)
        old, new = (None, name) if file.is_created else (name, None)
    else:
        old, new = _unprefixed(file.old, file.new)
        if old is not None and new is not None and old != new:
            raise _patch_error(f"it names both '{display(old)}' and '{display(new)}', but is not a rename")
    if old is None and new is not None:
        yield _created(file, new)
    elif new is None and old is not None:
        yield {"path": old, "action": "delete", "expected_file_sha256": _digest(file)}
    else:
        for hunk in file.hunks:
            yield _updated(old or "", hunk)


def _unprefixed(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    if all(name is None or name.startswith(_PREFIXES) for name in (old, new)):
        return old and old[2:], new and new[2:]
    return old, new


def _name_in_header(header: str) -> str:
    """Return the name that the `diff --git` line has twice, without its prefixes."""
    middle = len(header) // 2
    old, new = _unprefixed(_unquote(header[:middle]), _unquote(header[middle + 1 :]))
    if not old or old != new or header[middle] != " ":
        raise _patch_error("the name of a file without content is ambiguous")
    return old


def _created(file: _File, path: str) -> dict[str, Any]:
    content = "".join(_text(hunk.new, hunk.new_open) for hunk in file.hunks)
    edit: dict[str, Any] = {"path": path, "action": "create", "content": content}
    return edit | {"executable": True} if file.mode == _EXECUTABLE else edit


def _digest(file: _File) -> str:
    content = "".join(_text(hunk.old, hunk.old_open) for hunk in file.hunks)
    return hashlib.sha256(content.encode("utf-8", "surrogateescape")).hexdigest()


def _updated(path: str, hunk: _Hunk) -> dict[str, Any]:
    ends = {
        line.endswith("\r") for line in (*_terminated(hunk.old, hunk.old_open), *_terminated(hunk.new, hunk.new_open))
    }
    if len(ends) > 1:
        raise _patch_error("a hunk mixes CR LF and LF, but edits keep the line endings of the file")
    if not hunk.old and not hunk.start:
        content = _text(hunk.new, hunk.new_open)
        return {"path": path, "action": "update", "content": content, "expected_file_sha256": _EMPTY}
    if not hunk.old:
        raise _patch_error("a hunk has no context lines")
    edit: dict[str, Any] = {
        "path": path,
        "action": "update",
        "start_line": max(1, hunk.start),
        "old_text": _text(hunk.old, False),
        "new_text": _text(hunk.new, False),
        "whole_lines": True,
    }
    return edit if hunk.old_open == hunk.new_open else edit | {"final_newline": not hunk.new_open}


def _terminated(lines: list[str], is_open: bool) -> list[str]:
    """Return the lines that have a line ending."""
    return lines[:-1] if is_open else lines


def _text(lines: list[str], is_open: bool) -> str:
    text = "".join(f"{line}\n" for line in lines)
    return text.removesuffix("\n") if is_open else text


def _patch_error(reason: str) -> CodePlaneError:
    return CodePlaneError(
        ErrorCode.ARGUMENT_INVALID,
        f"the patch cannot be applied: {reason}",
        expected="a unified diff, as 'git diff' writes it",
    )
