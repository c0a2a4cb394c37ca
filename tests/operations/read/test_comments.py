"""The comment above a symbol: all of it, and nothing else."""

from __future__ import annotations

import pytest

from codeplane.operations.read.comments import MAX_LINES, comment_above

CASES = [
    ("c", "#endif\nint f(void);", ""),
    ("cpp", "#include <a>\n// one\nint f(void);", "// one\n"),
    ("csharp", "#region A\nint F();", ""),
    ("c", "x;\n/* Says what\n   it does. */\nint f(void);", "/* Says what\n   it does. */\n"),
    ("c", "int a; /* b */\nint f(void);", ""),
    ("java", "}\n\n/**\n * Runs.\n */\nvoid run()", "/**\n * Runs.\n */\n"),
    ("python", "x = 1\n# one\n# two\ndef f():", "# one\n# two\n"),
    ("rust", "/// One.\n#[inline]\nfn f()", "/// One.\n#[inline]\n"),
    ("haskell", "-- | One.\nf = 1", "-- | One.\n"),
    ("c", "it never opens */\nint f(void);", ""),
    (None, "# one\nf", "# one\n"),
]


def above(text: str, language: str | None) -> tuple[str, int]:
    lines = text.splitlines(keepends=True)
    return comment_above(lambda line: lines[line - 1], len(lines), language)


@pytest.mark.parametrize(("language", "text", "comment"), CASES)
def test_leading_comment(language: str | None, text: str, comment: str) -> None:
    assert above(text, language) == (comment, 0)


def test_long_comment_is_truncated_at_the_end() -> None:
    comment, left = above("".join(f"/// {n}\n" for n in range(60)) + "fn f()", "rust")
    assert comment.startswith("/// 0\n") and comment.count("\n") == MAX_LINES and left == 20
