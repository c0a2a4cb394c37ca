"""Swift. An extension belongs to the type that it extends; the default access is internal."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.family import Family, Marker
from codeplane.languages.manifest import name_reader
from codeplane.languages.spec import DefinitionHead, EntryPoints, ImportSite, Language, RolePatterns

_ACCESS = re.compile(r"\b(open|public|package|internal|fileprivate|private)\b(?!\s*\(\s*set)")
_VISIBILITY = {"open": "public", "fileprivate": "private"}
_ARGUMENTS = r"\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*+\))*+\)"
_ATTRIBUTES = re.compile(rf"\A(?:@[\w.]+(?:{_ARGUMENTS})?\s?)+")
_SINGLE = frozenset({"class", "enum", "func", "let", "protocol", "struct", "typealias", "var"})
_FIELD = re.compile(r"^-\s+(?:Parameters?|Returns|Throws|Note|Important|Warning|SeeAlso)\b")


def module_name(path: str) -> str:
    """Return the module: `Shop` for `Sources/Shop/Cart/Item.swift` and everything in that directory."""
    parts = path.split("/")
    for root in ("Sources", "Source", "Tests"):
        if root in parts[:-2]:
            return parts[parts.index(root) + 1]
    return parts[-2] if len(parts) > 1 else ""


def visibility(head: DefinitionHead) -> str:
    found = _ACCESS.search(head.text) or _ACCESS.search(head.section)
    if found is not None:
        return _VISIBILITY.get(found.group(1), found.group(1))
    if head.kind == "enum_member" or head.parent_kind == "interface":
        return head.parent_visibility or "internal"
    return "private" if head.parent_kind in ("function", "method", "constructor") else "internal"


def plain_lines(lines: list[str]) -> list[str]:
    """Return the signature up to the parameter list."""
    for number, line in enumerate(lines):
        if _FIELD.match(line.strip()):
            return lines[:number]
    return lines


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Expand imports: `import Shop` brings in all of it, `import struct Shop.Cart` a single name."""
    path = next((child for child in node.children if child.type == "identifier"), None)
    if path is None:
        return []
    words = [child for child in path.children if child.type == "simple_identifier"]
    texts = [word.text.decode("utf-8", "replace") for word in words]
    single = any(child.type in _SINGLE for child in node.children)
    if single and len(words) > 1:
        return [ImportSite(".".join(texts[:-1]), texts[-1], None, words[-1])]
    return [ImportSite(".".join(texts), "*", None, None)] if texts else []


LANGUAGES = (
    Language(
        name="swift",
        roles=RolePatterns(
            tests=(("**/*Tests.swift", r".+Tests?\.swift"),),
            generated="Package.resolved",
            build="Package.swift Podfile Cartfile *.podspec",
        ),
        family="swift",
        extensions=(".swift",),
        interpreters=("swift",),
        grammar="tree_sitter_swift:language",
        distribution="tree-sitter-swift",
        module_name=module_name,
        entry_points=EntryPoints(is_main=lambda main: not main.is_nested),
        visibility=visibility,
        coverage="references",
        doc_prefixes=("///",),
        doc_lines=plain_lines,
        expand_import=expand_import,
        signature_noise=_ATTRIBUTES,
        member_kinds={"function": "method", "variable": "property", "constant": "property"},
        export_evidence="public_modifier",
    ),
)

FAMILY = Family(
    name="swift",
    unit_files=("*.swift",),
    markers=(Marker("Package.swift", name_reader(r'Package\s{0,20}\(\s{0,200}name:\s{0,20}"([^"\n]{1,200})"')),),
)
