"""Convert KDoc to plain text: link targets as names, block tags (`@param` ...) dropped."""

from __future__ import annotations

import re

_BLOCK_TAG = re.compile(r"^\s*@[a-zA-Z]")
_LINK = re.compile(r"\[([^\]\[]+)\](?:\[[^\]\[]*\]|\([^()]*\))?")


def plain_lines(lines: list[str]) -> list[str]:
    """Return the plain lines of a comment that is already stripped of stars; an empty line ends a paragraph."""
    kept: list[str] = []
    for line in lines:
        if _BLOCK_TAG.match(line):
            break
        kept.append(line)
    return _LINK.sub(r"\1", "\n".join(kept)).replace("`", "").split("\n")
