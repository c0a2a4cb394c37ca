"""What differs between two states of a file, counted and told without looking at more than needed."""

from __future__ import annotations

import pytest

from codeplane.base.paths import RepoPath
from codeplane.operations.editing.diffing import blocks_of, compare, count, lines_of
from codeplane.operations.editing.model import FileChange

_STATES = (None, b"", b"a", b"a\n", b"a\nb", b"a\nb\n", b"\n", "\ufeffa\n".encode(), "a\nb".encode("utf-16"))


@pytest.mark.parametrize("old", _STATES)
@pytest.mark.parametrize("new", _STATES)
def test_lines_are_counted_as_if_they_were_compared(old: bytes | None, new: bytes | None) -> None:
    before, after = lines_of(old), lines_of(new)
    assert before is not None and after is not None
    blocks = blocks_of(FileChange(RepoPath("a"), old, new))
    assert count(blocks) == count([] if old == new else compare(before, after))


@pytest.mark.parametrize(("old", "new"), [(None, bytes(range(256))), (bytes(range(256)), b""), (b"\0", b"a\n")])
def test_what_is_no_text_has_no_lines(old: bytes | None, new: bytes | None) -> None:
    assert blocks_of(FileChange(RepoPath("a"), old, new)) is None
