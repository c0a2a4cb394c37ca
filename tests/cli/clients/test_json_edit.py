"""Set or remove one member of a JSON text; every other byte is preserved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.cli.clients.json_edit import read, remove_member, set_member
from codeplane.cli.clients.syntax import SyntaxProblem

ENTRY = {"type": "stdio", "command": "cpl", "args": ["mcp"]}
NAMES = st.sampled_from(["a", "b", "mcpServers", "other", "é", 'q"', "codeplane2", ""])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**20), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
DOCUMENTS = st.dictionaries(
    NAMES,
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)),
    max_size=4,
)
BLANKS = st.sampled_from(
    ["", "", "", " ", "\n", "\n  ", "\n\t", "\n\n    ", " // c }{,\n", "/* x, */", " /* a\n b */ ", "\t"]
)


@st.composite
def spelled(draw: st.DrawFn, document: Any, newline: str) -> str:
    """A document as someone may have written it: comments, blanks and trailing commas anywhere."""

    def write(value: Any) -> str:
        if isinstance(value, dict):
            parts = [
                f"{blank()}{json.dumps(key)}{blank()}:{blank()}{write(item)}{blank()}" for key, item in value.items()
            ]
            return "{" + ",".join(parts) + trail(parts) + blank() + "}"
        if isinstance(value, list):
            parts = [f"{blank()}{write(item)}{blank()}" for item in value]
            return "[" + ",".join(parts) + trail(parts) + blank() + "]"
        ascii_only: bool = draw(st.booleans())
        return json.dumps(value, ensure_ascii=ascii_only)

    def blank() -> str:
        return draw(BLANKS).replace("\n", newline)

    def trail(parts: list[str]) -> str:
        return "," if draw(st.booleans()) and parts else ""

    return blank() + write(document) + blank()


@st.composite
def texts(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    document = draw(DOCUMENTS)
    if draw(st.booleans()):
        document["mcpServers"] = draw(st.dictionaries(NAMES, st.fixed_dictionaries({"command": SCALARS}), max_size=2))
    style = draw(st.sampled_from(["spelled", "indent", "compact"]))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    if style == "spelled":
        return document, draw(spelled(document, newline))
    indents: list[int | str] = [2, 4, "\t"]
    indent = draw(st.sampled_from(indents)) if style == "indent" else None
    return document, json.dumps(document, indent=indent).replace("\n", newline)


def is_subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(char in rest for char in short)


@settings(max_examples=150)
@given(texts())
def test_set_then_remove_restores_the_text(made: tuple[dict[str, Any], str]) -> None:
    document, text = made
    assert read(text) == document
    servers = document.get("mcpServers", {})
    if not isinstance(servers, dict):
        with pytest.raises(SyntaxProblem):
            set_member(text, ["mcpServers"], "codeplane", ENTRY)
        return
    edited, created = set_member(text, ["mcpServers"], "codeplane", ENTRY)
    assert read(edited) == {**document, "mcpServers": {**servers, "codeplane": ENTRY}}
    assert created == ("mcpServers" not in document)
    # Nothing was taken away or moved: what is new is one piece, and at most a comma before it.
    assert is_subsequence(text, edited)
    assert remove_member(edited, ["mcpServers"], "codeplane", created) == text
    if created:
        assert read(remove_member(edited, ["mcpServers"], "codeplane")) == {**document, "mcpServers": {}}


@settings(max_examples=150)
@given(texts(), st.data())
def test_single_member_is_removed_or_changed(made: tuple[dict[str, Any], str], data: st.DataObject) -> None:
    document, text = made
    if not document:
        return
    key = data.draw(st.sampled_from(sorted(document)))
    removed = remove_member(text, [], key)
    assert read(removed) == {name: value for name, value in document.items() if name != key}
    assert is_subsequence(removed, text)
    changed, created = set_member(text, [], key, ["new"])
    assert read(changed) == {**document, key: ["new"]}
    assert created == 0


@settings(max_examples=150)
@given(st.text(alphabet='{}[]:,"\\/*\n\r ab1.-e', max_size=30))
def test_invalid_json_is_rejected_with_a_position(text: str) -> None:
    try:
        value = read(text)
    except SyntaxProblem as problem:
        assert 1 <= problem.line <= text.count("\n") + 1
        assert problem.column >= 1
    else:
        assert isinstance(value, dict)


@settings(max_examples=150)
@given(st.text(alphabet='{}[]:,"ab1.-e+0 ', max_size=14))
def test_parser_agrees_with_json(text: str) -> None:
    """Without comments and trailing commas it is JSON, no more and no less."""
    try:
        expected = json.loads(text, parse_constant=lambda _: pytest.fail("not in the alphabet"))
    except ValueError:
        expected = None
    if isinstance(expected, dict):
        assert read(text) == expected
    elif not any(mark in text for mark in (",}", ",]", ", }", ", ]")) and text.strip():
        with pytest.raises(SyntaxProblem):
            read(text)


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected ',' or '}'"),
        ('{"a": }', 1, 7, "expected a value"),
        ("{'a': 1}", 1, 2, "expected a key in double quotes, or '}'"),
        ('{"a": 1', 1, 8, "the text ends where ',' or '}' should be"),
        ('{"a": 1} x', 1, 10, "there is more after the end of the value"),
        ("[1]", 1, 1, "expected an object"),
        ("{\n/* open", 2, 1, "a comment that does not end"),
        ('{"a": 01}', 1, 7, "expected a value"),
        ('{"a": NaN}', 1, 7, "expected a value"),
        ('{"a": "x\ny"}', 1, 7, "expected a value"),
        ("{" + '"a":{' * 200, 1, 506, "nested deeper than 100 levels"),
    ],
)
def test_syntax_error_has_a_position(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        read(text)
    assert (caught.value.line, caught.value.column, caught.value.reason) == (line, column, reason)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '{\n  "s": {\n    "x": 1\n  }\n}\n'),
        ("{}", '{\n  "s": {\n    "x": 1\n  }\n}'),
        ('{"s":{}}', '{"s":{"x": 1}}'),
        ('{"s": {"y": 2}}', '{"s": {"y": 2, "x": 1}}'),
        ('{\n\t"s": {}\n}', '{\n\t"s": {\n\t\t"x": 1\n\t}\n}'),
        ('{\n    "a": 1 // one\n}\n', '{\n    "a": 1, // one\n    "s": {\n        "x": 1\n    }\n}\n'),
        ('{\n  "s": {\n    "y": 2,\n  },\n}', '{\n  "s": {\n    "y": 2,\n    "x": 1,\n  },\n}'),
        ('{\n  "s": {\n    // none yet\n  }\n}', '{\n  "s": {\n    // none yet\n\n    "x": 1\n  }\n}'),
        ("// mine\n", '// mine\n{\n  "s": {\n    "x": 1\n  }\n}\n'),
        ('{"s": {"y": 1}, "s": {"z": 1}}', '{"s": {"y": 1}, "s": {"z": 1, "x": 1}}'),
    ],
)
def test_inserted_text_follows_the_surrounding_style(text: str, expected: str) -> None:
    assert set_member(text, ["s"], "x", 1)[0] == expected


def test_all_duplicate_entries_are_removed() -> None:
    assert remove_member('{"s": {"x": 1, "y": 2, "x": 3}}', ["s"], "x") == '{"s": {"y": 2}}'


def test_created_object_with_new_members_is_not_removed() -> None:
    edited, made = set_member("{}", ["s"], "x", 1)
    assert made == 1
    for added in (' "z": 2,', " // a word"):
        used = edited.replace('"s": {', '"s": {' + added)
        assert read(remove_member(used, ["s"], "x", made))["s"] == ({"z": 2} if "z" in added else {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{\n  "x": 1, // about x\n  "y": 2\n}', '{ // about x\n  "y": 2\n}'),
        ('{\n  // above\n  "x": 1 /* beside */,\n  "y": 2\n}', '{\n  // above /* beside */\n  "y": 2\n}'),
        ('{"x": 1, "y": 2}', '{"y": 2}'),
        ('{"y": 2, "x": 1}', '{"y": 2}'),
        ('{\n  "y": 2, // two\n  "x": 1}', '{\n  "y": 2 // two\n  }'),
        ('{ "x": 1, }', "{ }"),
    ],
)
def test_comments_are_kept(text: str, expected: str) -> None:
    assert remove_member(text, [], "x") == expected
