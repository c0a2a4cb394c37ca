"""Starlark: build rules and macros of Bazel and Buck. A call with a `name` makes a target."""

from __future__ import annotations

from codeplane.languages.spec import DefinitionHead, Language


def module_name(path: str) -> str:
    return path.rpartition(".")[0].replace("/", ".") if path.endswith((".bzl", ".star")) else path.replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    return "private" if head.name.startswith("_") or head.parent_kind == "function" else "public"


LANGUAGES = (
    Language(
        name="starlark",
        family="config",
        extensions=(".bzl", ".star", ".bazel"),
        filenames=("BUILD", "WORKSPACE", "BUCK"),
        grammar="tree_sitter_starlark:language",
        distribution="tree-sitter-starlark",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        aliases=("bazel", "bzl"),
        comments=("#",),
        doc_style="docstring",
        doc_prefixes=("#",),
        doc_block=('"""', '"""'),
        export_evidence="public_name",
    ),
)
