"""Manifests that are written in a language of their own: read line by line, or by their one telling word."""

from __future__ import annotations

import re

from codeplane.index.units.model import Manifest

_LINE_CHARS = 2000


def read_go_work(text: str) -> Manifest:
    """`use ./a` and `use ( ... )`."""
    return Manifest(members=tuple(_directive(text, "use")), package=False)


def read_go_mod(text: str) -> Manifest:
    return Manifest(next(iter(_directive(text, "module")), None))


def _directive(text: str, word: str) -> list[str]:
    found: list[str] = []
    block = False
    for line in text.splitlines():
        words = _go_words(line[:_LINE_CHARS])
        if block and words == [")"]:
            block = False
        elif block and words:
            found.append(words[0])
        elif words[:2] == [word, "("]:
            block = True
        elif len(words) >= 2 and words[0] == word:
            found.append(words[1])
    return found


def _go_words(line: str) -> list[str]:
    return [quoted or raw or bare for quoted, raw, bare in _GO_WORD.findall(line.partition("//")[0])]


_GO_WORD = re.compile(r'"([^"]*)"|`([^`]*)`|([()]|[^\s()"`]+)')


def read_build_sbt(text: str) -> Manifest:
    return Manifest(_first(_SBT, text))


def read_setup_cfg(text: str) -> Manifest:
    section = ""
    for line in text.splitlines():
        line = line[:_LINE_CHARS].rstrip()
        if line.startswith("["):
            section = line
        name, equals, value = line.partition("=")
        if section == "[metadata]" and equals and name.strip() == "name":
            return Manifest(value.strip() or None)
    return Manifest()


def read_setup_py(text: str) -> Manifest:
    return Manifest(_first(_SETUP, text))


def read_mix(text: str) -> Manifest:
    return Manifest(_first(_MIX, text))


def read_swift_package(text: str) -> Manifest:
    return Manifest(_first(_SWIFT, text))


def read_cabal(text: str) -> Manifest:
    return Manifest(_first(_CABAL, text))


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found[1] if found is not None else None


_SBT = re.compile(r'^(?:ThisBuild / )?name[ \t]{0,20}:=[ \t]{0,20}"([^"\n]{1,200})"', re.MULTILINE)
_SETUP = re.compile(r"""\bname\s{0,20}=\s{0,20}["']([\w.-]{1,200})["']""")
_MIX = re.compile(r"\bapp:\s{0,20}:(\w{1,200})")
_SWIFT = re.compile(r'Package\s{0,20}\(\s{0,200}name:\s{0,20}"([^"\n]{1,200})"')
_CABAL = re.compile(r"^name:[ \t]{0,50}([\w.-]{1,200})", re.MULTILINE | re.IGNORECASE)
