"""The catalog as agents see it: small, complete, deterministic, and reviewed by schema snapshots."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from codeplane.config.model import TOOLSETS
from codeplane.tools import catalog
from codeplane.tools.spec import ToolSpec
from codeplane.tools.surface import EVERYTHING, Surface

SCHEMAS = Path(__file__).parent / "schemas"
_CHARS_PER_TOKEN = 4


@pytest.mark.parametrize("spec", catalog.TOOLS, ids=lambda spec: spec.name)
def test_schema_is_the_reviewed_one(spec: ToolSpec) -> None:
    """`UPDATE_SCHEMAS=1 pytest tests/contract` writes them; the difference is for review."""
    text = json.dumps(spec.listing(), indent=1, ensure_ascii=False) + "\n"
    file = SCHEMAS / f"{spec.name}.json"
    if os.environ.get("UPDATE_SCHEMAS"):
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text


def test_no_stale_schema_snapshot() -> None:
    assert {file.stem for file in SCHEMAS.glob("*.json")} == set(catalog.BY_NAME)


def test_default_tools_cost_few_tokens() -> None:
    default = json.dumps(catalog.listing(Surface()), separators=(",", ":"))
    assert len(default) / _CHARS_PER_TOKEN < 2_000
    assert len(catalog.visible(Surface())) <= 12
    whole = json.dumps(catalog.listing(EVERYTHING), separators=(",", ":"))
    assert "$ref" not in whole


def test_instructions_are_short_and_most_useful_first() -> None:
    assert len(catalog.INSTRUCTIONS) / _CHARS_PER_TOKEN < 350
    assert catalog.INSTRUCTIONS.index("search") < catalog.INSTRUCTIONS.index("write_source")


@pytest.mark.parametrize("spec", catalog.TOOLS, ids=lambda spec: spec.name)
def test_tool_annotations_match_the_specification(spec: ToolSpec) -> None:
    annotations = spec.listing()["annotations"]
    assert isinstance(annotations, dict)
    effects = set() if spec.read_only else {"destructiveHint", "idempotentHint"}
    assert set(annotations) == {"readOnlyHint", "openWorldHint"} | effects
    assert spec.listing()["title"]
    assert not (spec.read_only and spec.destructive)
    assert set(spec.toolsets) <= set(TOOLSETS)
    if spec.deprecated is None:
        assert spec.when and spec.when_not
    else:
        assert spec.toolsets == ("compat",)
        assert spec.deprecated.canonical in catalog.BY_NAME


CORE = [
    "search",
    "read",
    "map_repo",
    "file_outline",
    "call_graph",
    "write_source",
    "refactor_rename",
    "refactor_apply",
]


def test_toolsets_select_tools() -> None:
    names = {spec.name for spec in catalog.visible(Surface(("core",)))}
    assert names == set(CORE)
    assert {"describe", "list_codebases"} <= {spec.name for spec in catalog.visible(Surface(("admin",)))}
    assert "index_status" not in {spec.name for spec in catalog.visible(Surface(("all",)))}
    assert "index_status" in {spec.name for spec in catalog.visible(Surface(("core", "compat")))}


def test_read_only_overrides_toolsets() -> None:
    surface = Surface(("all", "compat"), read_only=True)
    for tool in catalog.listing(surface):
        assert tool["annotations"]["readOnlyHint"] is True  # type: ignore[index]
        assert "destructiveHint" not in tool["annotations"]  # type: ignore[operator]
    assert "sync_repo" not in {spec.name for spec in catalog.visible(surface)}
    manage = next(tool for tool in catalog.listing(surface) if tool["name"] == "manage_index")
    assert manage["inputSchema"]["properties"]["action"]["enum"] == ["status"]  # type: ignore[index]


def test_listing_is_deterministic() -> None:
    assert json.dumps(catalog.listing(EVERYTHING)) == json.dumps(catalog.listing(EVERYTHING))
