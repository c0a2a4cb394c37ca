"""The marker files of each family, and which files a family may own. Data; nothing is read here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from codeplane.base.paths import basename
from codeplane.languages.families import FAMILIES
from codeplane.languages.registry import family_of

AMBIENT: frozenset[str] = frozenset({"config", "docker", "graphql", "json_yaml", "markdown", "sql"})
"""Families that always have a unit of the whole repository. Others have one where no marker of theirs is found."""

FENCED: frozenset[str] = frozenset({"go", "javascript", "jvm", "rust"})
"""Families whose workspaces say which packages beneath them count."""

LISTED: frozenset[str] = FENCED | {"python"}
"""Families whose workspaces list members. To uv a package that its workspace does not list is a project of its own."""

CODE: frozenset[str] = frozenset(
    {"dotnet", "elixir", "go", "haskell", "javascript", "jvm", "php", "python", "ruby", "rust", "swift"}
)
"""Families whose files may have a few syntax errors and still be what they are called. Data may have none."""

EXCLUDED_DIRECTORIES: tuple[str, ...] = (
    "node_modules",
    "venv",
    "__pycache__",
    ".git",
    "target",
    "dist",
    "build",
    "vendor",
)
"""What lies beneath one of these, seen from the root of a unit, belongs to no unit."""

EXCLUDES: tuple[str, ...] = tuple(f"**/{name}/**" for name in EXCLUDED_DIRECTORIES)

INCLUDES: Mapping[str, tuple[str, ...]] = {
    "config": ("*.nix",),
    "docker": ("Dockerfile", "*.Dockerfile", "docker-compose.yml", "docker-compose.yaml"),
    "dotnet": ("*.cs", "*.fs", "*.fsx", "*.vb"),
    "elixir": ("*.ex", "*.exs"),
    "go": ("*.go",),
    "graphql": ("*.graphql", "*.gql"),
    "haskell": ("*.hs",),
    "javascript": (
        "*.js",
        "*.jsx",
        "*.mjs",
        "*.cjs",
        "*.vue",
        "*.svelte",
        "*.astro",
        "*.ts",
        "*.tsx",
        "*.cts",
        "*.mts",
    ),
    "json_yaml": ("*.json", "*.yaml", "*.yml", "*.toml", "*.jsonc"),
    "jvm": ("*.java", "*.kt", "*.kts", "*.scala", "*.sc"),
    "markdown": ("*.md", "*.markdown", "*.mdx"),
    "php": ("*.php",),
    "protobuf": ("*.proto",),
    "python": ("*.py", "*.pyi", "*.pyw", "*.pyx", "*.pxd", "*.pxi"),
    "ruby": ("*.rb", "*.rake", "Gemfile"),
    "rust": ("*.rs",),
    "sql": ("*.sql",),
    "swift": ("*.swift",),
    "terraform": ("*.tf", "*.hcl"),
}
"""Names that belong to a family. A file of any other name goes by the family that the index gives it."""


class Marker(NamedTuple):
    family: str
    fence: bool
    package: bool = True
    """Whether it makes a root a package. One that does not makes a unit only where no package lies at or above it."""


def find_marker(path: str) -> tuple[Marker, str] | None:
    """The marker that a path is, and the root that it marks."""
    directory, _, name = path.rpartition("/")
    marker = _NAMES.get(name)
    if marker is None:
        dot = name.rfind(".")
        marker = _SUFFIXES.get(name[dot:]) if dot > 0 else None
    if marker is not None:
        return marker, directory
    if directory == ".mvn" or directory.endswith("/.mvn"):
        return _MAVEN, directory[:-5]
    return None


def may_own(family: str, path: str) -> bool:
    """Whether a family may own a file of this name: its own names, and those that no family here claims."""
    name = basename(path)
    takers = _TAKERS.get(name) or _TAKERS.get(name[name.rfind(".") :].lower() if "." in name else "")
    if takers is None or family in takers or name in _NAMES:
        return True
    return family == family_of(path)


def includes(family: str) -> tuple[str, ...]:
    """As globs that are seen from the root of a unit."""
    return tuple(f"**/{name}" for name in INCLUDES[family])


def _named(family: str, names: str, *, fence: bool = False, package: bool = True) -> dict[str, Marker]:
    return dict.fromkeys(names.split(), Marker(family, fence, package))


_MAVEN = Marker("jvm", fence=True, package=False)

_NAMES: dict[str, Marker] = {
    **_named(
        "javascript",
        "pnpm-workspace.yaml lerna.json nx.json turbo.json rush.json yarn.lock pnpm-lock.yaml",
        fence=True,
        package=False,
    ),
    **_named("javascript", "package.json deno.json deno.jsonc"),
    **_named("javascript", "tsconfig.json jsconfig.json", package=False),
    **_named("python", "uv.lock poetry.lock Pipfile.lock", fence=True),
    **_named("python", "pyproject.toml setup.py setup.cfg requirements.txt Pipfile"),
    **_named("go", "go.work", fence=True, package=False),
    **_named("go", "go.mod"),
    **_named("rust", "Cargo.lock", fence=True, package=False),
    **_named("rust", "Cargo.toml"),
    **_named("jvm", "settings.gradle settings.gradle.kts", fence=True),
    **_named("jvm", "build.gradle build.gradle.kts pom.xml build.sbt"),
    **_named("terraform", ".terraform.lock.hcl", fence=True),
    **_named("terraform", "main.tf versions.tf"),
    **_named("ruby", "Gemfile.lock", fence=True),
    **_named("ruby", "Gemfile"),
    **_named("php", "composer.lock", fence=True),
    **_named("php", "composer.json"),
    **_named("config", "flake.lock", fence=True),
    **_named("config", "flake.nix"),
    **_named("protobuf", "buf.work.yaml", fence=True),
    **_named("protobuf", "buf.yaml"),
    **_named("elixir", "mix.lock", fence=True),
    **_named("elixir", "mix.exs"),
    **_named("haskell", "cabal.project stack.yaml", fence=True),
    **_named("swift", "Package.swift"),
}

_SUFFIXES: dict[str, Marker] = {
    **dict.fromkeys((".sln", ".slnx"), Marker("dotnet", fence=True)),
    **dict.fromkeys((".csproj", ".fsproj", ".vbproj"), Marker("dotnet", fence=False)),
    ".cabal": Marker("haskell", fence=False),
}


def _takers() -> dict[str, frozenset[str]]:
    """Whole names, and suffixes in lower case."""
    found: dict[str, set[str]] = {}
    for family in FAMILIES:
        for name in INCLUDES[family]:
            found.setdefault(name.removeprefix("*"), set()).add(family)
    return {name.lower() if name.startswith(".") else name: frozenset(takers) for name, takers in found.items()}


_TAKERS = _takers()
