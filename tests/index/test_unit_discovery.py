"""Build roots of each ecosystem, and the ones that a workspace detaches."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from codeplane.base.paths import RepoPath
from codeplane.index.units.discovery import Discovery, discover
from codeplane.index.units.manifests import read_manifest
from codeplane.index.units.markers import find_marker
from codeplane.index.units.model import MarkerTier


def found_in(files: Mapping[str, str]) -> Discovery:
    return discover(
        {RepoPath(path): read_manifest(path, text.encode()) for path, text in files.items() if find_marker(path)}
    )


def units_of(family: str, files: Mapping[str, str]) -> dict[str, str]:
    """Root -> name, with a minus before detached ones."""
    return {
        each.root or ".": f"-{each.name}" if each.detached else each.name
        for each in found_in(files).candidates
        if each.family == family and each.tier is not MarkerTier.AMBIENT
    }


def package(name: str) -> str:
    return f'{{"name": "{name}"}}'


JAVASCRIPT = {
    "packages/a/package.json": package("a"),
    "packages/b/package.json": package("b"),
    "packages/b/test/fixture/package.json": package("fixture"),
    "tools/package.json": package("tools"),
}


@pytest.mark.parametrize(
    ("root", "listed"),
    [
        ({"package.json": '{"name": "r", "workspaces": ["packages/*"]}'}, {"a", "b"}),
        (
            {"package.json": '{"name": "r", "workspaces": {"packages": ["./packages/*/"], "nohoist": ["x"]}}'},
            {"a", "b"},
        ),
        ({"package.json": '{"name": "r", "workspaces": ["packages/**"]}'}, {"a", "b", "fixture"}),
        ({"package.json": '{"name": "r", "workspaces": ["packages/*", "!packages/b"]}'}, {"a"}),
        ({"package.json": '{"name": "r", "workspaces": ["!packages/b", "packages/*"]}'}, {"a", "b"}),
        ({"package.json": '{"name": "r", "workspaces": ["{packages/a,tools}"]}'}, {"a", "tools"}),
        ({"package.json": '{"name": "r", "workspaces": ["packages/[b-c]", "tools"]}'}, {"b", "tools"}),
        ({"package.json": '{"name": "r", "workspaces": []}'}, set()),
        (
            {
                "package.json": '{"name": "r", "workspaces": ["tools"]}',
                "pnpm-workspace.yaml": 'packages:\n  - "!**/test/**"\n  - "packages/**"\n',
            },
            {"a", "b"},
        ),
        ({"package.json": package("r"), "lerna.json": '{"packages": ["packages/*"]}'}, {"a", "b"}),
        (
            {"package.json": '{"name": "r", "workspaces": ["tools"]}', "lerna.json": '{"packages": ["packages/a"]}'},
            {"a", "tools"},
        ),
        (
            {
                "package.json": package("r"),
                "lerna.json": '{"packages": ["tools"]}',
                "pnpm-workspace.yaml": "packages: [packages/a]",
            },
            {"a"},
        ),
        ({"deno.jsonc": '{"name": "r", "workspace": ["./packages/a", /* b */ "./tools",]}'}, {"a", "tools"}),
        ({"deno.json": '{"name": "r", "workspace": {"members": ["packages/*"]}}'}, {"a", "b"}),
        (
            {
                "package.json": '{"name": "r", "workspaces": ["tools"]}',
                "deno.json": '{"workspace": ["packages/*", "!packages/b"]}',
            },
            {"a", "tools"},
        ),
    ],
)
def test_javascript_workspaces(root: dict[str, str], listed: set[str]) -> None:
    found = units_of("javascript", JAVASCRIPT | root)
    assert found.pop(".") == "r"
    assert {name for name in found.values() if not name.startswith("-")} == listed
    assert len(found) == len(JAVASCRIPT)


@pytest.mark.parametrize(
    "root",
    [
        {"package.json": package("r"), "yarn.lock": "", "lerna.json": '{"version": "independent"}'},
        {"package.json": package("r"), "pnpm-workspace.yaml": "onlyBuiltDependencies: [esbuild]\n"},
        {"package.json": '{"name": "r", "workspaces": ["packages/+(a|b)"]}'},
        {"package.json": '{"name": "r", "workspaces": 7}'},
    ],
)
def test_workspaces_without_members_detach_nothing(root: dict[str, str]) -> None:
    assert sorted(units_of("javascript", JAVASCRIPT | root).values()) == ["a", "b", "fixture", "r", "tools"]


def test_nearest_workspace_wins() -> None:
    files = {
        "package.json": '{"name": "outer", "workspaces": ["apps/*"]}',
        "apps/one/package.json": '{"name": "one", "workspaces": ["libs/*"]}',
        "apps/one/libs/x/package.json": package("x"),
        "apps/one/other/package.json": package("other"),
        "demo/package.json": '{"name": "demo", "workspaces": ["p"]}',
        "demo/p/package.json": package("p"),
    }
    assert units_of("javascript", files) == {
        ".": "outer",
        "apps/one": "one",
        "apps/one/libs/x": "x",
        "apps/one/other": "-other",
        "demo": "demo",
        "demo/p": "p",
    }


def test_compiler_configuration_is_not_a_package() -> None:
    files = {"package.json": package("r"), "tsconfig.json": "", "src/tsconfig.json": "{}", "other/yarn.lock": ""}
    assert units_of("javascript", files) == {".": "r"}
    assert units_of("javascript", {"web/tsconfig.json": "{}", "web/e2e/jsconfig.json": ""}) == {
        "web": "web",
        "web/e2e": "e2e",
    }


def test_go() -> None:
    modules = {
        "go.mod": "module example.org/all // the root\n\ngo 1.22\n",
        "a/go.mod": 'module "example.org/a"\n',
        "b/c/go.mod": "module (\n\texample.org/c\n)\n",
        "tools/go.mod": "module example.org/tools\n",
    }
    named = {".": "example.org/all", "a": "example.org/a", "b/c": "example.org/c", "tools": "example.org/tools"}
    assert units_of("go", modules) == named
    work = 'go 1.22\n\nuse (\n\t./a\n\t"./b/c" // both\n)\nuse ./gone\n'
    assert units_of("go", modules | {"go.work": work}) == named | {
        ".": "-example.org/all",
        "tools": "-example.org/tools",
    }
    assert units_of("go", {"go.work": "use .\n", "x/go.mod": "module x\n"}) == {"x": "-x"}
    nested = {"go.work": "use ./a\n", "a/go.mod": "module a\n", "t/go.work": "use .\n", "t/go.mod": "module t\n"}
    assert units_of("go", nested) == {"a": "a", "t": "t"}


def test_members_of_deno_may_have_either_manifest() -> None:
    files = {
        "deno.json": '{"workspace": ["./a", "./b"]}',
        "a/deno.json": '{"name": "@x/a"}',
        "b/package.json": package("b"),
        "c/deno.jsonc": '{"name": "@x/c"}',
    }
    assert units_of("javascript", files) == {".": "javascript", "a": "@x/a", "b": "b", "c": "-@x/c"}


def test_uv_detaches_nothing() -> None:
    files = {
        "pyproject.toml": (
            '[project]\nname = "all"\n[tool.uv.workspace]\nmembers = ["libs/*", "build/kit"]\nexclude = ["libs/o*"]\n'
        ),
        **{f"{root}/pyproject.toml": f'[project]\nname = "{root}"\n' for root in ("libs/a", "libs/out", "build/kit")},
        "build/other/pyproject.toml": "",
        "tools/setup.py": "",
    }
    found = {each.root: each for each in found_in(files).candidates if each.family == "python"}
    assert {root for root, each in found.items() if each.evidence.endswith("listed by pyproject.toml")} == {
        "libs/a",
        "build/kit",
    }
    assert sorted(found) == ["", "build/kit", "libs/a", "libs/out", "tools"]
    assert not any(each.detached for each in found.values())
    assert found[RepoPath("")].tier is MarkerTier.FENCE


@pytest.mark.parametrize(
    "workspace", ["[tool.uv]\nworkspace = 7", "[tool.uv.workspace]\nmembers = 7", "[tool]\nuv = []"]
)
def test_invalid_uv_workspace_lists_nothing(workspace: str) -> None:
    files = {"pyproject.toml": f'[project]\nname = "r"\n{workspace}\n', "a/pyproject.toml": '[project]\nname = "a"\n'}
    assert units_of("python", files) == {".": "r", "a": "a"}


def crate(name: str, rest: str = "") -> str:
    return f'[package]\nname = "{name}"\n{rest}'


def test_rust_members_exclude_and_path_dependencies() -> None:
    files = {
        "Cargo.toml": (
            '[workspace]\nmembers = ["crates/*", "special"]\nexclude = ["crates/out", "special"]\n'
            '[workspace.dependencies]\nshared = { path = "lib/shared" }\nunused = { path = "lib/unused" }\n'
        ),
        "Cargo.lock": "",
        "crates/a/Cargo.toml": crate(
            "a", '[dependencies]\nnear = { path = "../../lib/near" }\nshared.workspace = true\n'
        ),
        "crates/out/Cargo.toml": crate("out"),
        "crates/a/fuzz/Cargo.toml": crate("fuzz", "[workspace]\n"),
        "special/Cargo.toml": crate("special"),
        "lib/near/Cargo.toml": crate("near", '[target."cfg(unix)".dev-dependencies]\nfar = { path = "../far" }\n'),
        "lib/far/Cargo.toml": crate("far"),
        "lib/shared/Cargo.toml": crate("shared"),
        "lib/unused/Cargo.toml": crate("unused"),
    }
    assert units_of("rust", files) == {
        ".": "rust",
        "crates/a": "a",
        "crates/a/fuzz": "fuzz",
        "crates/out": "-out",
        "special": "special",
        "lib/near": "near",
        "lib/far": "far",
        "lib/shared": "shared",
        "lib/unused": "-unused",
    }


def test_rust_root_package_without_members() -> None:
    files = {
        "Cargo.toml": crate("root", '[workspace]\n[dependencies]\ncore = { path = "core" }\n'),
        "core/Cargo.toml": crate("core"),
        "extra/Cargo.toml": crate("extra"),
    }
    assert units_of("rust", files) == {".": "root", "core": "core", "extra": "-extra"}


SETTINGS = """
// include 'commented'
/* include("neither") */
rootProject.name = 'shop'
include 'app', ":lib:core",
        ':lib:net'
