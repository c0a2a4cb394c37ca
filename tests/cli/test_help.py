"""`cpl --help` and the help of every command: whole sentences that fit the terminal."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from codeplane.cli.help import COMMANDS as ENTRIES
from codeplane.cli.help import HIDDEN, load_command
from codeplane.cli.main import app

COMMANDS = [name for name in ENTRIES if name not in HIDDEN]
PAGES = ["", *COMMANDS]
MAX_SUMMARY = 80


def render(command: str, width: int) -> str:
    arguments = [command, "--help"] if command else ["--help"]
    done = CliRunner().invoke(app, arguments, terminal_width=width, prog_name="cpl")
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("command", PAGES)
def test_help_fits_the_terminal_and_is_not_truncated(command: str, width: int) -> None:
    shown = render(command, width)
    assert [line for line in shown.splitlines() if len(line) > width] == []
    body = shown.partition("\n")[2]
    # Only the usage line and placeholders of repeated arguments may have an ellipsis.
    assert "..." not in re.sub(r"\[?[A-Z=:|#-]+\]?\.\.\.", "", body), body
    assert "…" not in shown


@pytest.mark.parametrize("command", PAGES)
def test_every_sentence_of_a_page_is_shown_whole(command: str) -> None:
    words = " ".join(render(command, 80).split())
    page = load_command(command) if command else app
    for parameter in page.params:
        text = getattr(parameter, "help", None)
        assert text is None or getattr(parameter, "hidden", False) or " ".join(text.split()) in words
    assert " ".join((page.help or "").replace("\b", "").split()) in words


@pytest.mark.parametrize("command", ENTRIES)
def test_listed_summary_is_that_of_the_command(command: str) -> None:
    loaded = load_command(command)
    paragraph = " ".join((loaded.help or "").partition("\n\n")[0].split())
    assert paragraph.startswith(ENTRIES[command].summary)
    assert loaded.hidden == (command in HIDDEN)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_summary_is_one_line_at_100_columns(command: str) -> None:
    text = ENTRIES[command].summary
    assert 0 < len(text) <= MAX_SUMMARY
    assert f"{command:<9}  {text}\n" in render("", 100)


def test_help_imports_no_command() -> None:
    code = (
        "import sys\nfrom codeplane.cli.main import app\n"
        "app(['--help'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith('codeplane.cli.commands.')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained(command: str) -> None:
    options = [parameter for parameter in load_command(command).params if parameter.param_type_name == "option"]
    assert [option.name for option in options if not getattr(option, "help", None)] == []
