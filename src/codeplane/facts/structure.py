"""Runs a language's fact query and sorts its matches by what their captures mean.

The result holds byte ranges and plain text, no tree-sitter nodes, so that everything
after it is ordinary data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from tree_sitter import Node, QueryCursor

from codeplane.facts.grammar import Grammar

Range = tuple[int, int]
_PLAIN_SUBJECTS = frozenset(
    {"outer", "open", "sealed", "container", "wrapper", "section", "conditional", "marked", "receiver", "shared"}
)
"""Subjects of a pattern that need no detail."""
Captures = dict[str, list[Node]]
MAX_OPEN_MATCHES = 512
"""Matches that are under way at a time. Ordinary files have a few dozen; broken ones have thousands where an error
holds all that follows it, and what that takes grows with their square."""
_make = tuple.__new__
"""Half as dear as the call of a named tuple, for those of which there are most."""


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
    """Where a local name starts to be seen, when that is not the kind's own rule."""
    implied: bool = False
    """The name is an identifier that means something else (an embedded field is called like its type)."""
    place: str = ""
    """Scope that it binds its name in: the one around it, `hoisted` the function's, `inner` its own, `filewide`
    the file's."""
    variant: str = ""
    """`forward` for one that announces a definition; others have namespaces of their own."""
    tail: int = 0
    """How many of its last bytes are of what follows it: where indentation ends a block, grammars let it reach that."""


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
    """Start of the definition inside."""
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
    """The identifier that is bound, where there is one."""


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
    """What is not seen from inside: `values`, `calls` (with values), or everything (`""`)."""
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
    """Starts of definitions that may not come to be."""
    marks: list[tuple[int, str, str]] = field(default_factory=list)
    """What is said of a name of the scope around: where, the name, and what."""
    cut: bool = False
    """Whether there was too much at a time, so that something may be missing."""


def read_structure(grammar: Grammar, root: Node, source: bytes) -> Structure:
    found = Structure()
    subjects = _subjects(grammar.language.name)
    cursor = QueryCursor(grammar.facts, match_limit=MAX_OPEN_MATCHES)
    matches = cursor.matches(root)
    found.cut = bool(cursor.did_exceed_match_limit)
    for pattern, captures in matches:
        subject = subjects.get(pattern)
        if subject is None:
            subject = subjects[pattern] = _subject(captures)
        capture, family, detail = subject
        if family == "def":
            _read_def(found, captures, captures[capture][0], detail, grammar, source)
        elif family == "bind":
            until = captures.get("until")
            for node in _leaves(captures[capture], grammar):
                end = node.end_byte
                bound = (node.start_byte, end, detail, until[0].end_byte if until else end)
                found.binds.append(_make(BindSite, bound))
        elif family == "scope":
            node, rest = captures[capture][0], captures.get("rest")
            end = rest[0].end_byte if rest else node.end_byte
            found.scopes.append(_make(ScopeSite, (node.start_byte, end, detail)))
        elif family == "outer":
            found.outer.extend((node.start_byte, node.end_byte) for node in captures[capture])
        elif family == "open":
            rest = captures.get("rest")
            for node in captures[capture]:
                found.open.add((node.start_byte, rest[0].end_byte if rest else node.end_byte))
        elif family == "sealed":
            rest = captures.get("rest")
            for node in captures[capture]:
                found.sealed[node.start_byte, rest[0].end_byte if rest else node.end_byte] = detail
        elif family == "import":
            _read_import(found, captures, captures[capture][0], detail, grammar, source)
        elif family == "wrapper":
            node, wrapped = captures[capture][0], captures["wrapped"][0]
            decorators = _texts(captures.get("decorator", []), source)
            doc = _first_text(captures, "doc", source)
            found.wrappers.append(WrapperSite(node.start_byte, node.end_byte, wrapped.start_byte, decorators, doc))
        elif family == "container":
            node = captures[capture][0]
            found.containers.append(ContainerSite(node.start_byte, node.end_byte, _text(captures["name"][0], source)))
        elif family == "section":
            node = captures[capture][0]
            found.sections.append(SectionSite(node.start_byte, node.end_byte, _text(node, source)))
        elif family == "export":
            statement = captures[capture][0].start_byte
            alias = _first_text(captures, "alias", source)
            for node in _leaves(captures["name"], grammar):
                name = _unquoted(_text(node, source))
                found.exports.append(ExportSite(name, alias, detail, node.start_byte, statement))
        elif family == "reexport" and "source" not in captures:
            expand = grammar.language.expand_import
            for site in expand(captures[capture][0], source) if expand is not None else ():
                picked = site.name if site.name != "*" else None
                at = captures[capture][0].start_byte
                found.reexports.append(ReexportSite(at, site.source, picked, site.alias, detail))
        elif family == "reexport":
            found.reexports.append(
                ReexportSite(
                    captures[capture][0].start_byte,
                    _unquoted(_text(captures["source"][0], source)),
                    _first_text(captures, "name", source),
                    _first_text(captures, "alias", source),
                    detail,
                )
            )
        elif family == "receiver":
            found.receivers.update((node.start_byte, node.end_byte) for node in captures[capture])
        elif family == "shared":
            found.shared.update((node.start_byte, node.end_byte) for node in captures[capture])
        elif family == "implicit":
            found.implicit.extend(((node.start_byte, node.end_byte), detail) for node in captures[capture])
        elif family == "conditional":
            found.conditional.update(node.start_byte for node in captures[capture])
        elif family == "marked":
            node, spell = captures[capture][0], grammar.language.implied_name
            for name in _texts(captures["name"], source):
                said = spell(name) if spell is not None else name
                found.marks.append((node.start_byte, said, _text(node, source)))
    if found.imports:
        _leave_to_imports(found)
    return found


