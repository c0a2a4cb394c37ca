"""Structure of a file: matches of the facts query, sorted by the meaning of their captures.

One handler per capture, registered in `captures`. The result holds byte ranges and text, no tree-sitter nodes, so that
later stages work on ordinary data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple

from tree_sitter import Node, QueryCursor

from codeplane.facts.captures import QueryFile, find_capture, handles, register_parts
from codeplane.facts.grammar import Grammar

Range = tuple[int, int]
Captures = dict[str, list[Node]]
MAX_OPEN_MATCHES = 512
"""Limit of concurrent partial matches. Ordinary files have a few dozen; broken ones have thousands where an error node
contains the rest of the file, and matching takes quadratic time in their number."""
_make = tuple.__new__
"""Half the cost of calling a NamedTuple, for the most frequent ones."""


class ScopeSite(NamedTuple):
    start: int
    end: int
    kind: str


class DefSite(NamedTuple):
    start: int
    end: int
    kind: str
    name: str
    name_start: int
    name_end: int
    params: Range | None
    returns: Range | None
    body: Range | None
    owner: str | None
    decorators: tuple[str, ...]
    visible_from: int | None = None
    """Offset from which a local name is visible, if not by the rule of its kind."""
    implied: bool = False
    """The name is an identifier that means something else (an embedded field is named by its type)."""
    place: str = ""
    """Scope that binds its name: by default the enclosing one; `hoisted`: the function's, `inner`: its own,
    `filewide`: the file's."""
    variant: str = ""
    """`forward` for a forward declaration; others have namespaces of their own."""
    tail: int = 0
    """Number of trailing bytes that belong to the next item, to which grammars extend blocks by indentation."""


class SectionSite(NamedTuple):
    start: int
    end: int
    text: str


class ContainerSite(NamedTuple):
    start: int
    end: int
    name: str


class WrapperSite(NamedTuple):
    start: int
    end: int
    wrapped: int
    """Start of the wrapped definition."""
    decorators: tuple[str, ...]
    doc: str | None = None


class BindSite(NamedTuple):
    start: int
    end: int
    how: str
    visible_from: int


class ImportMatch(NamedTuple):
    start: int
    end: int
    kind: str
    source: str
    name: str
    alias: str | None
    bound_at: Range | None
    """The bound identifier, if any."""


class ExportSite(NamedTuple):
    name: str
    alias: str | None
    evidence: str
    name_start: int
    statement: int


class ReexportSite(NamedTuple):
    statement: int
    source: str
    name: str | None
    alias: str | None
    evidence: str


@dataclass
class Structure:
    scopes: list[ScopeSite] = field(default_factory=list)
    outer: list[Range] = field(default_factory=list)
    open: set[Range] = field(default_factory=set)
    sealed: dict[Range, str] = field(default_factory=dict)
    """Names that are not visible from inside: `values`, `calls` (with values), or all (`""`)."""
    receivers: set[Range] = field(default_factory=set)
    shared: set[Range] = field(default_factory=set)
    implicit: list[tuple[Range, str]] = field(default_factory=list)
    defs: list[DefSite] = field(default_factory=list)
    containers: list[ContainerSite] = field(default_factory=list)
    sections: list[SectionSite] = field(default_factory=list)
    wrappers: list[WrapperSite] = field(default_factory=list)
    binds: list[BindSite] = field(default_factory=list)
    imports: list[ImportMatch] = field(default_factory=list)
    exports: list[ExportSite] = field(default_factory=list)
    reexports: list[ReexportSite] = field(default_factory=list)
    conditional: set[int] = field(default_factory=set)
    """Starts of definitions that may not exist."""
    marks: list[tuple[int, str, str]] = field(default_factory=list)
    """Statements about a name of the enclosing scope: offset, name, text."""
    cut: bool = False
    """True if matches exceeded the limit, so that facts may be missing."""


class _Match(NamedTuple):
    """One match of a pattern, as its handler sees it."""

    found: Structure
    captures: Captures
    nodes: list[Node]
    """Nodes of the capture that the pattern is about."""
    detail: str
    """The part of the capture's name after the first dot."""
    grammar: Grammar
    source: bytes


_Subject = tuple[str, Callable[[_Match], None], str]
"""The capture that a pattern is about, its handler, and its detail."""


