"""Merge the facts of a document's embedded parts into the facts of the document.

Each part was extracted as a file of its own, so that a name of one part never resolves to another. Here its positions
become positions of the document, its rows are appended, and its definitions are nested in the enclosing definition of
the document if the document's language says so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from hashlib import sha256

from codeplane.base.limits import MAX_PROBLEMS_PER_FILE
from codeplane.facts.blocks import NO_COLUMNS, Columns, Refs
from codeplane.facts.lines import Lines
from codeplane.facts.model import (
    Bind,
    Def,
    Export,
    Extraction,
    Facts,
    Import,
    Problem,
    Reexport,
    Scope,
    Target,
)
from codeplane.languages.spec import Part

PART = "part"
"""Kind of the scope in which the names of a part are bound."""


def add_parts(
    whole: Extraction, lines: Lines, parts: Sequence[tuple[Part, tuple[str, bytes, Extraction]]]
) -> Extraction:
    """Return the extraction of a document merged with those of its parts: (part, (language, text, extraction))."""
    merged = _Merged(whole.facts)
    problems = list(whole.problems)
    for part, (language, text, (facts, found)) in sorted(parts, key=lambda item: item[0].start):
        places = _Places(lines, part.start, text)
        merged.add(part, language, places, facts)
        if not part.sample:
            problems.extend(Problem(code, places.line(line), message) for code, line, message in found)
    problems.sort(key=lambda problem: (problem.line, problem.code))
    return Extraction(merged.facts(), tuple(problems[:MAX_PROBLEMS_PER_FILE]))


class _Places:
    """Map lines and columns of a part to those of its document."""

    def __init__(self, lines: Lines, start: int, text: bytes) -> None:
        self._origins = [lines.position(start + offset) for offset in Lines(text).starts]
        self.start = lines.position(start)

    def line(self, line: int) -> int:
        return self._origins[line - 1][0]

    def place(self, line: int, column: int) -> tuple[int, int]:
        origin_line, origin_column = self._origins[line - 1]
        return origin_line, origin_column + column

    def span(self, row: Scope | Import | Def) -> tuple[int, int, int, int]:
        return (*self.place(row.start_line, row.start_col), *self.place(row.end_line, row.end_col))


class _Merged:
    """Rows of a document, extended part by part."""

    def __init__(self, host: Facts) -> None:
        self._host = host
        self._starts = [(row.start_line, row.start_col) for row in host.defs]
        self._names: dict[str, int] = {}
        self._scopes = list(host.scopes)
        self._defs = list(host.defs)
        self._imports: list[Import] = []
        self._binds: list[Bind] = []
        self._columns = Columns([], [], [], [], [], [])
        self._exports: list[Export] = []
        self._reexports: list[Reexport] = []
        self._seen: dict[str, int] = {}

    def add(self, part: Part, language: str, places: _Places, facts: Facts) -> None:
        scopes, defs, imports, binds = len(self._scopes), len(self._defs), len(self._imports), len(self._binds)
        around = self._around(places) if part.nested else None
        owner = self._host.defs[around] if around is not None else None
        for scope in facts.scopes:
            row = Scope(*scope)
            kind, parent = (PART, 0) if row.parent is None else (row.kind, row.parent + scopes)
            self._scopes.append(Scope(parent, kind, *places.span(row)))
        for row_def in facts.defs:
            lexical, qualified = row_def.lexical_path, row_def.qualified_name
            if owner is not None:
                qualified = f"{owner.qualified_name}.{lexical}"
                lexical = f"{owner.lexical_path}.{lexical}"
            start_line, start_col, end_line, end_col = places.span(row_def)
            name_line, name_col = places.place(row_def.name_line, row_def.name_col)
            self._defs.append(
                row_def._replace(
                    def_uid=self._uid(language, owner.def_uid if owner is not None else "", row_def.def_uid),
                    parent=around if row_def.parent is None else row_def.parent + defs,
                    scope=row_def.scope + scopes,
                    qualified_name=qualified,
                    lexical_path=lexical,
                    start_line=start_line,
                    start_col=start_col,
                    end_line=end_line,
                    end_col=end_col,
                    name_line=name_line,
                    name_col=name_col,
                )
            )
        for item in facts.imports:
            start_line, start_col, end_line, end_col = places.span(item)
            self._imports.append(
                item._replace(
                    import_uid=self._uid(language, "", item.import_uid),
                    scope=item.scope + scopes,
                    start_line=start_line,
                    start_col=start_col,
                    end_line=end_line,
                    end_col=end_col,
                )
            )
        targets = {int(Target.DEF): defs, int(Target.IMPORT): imports}
        for bind in (Bind(*row_bind) for row_bind in facts.binds):
            target = bind.target + targets[bind.target_kind] if bind.target is not None else None
            self._binds.append(bind._replace(scope=bind.scope + scopes, target=target))
        if isinstance(facts.refs, Refs):
            self._add_refs(facts, facts.refs.columns, places, scopes, binds)
        if not part.sample:
            self._exports.extend(
                row._replace(definition=row.definition + defs if row.definition is not None else None)
                for row in facts.exports
            )
            self._reexports.extend(facts.reexports)

    def facts(self) -> Facts:
        names = list(self._names)
        refs = Refs(names, self._columns if self._columns.names else NO_COLUMNS)
        return Facts(
            names=names,
            scopes=self._scopes,
            defs=self._defs,
            imports=self._imports,
            binds=self._binds,
            refs=refs,
            exports=list(dict.fromkeys(self._exports)),
            reexports=self._reexports,
        )

    def _add_refs(self, facts: Facts, columns: Columns, places: _Places, scopes: int, binds: int) -> None:
        names = [self._names.setdefault(name, len(self._names)) for name in facts.names]
        where = [places.place(*place) for place in zip(columns.lines, columns.columns, strict=True)]
        rows = (
            [scope + scopes for scope in columns.scopes],
            [names[name] for name in columns.names],
            [line for line, _ in where],
            [column for _, column in where],
            columns.flags,
            [bind and bind + binds for bind in columns.binds],
        )
        for column, more in zip(self._columns, rows, strict=True):
            column.extend(more)  # type: ignore[attr-defined]

    def _around(self, places: _Places) -> int | None:
        """Return the innermost definition of the document that encloses the start of a part."""
        number: int | None = bisect_right(self._starts, places.start) - 1
        while number is not None and number >= 0:
            row = self._host.defs[number]
            if (row.end_line, row.end_col) > places.start:
                return number
            number = row.parent
        return None

    def _uid(self, language: str, owner: str, uid: str) -> str:
        """Return an id from the ids in the part and of its owner; a number tells equal parts apart."""
        identity = f"{language}:{owner}:{uid}"
        sibling = self._seen[identity] = self._seen.get(identity, -1) + 1
        return sha256(f"{identity}:{sibling}".encode()).hexdigest()[:16]
