"""Errors of `cpl` on a terminal: short, with a command that works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.cli.errors import Typed, command_line, error_text
from codeplane.cli.terminal import Style
from support.sandbox import Sandbox, make_sandbox

_COMMAND = re.compile(r"^  (?:try|example|help) +(cpl .*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    made = make_sandbox(tmp_path_factory.mktemp("shop"))
    assert made.run("init").returncode == 0
    yield made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("serach Order", "no such command 'serach'; did you mean 'search'?"),
        ("search --mod auto Order", "no such option '--mod'; did you mean '--mode'?"),
        ("search", "missing argument 'QUERY'"),
        ("search ''", "search needs a query"),
        ("search Order -l pyton", "'pyton'"),
        ("search Order -k funtion", "kind"),
        ("search ( -m regex", "missing )"),
        ("read nothing.py", "'nothing.py' does not exist"),
        ("read shop/order.py", "'shop/order.py' does not exist"),
        ("read shop/orders.py:900-999", "'shop/orders.py' has 9 lines"),
        ("read /etc/passwd", "'/etc/passwd' is not relative to the repository"),
        ("read ../other.py", "'../other.py' contains '..'"),
        ("read .git/config", "'.git/config'"),
        ("outline shop", "'shop' is a directory"),
        ("outline shop/ordres.py", "'shop/ordres.py' is not an indexed file"),
        ("outline shop/orders.py -r nowhere", "no branch, tag or commit named 'nowhere'"),
        ("imports", "imports needs 'file'"),
        ("imports shop/order.py", "'shop/order.py' is not an indexed file"),
        ("units nowhere", "no indexed file at or under 'nowhere'"),
        ("units -f pyhton", "no language family 'pyhton'"),
        ("roles nowhere", "no indexed file at or under 'nowhere'"),
        ("unused nowhere", "no indexed file at or under 'nowhere'"),
        ("ls nowhere", "no directory 'nowhere'"),
        ("ledger nonsense", "unknown subcommand 'nonsense'"),
        ("ledger show 99999", "no call '99999' in the ledger"),
        ("ledger --since yesterday", "'yesterday' is neither a time nor a duration"),
        ("receipt nothing", "no task has the id prefix 'nothing'"),
        ("init nowhere", "no directory 'nowhere'"),
        ("trust --show --yes", "--show, --revoke and --yes exclude each other"),
        ("install curser --dry-run", "no client 'curser'"),
        ("--set index.overly=off status", "unknown setting 'index.overly'"),
        ("--set nonsense status", "--set needs key=value"),
    ],
)
def test_an_error_names_the_problem_and_a_command_that_works(shop: Sandbox, arguments: str, message: str) -> None:
    done = shop.run(*shlex.split(arguments))
    assert done.returncode in (1, 2) and done.stdout == ""
    first = done.stderr.splitlines()[0]
    assert first.startswith("error: ") and message in first
    assert not re.search(r"\{'|\bNone\b", done.stderr)
    commands = _COMMAND.findall(done.stderr)
    assert len(commands) == 1, done.stderr
    # Exit code 2 is a command line that cannot be used.
    again = shop.run(*shlex.split(commands[0])[1:])
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        ("search Order -l pyton", "cpl search Order -l python"),
        ("outline shop/ordres.py", "cpl outline shop/orders.py"),
        ("read shop/order.py", "cpl read shop/orders.py"),
        ("outline shop", "cpl ls shop"),
        ("--set index.overly=off status", "cpl --set index.overlay=off status"),
        ("read nothing.py", "cpl read --help"),
    ],
)
def test_a_misspelled_word_is_corrected(shop: Sandbox, arguments: str, suggestion: str) -> None:
    assert _COMMAND.findall(shop.run(*shlex.split(arguments)).stderr) == [suggestion]


def test_a_suggestion_keeps_the_repository_option(shop: Sandbox) -> None:
    done = shop.run("-C", str(shop.root), "outline", "shop/ordres.py", cwd=shop.home)
    suggestion = shlex.split(_COMMAND.findall(done.stderr)[0])
    assert suggestion[1:3] == ["-C", str(shop.root)]
    assert shop.run(*suggestion[1:], cwd=shop.home).returncode == 0


def test_an_error_outside_a_repository_names_the_directory(shop: Sandbox) -> None:
    done = shop.run("status", cwd=shop.home)
    assert done.returncode == 1
    assert f"'{shop.home}' is not in a git repository" in done.stderr and f"cpl init {shop.home}" in done.stderr


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("search", {"query": "a b", "mode": "regex", "kinds": ["class", "method"]}, ["search", "a b", "-m", "regex"]),
        ("read", {"target": "a.py", "start_line": 1, "end_line": 9}, ["read", "a.py:1-9"]),
        ("file_outline", {"file": "a.py"}, ["outline", "a.py"]),
        ("file_outline", {"file": "a.py", "depth": "top"}, ["call", "file_outline", "file=a.py", "depth=top"]),
        (
            "manage_index",
            {"action": "clear", "confirm": True},
            ["call", "manage_index", "action=clear", "confirm=true"],
        ),
        ("map_repo", {}, ["map"]),
    ],
)
def test_a_tool_call_becomes_a_command(tool: str, arguments: dict[str, object], expected: list[str]) -> None:
    words = shlex.split(command_line(tool, arguments))
    assert words[: len(expected) + 1] == ["cpl", *expected]


def test_lines_of_the_error_are_shown_as_they_are() -> None:
    error = CodePlaneError(
        ErrorCode.EDIT_NOT_FOUND, "text not found", details={"excerpt": ["4:     return 1", "5:     x = '\x1b'"]}
    )
    assert error_text(error, Style()).splitlines() == [
        "error: text not found",
        "  lines     4:     return 1",
        "            5:     x = '\\x1b'",
    ]


def test_an_example_about_a_missing_file_is_left_out(tmp_path: Path) -> None:
    error = CodePlaneError(ErrorCode.ARGUMENT_INVALID, "bad", example={"target": "src/app.py#Server.start"})
    typed = Typed("read", ("read", "x"), "", tmp_path)
    assert error_text(error, Style(), typed) == "error: bad\n  help      cpl read --help"
    (tmp_path / "src").mkdir()
    (tmp_path / "src/app.py").touch()
    assert error_text(error, Style(), typed) == "error: bad\n  example   cpl read 'src/app.py#Server.start'"
