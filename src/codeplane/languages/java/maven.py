"""Reader of `pom.xml`: name and modules. A plain scan of tags; entities are never expanded."""

from __future__ import annotations

import re

from codeplane.languages.manifest import Manifest

_TAG = re.compile(r"<([^<>]*)>")
_MAX_DEPTH = 64
_MODULES = ("project/modules/module", "project/profiles/profile/modules/module", "project/subprojects/subproject")


def read_pom(text: str) -> Manifest:
    stack: list[str] = []
    name: str | None = None
    modules: list[str] = []
    start = 0
    for found in _TAG.finditer(_without_comments(text)):
        tag = found[1].strip()
        if not tag or tag[0] in "?!":
            continue
        if tag[0] != "/":
            if not tag.endswith("/"):
                stack.append(tag.split(None, 1)[0])
                start = found.end()
            if len(stack) > _MAX_DEPTH:
                break
            continue
        place = "/".join(stack)
        if place == "project/artifactId" and name is None:
            name = found.string[start : found.start()].strip()
        elif place in _MODULES:
            modules.append(found.string[start : found.start()].strip())
        if stack:
            stack.pop()
    extra = tuple(sorted({module for module in modules if module and "${" not in module}))
    return Manifest(name if name and "${" not in name else None, extra=extra)


def _without_comments(text: str) -> str:
    parts: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        parts.append(text[position:start])
        end = text.find("-->", start + 4)
        if end < 0:
            return "".join(parts)
        position = end + 3
    parts.append(text[position:])
    return "".join(parts)