def read_structure(grammar: Grammar, root: Node, source: bytes) -> Structure:
    """Run the facts query, and hand each match to the handler of its capture."""
    found = Structure()
    subjects = _subjects(grammar.language.name)
    cursor = QueryCursor(grammar.facts, match_limit=MAX_OPEN_MATCHES)
    matches = cursor.matches(root)
    found.cut = bool(cursor.did_exceed_match_limit)
    for pattern, captures in matches:
        subject = subjects.get(pattern)
        if subject is None:
            subject = subjects[pattern] = _subject(captures)
        capture, handler, detail = subject
        handler(_make(_Match, (found, captures, captures[capture], detail, grammar, source)))
    if found.imports:
        _leave_to_imports(found)
    return found


@cache
def _subjects(language: str) -> dict[int, _Subject]:
    """Cache of the subjects of a language's patterns, by pattern number."""
    return {}


def _subject(captures: Captures) -> _Subject:
    """Return the capture that a pattern is about. A pattern has one subject."""
    for name in captures:
        capture = find_capture(QueryFile.FACTS, name)
        if capture is not None and capture.handler is not None:
            return name, capture.handler, name.partition(".")[2]
    raise ValueError(f"a pattern of facts.scm has no subject among its captures: {sorted(captures)}")


_handles = partial(handles, QueryFile.FACTS)


@_handles(
    "scope.<kind>", "the node opens a scope (function, class, block, ...); with @rest it extends to the end of that"
)
def _read_scope(match: _Match) -> None:
    node = match.nodes[0]
    match.found.scopes.append(_make(ScopeSite, (node.start_byte, _end(match, node), match.detail)))


@_handles("outer", "a part of a scope whose names are looked up outside of it (a default value)")
def _read_outer(match: _Match) -> None:
    match.found.outer.extend(map(_span, match.nodes))


@_handles("sealed", "nothing around this scope is visible inside of it (a Rust `mod`)")
@_handles("sealed.values", "no values around this scope are visible inside of it")
@_handles("sealed.calls", "neither values nor callables around this scope are visible inside of it")
def _read_sealed(match: _Match) -> None:
    for node in match.nodes:
        match.found.sealed[node.start_byte, _end(match, node)] = match.detail


@_handles("open", "the scope has names that this file does not show (inherited members)")
def _read_open(match: _Match) -> None:
    match.found.open.update((node.start_byte, _end(match, node)) for node in match.nodes)


@_handles("receiver", "members of a value that this file does not show precede the members and top-level names around")
def _read_receiver(match: _Match) -> None:
    match.found.receivers.update(map(_span, match.nodes))


@_handles("shared", "definitions of this scope are visible in the scope around it too (a companion object)")
def _read_shared(match: _Match) -> None:
    match.found.shared.update(map(_span, match.nodes))


@_handles(
    "implicit.<name>", "the scope has an undeclared variable of that name (`value` in a C# setter); never certain"
)
def _read_implicit(match: _Match) -> None:
    match.found.implicit.extend((_span(node), match.detail) for node in match.nodes)


@_handles("conditional", "the definition may not exist, or another file may have another one; never certain")
def _read_conditional(match: _Match) -> None:
    match.found.conditional.update(node.start_byte for node in match.nodes)


@_handles("section", "text that applies to the definitions after it in its scope (`private:`)")
def _read_section(match: _Match) -> None:
    node = match.nodes[0]
    match.found.sections.append(SectionSite(node.start_byte, node.end_byte, _text(node, match.source)))


@_handles("marked", "a statement about the definition called @name in its scope (`private :name`)")
def _read_marked(match: _Match) -> None:
    node, spell = match.nodes[0], match.grammar.language.implied_name
    for name in _texts(match.captures["name"], match.source):
        spelled = spell(name) if spell is not None else name
        match.found.marks.append((node.start_byte, spelled, _text(node, match.source)))


@_handles("container", "nesting called @name without a definition of its own (an `impl` block)")
def _read_container(match: _Match) -> None:
    node = match.nodes[0]
    name = _text(match.captures["name"][0], match.source)
    match.found.containers.append(ContainerSite(node.start_byte, node.end_byte, name))


