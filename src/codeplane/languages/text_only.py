"""Languages without a grammar, and the family of files that belong to no build tool.

Their files are indexed as text. Names and extensions are known so that a search can filter by them, and so that
code can be cut into passages at lines that look like the head of a definition.
"""

from __future__ import annotations

from typing import NamedTuple

from codeplane.languages.family import Family, markers
from codeplane.languages.spec import RolePatterns


class TextLanguage(NamedTuple):
    name: str
    extensions: tuple[str, ...]
    """Extensions of code."""
    aliases: tuple[str, ...] = ()
    data_extensions: tuple[str, ...] = ()


LANGUAGES = (
    TextLanguage("clojure", (".clj", ".cljs", ".cljc"), ("clj",), (".edn",)),
    TextLanguage("erlang", (".erl", ".hrl"), ("erl",)),
    TextLanguage("fsharp", (".fs", ".fsi", ".fsx"), ("f#", "fs")),
    TextLanguage("groovy", (".groovy",), ("gradle",), (".gradle",)),
    TextLanguage("nim", (".nim",)),
    TextLanguage("perl", (".pl", ".pm", ".t"), ("pl",)),
    TextLanguage("r", (".r",), (), (".rmd",)),
    TextLanguage("xml", (), (), (".xml", ".xsd", ".xsl")),
)
DOCUMENTS = {".adoc": "asciidoc", ".rst": "rst", ".txt": "text"}
"""Names of documents without a grammar, by extension."""
MORE_CODE_EXTENSIONS = (".cr", ".l", ".tcl", ".vb", ".y", ".zsh")
"""Code without a name to filter by."""

ROLES = RolePatterns(
    tests=(
        ("**/*_spec.cr", r".+_spec\.cr"),
        ("**/*_test.clj", r".+_test\.clj[cs]?"),
        ("**/*_test.nim", r".+_test\.nim"),
        ("**/*Tests.fs", r".+Tests?\.(?:fs|vb)"),
        ("**/*_SUITE.erl", r".+_(?:SUITE|tests)\.erl"),
        ("**/test-*.R", r"test[-_].+\.[Rr]|test_.+\.nim"),
        ("**/*.bats", r".+\.(?:bats|t|feature)"),
    ),
    generated="*.generated.* *_generated.* zz_generated* *.lock",
    build=(
        "Makefile makefile GNUmakefile CMakeLists.txt meson.build meson_options.txt SConstruct SConscript configure"
        " configure.ac configure.in Makefile.am Makefile.in BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel MODULE.bazel"
        " rebar.config project.clj deps.edn Jenkinsfile Justfile justfile Taskfile.yml Procfile dune dune-project"
        " Doxyfile flake.nix default.nix shell.nix *.mk *.mak *.cmake *.bzl *.bazel *.rockspec"
    ),
)
"""Patterns of languages without a folder, and of tools that serve many languages."""

FAMILY = Family(
    name="config",
    unit_files=("*.nix",),
    markers=(*markers("flake.nix"), *markers("flake.lock", fence=True)),
    is_ambient=True,
)
"""Files of no other family."""


def name_of(path: str) -> str:
    """Return the language of a file without a grammar, by its extension; empty if it is unknown."""
    extension = f".{path.rpartition('.')[2].lower()}"
    found = (each.name for each in LANGUAGES if extension in (*each.extensions, *each.data_extensions))
    return next(found, DOCUMENTS.get(extension, ""))
