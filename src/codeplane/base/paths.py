"""Repository paths: normalization, parts and ranges.

A RepoPath is a POSIX path relative to the repository root, without empty, `.` or `..` segments; the root itself is the
empty string. Bytes of a file name that are not UTF-8 are surrogate escapes, as in `os.fsdecode`, so every name that can
exist on disk has exactly one RepoPath.
"""

from __future__ import annotations

from typing import NewType

from codeplane.base.errors import CodePlaneError, ErrorCode

RepoPath = NewType("RepoPath", str)

ROOT = RepoPath("")
MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255


def normalize(raw: str) -> RepoPath:
    """Return `raw` as a RepoPath, or raise PATH_INVALID or PATH_ESCAPE."""
    if "\x00" in raw:
        raise _invalid(raw, "a path without NUL characters")
    text = raw.replace("\\", "/")
    if text.startswith("/") or text[1:2] == ":" or text.startswith("~"):
        raise CodePlaneError(
            ErrorCode.PATH_ESCAPE,
            f"'{display(raw)}' is not relative to the repository",
            expected="a path relative to the repository root",
            received=display(raw),
            example="src/app.py",
        )
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise CodePlaneError(
            ErrorCode.PATH_ESCAPE,
            f"'{display(raw)}' contains '..'",
            expected="a path without '..'",
            received=display(raw),
            example="src/app.py",
        )
    if any(len(part.encode("utf-8", "surrogateescape")) > MAX_NAME_BYTES for part in parts):
        raise _invalid(raw, f"names of at most {MAX_NAME_BYTES} bytes")
    path = "/".join(parts)
    if len(path.encode("utf-8", "surrogateescape")) > MAX_PATH_BYTES:
        raise _invalid(raw, f"a path of at most {MAX_PATH_BYTES} bytes")
    return RepoPath(path)


def is_inside(path: str, directory: str) -> bool:
    """True if `path` is `directory` or under it, compared by segments."""
    return directory == "" or path == directory or path.startswith(directory + "/")


def join(directory: str, name: str) -> RepoPath:
    return RepoPath(f"{directory}/{name}" if directory else name)


def parent(path: str) -> RepoPath:
    return RepoPath(path.rpartition("/")[0])


def basename(path: str) -> str:
    """Return the last segment of a path."""
    return path.rpartition("/")[2]


def subtree_range(directory: str) -> tuple[str, str]:
    """Return exclusive bounds of all paths under `directory` in code point order, for a range scan.

    The upper bound ends in `0`, the character after `/`. The root has no such range.
    """
    return f"{directory}/", f"{directory}0"


def display(text: str) -> str:
    """Return `text` with control, invisible and undecodable characters escaped, safe to print."""
    if text.isascii() and text.isprintable():
        return text
    shown = (char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)
    return "".join(shown)


def _invalid(raw: str, expected: str) -> CodePlaneError:
    shown = display(raw[:80])
    return CodePlaneError(
        ErrorCode.PATH_INVALID,
        f"'{shown}' is not a valid path",
        expected=expected,
        received=shown,
        example="src/app.py",
    )
