"""Solidity. A function states its visibility; that of a state variable is internal by default."""

from __future__ import annotations

import re

from codeplane.languages.spec import DefinitionHead, Language, RolePatterns

_ACCESS = re.compile(r"\b(external|public|internal|private)\b")


def module_name(path: str) -> str:
    return path.removesuffix(".sol").replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    found = _ACCESS.search(head.text)
    if found is not None:
        return "public" if found[1] == "external" else found[1]
    return "internal" if head.kind in ("field", "constant") and head.parent_kind == "class" else "public"


LANGUAGES = (
    Language(
        name="solidity",
        roles=RolePatterns(tests=(("**/*.t.sol", r".+\.t\.sol"),)),
        family="config",
        extensions=(".sol",),
        grammar="tree_sitter_solidity:language",
        distribution="tree-sitter-solidity",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        aliases=("sol",),
        doc_prefixes=("///",),
        member_kinds={"function": "method", "variable": "field"},
        export_evidence="public",
    ),
)
