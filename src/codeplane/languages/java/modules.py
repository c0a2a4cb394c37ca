"""Packages of Java files."""

from __future__ import annotations

import re

_SOURCE_ROOT = re.compile(
    r"^(?:.*?/)??src/[^/]+/(?:java|kotlin|groovy|scala)/"
    r"|^(?:.*?/)??src/[^/]+/[^/]+/classes/"
    r"|^(?:.*?/)??src/"
    r"|^(?:java|javatests|test|tests)/"
)
"""Folders above the first package: Maven and Gradle source sets, the JDK's modules, a bare `src`, Bazel's `java`."""


def module_name(path: str) -> str:
    """The package, which is the folder: a file's name is the name of its class."""
    folder = _SOURCE_ROOT.sub("", path, count=1).rpartition("/")[0]
    return folder.replace("/", ".")
