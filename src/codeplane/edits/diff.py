"""Line diffs of two texts: changed ranges, counts, and the unified format. Pure.

Texts of ordinary size are aligned exactly; beyond a limit, everything between the first and the last difference is
one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from codeplane.disk import encoding as texts

CONTEXT = 3
_MAX_CELLS = 4_000_000
"""Maximum of old lines times new lines that are aligned at all."""
_EXACT_CELLS = 40_000
"""Beyond this, very frequent lines are not used for alignment (difflib's autojunk): it would take minutes."""


class DiffBlock(NamedTuple):
    """Differing lines as half-open ranges from 0, in the old and in the new text."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def split_lines(data: bytes | None) -> list[str] | None:
    """Return the lines of a file with their endings; None for a binary file."""
    if not data:
        return []
    found = texts.decode(data)
    return None if found is None else _split(found.data)


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[DiffBlock]:
    head = _common_prefix(old, new)
    tail = _common_prefix(old[: head - 1 if head else None : -1], new[: head - 1 if head else None : -1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if head == old_end and head == new_end:
        return []
    cells = (old_end - head) * (new_end - head)
    if cells <= 1 or cells > _MAX_CELLS:
        return [DiffBlock(head, old_end, head, new_end)]
    matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=cells > _EXACT_CELLS)
    return [
        DiffBlock(head + i1, head + i2, head + j1, head + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def diff_blocks(old: bytes | None, new: bytes | None) -> list[DiffBlock] | None:
    """Return the differing blocks of two versions of a file; None if one of them is binary."""
    if old == new:
        return []
    if not old or not new:
        old_height, new_height = _height(old), _height(new)
        if old_height is None or new_height is None:
            return None
        return [DiffBlock(0, old_height, 0, new_height)] if old_height or new_height else []
    old_lines, new_lines = split_lines(old), split_lines(new)
    return None if old_lines is None or new_lines is None else diff_lines(old_lines, new_lines)


def count_changes(blocks: Sequence[DiffBlock] | None) -> tuple[int, int]:
    """Return the numbers of inserted and deleted lines."""
    if blocks is None:
        return 0, 0
    inserted = sum(block.new_end - block.new_start for block in blocks)
    return inserted, sum(block.old_end - block.old_start for block in blocks)


def unified_diff(
    old_path: str, old: bytes | None, new_path: str, new: bytes | None, *, executable: bool = False
) -> Iterator[str]:
    """Yield the diff of one file line by line, in the format of git; different paths are a rename."""
    old_name, new_name = _quote(f"a/{old_path}"), _quote(f"b/{new_path}")
    yield f"diff --git {old_name} {new_name}\n"
    if old_path != new_path:
        yield f"rename from {_quote(old_path)}\nrename to {_quote(new_path)}\n"
    elif old is None:
        yield f"new file mode {'100755' if executable else '100644'}\n"
    elif new is None:
        yield "deleted file mode 100644\n"
    old_lines, new_lines = split_lines(old), split_lines(new)
    if old_lines is None or new_lines is None:
        if old != new:
            yield f"Binary files {old_name} and {new_name} differ\n"
        return
    for number, hunk in enumerate(_hunks(diff_lines(old_lines, new_lines))):
        if not number:
            yield f"--- {'/dev/null' if old is None else old_name}\n"
            yield f"+++ {'/dev/null' if new is None else new_name}\n"
        yield from _format_hunk(hunk, old_lines, new_lines)


def _height(data: bytes | None) -> int | None:
    """Return the number of lines without splitting; None for a binary file."""
    if not data:
        return 0
    found = texts.decode(data)
    return None if found is None else found.data.count(b"\n") + (not found.data.endswith(b"\n"))


def _quote(name: str) -> str:
    """Return a name as git writes it: quoted, with octal escapes, if it has special characters."""
    if name.isprintable() and '"' not in name and "\\" not in name:
        return name
    plain = set(range(0x20, 0x7F)) - set(b'"\\')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in name.encode("utf-8", "surrogateescape")) + '"'


def _format_hunk(hunk: list[DiffBlock], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    first, last = hunk[0], hunk[-1]
    before = min(CONTEXT, first.old_start)
    after = min(CONTEXT, len(old) - last.old_end)
    old_start, new_start = first.old_start - before, first.new_start - before
    old_count = last.old_end + after - old_start
    new_count = last.new_end + after - new_start
    yield f"@@ -{_range(old_start, old_count)} +{_range(new_start, new_count)} @@\n"
    position = old_start
    for block in hunk:
        yield from _mark(" ", old[position : block.old_start])
        yield from _mark("-", old[block.old_start : block.old_end])
        yield from _mark("+", new[block.new_start : block.new_end])
        position = block.old_end
    yield from _mark(" ", old[position : position + after])


def _hunks(blocks: Sequence[DiffBlock]) -> Iterator[list[DiffBlock]]:
    hunk: list[DiffBlock] = []
    for block in blocks:
        if hunk and block.old_start - hunk[-1].old_end > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _range(start: int, length: int) -> str:
    # An empty range has the number of the line before it.
    return f"{start + 1},{length}" if length != 1 and length else f"{start + 1}" if length else f"{start},0"


def _mark(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal lines at the start, by bisection: slices compare much faster than single lines."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _split(data: bytes) -> list[str]:
    # Lines end at LF alone, as everywhere in CodePlane.
    parts = data.decode("utf-8").split("\n")
    lines = [f"{part}\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines
