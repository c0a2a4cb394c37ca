"""Python packages and uv workspaces."""

from __future__ import annotations

from codeplane.languages.family import Family, Marker, WorkspaceRules, markers
from codeplane.languages.manifest import (
    Manifest,
    name_reader,
    nonempty_string,
    parse_toml,
    string_list,
    subtable,
    text_reader,
)

_MAX_LINE_CHARS = 2000


def read_pyproject(data: bytes) -> Manifest:
    document = parse_toml(data)
    names = (subtable(document, "project").get("name"), subtable(document, "tool", "poetry").get("name"))
    name = next((name for name in map(nonempty_string, names) if name), None)
    workspace = subtable(document, "tool", "uv").get("workspace")
    if not isinstance(workspace, dict):
        return Manifest(name)
    # Both keys are patterns in uv.
    excluded = (f"!{pattern}" for pattern in string_list(workspace.get("exclude")))
    return Manifest(name, (*string_list(workspace.get("members")), *excluded))


def read_setup_cfg(text: str) -> Manifest:
    section = ""
    for line in text.splitlines():
        line = line[:_MAX_LINE_CHARS].rstrip()
        if line.startswith("["):
            section = line
        name, equals, value = line.partition("=")
        if section == "[metadata]" and equals and name.strip() == "name":
            return Manifest(value.strip() or None)
    return Manifest()


FAMILY = Family(
    name="python",
    unit_files=("*.py", "*.pyi", "*.pyw", "*.pyx", "*.pxd", "*.pxi"),
    markers=(
        Marker("pyproject.toml", read_pyproject, 0),
        Marker("setup.cfg", text_reader(read_setup_cfg), 1),
        Marker("setup.py", name_reader(r"""\bname\s{0,20}=\s{0,20}["']([\w.-]{1,200})["']"""), 2),
        *markers("requirements.txt Pipfile"),
        *markers("uv.lock poetry.lock Pipfile.lock", fence=True),
    ),
    # To uv, a package that the workspace does not list is a project of its own.
    workspace=WorkspaceRules(detaches=False, unordered_negations=("pyproject.toml",)),
)
