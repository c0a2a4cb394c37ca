"""Explain definitions that only ctags reports, where the source line shows the reason.

Every reason is looked for in the text, not in what either of the two made of it. What has no reason here is
a miss of ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.definitions.read_tags import MINIFIED, Tag

from codeplane.facts.model import Def


def explain_miss(tag: Tag, ours: Sequence[Def], lines: Sequence[str]) -> str | None:
    """Return the reason that the source line shows for a missing definition; None if it is a real miss."""
    if tag.name.startswith(("anonymous", "__anon", "AnonymousFunction")):
        return "ctags invents a name for something anonymous"
    line = lines[tag.line - 1] if 0 < tag.line <= len(lines) else ""
    if tag.name not in line:
        return "the name is not on the line that ctags gives"
    if any(row.name == tag.name and abs(row.name_line - tag.line) <= 3 for row in ours):
        return "found a few lines apart"
    if len(line) > MINIFIED:
        return "a minified line"
    if tag.name in KEYWORDS:
        return "ctags takes a keyword for a name"
    before, _, after = line.partition(tag.name)
    if tag.language == "Java" and (before.rstrip().endswith(("new", ".")) or "." in tag.name):
        return "ctags takes a call for a method"
    if tag.language == "Java" and re.match(r"\s*(\(.*\))?\s*\{", after) and not re.search(r"\w\s+$", before):
        return "ctags takes an enum constant with a body for a method"
    if tag.language in ("Lua", "Sh") and not re.fullmatch(r"[\w:.+-]+", tag.name):
        return "ctags takes the end of an expression for a name"
    if tag.language == "Lua" and not (
        re.search(r"function\s+[\w.:]*\Z", before) or re.match(r"\s*=\s*function\b", after)
    ):
        return "ctags takes a variable for the function that its value is made with"
    if tag.language in ("Elixir", "Haskell"):
        if any(row.name == tag.name and row.start_line <= tag.line <= row.end_line for row in ours):
            return "a clause of what was found"
        if any(row.name.rpartition(".")[2] == tag.name and row.name_line == tag.line for row in ours):
            return "ctags gives the last part of a module's name"
        if tag.language == "Haskell" and tag.name == "pattern":
            return "ctags takes a keyword for a name"
    if tag.language in ("C", "C++"):
        return _explain_c(tag, ours, before, after)
    if tag.language == "C#":
        return _explain_csharp(tag, ours, line, before)
    if tag.language == "PHP" and before.endswith("$") and re.match(r"\s*=\s*(static\s+)?(function|fn)\b", after):
        return "ctags takes a variable that holds a closure for a function"
    if tag.language == "Ruby" and _in_heredoc(lines, tag.line):
        return "ctags reads the text of a heredoc as code"
    if tag.language == "Ruby" and before.rstrip().endswith("def") and after.startswith("."):
        return "ctags takes the object of a singleton method for its name"
    if tag.language == "Ruby" and tag.kind == "alias" and after[:1] in ("?", "!", "="):
        return "ctags cuts the last character off an alias"
    if tag.language == "Kotlin" and tag.kind == "method" and not re.search(r"\bfun\b", before):
        return "ctags takes a lambda for a method"
    if tag.kind == "alias" and _in_import(lines, tag.line):
        return "ctags takes an imported type for an alias"
    if tag.language in ("JavaScript", "TypeScript"):
        if tag.kind == "class" and "class" not in before:
            return "ctags takes an object literal for a class"
        if tag.name.isdigit() or before.rstrip().endswith(("'", '"')):
            return "ctags takes a key of an object literal for a definition"
    return None


def _explain_c(tag: Tag, ours: Sequence[Def], before: str, after: str) -> str | None:
    callables = ("function", "method", "constructor")
    if tag.kind == "prototype" and any(row.name == tag.name and row.kind in callables for row in ours):
        return "a prototype of what the file defines"
    if tag.kind in ("prototype", "function") and tag.name.isupper() and after.lstrip()[:1] in ("", "("):
        return "ctags takes the call of a macro for a function"
    if tag.kind == "prototype" and tag.name in ("offsetof", "sizeof", "alignof", "defined"):
        return "ctags takes a call for a prototype"
    if tag.kind == "typedef" and before.rstrip().endswith(")"):
        return "ctags takes the macro behind a declaration for its name"
    return None


def _explain_csharp(tag: Tag, ours: Sequence[Def], line: str, before: str) -> str | None:
    near = {row.name for row in ours if abs(row.name_line - tag.line) <= 1}
    if "." in tag.name and tag.name.rpartition(".")[2] in near:
        return "ctags writes the interface before the name"
    if tag.name.startswith("~") and tag.name[1:] in near:
        return "ctags calls a finalizer ~Name"
    if tag.kind in ("class", "struct") and (re.search(rf"\bwhere {tag.name}\b", line) or " is " in before):
        return "ctags takes a constraint or a test for a type"
    types = {row.name for row in ours if row.kind in ("class", "struct", "record")}
    if tag.kind == "method" and tag.name not in types:
        if tag.name in ("typeof", "nameof", "lock", "base", "sizeof", "fixed", "checked", "unchecked", "default"):
            return "ctags takes a keyword for a name"
        if re.search(r"(?:^|[=(,;{}!?:&|.>]|\b(?:return|await|new|throw|base|else|case))\s*$", before):
            return "ctags takes a call for a method"
        if re.match(r"\s*(///|//|\*|\[)", before):
            return "ctags reads a comment or an attribute"
    return None


KEYWORDS = frozenset(
    {
        "any",
        "as",
        "async",
        "await",
        "catch",
        "extends",
        "for",
        "if",
        "implements",
        "in",
        "instanceof",
        "is",
        "new",
        "of",
    }
    | {"return", "satisfies", "switch", "this", "type", "while"}
)


def _in_import(lines: Sequence[str], line: int) -> bool:
    """True if a line is inside an import statement, which may span lines."""
    for text in reversed(lines[max(0, line - 60) : line]):
        if text.lstrip().startswith(("import", "export")):
            return "=" not in text.partition("from")[0]
        if text.rstrip().endswith(";") and text is not lines[line - 1]:
            return False
    return False


def _in_heredoc(lines: Sequence[str], line: int) -> bool:
    """True if a Ruby line is inside a heredoc."""
    ends: list[str] = []
    for text in lines[: line - 1]:
        if ends:
            if text.strip() == ends[0]:
                ends.pop(0)
        else:
            ends = re.findall(r"<<[~-]?[\"'`]?([A-Z_][A-Z0-9_]*)\b", text)
    return bool(ends)
