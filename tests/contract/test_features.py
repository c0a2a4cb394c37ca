"""A feature has one name: in the catalog, the handlers, the docs and the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeplane.cli.errors import TOOLS as COMMAND_TOOLS
from codeplane.cli.help import COMMANDS
from codeplane.tools import catalog
from codeplane.tools.handler import load_handler
from codeplane.tools.spec import ToolSpec

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "codeplane"
CANONICAL = [spec for spec in catalog.TOOLS if spec.deprecated is None]


def feature_of(spec: ToolSpec) -> str:
    return spec.feature or spec.name


@pytest.mark.parametrize("spec", CANONICAL, ids=lambda spec: spec.name)
def test_modules_are_named_after_the_feature(spec: ToolSpec) -> None:
    feature = feature_of(spec)
    module = __import__(f"codeplane.tools.catalog.{feature}", fromlist=["*"])
    assert spec in vars(module).values()
    assert load_handler(spec)
    assert (ROOT / "tests" / "contract" / f"test_{feature}.py").exists()


@pytest.mark.parametrize("spec", CANONICAL, ids=lambda spec: spec.name)
def test_tool_is_documented(spec: ToolSpec) -> None:
    """In a page with the name of the feature, or in a section with the name of the tool."""
    headings = [line for page in (ROOT / "docs").glob("*.md") for line in page.read_text("utf-8").splitlines()]
    assert (ROOT / "docs" / f"{feature_of(spec)}.md").exists() or f"## `{spec.name}`" in headings


@pytest.mark.parametrize("command", COMMAND_TOOLS)
def test_commands_are_in_the_module_of_their_feature(command: str) -> None:
    feature = feature_of(catalog.BY_NAME[COMMAND_TOOLS[command]])
    assert COMMANDS[command].module in (feature, command)


@pytest.mark.parametrize("package", ["catalog", "handlers", "text"])
def test_no_module_of_another_name(package: str) -> None:
    features = {feature_of(spec) for spec in CANONICAL}
    shared = {"__init__", "common", "failures", "paging", "shared"}
    for path in (SOURCE / "tools" / package).glob("*.py"):
        assert path.stem in shared or any(path.stem == name or path.stem.startswith(f"{name}_") for name in features)
