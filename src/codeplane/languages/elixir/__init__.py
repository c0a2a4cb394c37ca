"""Elixir. All definitions are macro calls; the clauses of a function with one name and arity are one function.

Modules carry their full names, so the path of a file says nothing about the names in it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from codeplane.languages.family import Family, Marker, markers
from codeplane.languages.manifest import name_reader
from codeplane.languages.spec import DefinitionHead, ImportSite, Language, RolePatterns

_PRIVATE = re.compile(r"(?:\A|\n)\s*(?:defp|defmacrop|defguardp|@typep)\b[^\n]*\Z")
_COMMENT = re.compile(r"^#+\s?")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|(?<!\w)\?\\?.|#[^\n]*')


class _Slice(NamedTuple):
    """A part of a node: an atom without its colon, a keyword without the one after it."""

    start_byte: int
    end_byte: int
    child_count: int = 0


def module_name(path: str) -> str:
    return ""


def visibility(head: DefinitionHead) -> str:
    return "private" if _PRIVATE.search(head.text) else "public"


def plain_lines(lines: list[str]) -> list[str]:
    return [_COMMENT.sub("", line) for line in lines]


def arity(params: str) -> int:
    """Return the number of parameters, given them with their parentheses."""
    depth = count = 0
    inner = _STRING.sub("x", params.strip().removeprefix("(").removesuffix(")")).strip()
    for character in inner.replace("<<", "(").replace(">>", ")"):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            count += 1
    return count + 1 if inner else 0


def expand_import(node: Any, source: bytes) -> list[ImportSite]:
    """Expand `alias A.{B, C}`, `alias A.B, as: D`, `import A, only: [f: 1]`, `require A`, `use A`."""
    children = node.named_children
    how = _text(children[0]) if children else ""
    arguments = children[1].named_children if len(children) > 1 else []
    if not arguments:
        return []
    kind = f"elixir_{how}"
    options = _options(arguments[1:])
    sites: list[ImportSite] = []
    for module, node_of_it in _modules(arguments[0]):
        origin, _, name = module.rpartition(".")
        renamed = options.get("as")
        if renamed is not None and renamed.type == "alias":
            sites.append(ImportSite(origin, name, _text(renamed), renamed, kind))
        elif how == "import":
            only = [_text(pair.named_children[0]).rstrip(": ") for pair in _pairs(options.get("only"))]
            sites.extend(ImportSite(module, picked, None, None, kind) for picked in only or ["*"])
        elif how == "use":
            sites.append(ImportSite(module, "*", None, None, kind))
        else:
            bound = node_of_it if name == module else None
            sites.append(ImportSite(origin or module, name, None, bound, kind))
    return sites


def expand_pattern(node: Any) -> list[Any]:
    """Return the fields of a `defstruct`: the keys of pairs, or all items of a list."""
    found: list[_Slice] = []
    todo = [node]
    while todo:
        part = todo.pop()
        if part.type == "pair":
            key = part.named_children[0]
            found.append(_Slice(key.start_byte, key.start_byte + len(key.text.rstrip(b": \t\r\n"))))
        elif part.type == "atom":
            found.append(_Slice(part.start_byte + 1, part.end_byte))
        else:
            todo.extend(reversed(part.named_children))
    return [each for each in found if each.end_byte > each.start_byte]


def _modules(node: Any) -> list[tuple[str, Any]]:
    if node.type == "dot" and len(node.named_children) > 1 and node.named_children[1].type == "tuple":
        prefix = _text(node.named_children[0])
        return [(f"{prefix}.{_text(part)}", part) for part in node.named_children[1].named_children]
    return [(_text(node), node)] if node.type in ("alias", "dot", "identifier") else []


def _options(arguments: list[Any]) -> dict[str, Any]:
    return {
        _text(pair.named_children[0]).rstrip(": "): pair.named_children[1]
        for argument in arguments
        for pair in _pairs(argument)
    }


def _pairs(node: Any) -> list[Any]:
    """Yield the key-value pairs of a keyword list, with or without brackets."""
    if node is not None and node.type == "list":
        lists = [child for child in node.named_children if child.type == "keywords"]
    else:
        lists = [node] if node is not None and node.type == "keywords" else []
    pairs = (pair for each in lists for pair in each.named_children)
    return [pair for pair in pairs if pair.type == "pair" and len(pair.named_children) > 1]


def _text(node: Any) -> str:
    text: str = node.text.decode("utf-8", "replace")
    return text


LANGUAGES = (
    Language(
        name="elixir",
        aliases=("ex", "exs"),
        roles=RolePatterns(
            tests=(("**/*_test.exs", r".+_test\.exs?|test_helper\.exs"),),
            build="mix.exs",
        ),
        family="elixir",
        extensions=(".ex", ".exs"),
        interpreters=("elixir",),
        grammar="tree_sitter_elixir:language",
        distribution="tree-sitter-elixir",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        comments=("#",),
        doc_prefixes=("#",),
        doc_lines=plain_lines,
        signature_noise=re.compile(r",(?: do:)?\Z| do\Z"),
        redefinition_is_same=True,
        clause_key=arity,
        member_kinds={},
        expand_import=expand_import,
        expand_pattern=expand_pattern,
    ),
)

FAMILY = Family(
    name="elixir",
    unit_files=("*.ex", "*.exs"),
    markers=(Marker("mix.exs", name_reader(r"\bapp:\s{0,20}:(\w{1,200})")), *markers("mix.lock", fence=True)),
)
