"""Units in the index: changed markers, contexts and parse results move exactly the files they should."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from codeplane.index.indexer import Indexer
from codeplane.query.files import get_file
from codeplane.query.snapshot import open_current
from codeplane.query.units import list_all_units, list_unit_notes, list_units
from support.repositories import logical_dump, make_repository, options_for, scratch_dump, write

FILES: dict[str, str | bytes] = {
    "package.json": '{"name": "shop", "workspaces": ["packages/*"]}',
    "packages/cart/package.json": '{"name": "cart"}',
    "packages/cart/index.js": "export const total = 1;\n",
    "packages/pay/package.json": '{"name": "pay"}',
    "packages/pay/index.js": "export const charge = 1;\n",
    "demo/package.json": '{"name": "demo"}',
    "demo/index.js": "export const demo = 1;\n",
    "tool.js": "export const tool = 1;\n",
    "README.md": "# Shop\n",
    "run.py": "def run():\n    return 1\n",
}


def owners(indexer: Indexer, *paths: str) -> list[str | None]:
    with open_current(indexer.state) as snapshot:
        names = {unit.unit_id: unit.name for unit in list_all_units(snapshot)}
        files = [get_file(snapshot, path) for path in paths]
    assert None not in files
    return [names[file.unit_id] if file is not None and file.unit_id is not None else None for file in files]


JAVASCRIPT = ("packages/cart/index.js", "packages/pay/index.js", "demo/index.js", "tool.js")


def test_a_build_gives_every_file_its_unit(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        assert owners(indexer, *JAVASCRIPT) == ["cart", "pay", None, "shop"]
        assert owners(indexer, "README.md", "run.py") == ["markdown", "python"]
        with open_current(indexer.state) as snapshot:
            states = {unit.root: unit.state for unit in list_all_units(snapshot, "javascript")}
            assert states == {"": "valid", "demo": "detached", "packages/cart": "valid", "packages/pay": "valid"}
            counted = {info.unit.name: info.files for info in list_units(snapshot, 50, "packages").rows}
            assert counted == {"cart": 1, "pay": 1}


def test_a_changed_marker_moves_its_files_and_parses_none_of_them(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            before = get_file(snapshot, "demo/index.js")
        write(root, "package.json", '{"name": "shop", "workspaces": ["packages/cart", "demo"]}')
        report = indexer.sync()
        assert (report.parsed, report.modified) == (1, 1)
        assert owners(indexer, *JAVASCRIPT) == ["cart", None, "demo", "shop"]
        with open_current(indexer.state) as snapshot:
            after = get_file(snapshot, "demo/index.js")
        assert before is not None and after is not None and before.epoch == after.epoch
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
        write(root, "package.json", '{"name": "shop", "version": "2", "workspaces": ["packages/cart", "demo"]}')
        indexer.sync()
        (root / "package.json").unlink()
        indexer.sync()
        assert owners(indexer, *JAVASCRIPT) == ["cart", "pay", "demo", None]
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_def_uids_do_not_depend_on_units(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", {"a/x.py": "def f():\n    return 1\n"})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        before = [line for line in logical_dump(indexer) if line.startswith("defs")]
        write(root, "a/pyproject.toml", '[project]\nname = "a"\n')
        indexer.sync()
        assert owners(indexer, "a/x.py") == ["a"]
        assert [line for line in logical_dump(indexer) if line.startswith('defs\t["a/x.py')] == before


def test_a_unit_that_cannot_be_parsed_fails_until_it_can(tmp_path: Path) -> None:
    broken = "def (:\n ) = = class\n" * 3
    files: dict[str, str | bytes] = {
        "a/setup.py": broken,
        "a/m.py": broken,
        "a/__init__.py": "",
        "b/setup.py": "x = 1\n",
    }
    root = make_repository(tmp_path / "repo", files)
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        assert owners(indexer, "a/m.py", "a/__init__.py", "b/setup.py") == [None, None, "b"]
        write(root, "a/m.py", "def fine():\n    return 1\n")
        indexer.sync()
        assert owners(indexer, "a/m.py", "a/setup.py", "a/__init__.py") == ["a", "a", "a"]
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)
        (root / "a/m.py").unlink()
        indexer.sync()
        assert owners(indexer, "a/setup.py", "a/__init__.py") == [None, None]
        assert logical_dump(indexer) == scratch_dump(root, tmp_path)


def test_contexts_take_effect_with_the_next_sync(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo", FILES)
    with Indexer.open(options_for(root)) as indexer:
        first = indexer.sync()
        stated = "version: 1\ncontexts:\n  - {id: show, language: typescript, workspace_roots: [demo]}\n"
        write(root, ".codeplane/contexts.yaml", stated)
        second = indexer.sync()
        assert (second.decision, second.parsed) == ("synced", 0)
        assert second.epoch > first.epoch
        assert owners(indexer, "demo/index.js") == ["show"]
        assert indexer.sync().decision == "fresh"
    with Indexer.open(options_for(root)) as indexer:
        assert indexer.sync().decision == "fresh"
        write(root, ".codeplane/contexts.yaml", "version: 1\ncontexts: 7\n")
        indexer.sync()
        assert owners(indexer, "demo/index.js") == [None]
        with open_current(indexer.state) as snapshot:
            assert [note.path for note in list_unit_notes(snapshot)] == [".codeplane/contexts.yaml"]
        (root / ".codeplane/contexts.yaml").unlink()
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            assert list_unit_notes(snapshot) == ()


@pytest.mark.parametrize("kind", ["link", "folder", "large"])
def test_oversized_or_invalid_contexts_are_noted(tmp_path: Path, kind: str) -> None:
    root = make_repository(tmp_path / "repo", {"a.py": "x = 1\n"})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        place = root / ".codeplane" / "contexts.yaml"
        if kind == "link":
            (tmp_path / "elsewhere.yaml").write_text("version: 1\n")
            place.symlink_to(tmp_path / "elsewhere.yaml")
        elif kind == "folder":
            place.mkdir()
        else:
            place.write_bytes(b"#" * 100_000)
        indexer.sync()
        with open_current(indexer.state) as snapshot:
            assert [note.path for note in list_unit_notes(snapshot)] == [".codeplane/contexts.yaml"]
        assert indexer.sync().decision == "fresh"


def test_files_in_excluded_directories_have_no_unit(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {".cplignore": "!vendor/\n", "go.mod": "module m\n", "m.go": "package m\n"}
    root = make_repository(tmp_path / "repo", files | {"vendor/x/x.go": "package x\n"})
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        assert owners(indexer, "m.go", "vendor/x/x.go") == ["m", None]


MARKERS = {
    "package.json": ["{}", '{"workspaces": ["*"]}', '{"workspaces": ["p/*", "!p/q"]}', "{", '{"name": "n"}'],
    "pnpm-workspace.yaml": ["packages: ['p/**']\n", "a: 1\n"],
    "pyproject.toml": ['[project]\nname = "x"\n', ""],
    "go.mod": ["module m\n"],
    "go.work": ["use ./p\n", "use (\n.\n./p/q\n)\n"],
}
SOURCES = {"a.js": "export const a = 1;\n", "b.py": "def b():\n    return 1\n", "c.go": "package c\n", "d.md": "# D\n"}


@pytest.mark.parametrize("seed", range(3))
def test_incremental_units_equal_a_build(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = make_repository(
        tmp_path / "repo", {"a.js": SOURCES["a.js"], "p/a.js": SOURCES["a.js"], "p/q/b.py": "x = 1\n"}
    )
    history: list[str] = []
    with Indexer.open(options_for(root)) as indexer:
        indexer.sync()
        for number in range(40):
            for _ in range(chance.randint(1, 3)):
                directory = chance.choice(["", "p/", "p/q/", "r/", "p/q/s/"])
                name, contents = chance.choice(
                    list(MARKERS.items())
                    + [(name, [text, "", "((((", f"{text}x = 1\n"]) for name, text in SOURCES.items()]
                )
                place = root / f"{directory}{name}"
                if place.exists() and chance.random() < 0.5:
                    place.unlink()
                    history.append(f"rm {directory}{name}")
                else:
                    content = chance.choice(contents)
                    write(root, f"{directory}{name}", content)
                    history.append(f"{directory}{name}={content!r}")
            if chance.random() < 0.1:
                write(root, ".codeplane/contexts.yaml", "version: 1\ncontexts: []\n")
            indexer.sync()
            if number % 8 == 7:
                assert logical_dump(indexer) == scratch_dump(root, tmp_path), history
