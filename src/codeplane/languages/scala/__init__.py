"""Scala 2 and 3. Everything is public by default; extension methods belong to the type that they extend."""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.java.modules import module_name
from codeplane.languages.spec import DefinitionHead, ImportSite, Language, RolePatterns

_ACCESS = re.compile(r"\b(private|protected)\b(\[(?!this\b))?")
_COMMENT_OR_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_ARGUMENTS = r'\((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"(?:[^"\\]|\\.)*")*+\))*+\)'
_ANNOTATIONS = re.compile(rf"\A(?:@[\w.]+(?:\[[^\]]*\])?(?:{_ARGUMENTS})?\s?)+")
_MARKUP = re.compile(r"\[\[(?:[^\]\s]*[.#])?([^\]\s]+)(?:\s+([^\]]+))?\]\]|\{\{\{|\}\}\}|'{2,5}|`")
_PARTS = frozenset({"identifier", "operator_identifier"})


def visibility(head: DefinitionHead) -> str:
    found = _ACCESS.search(_COMMENT_OR_STRING.sub("", head.text))
    if found is not None:
        return "package" if found.group(2) else found.group(1)
    return "private" if head.parent_kind in ("function", "method") else "public"


def plain_lines(lines: list[str]) -> list[str]:
    """Return the text up to the first tag, with markup resolved."""
    plain: list[str] = []
    for line in lines:
        if line.lstrip().startswith("@"):
            break
        plain.append(_MARKUP.sub(lambda found: found.group(2) or found.group(1) or "", line))
    return plain


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Expand `import a.b.{C, D => E, _}`, and several paths in one statement."""
    sites: list[ImportSite] = []
    path: list[Any] = []
    selected = False
    for child in (*node.children, None):
        kind = child.type if child is not None else ","
        if kind in _PARTS:
            path.append(child)
        elif kind == "namespace_selectors":
            selected = True
            for item in child.named_children:
                sites.extend(_selected(_joined(path), item))
        elif kind in ("namespace_wildcard", "arrow_renamed_identifier", "as_renamed_identifier"):
            selected = True
            sites.extend(_selected(_joined(path), child))
        elif kind == ",":
            if path and not selected:
                sites.append(ImportSite(_joined(path[:-1]), _text(path[-1]), None, path[-1]))
            path, selected = [], False
    return sites


def expand_pattern(node: Any) -> list[Any]:
    """Return the variables of a pattern. A capitalized name is a constant or an extractor, unless it is the whole
    pattern.
    """
    bound: list[Any] = []
    alone = node.type == "identifiers"
    todo = [node]
    while todo:
        part = todo.pop()
        if part.type == "identifier":
            if alone or not part.text[:1].isupper():
                bound.append(part)
        elif part.type in ("typed_pattern", "case_class_pattern"):
            todo.extend(reversed(part.children_by_field_name("pattern")))
        else:
            todo.extend(reversed(part.named_children))
    return bound


def _selected(source: str, item: Any) -> list[ImportSite]:
    if item.type == "namespace_wildcard":
        return [ImportSite(source, "*", None, None)]
    if item.type in _PARTS:
        return [ImportSite(source, _text(item), None, item)]
    name, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
    if name is None or alias is None:
        return []
    return [ImportSite(source, _text(name), _text(alias), alias if alias.type in _PARTS else None)]


def _joined(path: list[Any]) -> str:
    return ".".join(_text(part) for part in path)


def _text(node: Any) -> str:
    text: str = node.text.decode("utf-8", "replace")
    return text


LANGUAGES = (
    Language(
        name="scala",
        aliases=("sc",),
        roles=RolePatterns(
            tests=(("**/*Spec.scala", r".+(?:Spec|Suite)\.(?:scala|groovy)"),),
            build="build.sbt",
        ),
        family="jvm",
        extensions=(".scala", ".sc", ".sbt"),
        interpreters=("scala", "scala-cli"),
        grammar="tree_sitter_scala:language",
        distribution="tree-sitter-scala",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        doc_prefixes=("///",),
        doc_lines=plain_lines,
        signature_noise=_ANNOTATIONS,
        export_evidence="public",
        expand_import=expand_import,
        expand_pattern=expand_pattern,
    ),
)