def _leave_to_imports(found: Structure) -> None:
    """A name that an import binds is no definition, whatever declares it (`const fs = require("fs")`)."""
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


@cache
def _subjects(language: str) -> dict[int, tuple[str, str, str]]:
    """What the patterns of a language are about, as far as they were met."""
    return {}


def _subject(captures: Captures) -> tuple[str, str, str]:
    """The capture that says what a pattern is about. Patterns do not mix two subjects."""
    for capture in captures:
        family, _, detail = capture.partition(".")
        if detail or family in _PLAIN_SUBJECTS:
            return capture, family, detail
    raise ValueError(f"a pattern of facts.scm has no subject among its captures: {sorted(captures)}")


def _read_def(found: Structure, captures: Captures, node: Node, detail: str, grammar: Grammar, source: bytes) -> None:
    kind, _, variant = detail.partition(".")
    defs = found.defs
    if not variant and len(captures) == 2 and "name" in captures:
        # A variable, most often: nothing but itself and its name.
        start, end = node.start_byte, node.end_byte
        tail = _tail(node, source) if source[end - 1 : end].isspace() else 0
        for name in _leaves(captures["name"], grammar):
            at, to = name.start_byte, name.end_byte
            text = source[at:to].decode("utf-8", "replace")
            site = (start, end, kind, text, at, to, None, None, None, None, (), None, False, "", "", tail)
            defs.append(_make(DefSite, site))
        return
    until = captures.get("until")
    implied = "implied" in captures
    place = next((capture for capture in ("hoisted", "inner", "filewide") if capture in captures), "")
    body = _range(captures, "body")
    end = max(node.end_byte, body[1]) if body else node.end_byte
    tail = _tail(node, source) if end == node.end_byte and source[end - 1 : end].isspace() else 0
    spell = grammar.language.implied_name if implied else None
    for name in _leaves(captures["implied" if implied else "name"], grammar):
        defs.append(
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


def _tail(node: Node, source: bytes) -> int:
    """Comments and white space after the last thing that a definition says."""
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


def _read_import(found: Structure, captures: Captures, node: Node, kind: str, grammar: Grammar, source: bytes) -> None:
    start, end = node.start_byte, node.end_byte
    expand = grammar.language.expand_import
    if expand is not None:
        for site in expand(node, source):
            at = (site.node.start_byte, site.node.end_byte) if site.node is not None else None
            found.imports.append(ImportMatch(start, end, site.kind or kind, site.source, site.name, site.alias, at))
        return
    module = _unquoted(_first_text(captures, "source", source) or "")
    if "star" in captures:
        found.imports.append(ImportMatch(start, end, kind, module, "*", None, None))
        return
    alias = captures.get("alias")
    name = _first_text(captures, "name", source)
    bound = alias[0] if alias else captures["name"][0] if "name" in captures else None
    at = (bound.start_byte, bound.end_byte) if bound is not None else None
    alias_text = _text(alias[0], source) if alias else None
    found.imports.append(ImportMatch(start, end, kind, module or name or "", name or module, alias_text, at))


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
