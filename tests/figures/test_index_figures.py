"""The measures of the index can be trusted: what they ran, what was parsed, and what each language took."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.index.cold_index import FLOOR
from benchmarks.index.profile import measure as measure_profile
from benchmarks.index.stages import STAGES
from benchmarks.index.switching import measure as measure_switching
from benchmarks.trees import copy_repository

FILES = 120


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for number in range(FILES):
        path = root / f"part{number % 5}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def name_{number}(value):\n    return value + {number}\n")
    (root / "page.html").write_text("<p id='one'>text</p>\n<script>function go() {}</script>\n")
    (root / "page.md").write_text("# Title\n\n```python\nx = 1\n```\n")
    (root / "notes.txt").write_text("some words\n")
    (root / "data.bin").write_bytes(bytes(range(256)))
    return root


def test_cached_files_are_not_parsed(repository: Path) -> None:
    result = measure_switching(repository, FILES - 20, 1, wait=False)
    looks = result.data["looks"]
    assert {look: found[0]["parsed"] for look, found in looks.items()} == {
        "cold": FILES + 3,
        "there": FILES - 20,
        "back": 0,
        "again": 0,
        "worktree": 0,
    }
    assert result.data["changed"] == FILES - 20
    assert [figure.most for figure in result.figures] == [15, 10]
    assert not (repository / ".git").exists() and not (repository / ".codeplane").exists()


def test_a_cold_index_is_shown_by_language_and_every_stage_of_its_floor_runs(repository: Path, tmp_path: Path) -> None:
    tree = copy_repository(repository, tmp_path / "tree")
    assert STAGES["index"](tree, tmp_path)["decision"] == "built"
    for stage in (*FLOOR, "insert_plain", "walk"):
        assert STAGES[stage](tree, tmp_path)["cpu"] >= 0, stage
    languages = STAGES["extract"](tree, tmp_path)["languages"]
    assert {name: row[0] for name, row in languages.items()} == {"": 1, "html": 1, "markdown": 1, "python": FILES}
    assert languages["python"][1] == sum(file.stat().st_size for file in repository.rglob("*.py"))
    assert all(row[2] > 0 for row in languages.values())


def test_the_profile_of_an_index_adds_up(repository: Path) -> None:
    result = measure_profile([repository], 1)
    (found,) = result.data["0 repository"]
    built, extracted = found["build"], found["extract"]
    assert built["stages"]["parse workers"] > 0
    assert sum(built["stages"].values()) == pytest.approx(built["cpu"], rel=0.1)
    by_stage = sum(sum(stages.values()) for stages in extracted["stages"].values())
    assert by_stage == pytest.approx(sum(row[2] for row in extracted["languages"].values()), rel=0.3)
    assert {"parse", "queries", "names", "flow", "terms", "packing"} <= {*extracted["stages"]["python"]}
