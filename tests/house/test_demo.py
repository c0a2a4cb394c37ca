"""The demo: commands that exist, and searches that do not find the script itself."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from codeplane.cli.help import load_command
from codeplane.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = (ROOT / "scripts" / "demo").read_text(encoding="utf-8")
SHOWN = [shlex.split(line)[2:] for line in re.findall(r"^show .*$", SCRIPT, re.MULTILINE)]


def test_the_demo_runs_commands_with_options_that_exist() -> None:
    assert len(SHOWN) >= 5
    # With its parent: click caches the help option of a command with the names that its context asks for.
    parent = app.make_context("cpl", [], resilient_parsing=True)
    for name, *arguments in SHOWN:
        load_command(name).make_context(name, arguments, parent=parent).close()


def test_searches_of_the_demo_leave_out_its_own_script() -> None:
    searches = [words for words in SHOWN if words[0] == "search"]
    assert searches
    for words in searches:
        pattern = words[words.index("-p") + 1]
        assert pattern.startswith("src/") and (ROOT / pattern).is_dir()


def test_files_that_the_demo_names_exist() -> None:
    named = [
        word.removeprefix("file=").partition("#")[0]
        for words in SHOWN
        for word in words
        if word.startswith(("src/", "file="))
    ]
    assert named and [name for name in named if not (ROOT / name).exists()] == []
