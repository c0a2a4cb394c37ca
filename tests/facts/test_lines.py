"""Lines and columns: bulk conversion equals conversion of single offsets."""

from __future__ import annotations

import pytest

from codeplane.facts.lines import Lines


@pytest.mark.parametrize(
    "text",
    ["", "x", "\n", "a\n\nbc\n", "ab\r\ncd", "ä = b\nc = d\n", "plain\nÄß€𝔘 x\n\nplain €\nlast", "\n\n\n€"],
)
def test_bulk_positions_match_single_positions(text: str) -> None:
    source = text.encode()
    starts = [len(text[:at].encode()) for at in range(len(text) + 1)]
    lines, columns = Lines(source).positions(starts)
    assert list(zip(lines, columns, strict=True)) == [Lines(source).position(offset) for offset in starts]
    before = [text[:at] for at in range(len(text) + 1)]
    assert lines == [part.count("\n") + 1 for part in before]
    assert columns == [len(part.rpartition("\n")[2]) for part in before]


def test_lines_without_offsets_are_skipped() -> None:
    assert Lines(b"a\n\n\nb\n\nc").positions([0, 4, 7]) == ([1, 4, 6], [0, 0, 0])
    assert Lines(b"a\nb").positions([]) == ([], [])