include(":moved", 'flat/dir')
project(':moved').projectDir = file('elsewhere/moved')
includeBuild("build-logic")
"""


def test_gradle_with_plain_names_is_strict() -> None:
    builds = (
        "",
        "app/",
        "lib/core/",
        "lib/net/",
        "lib/",
        "elsewhere/moved/",
        "flat/dir/",
        "buildSrc/",
        "other/",
        "moved/",
    )
    files = {f"{place}build.gradle": "" for place in builds} | {"settings.gradle": SETTINGS}
    files["build-logic/build.gradle.kts"] = ""
    found = units_of("jvm", files)
    assert found.pop(".") == "shop"
    assert {root for root, name in found.items() if name.startswith("-")} == {"other", "moved"}
    assert found.keys() - {"other", "moved"} == {
        *("app", "lib", "lib/core", "lib/net", "elsewhere/moved", "flat/dir", "build-logic", "buildSrc")
    }


@pytest.mark.parametrize(
    "line",
    [
        'include(":app")\ninclude(name)',
        'include("app", "lib-$flavour")',
        'include("app" + suffix)',
        "['app'].each { include it }",
        'listOf("app").forEach(::include)',
        "include 'app'\napply from: 'more.gradle'",
        'include(":app")\nproject(":app").projectDir = File(dirs["app"])',
        'include(":app")\nproject(":app").projectDir = file("$base/app")',
    ],
)
def test_computed_gradle_includes_detach_nothing(line: str) -> None:
    files = {"settings.gradle.kts": line, "app/build.gradle.kts": "", "other/build.gradle": ""}
    assert not any(name.startswith("-") for name in units_of("jvm", files).values())


def test_a_gradle_project_needs_no_build_file() -> None:
    assert units_of("jvm", {"settings.gradle": 'include "core"\n', "core/core.gradle": ""}) == {
        ".": "jvm",
        "core": "core",
    }


def test_maven() -> None:
    files = {
        "pom.xml": (
            "<!-- <modules><module>no</module></modules> --><project><parent><artifactId>above</artifactId></parent>"
            "<artifactId>all</artifactId><modules><module>core</module><module>web/pom.xml</module></modules></project>"
        ),
        ".mvn/jvm.config": "",
        "core/pom.xml": "<project><artifactId>the-core</artifactId></project>",
        "web/pom.xml": "<project/>",
        "alone/pom.xml": "<project><artifactId>alone</artifactId></project>",
        "settings.gradle": "",
        "alone/build.gradle": "",
    }
    found = units_of("jvm", files)
    assert found == {".": "all", "core": "the-core", "web": "web", "alone": "-alone"}
    evidence = {str(each.root): each.evidence for each in found_in(files).candidates if each.family == "jvm"}
    assert evidence["core"] == "marked by core/pom.xml, listed by pom.xml"


@pytest.mark.parametrize(
    ("family", "files", "expected"),
    [
        (
            "python",
            {"pyproject.toml": '[project]\nname = "shop"\n', "docs/requirements.txt": ""},
            {".": "shop", "docs": "docs"},
        ),
        ("python", {"pyproject.toml": '[tool.poetry]\nname = "p"\n', "poetry.lock": ""}, {".": "p"}),
        (
            "python",
            {"a/setup.cfg": "[metadata]\nname = cfg\n", "b/setup.py": "setup(name='py')"},
            {"a": "cfg", "b": "py"},
        ),
        (
            "dotnet",
            {"Shop.sln": "", "src/Web/Web.csproj": "", "src/Core/Core.fsproj": ""},
            {".": "Shop", "src/Web": "Web", "src/Core": "Core"},
        ),
        ("terraform", {"infra/main.tf": "", "infra/net/versions.tf": ""}, {"infra": "infra", "infra/net": "net"}),
        ("ruby", {"Gemfile": "", "Gemfile.lock": "", "engine/Gemfile": ""}, {".": "ruby", "engine": "engine"}),
        ("php", {"composer.json": '{"name": "acme/shop"}'}, {".": "acme/shop"}),
        (
            "protobuf",
            {"buf.work.yaml": "", "api/buf.yaml": "name: buf.build/acme/api\n"},
            {".": "protobuf", "api": "buf.build/acme/api"},
        ),
        (
            "elixir",
            {"mix.exs": "def project do\n [app: :shop]\n", "apps/web/mix.exs": ""},
            {".": "shop", "apps/web": "web"},
        ),
        ("swift", {"Package.swift": 'let package = Package(\n  name: "Kit",\n'}, {".": "Kit"}),
        (
            "haskell",
            {"lib/lib.cabal": "cabal-version: 2\nname:   the-lib\n", "cabal.project": ""},
            {".": "haskell", "lib": "the-lib"},
        ),
        ("javascript", {"deno.jsonc": '{\n // words\n "name": "@x/y",\n}'}, {".": "@x/y"}),
        ("go", {"vendor/x/go.mod": "module x\n", "node_modules/y/go.mod": "module y\n"}, {}),
    ],
)
def test_other_families(family: str, files: dict[str, str], expected: dict[str, str]) -> None:
    assert units_of(family, files) == expected


def test_ambient_units() -> None:
    ambient = {
        each.family
        for each in found_in({"go.mod": "module x\n", "flake.nix": ""}).candidates
        if each.tier is MarkerTier.AMBIENT
    }
    assert {"sql", "docker", "markdown", "json_yaml", "graphql", "protobuf", "python"} <= ambient
    assert not {"go", "config"} & ambient
    assert "protobuf" not in {
        each.family for each in found_in({"api/buf.yaml": ""}).candidates if each.tier is MarkerTier.AMBIENT
    }


def test_listed_member_in_an_excluded_directory_counts() -> None:
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["build"]\n',
        "build/Cargo.toml": crate("b"),
        "dist/Cargo.toml": crate("d"),
    }
    assert units_of("rust", files) == {".": "rust", "build": "b"}


def test_members_outside_of_the_repository_are_noted() -> None:
    found = found_in({"go.work": "use ../../elsewhere\nuse ./a\n", "a/go.mod": "module a\n"})
    assert [(note.path, "outside" in note.text) for note in found.notes] == [("go.work", True)]
