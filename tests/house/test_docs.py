"""Documents match the code: generated pages are up to date, and every path they name exists."""

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


@pytest.mark.parametrize(
    "page",
    [
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs" / "design").glob("*.md")),
    ],
)
def test_paths_in_prose_exist(page: str) -> None:
    """Paths in backquotes are those of the repository or of the package; `<name>` and `*` match anything."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`((?:[\w.<>*-]+/)+[\w.<>*-]*|[\w]+\.(?:py|md|toml))`", text))
    missing = [path for path in sorted(named) if not _exists(path)]
    assert missing == []


def _exists(path: str) -> bool:
    if path.startswith((".codeplane", "generations/")) or path in ("tools/list", "tools/call"):
        return True
    pattern = re.sub(r"<[\w-]+>", "*", path.rstrip("/"))
    bases = (ROOT, ROOT / "src" / "codeplane", ROOT / "docs")
    return any(next(base.glob(name), None) is not None for base in bases for name in (pattern, f"{pattern}.py"))
