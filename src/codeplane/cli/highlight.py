"""Light syntax colours for `cpl read` on a terminal: keywords, strings and comments.

A scanner of a few regular expressions, not a parser: `cpl read` also shows files that no grammar knows, and parts of
files. A mistake changes a colour and never the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from codeplane.base.paths import basename
from codeplane.cli.terminal import Style

_HASH = "py pyi rb sh bash zsh yaml yml toml mk cfg ini conf r ex exs pl jl ps1 psm1 bzl star bazel"
_SLASH = "c h cc cpp cxx hpp hh java js jsx mjs cjs ts tsx go rs cs kt kts swift scala php dart zig proto gradle groovy"
_DASH = "sql lua hs elm"
_NAMES = {"makefile": "#", "dockerfile": "#", "justfile": "#", "rakefile": "#", "gemfile": "#"}
_CHARACTER_LITERALS = "c h cc cpp cxx hpp hh java go rs cs kt kts swift scala zig"
"""Suffixes of languages whose single quotes hold one character: Rust's lifetimes have one quote only."""

_KEYWORDS_TEXT = """
abstract alias and as assert async await begin bool break case catch chan class const constexpr continue crate debugger
def default defer del delete do elif else elsif end ensure enum except export extends extern fallthrough false False
final finally fn for foreach from fun func function global go goto if impl implements import in include instanceof
interface internal is lambda let local loop match mod module mut namespace native new nil None nonlocal not null nullptr
object of or override package pass priv private protected protocol pub public raise range readonly record ref require
rescue return sealed select static struct super switch synchronized template then throw throws trait true True try type
typedef typeof union unless unsafe until use using val var virtual void volatile when where while with yield
SELECT FROM WHERE INSERT UPDATE DELETE CREATE TABLE JOIN ON AND OR NOT NULL ORDER BY GROUP
"""
KEYWORDS = frozenset(_KEYWORDS_TEXT.split())

_DOUBLE = r'"(?:\\.|[^"\\])*"'
_SINGLE = r"'(?:\\.|[^'\\])*'"
_CHARACTER = r"'(?:\\[^']+|[^'\\])'"
_WORD = r"[A-Za-z_$][\w$]*"
_BLOCKS = {"#": ('"""', "'''"), "//": ("/*",), "--": ()}
_ENDS = {"/*": "*/"}


def make_highlighter(path: str, style: Style) -> Callable[[str], str]:
    """Return a function that colours the lines of a file in order; it returns other texts unchanged."""
    name = basename(path).lower()
    suffix = name.rpartition(".")[2]
    comment = _NAMES.get(name) or _COMMENTS.get(suffix, "")
    if not style.colour or not comment:
        return lambda line: line
    return _Highlighter(comment, suffix in _CHARACTER_LITERALS.split(), style)


_COMMENTS = {
    suffix: mark for mark, suffixes in (("#", _HASH), ("//", _SLASH), ("--", _DASH)) for suffix in suffixes.split()
}


class _Highlighter:
    """Remembers the comment or string that a line leaves open."""

    def __init__(self, comment: str, has_characters: bool, style: Style) -> None:
        blocks = "|".join(map(re.escape, _BLOCKS[comment])) or r"(?!)"
        single = _CHARACTER if has_characters else _SINGLE
        self._token = re.compile(
            rf"(?P<block>{blocks})|(?P<comment>{re.escape(comment)}.*)|(?P<string>{_DOUBLE}|{single})|(?P<word>{_WORD})"
        )
        self._style = style
        self._open = ""

    def __call__(self, line: str) -> str:
        shown: list[str] = []
        at = 0
        while at < len(line):
            if self._open:
                end = line.find(self._open, at)
                stop = len(line) if end < 0 else end + len(self._open)
                shown.append(self._block(line[at:stop]))
                self._open = self._open if end < 0 else ""
                at = stop
                continue
            found = self._token.search(line, at)
            if found is None:
                break
            shown.append(line[at : found.start()])
            at = found.end()
            if found["block"]:
                self._open = _ENDS.get(found["block"], found["block"])
                shown.append(self._block(found["block"]))
            else:
                shown.append(self._coloured(found))
        return "".join(shown) + line[at:]

    def _coloured(self, found: re.Match[str]) -> str:
        if found["comment"]:
            return self._style.dim(found[0])
        if found["string"]:
            return self._style.green(found[0])
        return self._style.yellow(found[0]) if found[0] in KEYWORDS else found[0]

    def _block(self, text: str) -> str:
        return self._style.dim(text) if self._open == "*/" else self._style.green(text)
