"""Symbol edits: lines, indentation, comments, blank lines."""

from __future__ import annotations

import pytest

from codeplane.base.digests import digest_bytes
from codeplane.base.paths import RepoPath
from codeplane.disk.encoding import find_line_ending
from codeplane.edits.splice import edit_text
from codeplane.operations.write_source.symbol_edits import SymbolSite, symbol_replacement


def edited(text: str, action: str, new: str, first: int, last: int, language: str = "python") -> str:
    data = text.encode()
    site = SymbolSite(RepoPath("a"), digest_bytes(data), "f", first, last, language)
    edit = symbol_replacement(action, new, text.replace("\r\n", "\n").split("\n"), site)
    return edit_text(text, [edit], find_line_ending(data)).text


CLASS = """\
class A:
    x = 1

    # About f.
    @deco
    def f(self):
        return 1

    def g(self):
        return 2


def h():
    pass
"""


@pytest.mark.parametrize(
    ("action", "lines", "new", "old", "result"),
    [
        pytest.param(
            "replace_symbol",
            (5, 7),
            "def f(self):\n    return 3\n",
            "    @deco\n    def f(self):\n        return 1\n",
            "    def f(self):\n        return 3\n",
            id="replaced with its decorators, and the comment stays",
        ),
        pytest.param(
            "replace_symbol",
            (5, 7),
            "    # New.\n    def f(self):\n        return 3\n",
            "    # About f.\n    @deco\n    def f(self):\n        return 1\n",
            "    # New.\n    def f(self):\n        return 3\n",
            id="a text that starts with a comment replaces the comment",
        ),
        pytest.param(
            "replace_symbol",
            (13, 14),
            "\n\ndef h(): ...\n\n",
            "def h():\n    pass\n",
            "def h(): ...\n",
            id="outer blanks",
        ),
        pytest.param(
            "insert_before",
            (5, 7),
            "def e(self):\n    return 0",
            "    # About f.\n",
            "    def e(self):\n        return 0\n\n    # About f.\n",
            id="inserted before the comment",
        ),
        pytest.param(
            "insert_after",
            (5, 7),
            "def e(self):\n    return 0\n",
            "        return 1\n\n",
            "        return 1\n\n    def e(self):\n        return 0\n\n",
            id="inserted after a method",
        ),
        pytest.param(
            "insert_after",
            (9, 10),
            "def e(self):\n    return 0\n",
            "        return 2\n",
            "        return 2\n\n    def e(self):\n        return 0\n",
            id="after the last method: one blank line, as before it",
        ),
        pytest.param(
            "insert_after",
            (13, 14),
            "def i():\n    pass\n",
            "    pass\n",
            "    pass\n\n\ndef i():\n    pass\n",
            id="at the end of the file: two blank lines, as before it",
        ),
        pytest.param(
            "insert_before", (13, 14), "K = 1\n", "def h():\n", "K = 1\n\n\ndef h():\n", id="before a function"
        ),
        pytest.param("insert_after", (2, 2), "y = 2", "    x = 1\n", "    x = 1\n\n    y = 2\n", id="after a field"),
    ],
)
def test_symbol_edit(action: str, lines: tuple[int, int], new: str, old: str, result: str) -> None:
    assert edited(CLASS, action, new, *lines) == CLASS.replace(old, result, 1)


@pytest.mark.parametrize(
    ("text", "action", "lines", "new", "language", "result"),
    [
        pytest.param(
            "A = 1\nB = 2\n", "insert_after", (1, 1), "C = 3\n", "python", "A = 1\nC = 3\nB = 2\n", id="constants"
        ),
        pytest.param(
            "A = 1\nB = 2\n", "insert_after", (2, 2), "C = 3\n", "python", "A = 1\nB = 2\nC = 3\n", id="last constant"
        ),
        pytest.param("A = 1", "insert_after", (1, 1), "C = 3\n", "python", "A = 1\nC = 3", id="no final newline"),
        pytest.param(
            "def f():\n    pass\n",
            "insert_before",
            (1, 2),
            "import os",
            "python",
            "import os\n\ndef f():\n    pass\n",
            id="only symbol",
        ),
        pytest.param(
            "var x int\n\n// F does.\nfunc F() {\n\treturn\n}\n",
            "insert_after",
            (4, 6),
            "func G() {\n    if x {\n        y()\n    }\n}\n",
            "go",
            "var x int\n\n// F does.\nfunc F() {\n\treturn\n}\n\nfunc G() {\n\tif x {\n\t\ty()\n\t}\n}\n",
            id="spaces become the tabs of the file",
        ),
        pytest.param(
            "class A {\n  m() {\n  }\n}\n",
            "insert_after",
            (2, 3),
            "n() {\n\tx();\n}",
            "typescript",
            "class A {\n  m() {\n  }\n\n  n() {\n    x();\n  }\n}\n",
            id="tabs become the spaces of the file",
        ),
        pytest.param(
            "class A {\r\n  m() {\r\n  }\r\n}\r\n",
            "insert_before",
            (2, 3),
            "n() {\n}",
            "typescript",
            "class A {\r\n  n() {\r\n  }\r\n\r\n  m() {\r\n  }\r\n}\r\n",
            id="CRLF",
        ),
        pytest.param(
            "/** Doc. */\nfunction f() {}\n",
            "replace_symbol",
            (2, 2),
            "/** New. */\nfunction f() { return 1; }",
            "typescript",
            "/** New. */\nfunction f() { return 1; }\n",
            id="doc comment",
        ),
        pytest.param(
            "/*\n Doc\n*/\nint f() {}\n",
            "replace_symbol",
            (4, 4),
            "int f() { return 1; }",
            "c",
            "/*\n Doc\n*/\nint f() { return 1; }\n",
            id="a comment stays if the new text has none",
        ),
        pytest.param(
            "#!/usr/bin/env python\n# About f.\ndef f():\n    pass\n",
            "insert_before",
            (3, 4),
            "X = 1",
            "python",
            "#!/usr/bin/env python\nX = 1\n# About f.\ndef f():\n    pass\n",
            id="a shebang stays first",
        ),
        pytest.param(
            "A = 1\nB = 2\n",
            "insert_before",
            (2, 2),
            "C = 3\n\n\n",
            "python",
            "A = 1\nC = 3\n\n\nB = 2\n",
            id="own gap",
        ),
    ],
)
def test_symbol_edit_in_other_texts(
    text: str, action: str, lines: tuple[int, int], new: str, language: str, result: str
) -> None:
    assert edited(text, action, new, *lines, language) == result
