"""Set or remove one table of a TOML text; every other byte is preserved."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeplane.cli.clients.syntax import SyntaxProblem, Unchangeable
from codeplane.cli.clients.toml_edit import read, remove_table, replace_table, set_table

WAY = ("mcp_servers",)
ENTRY = {"command": "cpl", "args": ["mcp"]}

VALUES = st.sampled_from(
    [
        "1",
        '"x # not a comment"',
        "'C:\\dir'",
        '"""\n[mcp_servers.codeplane]\ncommand = "no"\n"""',
        "'''\n[a]\n'''",
        '"""a\\"""b""""',
        "[1, 2]",
        '[\n  "a", # ]\n  "b",\n]',
        "{ x = 1, y = [ { z = 2 } ] }",
        "2024-01-01T00:00:00Z",
        "nan",
        "-1.5e3",
    ]
)
TRIVIA = st.sampled_from(["", "# a comment", "  ", "# [mcp_servers.codeplane]", "\t# x"])
AFTER = st.sampled_from(["", "  ", " # why", "\t"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines: list[str] = []

    def pairs(count: int) -> None:
        for number in range(count):
            lines.extend(draw(st.lists(TRIVIA, max_size=2)))
            key = draw(st.sampled_from([f"k{number}", f'"k {number}"', f"d{number}.e", f" s{number} . 'l'"]))
            lines.append(f"{key} = {draw(VALUES)}{draw(AFTER)}")

    pairs(draw(st.integers(0, 2)))
    headers = [
        "[a]",
        "[a.b]",
        "[[list]]",
        "[[list]]",
        "[mcp_servers.other]",
        '[ mcp_servers . "o p" ]',
        "[mcp_servers.codeplane2]",
    ]
    chosen = [header for header in headers if draw(st.booleans())]
    for header in draw(st.permutations(chosen)):
        lines.append(header + draw(AFTER))
        pairs(draw(st.integers(0, 2)))
    lines.extend(draw(st.lists(TRIVIA, max_size=2)))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def parsed(text: str) -> str:
    """As text, since nan equals nothing."""
    return repr(sorted(tomllib.loads(text).items()))


@settings(max_examples=150)
@given(texts())
def test_set_then_remove_restores_the_text(text: str) -> None:
    before = read(text)
    edited = set_table(text, WAY, "codeplane", ENTRY)
    assert edited.startswith(text)
    servers: Any = before.get("mcp_servers", {})
    assert parsed(edited) == repr(sorted({**before, "mcp_servers": {**servers, "codeplane": ENTRY}}.items()))
    assert remove_table(edited, WAY, "codeplane") == text


@settings(max_examples=100)
@given(texts(), texts(), VALUES)
def test_only_the_lines_of_the_table_are_touched(before: str, after: str, value: str) -> None:
    newline = "\r\n" if "\r\n" in before + after else "\n"
    ours = (
        f"[mcp_servers.codeplane] # ours\ncommand = 'cpl' # why\nargs = [ # many\n  'old',\n]\nextra = {value}\n"
        "[mcp_servers.codeplane.env]\nA = '1'\n"
    )
    middle = before.replace("\r\n", "\n")
    middle += "" if not middle or middle.endswith("\n") else "\n"
    tail = "".join(line for line in after.replace("\r\n", "\n").splitlines(True) if "[" not in line and "=" not in line)
    tail = tail if all(line.strip()[:1] in ("", "#") for line in tail.splitlines()) else ""
    text = (middle + ours + tail).replace("\n", newline)
    changed = set_table(text, WAY, "codeplane", ENTRY)
    assert changed == text.replace(f"[ # many{newline}  'old',{newline}]", '["mcp"]')
    removed = remove_table(text, WAY, "codeplane")
    assert parsed(removed) == parsed(middle)
    blank = middle.endswith("\n\n") or middle == "\n"
    assert removed == ((middle[:-1] if blank else middle) + tail).replace("\n", newline)


@settings(max_examples=100)
@given(st.text(alphabet="[]{}=.\"'#\n\r ab1\\", max_size=25))
def test_invalid_toml_is_rejected_with_a_position(text: str) -> None:
    try:
        read(text)
    except SyntaxProblem as problem:
        assert 1 <= problem.line <= text.count("\n") + 1
        assert problem.column >= 1
    else:
        assert tomllib.loads(set_table(text, WAY, "codeplane", ENTRY))["mcp_servers"]["codeplane"] == ENTRY


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "[mcp_servers]\ncodeplane = { command = 'cpl' }\nz = { command = 'z' }\n",
            "[mcp_servers]\nz = { command = 'z' }\n",
        ),
        ("mcp_servers.codeplane.command = 'cpl'\nmcp_servers.codeplane.args = [\n'mcp']\nx = 1\n", "x = 1\n"),
        ("[mcp_servers.codeplane]\ncommand = 'cpl'\n\n[z]\n[mcp_servers.codeplane.env]\nA = '1'\n", "\n[z]\n"),
        ("[mcp_servers]\n[mcp_servers.codeplane]\ncommand = 'cpl'", "[mcp_servers]"),
        ("a = 1\n\n[mcp_servers.codeplane]\ncommand = 'cpl'\n\n[b]\n", "a = 1\n\n[b]\n"),
    ],
)
def test_every_table_syntax_is_removed(text: str, left: str) -> None:
    assert remove_table(text, WAY, "codeplane") == left
    replaced = replace_table(text, WAY, "codeplane", ENTRY)
    assert read(replaced) == {**read(left), "mcp_servers": {**read(left).get("mcp_servers", {}), "codeplane": ENTRY}}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    "text", ["mcp_servers = { codeplane = { command = 'cpl' } }", "mcp_servers = 1", "[[mcp_servers]]\n"]
)
def test_table_that_cannot_be_edited_separately_is_rejected(text: str) -> None:
    with pytest.raises(Unchangeable):
        replace_table(text, WAY, "codeplane", ENTRY)


@pytest.mark.parametrize(
    "text", ["[mcp_servers.codeplane]", "[mcp_servers.codeplane]\n", "[mcp_servers.codeplane]\nargs = [ ]"]
)
def test_missing_keys_are_added_below_the_header(text: str) -> None:
    changed = set_table(text, WAY, "codeplane", ENTRY)
    assert changed.startswith('[mcp_servers.codeplane]\ncommand = "cpl"\n')
    assert read(changed) == {"mcp_servers": {"codeplane": ENTRY}}
    assert changed.endswith("\n") == text.endswith("\n")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_as_a_value(value: str) -> None:
    assert (
        tomllib.loads(set_table("", WAY, "codeplane", {"command": value}))["mcp_servers"]["codeplane"]["command"]
        == value
    )
