"""Expand Rust syntax that no query pattern can match: `use` declarations and patterns.

Walks with an explicit stack, so that deep nesting cannot exhaust the call stack.
"""

from __future__ import annotations

from typing import Any

from codeplane.languages.spec import ImportSite

_PATHS = frozenset({"scoped_identifier", "identifier", "crate", "super", "self", "metavariable"})
_OPAQUE = frozenset({"scoped_identifier", "range_pattern", "macro_invocation", "const_block", "generic_pattern"})
"""Parts of a pattern that refer to names without binding any."""


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Return one site per leaf of a `use` tree, or the one of `extern crate a as b`."""
    if node.type == "extern_crate_declaration":
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        if name is None:
            return []
        bound = None if name.type == "self" else name
        return [ImportSite("", _text(name, source), _text_or_none(alias, source), alias or bound)]
    sites: list[ImportSite] = []
    todo = [("", node.child_by_field_name("argument"), None)]
    while todo:
        prefix, tree, last = todo.pop()
        if tree is None:
            continue
        kind = tree.type
        if kind == "use_list":
            todo.extend((prefix, child, last) for child in reversed(tree.named_children))
        elif kind == "scoped_use_list":
            path = tree.child_by_field_name("path")
            inner = _joined(prefix, _text(path, source)) if path is not None else prefix or "::"
            todo.append((inner, tree.child_by_field_name("list"), _last(path) or last))
        elif kind == "use_wildcard":
            path = next((child for child in tree.named_children if child.type in _PATHS), None)
            sites.append(
                ImportSite(_joined(prefix, _text(path, source)) if path is not None else prefix, "*", None, None)
            )
        elif kind == "use_as_clause":
            path, alias = tree.child_by_field_name("path"), tree.child_by_field_name("alias")
            if path is not None:
                origin, name, _ = _split(prefix, path, last, source)
                sites.append(ImportSite(origin, name, _text(alias, source) if alias is not None else "_", alias))
        elif kind in _PATHS:
            sites.append(_plain(_split(prefix, tree, last, source)))
    return sites


def expand_pattern(node: Any) -> list[Any]:
    """Return the identifiers that a pattern binds; a capitalized one refers to a constant or a variant."""
    bound: list[Any] = []
    todo = [node]
    while todo:
        part = todo.pop()
        kind = part.type
        if kind == "identifier":
            # Error recovery of the parser inserts empty identifiers.
            if part.text and not 0x41 <= part.text[0] <= 0x5A:
                bound.append(part)
        elif kind == "shorthand_field_identifier":
            bound.append(part)
        elif kind in ("tuple_struct_pattern", "struct_pattern"):
            todo.extend(part.named_children[1:])
        elif kind == "field_pattern":
            inner = part.child_by_field_name("pattern")
            todo.append(inner if inner is not None else part.child_by_field_name("name"))
        elif kind not in _OPAQUE:
            todo.extend(part.named_children)
    return bound


def _split(prefix: str, path: Any, last: Any, source: bytes) -> tuple[str, str, Any]:
    """Return origin, name and identifier of a leaf; the leaf of `a::b::{self}` is `b` of `a`."""
    if path.type == "self" and prefix:
        origin, _, name = prefix.rpartition("::")
        return origin, name, last
    if path.type == "scoped_identifier":
        inner, name = path.child_by_field_name("path"), path.child_by_field_name("name")
        if name is not None:
            return (
                _joined(prefix, _text(inner, source)) if inner is not None else prefix or "::",
                _text(name, source),
                name,
            )
    return prefix, _text(path, source), path if path.type == "identifier" else None


def _plain(parts: tuple[str, str, Any]) -> ImportSite:
    origin, name, node = parts
    return ImportSite(origin, name, None, node)


def _last(path: Any) -> Any:
    """Return the last identifier of a path."""
    if path is None or path.type == "identifier":
        return path
    return path.child_by_field_name("name")


def _joined(prefix: str, path: str) -> str:
    return f"{prefix}{'' if prefix.endswith('::') else '::'}{path}" if prefix else path


def _text(node: Any, source: bytes) -> str:
    return "".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


def _text_or_none(node: Any, source: bytes) -> str | None:
    return _text(node, source) if node is not None else None
