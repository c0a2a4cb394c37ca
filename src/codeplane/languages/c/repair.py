"""Rewrite C and C++ macros that the grammar cannot parse: before a declaration, between its parts, or alone on a line.

`rewrite` handles what would be misread without a syntax error, and runs on every source. `repair_c` and `repair_cpp`
run only on a source that did not parse, and their result is used only if it parses better. Every byte keeps its
offset, so positions are those of the source.
"""

from __future__ import annotations

import re
from functools import partial

from codeplane.languages.c.conditionals import cutting
from codeplane.languages.c.macros import (
    ALONE,
    AROUND_CLASS,
    ASKS_FOR_FILE,
    BEFORE_KEYWORD,
    BEHIND,
    BETWEEN,
    BLACK,
    BRACE,
    BUILT_IN,
    BUILT_INS,
    CALL,
    COMMENT,
    CONDITION,
    CONTROL,
    DEFINES,
    DIRECTIVE,
    ENUM,
    EXPORTED,
    GLOB,
    HIDDEN,
    IN_ENUM,
    IN_SECTION,
    LAST_WORD,
    LEFT_OUT,
    LEFT_OUT_OF_CPLUSPLUS,
    LINE,
    MADE,
    POINTED,
    PUT,
    PUT_IN_CPLUSPLUS,
    RECORD,
    RECORD_BODY,
    TEST,
    WORD_BEFORE,
    WORDS,
)


def rewrite(source: bytes) -> bytes:
    """Blank macros around `class` and before its name: `class API Foo {` would parse as a function."""
    if AROUND_CLASS.search(source) is not None:
        source = AROUND_CLASS.sub(lambda found: found[1].rjust(len(found[0]) - 1) + b" ", source)
    if EXPORTED.search(source) is not None:
        source = EXPORTED.sub(_without, source)
    return GLOB.sub(_without_globs, source)


def _repair(source: bytes, *, cplusplus: bool) -> bytes:
    hidden = HIDDEN.sub(_hidden, source)
    text = DIRECTIVE.sub(lambda found: found[0] if CONDITION.match(found[0]) else _blank(found), hidden)
    bare = DIRECTIVE.sub(_blank, text)
    repaired = bytearray(source)
    for found in DIRECTIVE.finditer(hidden):
        _clear_directive(repaired, found.start(), found.end())
    kept = bytearray(bare)
    for start, end in cutting(text, bare, cplusplus):
        repaired[start:end] = BLACK.sub(b" ", bytes(repaired[start:end]))
        kept[start:end] = BLACK.sub(b" ", bytes(kept[start:end]))
    bare = bytes(kept)
    for rule in LEFT_OUT_OF_CPLUSPLUS if cplusplus else LEFT_OUT:
        bare = _left_out(
            repaired, bare, [found.span(1) for found in rule.finditer(bare) if _is_macro(rule, found, bare)]
        )
    for rule, word in PUT_IN_CPLUSPLUS if cplusplus else PUT:
        for found in rule.finditer(bare):
            blank = BLACK.sub(b" ", bytes(repaired[found.start(1) : found.end(1)]))
            repaired[found.start(1) : found.end(1)] = word + blank[len(word) :]
    calls = [found.span(1) for found in CALL.finditer(bare)]
    members = _in_records(bare, [start for start, _ in calls]) if cplusplus else set()
    for start, end in calls:
        if start not in members:
            _untype(repaired, start, end)
    if cplusplus:
        _name_sections(repaired, bare)
        for found in TEST.finditer(bare):
            _untype(repaired, found.start(1), found.end(1))
    bare = _left_out(repaired, bare, _made_members(repaired, bare))
    _end_statements(repaired, bare, cplusplus)
    return bytes(repaired)


repair_c = partial(_repair, cplusplus=False)
repair_cpp = partial(_repair, cplusplus=True)


def _is_macro(rule: re.Pattern[bytes], found: re.Match[bytes], bare: bytes) -> bool:
    """True if the matched word is a macro; the pattern also matches keywords and words of a statement."""
    start = found.start(1)
    if rule is BEFORE_KEYWORD:
        return found[1] not in WORDS
    if rule is BETWEEN:
        word = WORD_BEFORE.search(bare, max(0, start - 200), start)
        return word is not None and word[1] not in WORDS - BUILT_INS
    if rule is BEHIND:
        called = _called_before(bare, found.start())
        # On the line after another macro, the word starts a declaration of its own.
        return called not in CONTROL and not (called.isupper() and b"\n" in bare[found.start() : start])
    return True


def _called_before(bare: bytes, end: int) -> bytes:
    """Return the word before the parentheses that close at `end`, or the bracket that ends a lambda's capture list."""
    depth = 0
    for at in range(end - 1, max(-1, end - 4000), -1):
        char = bare[at]
        if char == 0x29:
            depth += 1
        elif char == 0x28:
            depth -= 1
            if depth == 0:
                before = bare[max(0, at - 200) : at].rstrip()
                if before.endswith((b"]", b"operator()")):
                    return before[-1:]
                word = LAST_WORD.search(bare, max(0, at - 200), at)
                return word[1] if word is not None else b"if"
    return b"if"


def _in_records(bare: bytes, places: list[int]) -> set[int]:
    """Return the places directly inside a class body, where a macro call with types declares a member."""
    bodies = {found.end() - 1 for found in RECORD_BODY.finditer(bare)}
    found: set[int] = set()
    open_braces: list[bool] = []
    following = 0
    for brace in BRACE.finditer(bare):
        while following < len(places) and places[following] < brace.start():
            if open_braces and open_braces[-1]:
                found.add(places[following])
            following += 1
        if brace[0] == b"{":
            open_braces.append(brace.start() in bodies)
        elif open_braces:
            open_braces.pop()
    return found


