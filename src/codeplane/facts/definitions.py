"""Definitions: nesting, identity, signature, documentation, visibility.

Works on the sites of the structure and on the source, without the syntax tree.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from codeplane.base.limits import MAX_DOC_CHARS, MAX_SIGNATURE_CHARS
from codeplane.facts.identity import Ids, qualify
from codeplane.facts.lines import Lines
from codeplane.facts.model import Def
from codeplane.facts.scopes import NON_LOCAL, ScopeTree, scope_before
from codeplane.facts.structure import DefSite, Range, Structure
from codeplane.languages.spec import Head, Language

VARIABLES = frozenset({"variable", "constant", "field"})
"""Kinds that are definitions only outside of functions, and only once per scope."""

_CALLABLES = frozenset({"function", "method", "macro", "constructor"})
"""Kinds that may have several clauses."""

_DOCSTRING = re.compile(rb'[ \t\r\n]*(?:\#[^\n]*\n[ \t\r\n]*)*[rRuU]?("""|\'\'\'|"|\')(.*?)(?<!\\)\1', re.DOTALL)
_MAX_DOC_LINE_CHARS = 2 * MAX_DOC_CHARS
"""Longer docs are truncated; finding a comment's start is O(n²)."""
_COMMENT_EDGE = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|//[/!]?)?\s?|\s*\*+/\s*$")
_TAIL = " :{=;,\\"
"""Characters that a signature does not end with; nor with an arrow."""
_MAX_DOC_LINES = 200
_NO_SIGNATURE = sha256(b"->").hexdigest()[:16]


@dataclass(frozen=True)
class Definitions:
    rows: list[Def]
    sites: list[DefSite]
    """One per row."""
    writes: list[tuple[DefSite, int]]
    """Sites that bind a variable without defining it, with the scope that binds it."""
    clauses: list[tuple[DefSite, int]] = field(default_factory=list)
    """Further clauses of a definition, with its row."""


def read_definitions(
    language: Language, path: str, family: str, structure: Structure, tree: ScopeTree, lines: Lines
) -> Definitions:
    reader = _Reader(language, path, family, structure, tree, lines)
    for site in _in_order(structure):
        if site.name:  # an empty name was inserted by the parser's error recovery
            reader.read(site)
    return Definitions(reader.rows, reader.sites, reader.writes, reader.clauses)


class _Enclosing(NamedTuple):
    """A definition or container around the current site."""

    end: int
    path: str
    kind: str | None
    row: int | None


_FILE = _Enclosing(-1, "", None, None)


class _Reader:
    """Builder of the rows of one file, site by site in document order."""

    def __init__(
        self, language: Language, path: str, family: str, structure: Structure, tree: ScopeTree, lines: Lines
    ) -> None:
        self._language = language
        self._tree = tree
        self._lines = lines
        self._source = lines.source
        self._module = language.module_name(path)
        self._ids = Ids(family, path)
        self._spans, self._decorators, self._docs = _wrapped_spans(structure)
        self._exported = {site.name for site in structure.exports}
        self._sections = _sections(structure, tree)
        self._marks = {(scope_before(tree, start, start), name): text for start, name, text in sorted(structure.marks)}
        self._announced: set[int] = set()
        if language.announces is not None:
            self._announced = _announced(language, structure, tree, lines.source)
        self._around: list[_Enclosing] = []
        """Stack of enclosing definitions and containers."""
        self._seen_variables: set[tuple[int, str | None, str]] = set()
        self._first_clauses: dict[tuple[int, str, str, int], int] = {}
        self.rows: list[Def] = []
        self.sites: list[DefSite] = []
        self.writes: list[tuple[DefSite, int]] = []
        self.clauses: list[tuple[DefSite, int]] = []

    def read(self, site: DefSite) -> None:
        around = self._around
        while around and around[-1].end <= site.start:
            around.pop()
        level = self._level(site)
        parent = around[level] if level >= 0 else _FILE
        if site.kind == "container":
            name = _base_name(site.name)
            around.append(_Enclosing(site.end, f"{parent.path}.{name}" if parent.path else name, "container", None))
            return
        scope = self._scope(site)
        if self._binds_only(site, scope):
            self.writes.append((site, scope))
            return
        if site.variant == "forward" and site.name_start in self._announced:
            return
        kind = self._kind(site, scope, parent)
        if self._language.clause_key is not None and kind in _CALLABLES and self._is_further_clause(site, kind, parent):
            return
        lexical_path = self._lexical_path(site, parent)
        self._add(site, kind, scope, parent, lexical_path)
        beside_type = (
            level < len(around) - 1 and around[-1].end == site.end and around[-1].kind in self._language.type_kinds
        )
        if not beside_type:
            around.append(_Enclosing(site.end, lexical_path, kind, len(self.rows) - 1))

    def _level(self, site: DefSite) -> int:
        """Return the index of the enclosing definition or container; -1 for the file."""
        if site.place == "filewide":
            return -1
        level = len(self._around) - 1
        while level >= 0 and self._is_beside(site, self._around[level]):
            level -= 1
        return level

    def _is_beside(self, site: DefSite, outer: _Enclosing) -> bool:
        """True if a site is not nested in a definition although its span is."""
        if outer.kind in VARIABLES and (site.kind == "variable" or outer.end == site.end):
            # In `a = b = 0` and in `x, y int` the second is not inside the first.
            return True
        if outer.row is None:
            return False
        named = self.sites[outer.row]
        if outer.end == site.end and named.start == site.start:
            return True
        # In `struct s { int x; } v` the type is not inside of the variable.
        return site.kind in self._language.type_kinds and named.name_start >= site.end

    def _scope(self, site: DefSite) -> int:
        if site.place == "inner":
            return scope_before(self._tree, site.name_start, site.name_end)
        if site.place == "filewide":
            return 0
        scope = scope_before(self._tree, site.start, site.end)
        return self._tree.function_of(scope) if site.place == "hoisted" else scope

    def _binds_only(self, site: DefSite, scope: int) -> bool:
        """True for a forward declaration or a variable in a function, and for another site of a variable."""
        is_local = self._tree.kinds[scope] not in NON_LOCAL
        if site.variant == "forward" and (is_local or site.name_start in self._announced):
            return is_local
        if site.kind not in VARIABLES or self._language.variables_are_items:
            return False
        key = (scope, site.owner, site.name)
        if is_local or key in self._seen_variables:
            return True
        self._seen_variables.add(key)
        return False

    def _kind(self, site: DefSite, scope: int, parent: _Enclosing) -> str:
        in_type = parent.kind == "container" or parent.kind in self._language.type_kinds
        if in_type and self._tree.kinds[scope] not in ("function", "lambda", "block"):
            return self._language.member_kinds.get(site.kind, site.kind)
        return site.kind

    def _is_further_clause(self, site: DefSite, kind: str, parent: _Enclosing) -> bool:
        """Add a clause to its definition; False for the first clause."""
        assert self._language.clause_key is not None
        clause = (parent.end, kind, site.name, self._language.clause_key(_params(site, self._source)))
        first = self._first_clauses.setdefault(clause, len(self.rows))
        if first == len(self.rows):
            return False
        self.clauses.append((site, first))
        last: int | None = len(self.rows) - 1
        while last is not None and last > first:
            last = self.rows[last].parent
        if last == first:
            end_line, end_col = self._lines.position(site.end - site.tail)
            self.rows[first] = self.rows[first]._replace(end_line=end_line, end_col=end_col)
        self._around.append(_Enclosing(site.end, self.rows[first].lexical_path, kind, first))
        return True

    def _lexical_path(self, site: DefSite, parent: _Enclosing) -> str:
        owner = parent.path if site.owner is None else _base_name(site.owner)
        if site.owner is not None and self._language.owner_path is not None:
            owner = ".".join(filter(None, (parent.path, self._language.owner_path(site.owner))))
        return f"{owner}.{site.name}" if owner else site.name

    def _add(self, site: DefSite, kind: str, scope: int, parent: _Enclosing, lexical_path: str) -> None:
        language, source, position = self._language, self._source, self._lines.position
        start, end = self._spans.get(site.start, (site.start, site.end))
        # A decorator may be before the definition, not around it.
        end = max(end, site.end) if end != site.end else end - site.tail
        if source[end - 1 : end] == b"\n":
            end -= 1  # some grammars include the line ending
        signature_hash = _signature_hash(site, source)
        head = source[start : site.name_start].decode("utf-8", "replace")
        # The comment above `type T struct{ x int }` documents T, not x.
        own_line = parent.row is None or self.rows[parent.row].name_line != position(start)[0]
        if language.attribute_prefixes and own_line:
            start = _with_attributes(language, self._lines, start)
        start_line, start_col = position(start)
        end_line, end_col = position(end)
        name_line, name_col = position(site.name_start)
        has_doc = own_line or language.doc_style == "docstring"
        self.rows.append(
            Def(
                self._ids.of_definition(kind, lexical_path, signature_hash),
                parent.row,
                scope,
                kind,
                site.name,
                qualify(language, self._module, lexical_path),
                lexical_path,
                start_line,
                start_col,
                end_line,
                end_col,
                name_line,
                name_col,
                _signature(language, site, source),
                signature_hash,
                _doc(language, site, start_line, self._lines, self._docs.get(site.start)) if has_doc else None,
                self._visibility(site, kind, scope, parent, head),
                (*self._decorators.get(site.start, ()), *site.decorators),
            )
        )
        self.sites.append(site)

    def _visibility(self, site: DefSite, kind: str, scope: int, parent: _Enclosing, head: str) -> str:
        section = self._marks.get((scope, site.name)) or _section(self._sections.get(scope, ()), site.start)
        outer = self.rows[parent.row].visibility if parent.row is not None else None
        exported = site.name in self._exported if self._exported else None
        return self._language.visibility(Head(site.name, head, parent.kind, kind, section, outer, exported))


def _in_order(structure: Structure) -> list[DefSite]:
    """Return definitions and containers by position, outer before inner, each name once."""
    containers = (
        DefSite(site.start, site.end, "container", site.name, site.start, site.start, None, None, None, None, ())
        for site in structure.containers
    )
    unique: dict[tuple[int, str], DefSite] = {}
    for site in sorted((*structure.defs, *containers), key=_rank):
        unique.setdefault((site.name_start, "container" if site.kind == "container" else ""), site)
    return list(unique.values())


def _rank(site: DefSite) -> tuple[int, int, int, bool, bool]:
    """Sort key: outer before inner; of two patterns for one name, the function before the variable that holds it, and
    the one that says where the name is bound before the one that does not.
    """
    return site.start, -site.end, site.name_start, site.kind in VARIABLES, not (site.place or site.variant)


def _announced(language: Language, structure: Structure, tree: ScopeTree, source: bytes) -> set[int]:
    """Return the forward declarations, by the offset of their name, of functions that the file defines in the same
    scope.
    """
    defined: dict[tuple[int, str, str], list[str]] = {}
    forward = [site for site in structure.defs if site.variant == "forward"]
    names = {site.name for site in forward}
    for site in structure.defs:
        if site.variant != "forward" and site.params is not None and site.name in names and site.owner is None:
            scope = scope_before(tree, site.start, site.end)
            defined.setdefault((scope, site.kind, site.name), []).append(_params(site, source))
    found = set()
    for site in forward:
        definitions = defined.get((scope_before(tree, site.start, site.end), site.kind, site.name), ())
        if language.announces is not None and any(
            language.announces(_params(site, source), params) for params in definitions
        ):
            found.add(site.name_start)
    return found


