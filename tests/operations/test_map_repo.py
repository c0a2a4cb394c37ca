"""Repository map: sections, size limits, paging."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.operations.map_repo import SECTIONS, map_repo, page_structure
from codeplane.operations.map_repo.structure import TreeRow
from codeplane.query.snapshot import Snapshot
from operations.fixtures import index

Files = dict[str, str | bytes]


def section(tmp_path: Path, name: str, files: Files, repo_name: str = "") -> Any:
    with index(tmp_path / "repo", files) as snapshot:
        return map_repo(snapshot, [name], repo_name=repo_name).fields[name]


def all_rows(snapshot: Snapshot, depth: int = 3) -> list[TreeRow]:
    return map_repo(snapshot, ["structure"], depth).rows


def test_only_requested_sections_are_returned(polyglot: Snapshot) -> None:
    assert tuple(map_repo(polyglot).fields) == SECTIONS
    for name in SECTIONS:
        assert [*map_repo(polyglot, [name]).fields] == [name]


@pytest.mark.parametrize(
    "wanted",
    [
        {"include": ["structur"]},
        {"depth": 0},
        {"depth": 21},
        {"limit": 0},
        {"limit": 10**6},
        {"max_tokens": 0},
        {"max_tokens": 10**6},
    ],
)
def test_invalid_arguments_are_rejected(polyglot: Snapshot, wanted: dict[str, Any]) -> None:
    with pytest.raises(CodePlaneError) as raised:
        map_repo(polyglot, **wanted)
    assert raised.value.code is ErrorCode.ARGUMENT_INVALID
    assert raised.value.expected


def test_pages_are_complete_and_disjoint(polyglot: Snapshot) -> None:
    rows = all_rows(polyglot, depth=5)
    for limit in (1, 7, 1000):
        seen: list[str] = []
        while len(seen) < len(rows):
            page: Any = page_structure(rows, 29, limit, len(seen))
            assert 1 <= len(page["tree"]) <= limit
            assert page.get("left_out", 0) == len(rows) - len(seen) - len(page["tree"])
            seen += page["tree"]
        assert sorted(seen) == sorted(row.path for row in rows)


def test_first_page_is_a_prefix_of_all_rows(polyglot: Snapshot) -> None:
    rows = all_rows(polyglot)
    first: Any = map_repo(polyglot, ["structure"], limit=10).fields["structure"]
    assert set(first["tree"]) == {row.path for row in rows[:10]}
    second: Any = page_structure(rows, 29, 10, offset=10)
    assert set(second["tree"]) == {row.path for row in rows[10:20]}


def test_directories_precede_their_content_and_count_files(polyglot: Snapshot) -> None:
    rows = all_rows(polyglot, depth=20)
    paths = [row.path for row in rows]
    files = [path for path in paths if not path.endswith("/")]
    assert len(files) == 29
    for row in rows:
        if row.path.endswith("/"):
            assert row.size == sum(path.startswith(row.path) for path in files)
            assert all(paths.index(row.path) < paths.index(path) for path in files if path.startswith(row.path))


def test_depth_merges_single_child_chains(tmp_path: Path) -> None:
    files: Files = {"a/b/c/one.py": "x = 1\n", "a/b/c/d/two.py": "x = 1\n", "e/f.py": "x = 1\n"}
    with index(tmp_path / "repo", files) as snapshot:
        assert sorted(row.path for row in all_rows(snapshot, 1)) == ["a/b/c/", "e/"]
        assert sorted(row.path for row in all_rows(snapshot, 2)) == [
            "a/b/c/",
            "a/b/c/d/",
            "a/b/c/one.py",
            "e/",
            "e/f.py",
        ]
        assert "a/b/c/d/two.py" in [row.path for row in all_rows(snapshot, 3)]


def test_sources_rank_above_tests(tmp_path: Path) -> None:
    code = "".join(f"def f{number}():\n    pass\n\n\n" for number in range(20))
    files: Files = {f"lib/part{number}/code.py": code for number in range(5)}
    files |= {f"tests/part{number}/test_{extra}.py": code for number in range(5) for extra in range(4)}
    with index(tmp_path / "repo", files) as snapshot:
        order = [row.path for row in all_rows(snapshot)]
    assert set(order[:2]) == {"lib/", "tests/"}
    assert all(path.startswith("lib/") for path in order[2:12])


def test_map_size_is_bounded(tmp_path: Path) -> None:
    """Long names and many of everything: at most 2,000 tokens of four characters."""
    files: Files = {}
    for number in range(120):
        folder = f"src/component_with_a_rather_long_name_{number:03}/implementation_details"
        files[f"{folder}/__main__.py"] = f"import external_package_with_long_name_{number:03}\n"
        files[f"{folder}/module_{number:03}.py"] = (
            f"class PublicClassWithALongName{number:03}:\n    pass\n\n\ndef main():\n    __name__\n"
        )
        files[f"{folder}/tests/test_it.py"] = "import pytest\n\n\ndef test_it():\n    pass\n"
    with index(tmp_path / "repo", files) as snapshot:
        found: Any = map_repo(snapshot).fields
    assert len(orjson.dumps(found)) < 4 * 2000
    assert found["structure"]["left_out"] > 100
    left_out = found["left_out"]
    assert left_out["entry_points"] + len(found["entry_points"]) == 240
    assert left_out["dependencies"] + len(found["dependencies"]["external_modules"]) == 121
    assert left_out["test_layout"] + len(found["test_layout"]["test_files"]) == 120
    assert left_out["public_api"] + len(found["public_api"]) == 240


def test_map_respects_the_token_budget(polyglot: Snapshot, tmp_path: Path) -> None:
    files: Files = {
        f"src/part_{number:03}/module_{number:03}.py": (
            "".join(f"from src.part_{other:03}.module_{other:03} import C{other}\n" for other in range(number % 7))
            + f"import package_{number}\n\n\nclass C{number}:\n    pass\n\n\ndef main():\n    __name__\n"
        )
        for number in range(150)
    }
    with index(tmp_path / "repo", files) as large:
        for snapshot in (polyglot, large):
            sizes = [len(orjson.dumps(map_repo(snapshot, max_tokens=tokens).fields)) for tokens in (300, 1000, 3000)]
            assert all(size <= 4 * tokens * 1.1 for size, tokens in zip(sizes, (300, 1000, 3000), strict=True))
            assert sizes == sorted(sizes)
        small: Any = map_repo(large, max_tokens=1000).fields
        whole: Any = map_repo(large, max_tokens=5000).fields
        assert list(small) == list(whole), "every section has its share"
        for name in ("entry_points", "public_api"):
            assert small[name] == whole[name][: len(small[name])], "the least central rows go first"
            assert small["left_out"][name] + len(small[name]) == whole["left_out"][name] + len(whole[name])
        alone: Any = map_repo(large, ["key_files"], max_tokens=1000).fields
        assert len(alone["key_files"]) >= len(small["key_files"]), "unused shares are redistributed"


def test_central_files_come_first(tmp_path: Path) -> None:
    """Users in many directories outrank as many users in one, and both outrank those of a helper."""
    body = "".join(f"class Type{n}:\n    pass\n\n\n" for n in range(9))
    files: Files = {
        "core/__init__.py": "",
        "core/model.py": body,
        "core/words.py": body,
        "core/helper.py": "def helper():\n    pass\n",
        "core/unused.py": body,
        "tests/test_model.py": "from core.unused import Type1\n\nType1()\n",
    }
    files |= {f"app{n}/use.py": "from core.model import Type1, Type2\n\nType1(), Type2()\n" for n in range(6)}
    files |= {f"texts/lang{n}.py": "from core.words import Type1, Type2\n\nType1(), Type2()\n" for n in range(6)}
    files |= {f"app{n}/more.py": "from core.helper import helper\n\nhelper()\n" for n in range(6)}
    with index(tmp_path / "repo", files) as snapshot:
        found: Any = map_repo(snapshot).fields
        rows = [row.path for row in map_repo(snapshot).rows]
    assert found["key_files"] == {"core/model.py": 6, "core/helper.py": 6, "core/words.py": 6, "core/unused.py": 1}
    assert list(found["key_files"]) == ["core/model.py", "core/words.py", "core/helper.py", "core/unused.py"]
    names = [row["symbol_ref"] for row in found["public_api"]]
    assert (
        names.index("core/model.py#Type1@5")
        < names.index("core/words.py#Type1@5")
        < names.index("core/unused.py#Type1@5")
    )
    assert rows.index("core/model.py") < rows.index("core/words.py") < rows.index("core/unused.py")


def test_unresolved_languages_are_ranked_by_name_counts(tmp_path: Path) -> None:
    files: Files = {"Sources/Shop/Cart.swift": "public struct Cart {\n}\n\npublic struct Rare {\n}\n"}
    files |= {f"Sources/App/Use{n}.swift": f"func use{n}() {{\n    let c = Cart()\n}}\n" for n in range(3)}
    found = section(tmp_path, "public_api", files)
    assert (found[0]["symbol_ref"], found[0]["file_count"]) == ("Sources/Shop/Cart.swift#Cart@1", 3)


def test_an_empty_repository_has_a_map(tmp_path: Path) -> None:
    with index(tmp_path / "repo", {}) as snapshot:
        found: Any = map_repo(snapshot).fields
    assert found["structure"] == {"file_count": 0, "tree": {}}
    assert found["languages"] == found["entry_points"] == found["public_api"] == []
    assert found["dependencies"] == {"import_count": 0, "external_modules": {}}
    assert found["test_layout"] == {"test_count": 0, "test_files": {}}


OUTSIDE: list[tuple[str, Files, str, set[str]]] = [
    (
        "python",
        {
            "src/pkg/__init__.py": (
                "import os, distutils.core\nimport numpy.linalg\nfrom . import a\nfrom pkg import a\n"
            ),
            "src/pkg/a.py": "from __future__ import annotations\nfrom pkg.b import c\nfrom yaml import load\n",
            "tools/run.py": "import beside\nimport requests\n",
            "tools/beside.py": "",
        },
        "",
        {"numpy", "yaml", "requests"},
    ),
    (
        "go: the module is found by its folders",
        {
            "main.go": (
                'package main\nimport (\n"fmt"\n"example.org/me/app/one"\n'
                '"example.org/me/app/two/three"\n"k8s.io/api/core/v1"\n)\n'
            ),
            "one/one.go": 'package one\nimport "example.org/me/app"\nimport "github.com/a/b/c"\n',
            "two/three/x.go": "package three\n",
        },
        "",
        {"k8s.io/api", "github.com/a/b"},
    ),
    (
        "go: the module is found by the name of the repository",
        {
            "doc/x.go": 'package doc\nimport "github.com/spf13/cobra/v2"\nimport "gopkg.in/yaml.v3"\n',
            "x.go": "package cobra\n",
        },
        "cobra",
        {"gopkg.in/yaml.v3"},
    ),
    (
        "rust",
        {
            "crates/matcher/src/lib.rs": (
                "use std::io;\nuse crate::x;\nuse memchr::memchr;\nuse Kind::*;\npub enum Kind { A }\n"
            ),
            "crates/core/main.rs": (
                "mod flags;\nuse flags::parse;\nuse grep_matcher::Kind;\nuse rg::run;\nuse anyhow::Result;\n"
            ),
            "crates/core/flags.rs": "pub fn parse() {}\n",
        },
        "rg",
        {"memchr", "anyhow"},
    ),
    (
        "java",
        {
            "a/src/main/java/org/me/app/Main.java": (
                "package org.me.app;\nimport java.util.List;\nimport org.me.app.inner.Thing;\n"
                "import static org.me.app.inner.Thing.make;\nimport org.other.lib.deep.Tool;\nclass Main {}\n"
            ),
            "a/src/main/java/org/me/app/inner/Thing.java": "package org.me.app.inner;\npublic class Thing {}\n",
        },
        "",
        {"org.other.lib"},
    ),
    (
        "javascript",
        {
            "packages/one/package.json": "{}",
            "packages/two/package.json": "{}",
            "packages/one/index.ts": (
                'import "@me/two";\nimport "@me/elsewhere";\nimport "./x";\n'
                'import "@/y";\nimport "fs";\nimport "node:test";\n'
                'import "rxjs/operators";\nimport "@other/two/deep";\nimport "two";\nimport "packages/one/x";\n'
            ),
            "packages/two/index.ts": 'import "@me/one";\nimport "app";\n',
        },
        "app",
        {"@me/elsewhere", "rxjs", "@other/two"},
    ),
]


@pytest.mark.parametrize(
    ("files", "name", "outside"), [case[1:] for case in OUTSIDE], ids=[case[0] for case in OUTSIDE]
)
def test_external_packages_are_distinguished_from_own_modules(
    tmp_path: Path, files: Files, name: str, outside: set[str]
) -> None:
    assert set(section(tmp_path, "dependencies", files, name)["external_modules"]) == outside


def test_modules_are_counted_by_files_that_import_them(tmp_path: Path) -> None:
    files: Files = {
        "a.py": "import yaml\nfrom yaml import load\nimport os\n",
        "b.py": "import yaml\nimport toml\nimport os\n",
    }
    found = section(tmp_path, "dependencies", files)
    assert found == {"import_count": 6, "standard_library_modules": 1, "external_modules": {"yaml": 2, "toml": 1}}


def test_product_entry_points_precede_examples(tmp_path: Path) -> None:
    main = "def main():\n    pass\n\n\nif __name__ == '__main__':\n    main()\n"
    files: Files = {f"examples/e{number}.py": main for number in range(6)}
    files |= {"scripts/release.py": main, "app/deep/run.py": main, "manage.py": "import sys\n", "tests/run.py": main}
    files |= {"app/plain.py": "def main():\n    pass\n", "app/wsgi.py": "application = 1\n", "app/x/wsgi.py": "a = 1\n"}
    with index(tmp_path / "repo", files) as snapshot:
        found: Any = map_repo(snapshot, ["entry_points"]).fields
    shown = [row.get("symbol_ref") or row["path"] for row in found["entry_points"]]
    assert shown[:3] == ["app/deep/run.py#main@1", "manage.py", "app/wsgi.py"]
    assert shown[3:] == ["examples/e0.py#main@1", "examples/e1.py#main@1", "examples/e2.py#main@1"]
    assert found["left_out"] == {"entry_points": 4}


def test_source_directory_named_test_is_not_tests(tmp_path: Path) -> None:
    files: Files = {
        "web/test/client.py": "class Client:\n    pass\n",
        "web/test/__init__.py": "from web.test.client import Client\n",
        "web/other/test/helper.py": "class Helper:\n    pass\n",
        "web/other/test/test_it.py": "from unittest import TestCase\n\n\nclass It(TestCase):\n    pass\n",
    }
    with index(tmp_path / "repo", files) as snapshot:
        found: Any = map_repo(snapshot, ["test_layout", "public_api"]).fields
    assert found["test_layout"] == {
        "test_count": 2,
        "test_files": {"web/other/test/": 2},
        "frameworks": {"unittest": 1},
    }
    assert [row["symbol_ref"] for row in found["public_api"]] == ["web/test/client.py#Client@1"]


def test_public_names_are_ranked_by_use(tmp_path: Path) -> None:
    """`join` occurs more often, but only as a string method."""
    files: Files = {
        "lib/__init__.py": "",
        "lib/text/__init__.py": "",
        "lib/text/filters.py": "def join(parts):\n    return parts\n",
        "lib/core/__init__.py": "",
        "lib/core/base.py": "class Model:\n    pass\n",
        "app/unrelated.py": "x = ''.join(y)\n",
    }
    files |= {f"app/use{number}.py": "from lib.core import base\nbase.Model\n','.join(z)\n" for number in range(4)}
    found = section(tmp_path, "public_api", files)
    assert [(row["symbol_ref"], row.get("file_count", 0)) for row in found[:2]] == [
        ("lib/core/base.py#Model@1", 4),
        ("lib/text/filters.py#join@1", 0),
    ]


def test_reexported_names_keep_their_users(tmp_path: Path) -> None:
    files: Files = {
        "web/__init__.py": "from web.inner import Serializer\n",
        "web/inner.py": "class Rare:\n    pass\n\n\nclass Serializer:\n    pass\n",
    }
    files |= {f"app/use{number}.py": "from web import Serializer\n\nSerializer()\n" for number in range(3)}
    found = section(tmp_path, "public_api", files)
    assert (found[0]["symbol_ref"], found[0]["file_count"]) == ("web/inner.py#Serializer@5", 4)


def test_rare_languages_are_combined(tmp_path: Path) -> None:
    files: Files = {f"docs/{number}.md": "x\n" for number in range(150)}
    files |= {"a.py": "x = 1\n", "b.fs": "x\n", "c.groovy": "x\n"}
    found = section(tmp_path, "languages", files)
    assert [(row["language"], row["file_count"]) for row in found] == [("python", 1), ("markdown", 150), ("other", 2)]
    assert found[1]["percentage"] == 98.0


def test_shared_member_names_weigh_less(tmp_path: Path) -> None:
    members = "".join(
        f"type T{number} struct{{}}\n\nfunc (t T{number}) String() string {{ return lib.Plain }}\n"
        for number in range(9)
    )
    files: Files = {
        "go.mod": "module example.org/app\n",
        "lib/lib.go": 'package lib\n\nfunc String() string { return "" }\n\nfunc Unique() int { return 1 }\n',
        "a/a.go": f'package a\n\nimport "example.org/app/lib"\n\n{members}',
        "b/b.go": 'package b\n\nimport "example.org/app/lib"\nimport "example.org/app/a"\n\nvar X = lib.Unique()\n',
        "c/c.go": 'package c\n\nimport "example.org/app/lib"\n\nvar y = x.String()\n',
    }
    order = [row["symbol_ref"] for row in section(tmp_path, "public_api", files)]
    assert order.index("lib/lib.go#Unique@5") < order.index("lib/lib.go#String@3")


def test_maven_test_directory_is_tests(tmp_path: Path) -> None:
    files: Files = {
        "app/src/main/java/org/me/App.java": "package org.me;\n\npublic class App {}\n",
        "app/src/test/java/org/me/Fixture.java": "package org.me;\n\npublic class Fixture {}\n",
    }
    assert section(tmp_path, "test_layout", files) == {"test_count": 1, "test_files": {"app/src/test/": 1}}