def _name_sections(repaired: bytearray, bare: bytes) -> None:
    """Replace macros for access specifiers such as `private:` by `public`."""
    found = [label.span(1) for label in IN_SECTION.finditer(bare)]
    members = _in_records(bare, [start for start, _ in found])
    for start, end in found:
        if start in members:
            repaired[start:end] = b"public".ljust(end - start)


def _untype(repaired: bytearray, start: int, end: int) -> None:
    """Replace types among the arguments of a call by values."""
    for found in list(BUILT_IN.finditer(bytes(repaired[start:end]))):
        repaired[start + found.start(1) : start + found.end(1)] = b"0".ljust(len(found[1]))
    for found in list(POINTED.finditer(bytes(repaired[start:end]))):
        for group in (1, 2):
            if found[group]:
                repaired[start + found.start(group) : start + found.end(group)] = BLACK.sub(b" ", found[group])


def _made_members(repaired: bytearray, bare: bytes) -> list[tuple[int, int]]:
    """Return macro calls in enum bodies that generate members; blank the macro definitions inside these bodies."""
    made: list[tuple[int, int]] = []
    whole = bytes(repaired)
    for body in ENUM.finditer(bare):
        for found in DIRECTIVE.finditer(whole, body.start(1), body.end(1)):
            if DEFINES.match(found[0]):
                repaired[found.start() : found.end()] = _blank(found)
        made.extend(found.span() for found in IN_ENUM.finditer(bare, body.start(1), body.end(1)))
    return made


def _clear_directive(repaired: bytearray, start: int, end: int) -> None:
    """Blank comments, which end a directive for the grammar, and `__has_include`, which it cannot parse."""
    directive = bytes(repaired[start:end])
    if b"/*" in directive:
        repaired[start:end] = directive = COMMENT.sub(_blank, directive)
    asked = ASKS_FOR_FILE.match(directive)
    if asked is not None:
        repaired[start + asked.start(1) : start + asked.end(1)] = b"1" + BLACK.sub(b" ", asked[1][1:])


def _left_out(repaired: bytearray, bare: bytes, spans: list[tuple[int, int]]) -> bytes:
    """Blank these spans in both texts; directive and comment lines inside them stay."""
    if not spans:
        return bare
    parts = bytearray(bare)
    for start, end in spans:
        for line in LINE.finditer(bare, start, end):
            if not line[0].strip():
                continue
            repaired[line.start() : line.end()] = BLACK.sub(b" ", bytes(repaired[line.start() : line.end()]))
            parts[line.start() : line.end()] = BLACK.sub(b" ", line[0])
    return bytes(parts)


def _end_statements(repaired: bytearray, bare: bytes, cplusplus: bool) -> None:
    """Put a semicolon after a macro on a line of its own, where the grammar would continue the statement."""
    ended = 0
    for found in ALONE.finditer(bare):
        above = bare[max(0, found.start() - 4000) : found.start()].rstrip()
        after = bare[found.end() : found.end() + 4000].lstrip()
        before, record = above[-1:], above[-1:] == b"{" and RECORD.search(above[-300:]) is not None
        if ended and not bare[ended : found.start()].strip():
            before, record = b";", False
        if before not in (b"", b";", b"}", b"{", b":") or not _starts_declaration(after, found[1], before, record):
            continue
        at = found.end(1)
        # A directive must stay at the start of its line.
        if found[2] or (found[3] and not repaired[at + 1 : at + 200].lstrip(b" \t").startswith(b"#")):
            repaired[at] = 0x3B
        else:
            repaired[found.start(1) : at] = BLACK.sub(b" ", bytes(repaired[found.start(1) : at]))
        ended = at
    for found in (TEST if cplusplus else MADE).finditer(bare):
        if bare[max(0, found.start() - 4000) : found.start()].rstrip()[-1:] in (b"", b";", b"}", b"{", b")"):
            repaired[found.start(found.lastindex or 0)] = 0x3B


def _starts_declaration(after: bytes, macro: bytes, before: bytes, record: bool) -> bool:
    """True if the text after a macro starts a new declaration instead of continuing the macro's."""
    if not after:
        return True
    if after[:1] == b"}":
        return before != b"{" or record
    if after[:1] not in b"~[:" and not (after[:1].isalpha() or after[:1] == b"_"):
        return False
    return macro.endswith(b")") or re.match(rb"(?=\w*[a-z])[A-Za-z_]\w*[ \t\n]*\(", after) is None


def _without_globs(found: re.Match[bytes]) -> bytes:
    head, quote, text = found[0].partition(b'"')
    return head + quote + text.replace(b"*", b" ")


def _without(found: re.Match[bytes]) -> bytes:
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + BLACK.sub(b" ", found[0][start:end]) + found[0][end:]


def _hidden(found: re.Match[bytes]) -> bytes:
    """Blank comments and string contents; quotes stay, so that operators keep an operand."""
    text = found[0]
    if text[:1] == b"/":
        return BLACK.sub(b" ", text)
    return b'"' + BLACK.sub(b" ", text[1:-1]) + b'"'


def _blank(found: re.Match[bytes]) -> bytes:
    return BLACK.sub(b" ", found[0])
