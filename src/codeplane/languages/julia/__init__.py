"""Julia. A function is one name with many methods; what a module exports is public."""

from __future__ import annotations

from codeplane.languages.spec import DefinitionHead, Language, RolePatterns


def module_name(path: str) -> str:
    return path.removesuffix(".jl").removeprefix("src/").replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    return "private" if head.name.startswith("_") or head.parent_kind == "function" else "public"


LANGUAGES = (
    Language(
        name="julia",
        roles=RolePatterns(tests=(("**/runtests.jl", r"runtests\.jl|test_.+\.jl"),)),
        family="config",
        extensions=(".jl",),
        interpreters=("julia",),
        grammar="tree_sitter_julia:language",
        distribution="tree-sitter-julia",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        aliases=("jl",),
        comments=("#",),
        doc_prefixes=("#",),
        doc_block=('"""', '"""'),
        member_kinds={},
        export_evidence="public_name",
    ),
)
