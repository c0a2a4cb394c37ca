"""Reference pages are what the program says of itself."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "scripts" / "generate_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = _generator()


@pytest.mark.parametrize("path", GENERATOR.PAGES)
def test_page_is_up_to_date(path: str) -> None:
    made = GENERATOR.PAGES[path]()
    assert (ROOT / path).read_text(encoding="utf-8") == made, "run scripts/generate_docs.py"


def test_every_reference_page_is_made() -> None:
    found = {str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "reference").rglob("*.md")}
    assert found == set(GENERATOR.PAGES)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_and_scripts_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [part.partition(")")[0] for part in text.split("](")[1:]]
    scripts = re.findall(r"\./(scripts/[a-z_.]*[a-z])", text)
    targets = [link for link in links if "://" not in link] + scripts
    assert scripts
    assert [target for target in targets if not (ROOT / target).exists()] == []
