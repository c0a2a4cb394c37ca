"""Documents and data: files whose language has its own reader, and the code embedded in them.

Named things become definitions. Names are looked up only in embedded code.
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from codeplane.facts.definitions import read_definitions
from codeplane.facts.embedded import add_parts
from codeplane.facts.grammar import load_reader, read_problems
from codeplane.facts.lines import Lines
from codeplane.facts.model import Extraction, Facts, Problem, Scope
from codeplane.facts.nesting import TOO_DEEP, is_too_deep
from codeplane.facts.scopes import ScopeTree
from codeplane.facts.structure import DefSite, Structure, WrapperSite
from codeplane.languages.registry import find
from codeplane.languages.spec import DefinitionSite, Language, Part

Extractor = Callable[[str, str, bytes, str], Extraction]

MAX_SITES = 5000
"""Limit of definitions per document; longer ones are generated."""
MAX_PARTS = 500
MAX_NAME_CHARS = 200


def read_document(language: Language, path: str, family: str, source: bytes, extract: Extractor | None) -> Extraction:
    """Return the facts of a document; without `extract`, those of its parts are left out."""
    if language.grammar and is_too_deep(source):
        return TOO_DEEP
    root, problems = _parse(language, source) if language.grammar else (None, ())
    sites, parts, cut = language.read(root, source, path) if language.read is not None else ([], (), None)
    if len(sites) > MAX_SITES:
        cut = sites[MAX_SITES].start if cut is None else min(cut, sites[MAX_SITES].start)
    lines = Lines(source)
    named = [site for site in sites[:MAX_SITES] if site.name.strip()]
    structure = Structure(
        defs=[_definition(site) for site in named],
        wrappers=[
            WrapperSite(site.start, site.end, site.start, (), site.doc) for site in named if site.doc is not None
        ],
    )
    tree = ScopeTree((), (), len(source))
    rows = read_definitions(language, path, family, structure, tree, lines).rows
    if cut is not None:
        problems += (Problem("cut", lines.position(cut)[0], "more definitions than are kept of one file"),)
    facts = Facts(scopes=[Scope(None, "file", *lines.span(0, len(source)))], defs=rows)
    whole = Extraction(facts, problems)
    if not parts or extract is None:
        return whole
    known = [(part, spoken) for part in parts if (spoken := find(part.language)) is not None and part.start < part.end]
    if len(known) > MAX_PARTS:
        line = lines.position(known[MAX_PARTS][0].start)[0]
        problem = Problem("cut", line, "more code in other languages than is read of one file")
        whole = whole._replace(problems=(*problems, problem))
    read = [(part, _read_part(spoken, part, path, family, source, extract)) for part, spoken in known[:MAX_PARTS]]
    return add_parts(whole, lines, read)


def _parse(language: Language, source: bytes) -> tuple[Node, tuple[Problem, ...]]:
    reader = load_reader(language.grammar)
    written = source if language.rewrite is None else language.rewrite(source)
    root = reader.parser.parse(written).root_node
    if root.has_error and language.repair is not None:
        root = reader.parser.parse(language.repair(written)).root_node
    return root, () if language.forgiving else read_problems(reader.errors, root)


def _read_part(
    language: Language, part: Part, path: str, family: str, source: bytes, extract: Extractor
) -> tuple[str, bytes, Extraction]:
    """Extract a part as a file of its own. A document inside a document is not searched for further parts."""
    text = source[part.start : part.end] if part.text is None else part.text
    if language.read is not None:
        return language.name, text, read_document(language, path, family, text, None)
    return language.name, text, extract(language.name, path, text, family)


def _definition(site: DefinitionSite) -> DefSite:
    name = " ".join(site.name.split())
    if len(name) > MAX_NAME_CHARS:
        name = name[: MAX_NAME_CHARS - 1] + "…"
    body = (site.body, max(site.body, site.end)) if site.body is not None else None
    return DefSite(
        site.start, site.end, site.kind, name, site.name_start, site.name_end, site.params, None, body, site.owner, ()
    )
