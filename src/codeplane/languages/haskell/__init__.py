"""Haskell. A signature and the equations after it are one function; a module exports what its header lists."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.family import Family, Marker, markers
from codeplane.languages.manifest import name_reader
from codeplane.languages.spec import DefinitionHead, ImportSite, Language, RolePatterns

_MARKER = re.compile(r"^(?:--+|\{-)?\s?|\s*-\}$")
_RULE = re.compile(r"^[-=*#\s]*$")
_NAMES = frozenset({"variable", "name", "constructor", "operator", "constructor_operator"})


def module_name(path: str) -> str:
    """Return the directories from the first capitalized one: `Data.Shape` for `src/Data/Shape.hs`."""
    parts = path.removesuffix(".hs").split("/")
    first = next((number for number, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[first:])


def visibility(head: DefinitionHead) -> str:
    if head.parent_kind in ("function", "method"):
        return "private"
    if head.exported is None or head.exported or head.kind == "module" or head.parent_kind == "container":
        return "public"
    return head.parent_visibility or "private"


def plain_lines(lines: list[str]) -> list[str]:
    """Remove Haddock markers; drop pragmas and comments about the preceding item."""
    plain: list[str] = []
    for line in lines:
        text = _MARKER.sub("", line).strip()
        if text.startswith(("^", "#")):
            return []
        text = text.removeprefix("|").strip()
        plain.append("" if _RULE.match(text) else text)
    return plain


def one_clause(params: str) -> int:
    """Return the number of parameters, which all equations of a name share."""
    return 0


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Expand `import qualified A.B as M`, `import A (b, C(..))`, `import A hiding (b)`."""
    module = _text(node.child_by_field_name("module"))
    alias = node.child_by_field_name("alias")
    words = {child.type for child in node.children if not child.is_named}
    names = node.child_by_field_name("names")
    qualified = "qualified" in words
    sites: list[ImportSite] = []
    if alias is not None:
        last = alias.named_children[0] if len(alias.named_children) == 1 else None
        sites.append(ImportSite(module, module, _text(alias), last))
    elif qualified:
        sites.append(ImportSite(module, module, None, None))
    if names is not None and "hiding" not in words:
        for name in _listed(names):
            sites.append(ImportSite(module, _text(name), None, None if qualified else name))
    elif not qualified:
        sites.append(ImportSite(module, "*", None, None))
    return sites


def _listed(names: Any) -> list[Any]:
    """Yield the names of an import list, with constructors and fields listed after their type."""
    found: list[Any] = []
    todo = list(reversed(names.named_children))
    while todo:
        part = todo.pop()
        if part.type in _NAMES:
            found.append(part)
        elif part.type != "namespace":
            todo.extend(reversed(part.named_children))
    return found


def _text(node: Any) -> str:
    return node.text.decode("utf-8", "replace") if node is not None else ""


LANGUAGES = (
    Language(
        name="haskell",
        aliases=("hs",),
        filter_extensions=(".lhs",),
        roles=RolePatterns(
            tests=(("**/*Spec.hs", r".+Spec\.hs"),),
            build="stack.yaml *.cabal",
        ),
        family="haskell",
        extensions=(".hs",),
        interpreters=("runghc", "runhaskell"),
        grammar="tree_sitter_haskell:language",
        distribution="tree-sitter-haskell",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        comments=("--", "{-"),
        doc_prefixes=("--",),
        doc_block=("{-", "-}"),
        doc_lines=plain_lines,
        signature_noise=re.compile(r"\s+where\Z"),
        redefinition_is_same=True,
        clause_key=one_clause,
        member_kinds={"function": "method"},
        explicit_exports="module_header",
        export_evidence="module",
        expand_import=expand_import,
    ),
)

FAMILY = Family(
    name="haskell",
    unit_files=("*.hs",),
    markers=(
        Marker("*.cabal", name_reader(r"^name:[ \t]{0,50}([\w.-]{1,200})", re.MULTILINE | re.IGNORECASE)),
        *markers("cabal.project stack.yaml", fence=True),
    ),
)
