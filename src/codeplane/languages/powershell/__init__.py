"""PowerShell: functions, filters, classes and enumerations. Names are not case-sensitive."""

from __future__ import annotations

from codeplane.languages.spec import DefinitionHead, Language, RolePatterns


def module_name(path: str) -> str:
    return path.rpartition(".")[0].replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    return "private" if "hidden " in head.text or head.parent_kind in ("function", "method") else "public"


LANGUAGES = (
    Language(
        name="powershell",
        roles=RolePatterns(tests=(("**/*.Tests.ps1", r".+\.[Tt]ests\.ps1"),)),
        family="config",
        extensions=(".ps1", ".psm1"),
        interpreters=("pwsh",),
        grammar="tree_sitter_powershell:language",
        distribution="tree-sitter-powershell",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        aliases=("ps1",),
        filter_extensions=(".psd1",),
        comments=("#", "<#"),
        doc_prefixes=("#",),
        doc_block=("<#", "#>"),
        member_kinds={"function": "method"},
        implied_name=lambda text: text.removeprefix("$"),
        export_evidence="public",
    ),
)