@_handles("wrapper", "a node around or before the definition @wrapped that belongs to its span")
def _read_wrapper(match: _Match) -> None:
    node, wrapped = match.nodes[0], match.captures["wrapped"][0]
    decorators = _texts(match.captures.get("decorator", []), match.source)
    doc = _first_text(match.captures, "doc", match.source)
    match.found.wrappers.append(WrapperSite(node.start_byte, node.end_byte, wrapped.start_byte, decorators, doc))


def _read_bind(match: _Match) -> None:
    until = match.captures.get("until")
    for node in _leaves(match.nodes, match.grammar):
        end = node.end_byte
        bound = (node.start_byte, end, match.detail, until[0].end_byte if until else end)
        match.found.binds.append(_make(BindSite, bound))


for _detail, _doc in {
    "param": "a parameter, bound in its innermost scope",
    "local": "a variable, bound in its innermost scope",
    "hoisted": "a variable, bound in the enclosing function",
    "type": "a type parameter",
    "inferred": "a type parameter, bound in the enclosing scope of kind `conditional`",
    "maybe": "bound unless another pattern binds it; never certain, because visibility depends on the control flow",
    "assign": "the variable of an enclosing scope that already has the name, else one of its own scope",
    "let": "a variable of its own, which hides an earlier one of the same scope",
    "global": "in this scope the name means the one of the file",
    "nonlocal": "in this scope the name means the one of the enclosing function",
}.items():
    _handles(f"bind.{_detail}", _doc)(_read_bind)


@_handles("def.<kind>", "a definition; `.forward` declares one that follows, other variants have a row in `namespaces`")
def _read_def(match: _Match) -> None:
    found, captures, nodes, detail, grammar, source = match
    node = nodes[0]
    kind, _, variant = detail.partition(".")
    if not variant and len(captures) == 2 and "name" in captures:
        # A variable, most often: nothing but itself and its name.
        start, end = node.start_byte, node.end_byte
        tail = _tail(node, source) if source[end - 1 : end].isspace() else 0
        for name in _leaves(captures["name"], grammar):
            at, to = name.start_byte, name.end_byte
            text = source[at:to].decode("utf-8", "replace")
            site = (start, end, kind, text, at, to, None, None, None, None, (), None, False, "", "", tail)
            found.defs.append(_make(DefSite, site))
        return
    until = captures.get("until")
    implied = "implied" in captures
    place = next((capture for capture in ("hoisted", "inner", "filewide") if capture in captures), "")
    body = _range(captures, "body")
    end = max(node.end_byte, body[1]) if body else node.end_byte
    tail = _tail(node, source) if end == node.end_byte and source[end - 1 : end].isspace() else 0
    spell = grammar.language.implied_name if implied else None
    for name in _leaves(captures["implied" if implied else "name"], grammar):
        found.defs.append(
            DefSite(
                node.start_byte,
                end,
                kind,
                spell(_text(name, source)) if spell is not None else _text(name, source),
                name.start_byte,
                name.end_byte,
                _range(captures, "params"),
                _range(captures, "returns"),
                body,
                _first_text(captures, "owner", source),
                _texts(captures.get("decorator", []), source),
                until[0].end_byte if until else None,
                implied,
                place,
                variant,
                tail,
            )
        )


@_handles("import.<kind>", "an import, with @source, @name, @alias and @star as far as the syntax has them")
def _read_import(match: _Match) -> None:
    found, captures, nodes, kind, grammar, source = match
    start, end = _span(nodes[0])
    expand = grammar.language.expand_import
    if expand is not None:
        for site in expand(nodes[0], source):
            at = _span(site.node) if site.node is not None else None
            found.imports.append(ImportMatch(start, end, site.kind or kind, site.source, site.name, site.alias, at))
        return
    module = _unquoted(_first_text(captures, "source", source) or "")
    if "star" in captures:
        found.imports.append(ImportMatch(start, end, kind, module, "*", None, None))
        return
    alias = captures.get("alias")
    name = _first_text(captures, "name", source)
    bound = alias[0] if alias else captures["name"][0] if "name" in captures else None
    at = _span(bound) if bound is not None else None
    alias_text = _text(alias[0], source) if alias else None
    found.imports.append(ImportMatch(start, end, kind, module or name or "", name or module, alias_text, at))


