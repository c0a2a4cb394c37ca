"""What changed between two texts, by lines: counted, and shown as a unified diff. Pure.

The exact alignment is looked for in texts of ordinary size; beyond, what lies between the
first and the last difference counts as one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from codeplane.disk import encoding as texts
from codeplane.operations.editing.model import FileChange

CONTEXT = 3
_MAX_CELLS = 4_000_000
"""Lines before times lines after, of what is aligned at all."""
_EXACT_CELLS = 40_000
"""Beyond, lines that are everywhere align nothing: with them it would take minutes."""


class Block(NamedTuple):
    """Lines that differ, from 0 and without the last, in the text before and in the text after."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def lines_of(data: bytes | None) -> list[str] | None:
    """The lines of a file with their ends; None for what is no text."""
    if not data:
        return []
    found = texts.decode(data)
    return None if found is None else _split(found.data)


def compare(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    head = _common(old, new)
    tail = _common(old[: head - 1 if head else None : -1], new[: head - 1 if head else None : -1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if head == old_end and head == new_end:
        return []
    cells = (old_end - head) * (new_end - head)
    if cells <= 1 or cells > _MAX_CELLS:
        return [Block(head, old_end, head, new_end)]
    matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=cells > _EXACT_CELLS)
    return [
        Block(head + i1, head + i2, head + j1, head + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def blocks_of(change: FileChange) -> list[Block] | None:
    """What differs in one file; None where one side is no text."""
    if change.old == change.new:
        return []
    if not change.old or not change.new:
        old_height, new_height = _height(change.old), _height(change.new)
        if old_height is None or new_height is None:
            return None
        return [Block(0, old_height, 0, new_height)] if old_height or new_height else []
    old, new = lines_of(change.old), lines_of(change.new)
    return None if old is None or new is None else compare(old, new)


def _height(data: bytes | None) -> int | None:
    """How many lines a file has, without making any; None for what is no text."""
    if not data:
        return 0
    found = texts.decode(data)
    return None if found is None else found.data.count(b"\n") + (not found.data.endswith(b"\n"))


def count(blocks: Sequence[Block] | None) -> tuple[int, int]:
    """Lines that came and lines that went."""
    if blocks is None:
        return 0, 0
    inserted = sum(block.new_end - block.new_start for block in blocks)
    return inserted, sum(block.old_end - block.old_start for block in blocks)


def unified(change: FileChange, source: FileChange | None = None) -> Iterator[str]:
    """The diff of one file, or of what it was moved from, line by line, as git reads and writes it."""
    before = change if source is None else source
    old_name, new_name = _quoted(f"a/{before.path}"), _quoted(f"b/{change.path}")
    yield f"diff --git {old_name} {new_name}\n"
    if source is not None:
        yield f"rename from {_quoted(before.path)}\nrename to {_quoted(change.path)}\n"
    elif change.old is None:
        yield f"new file mode {'100755' if change.executable else '100644'}\n"
    elif change.new is None:
        yield "deleted file mode 100644\n"
    old, new = lines_of(before.old), lines_of(change.new)
    if old is None or new is None:
        if before.old != change.new:
            yield f"Binary files {old_name} and {new_name} differ\n"
        return
    for number, group in enumerate(_grouped(compare(old, new))):
        if not number:
            yield f"--- {'/dev/null' if before.old is None else old_name}\n"
            yield f"+++ {'/dev/null' if change.new is None else new_name}\n"
        yield from _hunk(group, old, new)


def _quoted(name: str) -> str:
    """A name as git writes it: in quotes, and by its bytes, where it is not plain."""
    if name.isprintable() and '"' not in name and "\\" not in name:
        return name
    plain = set(range(0x20, 0x7F)) - set(b'"\\')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in name.encode("utf-8", "surrogateescape")) + '"'


def _hunk(group: list[Block], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    before = min(CONTEXT, first.old_start)
    after = min(CONTEXT, len(old) - last.old_end)
    old_start, new_start = first.old_start - before, first.new_start - before
    old_count = last.old_end + after - old_start
    new_count = last.new_end + after - new_start
    yield f"@@ -{_range(old_start, old_count)} +{_range(new_start, new_count)} @@\n"
    position = old_start
    for block in group:
        yield from _marked(" ", old[position : block.old_start])
        yield from _marked("-", old[block.old_start : block.old_end])
        yield from _marked("+", new[block.new_start : block.new_end])
        position = block.old_end
    yield from _marked(" ", old[position : position + after])


def _grouped(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    group: list[Block] = []
    for block in blocks:
        if group and block.old_start - group[-1].old_end > 2 * CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _range(start: int, length: int) -> str:
    # An empty range is named by the line before it.
    return f"{start + 1},{length}" if length != 1 and length else f"{start + 1}" if length else f"{start},0"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal lines two texts begin, found by halves: slices are compared many times faster than lines."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _split(data: bytes) -> list[str]:
    # At LF alone, as lines are counted everywhere here.
    parts = data.decode("utf-8").split("\n")
    lines = [f"{part}\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines
