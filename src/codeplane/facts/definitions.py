"""Definitions: nesting, identity, signature, documentation, visibility.

Works on the sites that the structure holds and on the source; knows no syntax tree.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

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
"""More is not shown; and to look for the edge of a comment takes the square of it."""
_COMMENT_EDGE = re.compile(r"^\s*(?:/\*+!?|\*+/|\*|//[/!]?)?\s?|\s*\*+/\s*$")
_TAIL = " :{=;,\\"
"""What a signature does not end with, nor with an arrow."""
_MAX_DOC_LINES = 200
_NO_SIGNATURE = sha256(b"->").hexdigest()[:16]


@dataclass(frozen=True)
class Definitions:
    rows: list[Def]
    sites: list[DefSite]
    """One per row."""
    writes: list[tuple[DefSite, int]]
    """Sites that bind a variable without defining it, with the scope that they bind it in."""
    clauses: list[tuple[DefSite, int]] = field(default_factory=list)
    """Further clauses of a definition, with its row."""


def read_definitions(
    language: Language, path: str, family: str, structure: Structure, tree: ScopeTree, lines: Lines
) -> Definitions:
    spans, decorators, docs = _wrapped_spans(structure)
    exported = {site.name for site in structure.exports}
    sections = _sections(structure, tree)
    marks = {(scope_before(tree, start, start), name): said for start, name, said in sorted(structure.marks)}
    announced = _announced(language, structure, tree, lines.source) if language.announces is not None else set()
    module = language.module_name(path)
    source, position = lines.source, lines.position
    rows: list[Def] = []
    sites: list[DefSite] = []
    writes: list[tuple[DefSite, int]] = []
    seen_variables: set[tuple[int, str | None, str]] = set()
    clauses: list[tuple[DefSite, int]] = []
    first_clauses: dict[tuple[int, str, str, int], int] = {}
    ids = Ids(family, path)
    around: list[tuple[int, str, str | None, int | None]] = []
    for site in _in_order(structure):
        if not site.name:
            continue  # the parser made it up to repair the source
        while around and around[-1][0] <= site.start:
            around.pop()
        level = len(around) - 1
        # In `a = b = 0` and in `x, y int` the second is not inside the first.
        while level >= 0 and (
            (around[level][2] in VARIABLES and (site.kind == "variable" or around[level][0] == site.end))
            or (
                around[level][0] == site.end
                and (beside := around[level][3]) is not None
                and sites[beside].start == site.start
            )
            # Nor is, in `struct s { int x; } v`, the type inside of what it is the type of.
            or (
                site.kind in language.type_kinds
                and (named := around[level][3]) is not None
                and sites[named].name_start >= site.end
            )
        ):
            level -= 1
        if site.place == "filewide":
            level = -1
        parent_path, parent_kind, parent = around[level][1:] if level >= 0 else ("", None, None)
        if site.kind == "container":
            inner = _base_name(site.name)
            around.append((site.end, f"{parent_path}.{inner}" if parent_path else inner, "container", None))
            continue
        scope = scope_before(tree, site.start, site.end)
        if site.place == "hoisted":
            scope = tree.function_of(scope)
        elif site.place == "inner":
            scope = scope_before(tree, site.name_start, site.name_end)
        elif site.place == "filewide":
            scope = 0
        kind = site.kind
        if site.variant == "forward":
            if tree.kinds[scope] not in NON_LOCAL:
                writes.append((site, scope))
                continue
            if site.name_start in announced:
                continue
        if kind in VARIABLES and not language.variables_are_items:
            if tree.kinds[scope] not in NON_LOCAL or (scope, site.owner, site.name) in seen_variables:
                writes.append((site, scope))
                continue
            seen_variables.add((scope, site.owner, site.name))
        in_type = parent_kind == "container" or parent_kind in language.type_kinds
        if in_type and tree.kinds[scope] not in ("function", "lambda", "block"):
            kind = language.member_kinds.get(kind, kind)
        if language.clause_key is not None and kind in _CALLABLES:
            place = around[level][0] if level >= 0 else -1
            arguments = source[slice(*site.params)].decode("utf-8", "replace") if site.params else ""
            clause = (place, kind, site.name, language.clause_key(arguments))
            first = first_clauses.setdefault(clause, len(rows))
            if first < len(rows):
                clauses.append((site, first))
                last: int | None = len(rows) - 1
                while last is not None and last > first:
                    last = rows[last].parent
                if last == first:
                    end_line, end_col = position(site.end - site.tail)
                    rows[first] = rows[first]._replace(end_line=end_line, end_col=end_col)
                around.append((site.end, rows[first].lexical_path, kind, first))
                continue
        owner = parent_path if site.owner is None else _base_name(site.owner)
        if site.owner is not None and language.owner_path is not None:
            owner = ".".join(filter(None, (parent_path, language.owner_path(site.owner))))
        lexical_path = f"{owner}.{site.name}" if owner else site.name
        start, end = spans.get(site.start, (site.start, site.end))
        # A decorator may stand before what it decorates, not around it.
        end = max(end, site.end) if end != site.end else end - site.tail
        if source[end - 1 : end] == b"\n":
            end -= 1  # some grammars count the line's end to what stands on it
        signature_hash = _signature_hash(site, source)
        head = source[start : site.name_start].decode("utf-8", "replace")
        # What stands above `type T struct{ x int }` speaks of T, not of x.
        own_line = parent is None or rows[parent].name_line != position(start)[0]
        if language.attribute_prefixes and own_line:
            start = _with_attributes(language, lines, start)
        start_line, start_col = position(start)
        end_line, end_col = position(end)
        name_line, name_col = position(site.name_start)
        rows.append(
            Def(
                ids.of_definition(kind, lexical_path, signature_hash),
                parent,
                scope,
                kind,
                site.name,
                qualify(language, module, lexical_path),
                lexical_path,
                start_line,
                start_col,
                end_line,
                end_col,
                name_line,
                name_col,
                _signature(language, site, source),
                signature_hash,
                _doc(language, site, start_line, lines, docs.get(site.start))
                if own_line or language.doc_style == "docstring"
                else None,
                language.visibility(
                    Head(
                        site.name,
                        head,
                        parent_kind,
                        kind,
                        marks.get((scope, site.name)) or _section(sections.get(scope, ()), site.start),
                        rows[parent].visibility if parent is not None else None,
                        site.name in exported if exported else None,
                    )
                ),
                (*decorators.get(site.start, ()), *site.decorators),
            )
        )
        sites.append(site)
        beside_type = level < len(around) - 1 and around[-1][0] == site.end and around[-1][2] in language.type_kinds
        if not beside_type:
            around.append((site.end, lexical_path, kind, len(rows) - 1))
    return Definitions(rows, sites, writes, clauses)


def _in_order(structure: Structure) -> list[DefSite]:
    """Definitions and containers by position, outer before inner, each name once."""
    containers = (
        DefSite(site.start, site.end, "container", site.name, site.start, site.start, None, None, None, None, ())
        for site in structure.containers
    )
    unique: dict[tuple[int, str], DefSite] = {}
    for site in sorted((*structure.defs, *containers), key=_rank):
        unique.setdefault((site.name_start, "container" if site.kind == "container" else ""), site)
    return list(unique.values())


def _rank(site: DefSite) -> tuple[int, int, int, bool, bool]:
    """Outer before inner; of two patterns for one name, the function goes before the variable that holds it, and
    the one that says where the name is bound before the one that does not."""
    return site.start, -site.end, site.name_start, site.kind in VARIABLES, not (site.place or site.variant)


def _announced(language: Language, structure: Structure, tree: ScopeTree, source: bytes) -> set[int]:
    """Forward declarations, by where their name stands, of what the file defines in the same scope."""
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
    """The sections of each scope, in order."""
    found: dict[int, list[tuple[int, str]]] = {}
    for site in sorted(structure.sections):
        found.setdefault(scope_before(tree, site.start, site.end), []).append((site.start, site.text))
    return found


def _section(sections: Sequence[tuple[int, str]], start: int) -> str:
    number = bisect_left(sections, (start, "")) - 1
    return sections[number][1] if number >= 0 else ""


def _wrapped_spans(structure: Structure) -> tuple[dict[int, Range], dict[int, tuple[str, ...]], dict[int, str]]:
    """Spans, decorators and docs of wrapped definitions, by the start of what is wrapped; wrappers may nest."""
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
    """From the start of the definition to its body, on one line, without comments around the name and parameters."""
    limit = min(site.body[0] if site.body else site.end, site.start + 4 * MAX_SIGNATURE_CHARS)
    if site.body is None:
        raw = source[site.start : limit]
        if site.kind not in ("function", "method"):
            # The line of its name, and what annotations are above it; parameters may go over several.
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
    """What goes over several lines, without comments at their ends, or on lines of their own."""
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
    """Hash of parameters and result as written, blanks aside; equal for all that have neither."""
    params, returns = site.params, site.returns
    if params is None and returns is None:
        return _NO_SIGNATURE
    written = b"".join(source[params[0] : params[1]].split()) if params else b""
    result = b"".join(source[returns[0] : returns[1]].split()) if returns else b""
    return sha256(written + b"->" + result).hexdigest()[:16]


def _with_attributes(language: Language, lines: Lines, start: int) -> int:
    """`start`, moved up over the attribute lines directly above (they are siblings in some grammars)."""
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
    """The comment that ends on the line directly above `line`, without its markers."""
    collected: list[str] = []
    current = line - 1
    above = lines.text(current).decode("utf-8", "replace").strip() if current >= 1 else ""
    opening, closing = language.doc_block
    if above.endswith(closing):
        while current >= 1 and len(collected) < _MAX_DOC_LINES:
            text = lines.text(current).decode("utf-8", "replace").strip()
            collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
            # Where code stands before the comment, it speaks of that code.
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
    """The comment that a body opens with, when its marker says that it speaks of what is around it."""
    collected: list[str] = []
    for current in range(line + 1, min(line + _MAX_DOC_LINES, len(lines.starts)) + 1):
        text = lines.text(current).decode("utf-8", "replace").strip()
        if not text.startswith(language.inner_doc_prefixes):
            break
        collected.append(_COMMENT_EDGE.sub("", text[:_MAX_DOC_LINE_CHARS]))
    return collected


def _base_name(owner: str) -> str:
    """`*Stack[T]` belongs to `Stack`."""
    return re.split(r"[\[<(]", owner.lstrip("*&( "), maxsplit=1)[0].strip(" )")
