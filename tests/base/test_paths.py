from __future__ import annotations

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.base.paths import basename, is_inside, normalize, parent, subtree_range


@pytest.mark.parametrize(
    ("path", "directory", "name"), [("a/b/c.py", "a/b", "c.py"), ("c.py", "", "c.py"), ("", "", "")]
)
def test_parent_and_basename_split_at_the_last_slash(path: str, directory: str, name: str) -> None:
    assert (parent(path), basename(path)) == (directory, name)


def test_subtree_range_contains_exactly_the_paths_under_a_directory() -> None:
    paths = ["src", "src-old/a", "src.py", "src/a", "src/a/b", "src/\U0010ffff", "src0", "src0/a", "srcs/a"]
    low, high = subtree_range("src")
    selected = [path for path in sorted(paths) if low < path < high]
    assert selected == ["src/a", "src/a/b", "src/\U0010ffff"]
    assert selected == [path for path in paths if is_inside(path, "src") and path != "src"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("/etc/passwd", ErrorCode.PATH_ESCAPE),
        ("a/../../b", ErrorCode.PATH_ESCAPE),
        ("~/a", ErrorCode.PATH_ESCAPE),
        ("C:/a", ErrorCode.PATH_ESCAPE),
        ("a\0b", ErrorCode.PATH_INVALID),
        ("a" * 256, ErrorCode.PATH_INVALID),
        ("a/" * 2100, ErrorCode.PATH_INVALID),
    ],
)
def test_paths_outside_the_repository_and_overlong_paths_are_rejected(raw: str, code: ErrorCode) -> None:
    with pytest.raises(CodePlaneError) as caught:
        normalize(raw)
    assert caught.value.code is code


def test_separators_and_dot_segments_are_normalized() -> None:
    assert normalize("./a//b\\c/") == "a/b/c"
    assert normalize(".") == ""