def _params(site: DefSite, source: bytes) -> str:
    return source[slice(*site.params)].decode("utf-8", "replace") if site.params else ""


def _sections(structure: Structure, tree: ScopeTree) -> dict[int, list[tuple[int, str]]]:
    """Return the sections of each scope, in order."""
    found: dict[int, list[tuple[int, str]]] = {}
    for site in sorted(structure.sections):
        found.setdefault(scope_before(tree, site.start, site.end), []).append((site.start, site.text))
    return found


def _section(sections: Sequence[tuple[int, str]], start: int) -> str:
    number = bisect_left(sections, (start, "")) - 1
    return sections[number][1] if number >= 0 else ""


def _wrapped_spans(structure: Structure) -> tuple[dict[int, Range], dict[int, tuple[str, ...]], dict[int, str]]:
    """Return spans, decorators and docs of wrapped definitions, by the start of the wrapped node; wrappers may nest."""
    spans: dict[int, Range] = {}
    decorators: dict[int, tuple[str, ...]] = {}
    docs: dict[int, str] = {}
    for wrapper in sorted(structure.wrappers, key=lambda site: (site.start, -site.end)):
        span = spans.pop(wrapper.start, (wrapper.start, wrapper.end))
        spans[wrapper.wrapped] = span
        outer = decorators.pop(wrapper.start, ()) if wrapper.start != wrapper.wrapped else ()
        decorators[wrapper.wrapped] = (*decorators.get(wrapper.wrapped, ()), *outer, *wrapper.decorators)
        doc = wrapper.doc if wrapper.doc is not None else docs.get(wrapper.start)
        if doc is not None:
            docs[wrapper.wrapped] = doc
    return spans, decorators, docs


def _signature(language: Language, site: DefSite, source: bytes) -> str:
    """Return the text from the start of the definition to its body, on one line, without comments."""
    limit = min(site.body[0] if site.body else site.end, site.start + 4 * MAX_SIGNATURE_CHARS)
    if site.body is None:
        raw = source[site.start : limit]
        if site.kind not in ("function", "method"):
            # The line of the name, and annotations above it; parameters may span several lines.
            known = (site.params[1] if site.params else max(site.start, site.name_end)) - site.start
            raw = raw[:known] + raw[known:].partition(b"\n")[0]
        text = _without_comments(language, raw.decode("utf-8", "replace"))
    elif site.body[1] <= site.name_start:
        # `typedef struct { ... } name`
        behind = source[site.body[1] : min(site.end, site.body[1] + MAX_SIGNATURE_CHARS)]
        text = (source[site.start : limit] + b" " + behind).decode("utf-8", "replace")
    else:
        known = max(site.name_end, site.params[1] if site.params else 0, site.returns[1] if site.returns else 0)
        text = _without_comments(language, source[site.start : min(known, limit)].decode("utf-8", "replace"))
        if known < limit:
            tail = source[known:limit].decode("utf-8", "replace")
            for marker in language.comments:
                tail = tail.partition(marker)[0]
            text += tail
    text = " ".join(text.split())
    if language.signature_noise is not None:
        text = language.signature_noise.sub("", text)
    text = text.rstrip(_TAIL)
    while text.endswith("=>"):
        text = text[:-2].rstrip(_TAIL)
    text = text.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return text if len(text) <= MAX_SIGNATURE_CHARS else text[: MAX_SIGNATURE_CHARS - 1] + "…"


def _without_comments(language: Language, text: str) -> str:
    """Remove comments at line ends and on lines of their own from a text of several lines."""
    if "\n" not in text:
        return text
    start, end = language.doc_block
    if start in language.comments and start in text:
        text = re.sub(rf"(?m)^[ \t]*{re.escape(start)}(?s:.*?)(?:{re.escape(end)}|\Z)", "", text)
    kept = [line for line in text.split("\n") if not line.lstrip().startswith(language.comments)]
    for marker in language.comments:
        if marker != start:
            kept = [line.partition(f" {marker}")[0] for line in kept]
    return "\n".join(kept)


