"""Syntax shared by JavaScript and TypeScript that no query can match: imports, destructuring, visibility, JSDoc."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.spec import DefinitionHead, ImportSite

DECORATORS = re.compile(r"\A(?:@[\w$.]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\s*)+")
"""Modifiers before a signature; they are listed separately."""

_MODIFIER = re.compile(
    r"\b(private|protected)\s+(?:(?:static|override|readonly|abstract|async|accessor|declare|get|set)\s+)*\*?\s*\Z"
)
_SUFFIX = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?\Z")
_BLOCK_TAG = re.compile(r"\s*@[a-zA-Z]")
_FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
_WHOLE_NAMES = frozenset({"identifier", "shorthand_property_identifier_pattern", "string", "computed_property_name"})
_PASSED_THROUGH = frozenset({"await_expression", "parenthesized_expression", "as_expression", "satisfies_expression"})


def module_name(path: str) -> str:
    return _SUFFIX.sub("", path).removeprefix("src/").removesuffix("/index").replace("/", ".")


def visibility(head: DefinitionHead) -> str:
    if head.name.startswith("#"):
        return "private"
    modifier = _MODIFIER.search(head.text)
    if modifier is not None:
        return modifier.group(1)
    return "private" if head.name.startswith("_") and head.name.strip("_") else "public"


def doc_lines(lines: list[str]) -> list[str]:
    """Return the text of a JSDoc comment before its first `@tag`."""
    for number, line in enumerate(lines):
        if _BLOCK_TAG.match(line):
            return lines[:number]
    return lines


def pattern_names(pattern: Any) -> list[Any]:
    """Return the identifiers that a destructuring pattern binds, in order; quoted and computed names as written."""
    found: list[Any] = []
    pending = [pattern]
    while pending:
        node = pending.pop()
        kind = node.type
        if kind in _WHOLE_NAMES:
            found.append(node)
        elif kind in ("object_pattern", "array_pattern", "rest_pattern"):
            pending.extend(reversed(node.named_children))
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            pending.append(node.child_by_field_name("left"))
        elif kind == "pair_pattern":
            pending.append(node.child_by_field_name("value"))
    return found


def read_import(node: Any, source: bytes) -> list[ImportSite]:
    """Return the names imported by an `import` statement, or by `require` or `import()` with a literal."""
    if node.type == "call_expression":
        return _read_call(node, source)
    clause = next((child for child in node.named_children if child.type.endswith("_clause")), None)
    literal = node.child_by_field_name("source") or (clause and clause.child_by_field_name("source"))
    module = _string(literal, source) if literal is not None else ""
    if clause is None:
        return [ImportSite(module, module, None, None)]
    type_only = _has_type(node)
    if clause.type == "import_require_clause":
        return [
            _whole(module, clause.named_children[0], source, "ts_import_type" if type_only else "ts_import_require")
        ]
    sites: list[ImportSite] = []
    for child in clause.named_children:
        kind = "ts_import_type" if type_only else None
        if child.type == "identifier":
            sites.append(ImportSite(module, "default", _text(child, source), child, kind))
        elif child.type == "namespace_import":
            sites.append(_whole(module, child.named_children[-1], source, kind))
        elif child.type == "named_imports":
            sites.extend(
                _specifier(module, specifier, source, "ts_import_type" if _has_type(specifier) else kind)
                for specifier in child.named_children
                if specifier.type == "import_specifier"
            )
    return sites or [ImportSite(module, module, None, None)]


def _specifier(module: str, node: Any, source: bytes, kind: str | None) -> ImportSite:
    name = node.child_by_field_name("name")
    alias = node.child_by_field_name("alias")
    alias_text = _text(alias, source) if alias is not None else None
    return ImportSite(module, _string(name, source), alias_text, alias if alias is not None else name, kind)


def _read_call(node: Any, source: bytes) -> list[ImportSite]:
    """Return names bound like imports, as in `const fs = require("fs")`; elsewhere the call binds nothing."""
    module = _string(node.child_by_field_name("arguments").named_children[0], source)
    promised = node.child_by_field_name("function").type == "import"
    at, member, awaited = node, None, False
    while True:
        parent = at.parent
        if parent is None:
            break
        if parent.type == "member_expression" and member is None and parent.child_by_field_name("object") == at:
            member = parent.child_by_field_name("property")
        elif parent.type not in _PASSED_THROUGH:
            break
        awaited = awaited or (parent.type == "await_expression" and member is None)
        at = parent
    nothing = [ImportSite(module, module, None, None)]
    if parent is None or parent.type != "variable_declarator" or parent.child_by_field_name("value") != at:
        return nothing
    if promised != awaited or not _is_seen_where_it_stands(parent):
        return nothing
    target = parent.child_by_field_name("name")
    if target.type == "identifier":
        if member is None:
            return [_whole(module, target, source, None)]
        name, local = _text(member, source), _text(target, source)
        return [ImportSite(module, name, local if local != name else None, target)]
    if target.type != "object_pattern" or member is not None:
        return nothing
    return _destructured(module, target, source) or nothing


def _destructured(module: str, pattern: Any, source: bytes) -> list[ImportSite]:
    """Return names destructured without a default; nested patterns bind ordinary variables."""
    sites: list[ImportSite] = []
    for child in pattern.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            sites.append(ImportSite(module, _text(child, source), None, child))
        elif child.type == "pair_pattern":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key.type == "property_identifier" and value.type == "identifier":
                sites.append(ImportSite(module, _text(key, source), _text(value, source), value))
    return sites


def _is_seen_where_it_stands(declarator: Any) -> bool:
    """True if a declarator binds in the enclosing scope; a `var` in a block binds further out."""
    declaration = declarator.parent
    if declaration.type != "variable_declaration":
        return True
    around = declaration.parent
    if around.type == "export_statement":
        around = around.parent
    if around.type == "statement_block":
        return around.parent is not None and around.parent.type in _FUNCTIONS
    return bool(around.type == "program")


def _whole(module: str, node: Any, source: bytes, kind: str | None) -> ImportSite:
    return ImportSite(module, "*", _text(node, source), node, kind)


def _has_type(node: Any) -> bool:
    return any(child.type in ("type", "typeof") for child in node.children if not child.is_named)


def _text(node: Any, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _string(node: Any, source: bytes) -> str:
    text = _text(node, source)
    return text[1:-1] if len(text) >= 2 and text[0] in "\"'`" else text
