"""Facts of one case file: a golden dump beside it, and carets inside it.

A caret line is a comment whose `^` points at an identifier of the nearest code line above:
    ^ def KIND LEXICAL_PATH     a definition's name stands here
    ^ -> LINE                   proven to mean what was first bound on that line
    ^ -> LINE ?                 bound there in all likelihood, but not proven
    ^ unknown                   not resolved within the file
    ^ import SOURCE NAME        an import binds it
    ^ member | label | call | type | name      how it is used
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from codeplane.facts.extract import extract
from codeplane.facts.model import Bind, Def, Extraction, Facts, Import, Ref, ReferenceRole, Scope, Target, Usage
from codeplane.languages.registry import detect

_CARET = re.compile(r"^\s*(?:\"?#|//|--|<!--|/\*|\(\*)?\s*(\^+)\s+(\S.*?)\s*(?:-->|\*/|\*\)|(?:\\n)?\",?)?$")


class Claim(NamedTuple):
    line: int
    column: int
    text: str


def extract_case(path: Path) -> Extraction:
    language = detect(path.name, path.read_bytes())
    assert language is not None, f"no language for {path.name}"
    return extract(language.name, f"pkg/{path.name}", path.read_bytes())


def claims(path: Path) -> Iterator[Claim]:
    code_line = 0
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        match = _CARET.match(line)
        if match is None:
            code_line = number
        else:
            yield Claim(code_line, match.start(1), match.group(2))


def check_claim(facts: Facts, claim: Claim) -> str | None:
    """None when the claim holds, otherwise what was found instead."""
    refs = [Ref(*ref) for ref in facts.refs]
    here = [ref for ref in refs if ref.start_line == claim.line and ref.start_col <= claim.column < ref.end_col]
    word, _, rest = claim.text.partition(" ")
    if not here and word == "def":
        # Documents and data have definitions, and no identifiers.
        named = [
            f"{row.kind} {row.lexical_path}"
            for row in facts.defs
            if row.name_line == claim.line and row.name_col <= claim.column < row.name_col + max(1, len(row.name))
        ]
        return None if rest in named else f"definitions {named}"
    if not here:
        return "no identifier"
    ref = here[0]
    if word == "def":
        found = [
            f"{row.kind} {row.lexical_path}"
            for row in facts.defs
            if (row.name_line, row.name_col) == (ref.start_line, ref.start_col)
        ]
        return None if rest in found else f"definitions {found}"
    if word == "->":
        proven = "" if ref.tier == 3 else " ?"
        first = next((other.start_line for other in refs if other.bind == ref.bind and other.role in (1, 2)), None)
        if first is None and ref.bind is not None:
            # A name with several namespaces stands as the definition of one of them.
            meant = Bind(*facts.binds[ref.bind])
            if meant.target_kind == Target.DEF and meant.target is not None:
                first = Def(*facts.defs[meant.target]).name_line
        found_text = f"{first}{proven}" if ref.bind is not None else "unknown"
        return None if found_text == rest else f"-> {found_text}"
    if word == "unknown":
        return None if ref.bind is None and ref.tier == 0 else f"bound to {facts.binds[ref.bind or 0]}"
    if word == "import":
        bind = Bind(*facts.binds[ref.bind]) if ref.bind is not None else None
        if bind is None or bind.target_kind != Target.IMPORT or bind.target is None:
            return f"bound to {bind}"
        row = Import(*facts.imports[bind.target])
        return None if rest == f"{row.source_literal} {row.imported_name}" else f"import {row}"
    usage = Usage(ref.usage).name.lower()
    return None if word == usage else f"used as {usage}"


def render(extraction: Extraction) -> str:
    """The dump: everything that was extracted, in document order, one fact a line."""
    facts = extraction.facts
    out: list[str] = []
    for number, scope in enumerate(facts.scopes):
        parent, kind, *span = Scope(*scope)
        out.append(f"scope {number} in {parent} {kind} {span[0]}:{span[1]}-{span[2]}:{span[3]}")
    for row in facts.defs:
        out.extend(_render_def(row))
    for item in facts.imports:
        out.append(
            f"import {item.start_line}:{item.start_col} {item.import_kind} {item.source_literal!r}"
            f" name={item.imported_name!r} alias={item.alias!r} scope={item.scope}"
        )
    for number, bind in enumerate(Bind(*row) for row in facts.binds):
        target = {Target.DEF: "def", Target.IMPORT: "import", Target.UNKNOWN: "-"}[Target(bind.target_kind)]
        if bind.target_kind == Target.DEF and bind.target is not None:
            target = f"def {facts.defs[bind.target].lexical_path}"
        certainty = "" if bind.certainty else " uncertain"
        out.append(
            f"bind {number} scope={bind.scope} ns={bind.namespace} {bind.name} {target} {bind.reason_code}{certainty}"
        )
    for ref in (Ref(*row) for row in facts.refs):
        target = f" bind={ref.bind}" if ref.bind is not None else ""
        tier = " proven" if ref.tier == 3 else ""
        out.append(
            f"ref {ref.start_line}:{ref.start_col}-{ref.end_col} {facts.names[ref.name]}"
            f" {ReferenceRole(ref.role).name.lower()} {Usage(ref.usage).name.lower()} scope={ref.scope}{target}{tier}"
        )
    for export in facts.exports:
        out.append(
            f"export {export.exported_name} def={export.definition} {export.evidence_kind} certain={export.certainty}"
        )
    for reexport in facts.reexports:
        out.append(
            f"reexport {reexport.source_literal!r} {reexport.mode} {reexport.explicit_names} {reexport.alias_map}"
            f" {reexport.evidence_kind}"
        )
    for problem in extraction.problems:
        out.append(f"problem {problem.line} {problem.code}")
    return "\n".join(out) + "\n"


def _render_def(row: Def) -> Iterator[str]:
    span = f"{row.start_line}:{row.start_col}-{row.end_line}:{row.end_col}"
    yield (
        f"def {row.kind} {row.lexical_path} ({row.qualified_name}) {span} name@{row.name_line}:{row.name_col}"
        f" {row.visibility} parent={row.parent} scope={row.scope}"
    )
    yield f"    sig {row.signature}"
    if row.doc:
        yield f"    doc {row.doc}"
    for decorator in row.decorators:
        yield f"    decorator {decorator}"
