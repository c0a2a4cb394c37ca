"""HCL: blocks by the address that Terraform's expressions use (`aws_vpc.main`, `var.region`), and settings.

In other dialects (Packer, Nomad) a block is named by its type and labels, and labelled blocks nest.
"""

from __future__ import annotations

import re
from typing import Any

from codeplane.languages.family import Family, markers
from codeplane.languages.keys import join_owner, key_site, visibility, without_hashes
from codeplane.languages.spec import DefinitionSite, Language, Reading

MAX_DEPTH = 4

_DESCRIBED = frozenset({b"variable", b"output"})
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_HEREDOC = re.compile(rb"<<-?(\w+)[ \t]*\n(.*)\n[ \t]*\1", re.DOTALL)
_PREFIXES = {b"resource": b"", b"variable": b"var", b"ephemeral": b"ephemeral"}
_TERRAFORM = frozenset(
    {
        b"check", b"data", b"ephemeral", b"import", b"locals", b"module", b"moved", b"output", b"provider", b"removed",
        b"resource", b"terraform", b"variable",
    }
)  # fmt: skip


def read(root: Any, source: bytes, path: str) -> Reading:
    sites: list[DefinitionSite] = []
    pending = [(1, node) for node in reversed(_body(root))]
    while pending:
        level, node = pending.pop()
        if node.type == "attribute":
            if level == 1:
                sites.append(_setting(node, source))
            continue
        if node.type != "block" or not node.named_child_count:
            continue
        kind, *rest = node.named_children
        word = source[kind.start_byte : kind.end_byte]
        labels = []
        for child in rest:
            if child.type not in ("string_lit", "identifier"):
                break
            labels.append(child)
        if word == b"locals" and level == 1:
            sites.extend(_local(child, source) for child in _body(node) if child.type == "attribute")
            continue
        if level > 1 and not labels:
            continue
        texts = [source[label.start_byte : label.end_byte].strip(b'"') for label in labels]
        *owner, name = [part for part in (_PREFIXES.get(word, word), *texts) if part] or [word]
        at = labels[-1] if labels else kind
        inner = next((child for child in rest if child.type == "block_start"), None)
        sites.append(
            DefinitionSite(
                "variable" if word == b"variable" else "block",
                name.decode("utf-8", "replace"),
                node.start_byte,
                node.end_byte,
                at.start_byte + (at.type == "string_lit"),
                at.end_byte - (at.type == "string_lit"),
                inner.start_byte if inner is not None else at.end_byte,
                doc=_description(node, source) if word in _DESCRIBED else None,
                owner=join_owner(owner),
            )
        )
        if word not in _TERRAFORM and level < MAX_DEPTH:
            pending.extend((level + 1, child) for child in reversed(_body(node)))
    return Reading(sites)


def _body(node: Any) -> list[Any]:
    body = next((child for child in node.named_children if child.type == "body"), None)
    return body.named_children if body is not None else []


def _description(block: Any, source: bytes) -> str | None:
    """Return the description of a block."""
    for child in _body(block):
        if child.type != "attribute" or child.named_child_count < 2:
            continue
        key, value = child.named_children[0], child.named_children[-1]
        if source[key.start_byte : key.end_byte] != b"description":
            continue
        text = source[value.start_byte : value.end_byte].strip()
        quoted, heredoc = _QUOTED.fullmatch(text), _HEREDOC.fullmatch(text)
        said = quoted[1].replace(b'\\"', b'"').replace(b"\\n", b"\n") if quoted is not None else None
        said = heredoc[2] if heredoc is not None else said
        return said.decode("utf-8", "replace") if said is not None else None
    return None


def _setting(node: Any, source: bytes) -> DefinitionSite:
    key, value = node.named_children[0], node.named_children[-1]
    at = (key.start_byte, key.end_byte)
    return key_site(source[at[0] : at[1]], node.start_byte, node.end_byte, at, (value.start_byte, value.end_byte))


def _local(node: Any, source: bytes) -> DefinitionSite:
    return _setting(node, source)._replace(kind="variable", owner="local")


LANGUAGES = (
    Language(
        name="hcl",
        family="terraform",
        extensions=(".tf", ".tfvars", ".hcl", ".tofu", ".nomad"),
        grammar="tree_sitter_hcl:language",
        distribution="tree-sitter-hcl",
        coverage="definitions",
        module_name=lambda path: "",
        visibility=visibility,
        comments=("#", "//", "/*"),
        doc_prefixes=("#", "//"),
        doc_lines=without_hashes,
        variables_are_items=True,
        owner_path=str,
        read=read,
    ),
)

FAMILY = Family(
    name="terraform",
    aliases=("tf",),
    unit_files=("*.tf", "*.hcl"),
    markers=(*markers("main.tf versions.tf"), *markers(".terraform.lock.hcl", fence=True)),
)