@_handles("export.<evidence>", "an explicit export of @name, optionally as @alias")
def _read_export(match: _Match) -> None:
    statement = match.nodes[0].start_byte
    alias = _first_text(match.captures, "alias", match.source)
    for node in _leaves(match.captures["name"], match.grammar):
        name = _unquoted(_text(node, match.source))
        match.found.exports.append(ExportSite(name, alias, match.detail, node.start_byte, statement))


@_handles(
    "reexport.<evidence>", "a re-export from @source; of everything without @name; by `expand_import` without @source"
)
def _read_reexport(match: _Match) -> None:
    found, captures, nodes, evidence, grammar, source = match
    at = nodes[0].start_byte
    if "source" not in captures:
        expand = grammar.language.expand_import
        for site in expand(nodes[0], source) if expand is not None else ():
            picked = site.name if site.name != "*" else None
            found.reexports.append(ReexportSite(at, site.source, picked, site.alias, evidence))
        return
    module = _unquoted(_text(captures["source"][0], source))
    name, alias = (_first_text(captures, part, source) for part in ("name", "alias"))
    found.reexports.append(ReexportSite(at, module, name, alias, evidence))


register_parts(
    QueryFile.FACTS,
    {
        "name": "the name of a definition, import, export or container; a pattern is read by `expand_pattern`",
        "implied": "instead of @name: an identifier that means something else (an embedded field is named by its type)",
        "params": "the parameters of a definition",
        "returns": "the return type of a definition",
        "body": "the body of a definition; the signature ends before it",
        "owner": "the type that a member declared elsewhere belongs to",
        "until": "a local name is visible after the end of this node",
        "hoisted": "beside a definition: it is bound in the enclosing function",
        "inner": "beside a definition: it is bound in its own scope",
        "filewide": "beside a definition: it is bound in the file, and nested in nothing",
        "rest": "the end of a scope that starts at another node",
        "wrapped": "the definition that a wrapper belongs to",
        "decorator": "a decorator or annotation of the definition",
        "doc": "text that documents the wrapped definition (Elixir's `@doc`)",
        "source": "the module of an import or re-export",
        "alias": "the local name of an import, or the exported name",
        "star": "an import of everything",
    },
)


def _span(node: Node) -> Range:
    return node.start_byte, node.end_byte


def _end(match: _Match, node: Node) -> int:
    rest = match.captures.get("rest")
    return rest[0].end_byte if rest else node.end_byte


def _leave_to_imports(found: Structure) -> None:
    """Drop definitions and bindings of names that an import binds (`const fs = require("fs")`)."""
    bound = {site.bound_at[0] for site in found.imports if site.bound_at is not None}
    if not bound.isdisjoint(site.name_start for site in found.defs):
        found.defs = [site for site in found.defs if site.name_start not in bound]
    if not bound.isdisjoint(site.start for site in found.binds):
        found.binds = [site for site in found.binds if site.start not in bound]


def _leaves(nodes: list[Node], grammar: Grammar) -> list[Node]:
    expand = grammar.language.expand_pattern
    if expand is None or not any(node.child_count for node in nodes):
        return nodes
    return [leaf for node in nodes for leaf in (expand(node) if node.child_count else (node,))]


def _tail(node: Node, source: bytes) -> int:
    """Return the length of comments and white space after the last token of a definition."""
    last = node
    while last.child_count:
        inner = next((child for child in reversed(last.children) if _says_something(child)), None)
        if inner is None:
            break
        last = inner
    end = last.end_byte
    while end > last.start_byte and source[end - 1 : end].isspace():
        end -= 1
    return node.end_byte - end if last is not node else 0


def _says_something(node: Node) -> bool:
    return node.end_byte > node.start_byte and not node.is_extra


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _texts(nodes: list[Node], source: bytes) -> tuple[str, ...]:
    return tuple(" ".join(_text(node, source).split()) for node in nodes)


def _first_text(captures: Captures, name: str, source: bytes) -> str | None:
    nodes = captures.get(name)
    return _text(nodes[0], source) if nodes else None


def _range(captures: Captures, name: str) -> Range | None:
    nodes = captures.get(name)
    return (nodes[0].start_byte, nodes[-1].end_byte) if nodes else None


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] in "\"'`" and text[-1] == text[0]:
        return text[1:-1]
    return text
