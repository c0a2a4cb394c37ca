"""The language families, and the family of files that no grammar reads yet."""

from __future__ import annotations

FAMILIES: tuple[str, ...] = (
    "config",
    "docker",
    "dotnet",
    "elixir",
    "go",
    "graphql",
    "haskell",
    "javascript",
    "json_yaml",
    "jvm",
    "markdown",
    "php",
    "protobuf",
    "python",
    "ruby",
    "rust",
    "sql",
    "swift",
    "terraform",
)
"""Sorted; a unit's number is its position, so that it never depends on what was indexed first."""

TEXT_FAMILIES: dict[str, str] = {
    ".fs": "dotnet",
    ".fsx": "dotnet",
    ".vb": "dotnet",
    ".csproj": "dotnet",
    ".groovy": "jvm",
    ".gradle": "jvm",
    ".rst": "markdown",
    ".adoc": "markdown",
    ".txt": "markdown",
}

TEXT_FILENAMES: dict[str, str] = {
    "go.mod": "go",
    "go.sum": "go",
    "Cargo.lock": "rust",
}