def _signature_hash(site: DefSite, source: bytes) -> str:
    """Return a hash of parameters and result as written, without blanks; the same for all that have neither."""
    params, returns = site.params, site.returns
    if params is None and returns is None:
        return _NO_SIGNATURE
    written = b"".join(source[params[0] : params[1]].split()) if params else b""
    result = b"".join(source[returns[0] : returns[1]].split()) if returns else b""
    return sha256(written + b"->" + result).hexdigest()[:16]


def _with_attributes(language: Language, lines: Lines, start: int) -> int:
    """Return `start`, moved up over the attribute lines directly above (siblings in some grammars)."""
    if not language.attribute_prefixes:
        return start
    line = lines.position(start)[0]
    while line > 1:
        text = lines.text(line - 1).lstrip()
        if not text.decode("utf-8", "replace").startswith(language.attribute_prefixes):
            break
        line -= 1
        start = lines.starts[line - 1] + len(lines.text(line)) - len(text)
    return start


def _doc(language: Language, site: DefSite, line: int, lines: Lines, given: str | None) -> str | None:
    if given is not None:
        raw = given.splitlines()
    elif language.doc_style == "docstring":
        if site.body is None:
            return None
        found = _DOCSTRING.match(lines.source, site.body[0], min(site.body[1], site.body[0] + 65536))
        raw = found.group(2).decode("utf-8", "replace").splitlines() if found else []
    else:
        raw = _comment_above(language, lines, line)
        if not raw and not language.attribute_prefixes and line < (own_line := lines.position(site.start)[0]):
            raw = _comment_above(language, lines, own_line)
        if not raw and language.inner_doc_prefixes and site.body is not None:
            raw = _comment_below(language, lines, lines.position(site.body[0])[0])
    if not raw:
        return None
    if language.doc_lines is not None:
        raw = language.doc_lines(raw)
    paragraph: list[str] = []
    for written in raw:
        text = written.strip()
        if text:
            paragraph.append(text)
        elif paragraph:
            break
    text = " ".join(paragraph)
    if not text:
        return None
    return text if len(text) <= MAX_DOC_CHARS else text[: MAX_DOC_CHARS - 1] + "…"


def _comment_above(language: Language, lines: Lines, line: int) -> list[str]:
    """Return the comment that ends on the line directly above `line`, without its markers."""
    collected: list[str] = []
    current = line - 1
    above = lines.text(current).decode("utf-8", "replace").strip() if current >= 1 else ""
    opening, closing = language.doc_block
    if above.endswith(closing):
        while current >= 1 and len(collected) < _MAX_DOC_LINES:
            text = lines.text(current).decode("utf-8", "replace").strip()
            collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
            # A comment after code on its line documents that code.
            if opening in text:
                return collected[::-1] if text.startswith(opening) else []
            current -= 1
        return []
    while current >= 1 and len(collected) < _MAX_DOC_LINES:
        text = lines.text(current).decode("utf-8", "replace").strip()
        if not text.startswith(language.doc_prefixes):
            break
        collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
        current -= 1
    return collected[::-1]


def _comment_below(language: Language, lines: Lines, line: int) -> list[str]:
    """Return the comment at the start of a body, if its marker says that it documents the enclosing definition."""
    collected: list[str] = []
    for current in range(line + 1, min(line + _MAX_DOC_LINES, len(lines.starts)) + 1):
        text = lines.text(current).decode("utf-8", "replace").strip()
        if not text.startswith(language.inner_doc_prefixes):
            break
        collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
    return collected


def _base_name(owner: str) -> str:
    """Return the name of a type without its parameters: `Stack` for `*Stack[T]`."""
    return re.split(r"[\[<(]", owner.lstrip("*&( "), maxsplit=1)[0].strip(" )")
