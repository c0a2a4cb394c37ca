"""Line counts of diffs."""

from __future__ import annotations

import pytest

from codeplane.edits.diff import count_changes, diff_blocks, diff_lines, split_lines

_STATES = (None, b"", b"a", b"a\n", b"a\nb", b"a\nb\n", b"\n", "\ufeffa\n".encode(), "a\nb".encode("utf-16"))


@pytest.mark.parametrize("old", _STATES)
@pytest.mark.parametrize("new", _STATES)
def test_counts_equal_those_of_a_full_comparison(old: bytes | None, new: bytes | None) -> None:
    before, after = split_lines(old), split_lines(new)
    assert before is not None and after is not None
    blocks = diff_blocks(old, new)
    assert count_changes(blocks) == count_changes([] if old == new else diff_lines(before, after))


@pytest.mark.parametrize(("old", "new"), [(None, bytes(range(256))), (bytes(range(256)), b""), (b"\0", b"a\n")])
def test_binary_files_have_no_blocks(old: bytes | None, new: bytes | None) -> None:
    assert diff_blocks(old, new) is None
