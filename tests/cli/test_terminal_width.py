"""No line of output is wider than the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from support.sandbox import Sandbox, make_sandbox

COLUMNS = 100
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONG = "a_function_whose_name_is_so_long_that_it_fills_the_line_of_a_terminal_and_more_than_that_by_far_too"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    made = make_sandbox(tmp_path_factory.mktemp("shop"))
    package = made.root / "a_package_with_quite_a_long_name" / "and_another_package_with_a_long_name"
    package.mkdir(parents=True)
    (package / "pyproject.toml").write_text('[project]\nname = "a-project-with-a-name-that-is-long"\n')
    (package / "a_module_with_a_long_name.py").write_text(
        f"import os\n\n\ndef {_LONG}(first: int, second: str) -> None:\n    os.getcwd()\n"
    )
    (made.home / ".cursor").mkdir()
    assert made.run("init").returncode == 0
    for _ in range(3):
        made.run("search", _LONG)
    yield made


@pytest.mark.parametrize(
    "arguments",
    [
        "init",
        "status",
        "status --verbose",
        "doctor",
        "doctor --logs",
        "tools",
        "tools --all",
        "languages",
        "units",
        "units shop/orders.py",
        "units --all",
        "roles",
        "roles shop/orders.py",
        "ledger",
        "ledger tasks",
        "ledger show 3",
        "receipt",
        "receipt --all",
        "mutations",
        "trust",
        "unused",
        "imports shop/orders.py",
        "imports --circles",
        "install --dry-run",
        "install --print-config",
        "install --print-config --http",
        "uninstall --dry-run",
        "read nowhere.py",
        "--set nonsense=1 status",
        "search Order -l pyton",
    ],
)
def test_no_line_is_wider_than_the_terminal(shop: Sandbox, arguments: str) -> None:
    _, shown = shop.terminal(*arguments.split(), columns=COLUMNS)
    lines = _ESCAPES.sub("", shown).replace("\r\n", "\n").split("\n")
    # A progress line is redrawn in place: only what stays is looked at.
    lines = [line.rpartition("\r")[2] for line in lines]
    assert any(lines)
    assert [line for line in lines if len(line) > COLUMNS] == []
