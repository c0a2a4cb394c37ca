"""Bash and POSIX shell. Functions and top-level variables; `source` brings in all of another file."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from codeplane.languages.spec import DefinitionHead, Language, RolePatterns

_MARKER = re.compile(r"^#+(?:!.*)?\s?")
_RULE = re.compile(r"^[\W_]*$")


class _Slice(NamedTuple):
    """A part of a node, if the grammar has no node for a name."""

    start_byte: int
    end_byte: int
    child_count: int = 0


def module_name(path: str) -> str:
    return path.rpartition(".")[0] or path


def visibility(head: DefinitionHead) -> str:
    return "private" if head.name.startswith("_") else "public"


def plain_lines(lines: list[str]) -> list[str]:
    """Remove number signs, rules, frames and directives for tools."""
    plain = [line for line in (_MARKER.sub("", line) for line in lines) if not line.startswith("shellcheck ")]
    return ["" if _RULE.match(line) else line for line in plain]


def expand_pattern(node: Any) -> list[Any]:
    """Return the name of an alias: `alias ll='ls -l'` is a single word to the grammar, and the name ends at the equals
    sign.
    """
    name, equals, _ = node.text.partition(b"=")
    return [_Slice(node.start_byte, node.start_byte + len(name))] if equals and name else []


LANGUAGES = (
    Language(
        name="bash",
        aliases=("sh", "shell", "zsh"),
        filter_extensions=(".zsh", ".ksh", ".fish"),
        roles=RolePatterns(
            tests=(("**/*_test.sh", r".+_test\.sh|test_.+\.sh"),),
        ),
        family="config",
        extensions=(".sh", ".bash"),
        filenames=(
            ".bash_aliases",
            ".bash_functions",
            ".bash_login",
            ".bash_logout",
            ".bash_profile",
            ".bashrc",
            ".envrc",
            ".profile",
            "APKBUILD",
            "PKGBUILD",
        ),
        interpreters=("ash", "bash", "dash", "ksh", "sh"),
        grammar="tree_sitter_bash:language",
        distribution="tree-sitter-bash",
        module_name=module_name,
        visibility=visibility,
        coverage="references",
        separator=":",
        comments=("#",),
        doc_prefixes=("#",),
        doc_lines=plain_lines,
        expand_pattern=expand_pattern,
        export_evidence="top_level",
    ),
)
